"""The commands of a terminal."""
