"""Modules that every layer may import; they do not depend on graphs."""
