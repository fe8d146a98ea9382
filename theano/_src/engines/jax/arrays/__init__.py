"""The array functions that ``Op.compute`` calls, for jax, with NumPy's precision."""
