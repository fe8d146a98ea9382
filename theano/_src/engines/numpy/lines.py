"""Elementwise nodes of single integers as Python text, for lengths and indices.

A NumPy operation on one number takes several times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from theano._src.graph.graph import Apply
from theano._src.graph.op_table import OpTable
from theano._src.ops.core.elemwise import Elemwise
from theano._src.types.dtypes import discrete_dtypes


def _add(op: Any, node: Apply, *args: str) -> str:
    return f"({(' or ' if _gives_bool(node) else ' + ').join(args)})"


def _abs(op: Any, node: Apply, x: str) -> str:
    return x if _gives_bool(node) else f"abs({x})"


def _invert(op: Any, node: Apply, x: str) -> str:
    return f"(not {x})" if _gives_bool(node) else f"(~{x})"


def _cast(op: Any, node: Apply, x: str) -> str:
    is_flag = node.inputs[0].type.dtype == "bool"
    return f"int({x})" if is_flag and not _gives_bool(node) else x


def _gives_bool(node: Apply) -> bool:
    return bool(node.outputs[0].type.dtype == "bool")


#: The value of a scalar op on integers and bools as Python text. A row is the operator to put
#: between the inputs, or a format string with the inputs in braces (the result is put into
#: parentheses), or a function of op, node and input texts that returns the whole text. Inputs are
#: names and literals. The result is converted to the output's dtype.
# fmt: off
host_text: OpTable[str | Callable[..., str]] = OpTable({
    "theano.scalar.basic.Add":      _add,
    "theano.scalar.basic.Sub":      "-",
    "theano.scalar.basic.Mul":      "*",
    "theano.scalar.basic.IntDiv":   "{0} // {1} if {1} else 0",
    "theano.scalar.basic.Mod":      "{0} % {1} if {1} else 0",
    "theano.scalar.basic.Neg":      "-{0}",
    "theano.scalar.basic.Abs":      _abs,
    "theano.scalar.basic.Maximum":  lambda op, node, a, b: f"max({a}, {b})",
    "theano.scalar.basic.Minimum":  lambda op, node, a, b: f"min({a}, {b})",
    "theano.scalar.basic.Second":   lambda op, node, a, b: b,
    "theano.scalar.basic.Identity": lambda op, node, x: x,
    "theano.scalar.basic.Cast":     _cast,
    "theano.scalar.basic.LT":       "<",
    "theano.scalar.basic.GT":       ">",
    "theano.scalar.basic.LE":       "<=",
    "theano.scalar.basic.GE":       ">=",
    "theano.scalar.basic.EQ":       "==",
    "theano.scalar.basic.NEQ":      "!=",
    "theano.scalar.basic.Switch":   "{1} if {0} else {2}",
    "theano.scalar.basic.OR":       "|",
    "theano.scalar.basic.AND":      "&",
    "theano.scalar.basic.XOR":      "^",
    "theano.scalar.basic.Invert":   _invert,
}, by_meaning=True)
# fmt: on


def text_of(node: Apply, *args: str) -> str | None:
    """The value of an elementwise node of single integers and bools as Python text, or None.

    ``args`` are the texts of its inputs.
    """
    op = node.op
    if type(op) is not Elemwise or len(node.outputs) != 1 or not op.scalar_op.has_compute:
        return None
    types = [v.type for v in (*node.inputs, *node.outputs)]
    if any(t.ndim or t.dtype not in discrete_dtypes for t in types):
        return None
    row = host_text.get(op.scalar_op)
    loops, _ = op.scalar_op.plan(tuple(t.numpy_dtype for t in types[:-1]))
    if row is None or any(d.name not in discrete_dtypes for d in loops):
        return None
    if not isinstance(row, str):
        text = row(op.scalar_op, node, *args)
    else:
        text = f"({row.format(*args) if '{' in row else f' {row} '.join(args)})"
    return _in_range(text, types[-1].dtype)


def _in_range(text: str, dtype: str) -> str:
    """Python text that wraps a whole number to a discrete dtype, as NumPy would."""
    if dtype == "bool":
        return f"bool({text})"
    size = 1 << int(dtype.lstrip("uint"))
    if dtype.startswith("u"):
        return f"({text} & {size - 1})"
    return f"(({text} + {size // 2} & {size - 1}) - {size // 2})"
