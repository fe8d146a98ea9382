"""Graphs, functions and values in files."""
