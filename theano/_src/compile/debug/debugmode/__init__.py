"""DebugMode: run each node separately, and check what ops and rewrites promise."""
