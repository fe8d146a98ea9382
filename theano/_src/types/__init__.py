"""The Types of values, and the containers that shared variables keep them in."""
