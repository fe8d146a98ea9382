"""Ops on sparse matrices, computed by SciPy on the host."""
