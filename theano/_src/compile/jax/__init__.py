"""Functions and expressions for jax, and functions of jax as ops."""
