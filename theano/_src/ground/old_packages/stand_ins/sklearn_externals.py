"""``sklearn.externals`` for scikit-learn without it: a package without modules of its own."""

__path__: list[str] = []
