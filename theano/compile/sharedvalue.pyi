# Written by tools/stubs.py from sharedvalue.py: change that file.
from theano._src.types.generic import generic as generic
from theano._src.types.shared import (
    Cell as Cell,
    SharedVariable as SharedVariable,
    constructors as constructors,
)
from theano._src.types.shared_constructors import (
    generic_constructor as generic_constructor,
    shared as shared,
    shared_constructor as shared_constructor,
)
