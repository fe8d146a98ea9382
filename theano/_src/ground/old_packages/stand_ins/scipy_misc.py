"""``scipy.misc`` where SciPy has no module of that name: empty, its names come from the table."""
