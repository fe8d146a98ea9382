"""Profiles: the time of calls, nodes and lines, as tables, traces and pictures."""
