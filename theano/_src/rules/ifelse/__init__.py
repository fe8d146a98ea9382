"""Rewrites of ifelse."""
