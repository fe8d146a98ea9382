"""Displays of functions and of rewriting, for notebooks and web pages."""
