"""C code of ops: source text, compiler and compiled libraries."""
