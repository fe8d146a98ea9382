"""Ops that create, change and read typed lists."""
