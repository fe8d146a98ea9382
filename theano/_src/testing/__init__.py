"""One record for each op, from which every check of it follows."""
