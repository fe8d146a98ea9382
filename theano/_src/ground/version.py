"""The versions: of the language, with which old programs compare, and of this implementation."""

#: of the distribution: the package's metadata is read from here
release = "0.1.0.dev0"
#: of the last release of Theano, whose programs run here
language = "1.0.5"
# what follows the plus is a local label to packaging, and build metadata to semver
__version__ = f"{language}+xla.{release}"
