"""Ops on sparse matrices: SciPy runs them on the host; between them are tensors."""
