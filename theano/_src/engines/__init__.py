"""What runs a graph: the Linker contract, the engines behind it, and their errors."""
