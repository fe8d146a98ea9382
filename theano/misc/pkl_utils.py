"""Saving and loading objects, with their arrays beside the pickle."""

from theano._src.compile.files.archive import (
    CompatUnpickler as CompatUnpickler,
    PersistentNdarrayID as PersistentNdarrayID,
    PersistentNdarrayLoad as PersistentNdarrayLoad,
    PersistentSharedVariableID as PersistentSharedVariableID,
    StripPickler as StripPickler,
    dump as dump,
    load as load,
)
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
