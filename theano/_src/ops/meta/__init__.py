"""Ops beside the mathematics: assertions, printing, Python functions, gradient switches."""
