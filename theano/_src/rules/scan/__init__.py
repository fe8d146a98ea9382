"""Rewrites of scan."""
