"""Which version this is."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ground.version: __version__ version=__version__ full_version=__version__
        short_version=language
    """,
)
