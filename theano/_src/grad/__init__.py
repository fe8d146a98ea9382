"""Gradients of expressions."""
