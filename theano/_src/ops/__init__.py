"""Ops, one family a file, each with its meaning, gradient, shape and rules."""
