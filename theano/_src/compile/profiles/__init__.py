"""What a profile shows: rows of nodes, tables, memory, traces and pictures."""
