# Written by tools/stubs.py from sharedvar.py: change that file.
from theano._src.types.shared_number import (
    ScalarSharedVariable as ScalarSharedVariable,
    shared_number as _shared_number,
)

shared = _shared_number
