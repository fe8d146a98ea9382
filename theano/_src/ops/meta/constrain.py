"""An identity op that sets the sharding of its value over a mesh of devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.sharding import Sharding
from theano._src.types.tensor import TensorVariable


@documented_in("theano.distributed")
class Constrain(Op):
    """The input, laid out over a mesh according to ``sharding``; used by ``constrain``.

    >>> import theano.tensor as T
    >>> from theano import distributed as dist
    >>> x = T.matrix("x")
    >>> print(dist.constrain(x, dist.mesh({"data": 1})["data"]).owner.op)
    Constrain{mesh(data=1)['data']}
    """

    __props__ = ("sharding",)
    view_map = {0: [0]}
    linear_in = (0,)
    shape_like = 0

    def __init__(self, sharding: Sharding) -> None:
        self.sharding = sharding

    def make_node(self, x: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        self.sharding.check(x.type.ndim, x)
        return Apply(self, [x], [x.type()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.constrained(x, self.sharding)

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        return [Constrain(self.sharding.behind(1))(inputs[0])]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [self(g) for g in output_grads]

    def __str__(self) -> str:
        return f"Constrain{{{self.sharding}}}"


@documented_in("theano.distributed")
def constrain(x: TensorLike, sharding: Sharding) -> TensorVariable:
    """Return ``x`` with a sharding over a mesh of devices; its gradient has the same sharding.

    A function that contains such a value runs on the mesh. On one device, and in modes that run
    on the host, the result is ``x``.

    Parameters
    ----------
    x : tensor
    sharding : Sharding
        The result of indexing a mesh.

    Returns
    -------
    TensorVariable

    Raises
    ------
    ValueError
        If the sharding splits more dimensions than ``x`` has; at run time, if a length is not a
        multiple of the number of parts.

    Examples
    --------
    >>> import theano, theano.tensor as T
    >>> from theano import distributed as dist
    >>> mesh = dist.mesh({"data": 1})
    >>> x = T.dmatrix("x")
    >>> f = theano.function([x], dist.constrain(x * 2, mesh["data"]).sum())
    >>> f([[1, 2], [3, 4]]).item()
    20.0
    """
    out: TensorVariable = Constrain(sharding)(x)
    return out
