"""Profiles: what calls, nodes and lines take, as tables, traces and pictures."""
