"""Graphs on which the rules of rules/scan/facts.py fire."""

from typing import Any

from theano._src.control.scan.op import Scan
from theano._src.ops.linalg.hints import assume
from theano._src.ops.linalg.inverse import det
from theano._src.ops.shape.ranges import eye, tril
from theano._src.types.constructors import CONSTRUCTORS


def _example() -> Any:
    x, h, w = (CONSTRUCTORS[kind](name) for kind, name in (("dmatrix", n) for n in "xhw"))
    row, state, matrix = CONSTRUCTORS["dvector"](), h.type(), w.type()
    op = Scan([row, state, matrix], [det(matrix) * state + row], 1, 1, [True], [False])
    factor = assume(tril(w) + eye(3), "lower")
    return [x, h, w], op(x.shape[0], x, h, factor, return_list=True)


EXAMPLES = {
    "scan_facts_into_loop": _example,
}
