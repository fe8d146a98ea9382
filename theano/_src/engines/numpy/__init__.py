"""The numpy engine: a graph as one Python function that calls NumPy."""
