"""Default: an optional input with a default value."""

from __future__ import annotations

from typing import Any

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.documented import documented_in
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable


@documented_in("theano.tensor.basic")
class Default(Op):
    """``x``, or a copy of ``default`` if the value of ``x`` is None.

    >>> import theano, theano.tensor as T
    >>> x, y = T.dscalars("xy")
    >>> f = theano.function([x, y], T.default(x, y))
    >>> f(1.0, 2.0).item()
    1.0
    >>> f(None, 2.0).item()
    2.0
    """

    __props__ = ()
    view_map = {0: [0]}
    runs_on = "host"

    def make_node(self, x: TensorLike, default: TensorLike) -> Apply:
        x, default = as_tensor_variable(x), as_tensor_variable(default)
        if x.type != default.type:
            raise TypeError(
                f"default takes a value of the type of {x}, {x.type}, got {default} of "
                f"{default.type}"
            )
        return Apply(self, [x, default], [default.type()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        x, default = inputs
        output_storage[0][0] = default.copy() if x is None else x

    # no infer_shape: the choice is known only at run time
    def do_constant_folding(self, node: Apply) -> bool:
        return False


default = Default()
