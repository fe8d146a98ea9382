"""Replacements for removed modules, each imported under the old name."""
