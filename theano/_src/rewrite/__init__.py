"""Layer 2: rules as data, and the one driver that applies them."""
