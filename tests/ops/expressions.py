"""Tables of index expressions: one text, meant as the language has it and as NumPy has it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from theano._src.engines.jax.arrays.jax_xp import jax_xp, jit, x64
from theano.testing import Case, OpSpec

#: what names in the texts stand for; each becomes an input
VALUES: dict[str, Any] = {
    "x": np.arange(24.0).reshape(2, 3, 4),
    "m": np.arange(12, dtype="float32").reshape(3, 4),
    "v": np.arange(5, dtype="int32"),
    "s": np.array(7.0),
    "e": np.zeros((0, 3)),
    "i": np.array(1, "int32"),
    "j": np.array(-2, "int64"),
    "k": np.array(2, "int8"),
    "u": np.array(1, "uint8"),
    "big": np.array(100, "int64"),
    "low": np.array(-100, "int64"),
    "p": np.array([1, 0, 1], "int32"),
    "q": np.array([2, -1, 0], "int64"),
    "r": np.array([[0, 1], [1, -1]], "int64"),
    "w": np.array([1, 0], "uint64"),
    "o": np.array([1], "int64"),
    "none": np.zeros(0, "int64"),
    "bm": np.arange(12).reshape(3, 4) % 3 == 0,
    "bv": np.array([True, False, True]),
    "b2": np.array([False, True]),
    "b6": np.arange(6).reshape(2, 3) % 2 == 0,
    "off": np.array([False, False, False]),
    "yes": np.array(True),
    "no": np.array(False),
    "y": np.array(10.0),
    "y4": np.array([10.0, 20.0, 30.0, 40.0]),
    "y3": np.array([10.0, 20.0, 30.0]),
    "y1": np.array([10.0]),
    "y34": np.arange(12.0).reshape(3, 4) * 100,
    "z": np.array(1.9),
}


def apply(*args: Any, key: Any) -> Any:
    return key(*args)


def case(text: str, **more: Any) -> Case:
    """The names in a text become inputs, in order of appearance."""
    names = [n for n in dict.fromkeys(re.findall(r"\b[a-z]\w*\b", text)) if n in VALUES]
    code = f"lambda {', '.join(names)}: {text}"
    return Case(
        *[VALUES[n] for n in names], kwargs={"key": eval(code, {"np": np, **more})}, id=text
    )


def table(name: str, texts: str, **facts: Any) -> OpSpec:
    """A spec with a case for each line; NumPy's own indexing is the oracle."""
    lines = [t.strip() for t in texts.strip().splitlines()]
    return OpSpec(apply, apply, name=name, cases=[case(t) for t in lines], **facts)


def checked(node: Any, values: Any, known: Any = ()) -> bool:
    """Whether all checks of a node hold, its inputs being traced; there must be some."""
    given = [np.asarray(x, v.type.dtype) for x, v in zip(values, node.inputs, strict=True)]
    with x64():
        flags = jit(lambda *a: list(node.op.checks(jax_xp, known, a, ())))(*given)
        assert flags, f"{node} has no checks"
        return all(bool(f) for f in flags)
