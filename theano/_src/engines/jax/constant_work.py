"""Whether XLA would compute large arrays from constants while it compiles a program.

It does so with an interpreter that takes microseconds per number: a cumulative sum of three million
ones makes compiling take four minutes, and prints an alarm to the user's terminal. This gains no
run time: our rewrites have already computed the constant parts of a graph.
"""

from __future__ import annotations

import re
from math import prod

#: the most elements of a constant operand for which XLA's constant folding stays on
_MOST = 8192

_LINE = re.compile(r"\s*(%\w+)(?::\d+)? = \"?([\w.]+)\"?(.*)")
_OPERAND = re.compile(r"%\w+")
_TENSOR = re.compile(r"tensor<((?:\d+x)*)")
#: ops that create arrays without operands, and ops that only change their form
_SOURCES = ("stablehlo.constant", "stablehlo.iota")
_FORMS = tuple(
    f"stablehlo.{name}" for name in ("broadcast_in_dim", "reshape", "convert", "transpose", "slice")
)


def is_large(text: str) -> bool:
    """Whether a program, as StableHLO, computes with a large array that depends on no argument."""
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
