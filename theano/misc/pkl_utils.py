"""Saving and loading objects, with their arrays beside the pickle."""

from theano._src.compile.archive import (
    CompatUnpickler as CompatUnpickler,
    PersistentNdarrayID as PersistentNdarrayID,
    PersistentNdarrayLoad as PersistentNdarrayLoad,
    PersistentSharedVariableID as PersistentSharedVariableID,
    StripPickler as StripPickler,
    dump as dump,
    load as load,
)
