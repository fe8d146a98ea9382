"""What every layer may import, and nothing of graphs."""
