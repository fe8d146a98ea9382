"""Layer 0: what every layer may import, and nothing of graphs."""
