"""Functions as files for programs without Theano."""
