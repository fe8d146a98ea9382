"""The documented linkers, and the ways to run users' thunks."""
