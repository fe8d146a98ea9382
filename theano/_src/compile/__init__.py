"""Compiled functions: their inputs, outputs, updates, modes, and the call itself."""
