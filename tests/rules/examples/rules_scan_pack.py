"""Graphs on which the rules of rules/scan/pack.py fire."""

from typing import Any

from theano._src.control.scan.op import Scan
from theano._src.ops.elementwise.trig import tanh
from theano._src.types.constructors import CONSTRUCTORS


def _example() -> Any:
    start, count = CONSTRUCTORS["dvector"]("start"), 9
    x = CONSTRUCTORS["dvector"]("x")
    firsts = [start[k % 3] * (k + 1) for k in range(count)]
    e, *inner = [CONSTRUCTORS["dscalar"]() for _ in range(count + 1)]
    new = [s + 0.1 * tanh(inner[k - 1] - (k + 1) * s + e) for k, s in enumerate(inner)]
    op = Scan([e, *inner], new, 1, count, None, [True] * count)
    return [x, start], op(x.shape[0], x, *firsts, return_list=True)


EXAMPLES = {
    "scan_pack_states": _example,
}
