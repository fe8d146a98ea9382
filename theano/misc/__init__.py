"""Examples and helpers beside the language."""
