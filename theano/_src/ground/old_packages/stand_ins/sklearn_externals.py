"""``sklearn.externals`` where scikit-learn has none: a package without modules of its own."""

__path__: list[str] = []
