"""Programs as text for NumPy and as StableHLO, for files that need no Theano."""
