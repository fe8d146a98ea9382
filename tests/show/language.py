"""A small language for these tests: variables by name, without the public modules."""

from theano._src.types.tensor import tensor_type


def tensor(name=None, ndim=0, dtype="float64"):
    v = tensor_type(dtype, (False,) * ndim)()
    v.name = name
    return v
