"""Indexing: reading and writing parts of arrays."""
