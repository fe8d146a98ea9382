"""Saving and loading objects, with their arrays in separate files."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.compile.files.archive: CompatUnpickler PersistentNdarrayID PersistentNdarrayLoad
        PersistentSharedVariableID StripPickler dump load
    """,
)
