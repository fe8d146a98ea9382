"""Graphs as pictures: one description of a graph, and writers for several formats."""
