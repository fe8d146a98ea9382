"""Layer 6: gradients of expressions."""
