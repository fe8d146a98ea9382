"""Functions and expressions as functions for jax."""
