# Written by tools/stubs.py from sharedvar.py: change that file.
from theano._src.types.sparse import (
    SparseTensorSharedVariable as SparseTensorSharedVariable,
    sparse_constructor as sparse_constructor,
)
