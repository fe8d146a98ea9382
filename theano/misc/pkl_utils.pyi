# Written by tools/stubs.py from pkl_utils.py: change that file.
from theano._src.compile.files.archive import (
    CompatUnpickler as CompatUnpickler,
    PersistentNdarrayID as PersistentNdarrayID,
    PersistentNdarrayLoad as PersistentNdarrayLoad,
    PersistentSharedVariableID as PersistentSharedVariableID,
    StripPickler as StripPickler,
    dump as dump,
    load as load,
)
