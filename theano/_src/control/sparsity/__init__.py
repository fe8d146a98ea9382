"""Which entries of a variable depend on which entries of another; sparse derivatives."""
