"""Variables, nodes, ops, types and graphs."""
