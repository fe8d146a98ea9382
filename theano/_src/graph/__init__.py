"""Variables, nodes, ops, types and the graphs they make."""
