"""Variables for the graphs of examples."""

from theano._src.types.tensor import tensor_type


def vectors(*names, dtype="float64"):
    return [tensor_type(dtype, (False,))(name) for name in names]
