"""The XLA engine: any graph as host sections and compiled programs."""
