"""Scan: loops as an op, and the functions that build them."""
