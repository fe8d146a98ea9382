"""Ops with inner graphs: loops, conditions, OpFromGraph; and batching."""
