"""``scipy.misc`` for SciPy without it: empty, its names come from the table."""
