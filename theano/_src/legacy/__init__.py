"""Names of older versions of Theano: its GPU back-ends, and helpers for Python 2."""
