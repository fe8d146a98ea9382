"""Versions of the language, which old programs check, and of this implementation."""

#: version of the distribution; the package metadata reads it from here
release = "0.1.0"
#: the last release whose programs run here is Theano-PyMC 1.1.2; Theano itself ended at 1.0.5
language = "1.1.2"
# the part after the plus is a local label for packaging, and build metadata for semver
__version__ = f"{language}+xla.{release}"
