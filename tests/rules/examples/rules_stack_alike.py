"""Graphs on which the rules of rules/stack_alike.py fire."""

from typing import Any

from theano._src.ops.index.index import inc_subtensor
from theano._src.ops.shape.join import join
from theano._src.types.constructors import CONSTRUCTORS


def _example() -> Any:
    x, y = (CONSTRUCTORS["dvector"](name) for name in "xy")
    made = join(0, x, x, x, x)
    for k in range(1, 12, 1):
        made = inc_subtensor(made[k], y[k % 3])
    return [x, y], [made]


EXAMPLES = {
    "scan_pack_writes": _example,
}
