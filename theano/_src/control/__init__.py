"""Ops that hold graphs."""
