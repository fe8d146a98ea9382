"""Layer 1: variables, nodes, ops, types and the graphs they make."""
