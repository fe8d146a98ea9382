"""The XLA engine: runs any graph as host sections and compiled programs."""
