# Written by tools/stubs.py from sharedvar.py: change that file.
from theano._src.types.shared import (
    ScalarSharedVariable as ScalarSharedVariable,
    SharedVariable as SharedVariable,
    TensorSharedVariable as TensorSharedVariable,
)
from theano._src.types.shared_constructors import (
    scalar_constructor as scalar_constructor,
    shared as shared,
    shared_constructor as shared_constructor,
    tensor_constructor as tensor_constructor,
)
