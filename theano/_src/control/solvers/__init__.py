"""Ops that solve equations: roots, minima and differential equations (ADR 33)."""
