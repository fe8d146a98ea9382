"""Ops of typed lists: made, changed, and read."""
