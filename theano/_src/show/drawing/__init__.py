"""Graphs as pictures: one description, and the writers that draw it."""
