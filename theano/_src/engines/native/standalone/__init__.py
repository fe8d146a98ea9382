"""Programs that need no Python: their lowering, sizes, and functions of numbers."""
