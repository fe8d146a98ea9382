"""Rules as data, and the one driver that applies them."""
