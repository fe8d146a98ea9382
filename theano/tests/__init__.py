"""Helpers for tests of Ops."""
