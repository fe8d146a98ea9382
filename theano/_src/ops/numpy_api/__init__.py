"""NumPy's functions and operators on variables."""
