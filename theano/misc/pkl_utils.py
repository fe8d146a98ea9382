"""Saving and loading objects, with their arrays beside the pickle."""

from theano._src.compile.archive import (
    CompatUnpickler,
    PersistentNdarrayID,
    PersistentNdarrayLoad,
    PersistentSharedVariableID,
    StripPickler,
    dump,
    load,
)

__all__ = [
    "CompatUnpickler",
    "PersistentNdarrayID",
    "PersistentNdarrayLoad",
    "PersistentSharedVariableID",
    "StripPickler",
    "dump",
    "load",
]
