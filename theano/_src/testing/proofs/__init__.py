"""Proofs of rules: equations over the real numbers, and on every number of a dtype."""
