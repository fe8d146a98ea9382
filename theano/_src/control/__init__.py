"""Layer 7: ops that hold graphs."""
