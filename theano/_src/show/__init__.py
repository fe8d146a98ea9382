"""Graphs as text and pictures. It only reads graphs, so everything above may use it."""
