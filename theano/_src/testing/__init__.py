"""Test tools: one record for each op, from which all of its checks are derived."""
