"""Whether XLA would compute large arrays from constants while it compiles a program.

It does so with an interpreter that takes microseconds for a number: a cumulative sum of three
million ones makes compiling take four minutes, and prints an alarm to the user's terminal. Run time
has nothing to win there: our rewrites have computed what is constant in a graph already.
"""

from __future__ import annotations

import re
from math import prod

#: elements of a constant operand up to which XLA's own computing ahead is left on
_MOST = 8192

_LINE = re.compile(r"\s*(%\w+)(?::\d+)? = \"?([\w.]+)\"?(.*)")
_OPERAND = re.compile(r"%\w+")
_TENSOR = re.compile(r"tensor<((?:\d+x)*)")
#: what makes arrays of nothing, and what only gives them another form
_SOURCES = ("stablehlo.constant", "stablehlo.iota")
_FORMS = tuple(
    f"stablehlo.{name}" for name in ("broadcast_in_dim", "reshape", "convert", "transpose", "slice")
)


def is_large(text: str) -> bool:
    """Whether a program, as StableHLO, works on a large array that depends on no argument."""
    sizes: dict[str, int] = {}
    for line in text.splitlines():
        if "func.func" in line:
            sizes = {}
        match = _LINE.match(line)
        if match is None:
            continue
        result, op, rest = match.groups()
        values, _, types = rest.partition(" : ")
        operands = _OPERAND.findall(values)
        if op not in _SOURCES and not (operands and all(x in sizes for x in operands)):
            sizes.pop(result, None)
            continue
        largest = max((sizes[x] for x in operands), default=0)
        if largest > _MOST and op not in _FORMS:
            return True
        dims = _TENSOR.findall(types)
        sizes[result] = prod(int(n) for n in dims[-1].split("x")[:-1]) if dims else largest
    return False
