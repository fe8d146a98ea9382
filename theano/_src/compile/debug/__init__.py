"""Modes and checks that find defects."""
