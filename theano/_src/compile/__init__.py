"""Layer 10: compiled functions: their inputs, outputs, updates, modes, and the call itself."""
