"""Graphs as text and pictures. It only reads graphs, so all layers above may use it."""
