"""The functions that ``Op.compute`` calls, as jax has them, with NumPy's digits."""
