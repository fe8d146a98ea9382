"""Modules that every layer may import; they know nothing about graphs."""
