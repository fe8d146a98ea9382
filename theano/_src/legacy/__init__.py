"""Names of older versions of Theano: its GPU back-ends, Python 2."""
