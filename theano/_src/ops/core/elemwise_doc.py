"""Docstrings and signatures of elementwise ops, derived from their scalar ops."""

from __future__ import annotations

import inspect
from string import ascii_lowercase
from typing import Any

from theano._src.ops.core.scalar import ScalarOp

_STRETCH = "Taken element by element; dimensions that are broadcastable stretch."


def signature(scalar_op: ScalarOp) -> inspect.Signature:
    """Return the parameters of the tensor form of a scalar op, named as in its ``compute``."""
    kind = type(scalar_op)
    if scalar_op.in_c and kind.impl is ScalarOp.impl:
        only = inspect.Parameter.POSITIONAL_ONLY  # C code has no parameter names
        return inspect.Signature([inspect.Parameter(f"x{k}", only) for k in range(kind.nin)])
    if scalar_op.has_compute and not scalar_op.in_c:
        names = list(inspect.signature(kind.compute).parameters.values())[2:]  # self, xp
    else:
        names = list(inspect.signature(kind.impl).parameters.values())[1:]
    if kind.nin > 0 and names[0].kind is inspect.Parameter.VAR_POSITIONAL:
        letters = "x" if kind.nin == 1 else ascii_lowercase[: kind.nin]
        names = [inspect.Parameter(c, inspect.Parameter.POSITIONAL_OR_KEYWORD) for c in letters]
    return inspect.Signature([p.replace(annotation=inspect.Parameter.empty) for p in names])


def docstring(op: Any) -> str | None:
    """Return the docstring of an Elemwise: that of its scalar op, with its parameters added.

    >>> import theano.tensor as T
    >>> print(T.exp.__doc__.splitlines()[0])
    e**x.
    """
    text = inspect.cleandoc(type(op.scalar_op).__doc__ or "")
    if not text or "Parameters\n---" in text:
        return text or None
    words, mark, example = text.partition(">>>")
    if op.inplace_items:
        # the example shows the op that does not overwrite its input
        words, mark = f"{words.rstrip()}\n\nThe result is written into the first input.", ""
    names = ", ".join(str(p) for p in signature(op.scalar_op).parameters.values())
    parts = [words.rstrip(), f"Parameters\n----------\n{names} : tensor or array\n    {_STRETCH}"]
    if mark:
        parts.append(f"Examples\n--------\n{mark}{example}")
    return "\n\n".join(parts)
