"""The versions: of the language, with which old programs compare, and of this implementation."""

#: of the distribution: the package's metadata is read from here
release = "0.1.0"
#: of the last release whose programs run here, Theano-PyMC 1.1.2; that of Theano itself is 1.0.5
language = "1.1.2"
# what follows the plus is a local label to packaging, and build metadata to semver
__version__ = f"{language}+xla.{release}"
