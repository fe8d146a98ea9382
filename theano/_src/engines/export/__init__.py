"""Programs as NumPy source and as StableHLO, for files that do not need Theano."""
