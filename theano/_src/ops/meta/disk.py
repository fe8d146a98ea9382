"""LoadFromDisk: read an array from a file at run time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.ground.documented import documented_in
from theano._src.types.aliases import DTypeLike
from theano._src.types.generic import generic
from theano._src.types.null import disconnected
from theano._src.types.tensor import TensorType, tensor_type


@documented_in("theano.tensor.io")
class LoadFromDisk(Op):
    """The array in a ``.npy`` file, whose name is the input.

    ``mmap_mode`` is None (the file is read) or 'c' (it is mapped; changes stay in memory).
    """

    __props__ = ("dtype", "broadcastable", "mmap_mode")
    runs_on = "host"
    nondiff_inputs = slice(None)

    def __init__(
        self, dtype: DTypeLike, broadcastable: Iterable[bool], mmap_mode: str | None = None
    ) -> None:
        if mmap_mode not in (None, "c"):
            raise ValueError(
                "The only supported values for mmap_mode are None and 'c': ops may change what "
                f"they compute, but not files; got {mmap_mode!r}"
            )
        self._type = tensor_type(TensorType(dtype, ()).dtype, tuple(bool(b) for b in broadcastable))
        self.dtype = self._type.numpy_dtype
        self.broadcastable = self._type.broadcastable
        self.mmap_mode = mmap_mode

    def make_node(self, path: str | Variable) -> Apply:
        if isinstance(path, str):
            path = Constant(generic, path)
        if not isinstance(path, Variable):
            raise TypeError(f"LoadFromDisk takes a file name, got {path!r}")
        return Apply(self, [path], [self._type()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        data = np.load(inputs[0], mmap_mode=self.mmap_mode)  # type: ignore[arg-type]
        if data.dtype != self.dtype:
            raise TypeError(f"Expected an array of type {self.dtype}, got {data.dtype} instead")
        output_storage[0][0] = self._type.filter(np.asarray(data))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [disconnected()]

    def do_constant_folding(self, node: Apply) -> bool:
        # the file may change between calls
        return False

    def __str__(self) -> str:
        return (
            f"Load{{dtype: {self.dtype}, broadcastable: {self.broadcastable}, "
            f"mmep: {self.mmap_mode}}}"
        )


@documented_in("theano.tensor.io")
def load(
    path: str | Variable,
    dtype: DTypeLike,
    broadcastable: Iterable[bool],
    mmap_mode: str | None = None,
) -> Any:
    """Return the array in a ``.npy`` file, which is read at every call of the function.

    Parameters
    ----------
    path : str or variable of type ``theano.generic``
    dtype : str
    broadcastable : sequence of bool
    mmap_mode : None or 'c'
        None reads the file; 'c' maps it, and changes stay in memory.

    >>> import os, tempfile, numpy, theano, theano.tensor as T
    >>> path = theano.generic("path")
    >>> f = theano.function([path], T.load(path, "int64", (False,)) * 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     name = os.path.join(folder, "five.npy")
    ...     numpy.save(name, numpy.arange(5))
    ...     f(name).tolist()
    [0, 2, 4, 6, 8]
    """
    return LoadFromDisk(dtype, broadcastable, mmap_mode)(path)
