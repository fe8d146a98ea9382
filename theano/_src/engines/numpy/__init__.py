"""The numpy engine: runs a graph as one generated Python function that calls NumPy."""
