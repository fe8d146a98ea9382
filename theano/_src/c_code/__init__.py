"""C code of ops: text, compiler, libraries."""
