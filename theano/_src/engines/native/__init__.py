"""The native engine: one program of machine code for each function, for arrays of all lengths."""
