"""Export functions to files that run without Theano."""
