"""Rules as data, and the driver that applies them."""
