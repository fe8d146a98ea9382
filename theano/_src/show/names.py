"""Short names for the parts of a graph, and descriptions without memory addresses."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ground.documented import documented_in

#: for pymc3, which compares it with pydot's Node and assigns its own; not used here
Node: Any = None


@documented_in("theano.printing")
def char_from_number(number: int) -> str:
    """Return the number in base 26, with the letters A to Z as digits.

    >>> [char_from_number(n) for n in (0, 25, 26, 27)]
    ['A', 'Z', 'BA', 'BB']
    """
    letters = ""
    while True:
        number, digit = divmod(number, 26)
        letters = chr(ord("A") + digit) + letters
        if not number:
            return letters


class TagGenerator:
    """Generates the tags A, B, C and so on."""

    def __init__(self) -> None:
        self.count = 0

    def get_tag(self) -> str:
        self.count += 1
        return char_from_number(self.count - 1)


@documented_in("theano.printing")
def min_informative_str(
    obj: Any,
    indent_level: int = 0,
    _prev_obs: dict[Any, str] | None = None,
    _tag_generator: Any = None,
) -> str:
    """Return a graph as a lettered tree, one line per variable.

    A repeated variable is shown as its letter only; the inputs of a named variable are omitted.

    Parameters
    ----------
    obj : Variable
    indent_level : int
        Number of leading spaces.

    >>> import theano.tensor as T
    >>> x = T.dscalar("x")
    >>> print(min_informative_str((x + x) * 2.0))
    A. Elemwise{mul,no_inplace}
     B. Elemwise{add,no_inplace}
      C. x
      <C>
     D. TensorConstant{2.0}
    """
    tags = {} if _prev_obs is None else _prev_obs
    generator = TagGenerator() if _tag_generator is None else _tag_generator
    lines = []
    stack = [(obj, indent_level)]
    while stack:
        v, level = stack.pop()
        if v in tags:
            lines.append(f"{' ' * level}<{tags[v]}>")
            continue
        tags[v] = generator.get_tag()
        owner = getattr(v, "owner", None)
        named = getattr(v, "name", None) is not None
        text = v if named or owner is None else owner.op
        lines.append(f"{' ' * level}{tags[v]}. {text}")
        if owner is not None and not named:
            stack.extend((i, level + 1) for i in reversed(owner.inputs))
    return "\n".join(lines)


@documented_in("theano.printing")
def var_descriptor(
    obj: Any, _prev_obs: dict[Any, str] | None = None, _tag_generator: Any = None
) -> str:
    """Return a text that is equal for graphs of equal structure, also across processes.

    >>> import theano.tensor as T
    >>> x = T.dscalar("x")
    >>> var_descriptor(x * x)
    'A=Elemwise{mul,no_inplace}(B=x,<B>)'
    """
    # by id, since arrays and lists cannot be keys; `obj` keeps all of them alive
    tags = {} if _prev_obs is None else _prev_obs
    generator = TagGenerator() if _tag_generator is None else _tag_generator
    parts: list[str] = []
    stack: list[tuple[bool, Any]] = [(False, obj)]
    while stack:
        is_text, item = stack.pop()
        if is_text:
            parts.append(item)
            continue
        if id(item) in tags:
            parts.append(f"<{tags[id(item)]}>")
            continue
        tags[id(item)] = generator.get_tag()
        parts.append(f"{tags[id(item)]}=")
        owner = getattr(item, "owner", None)
        if owner is None:
            parts.append(_leaf_text(item))
            continue
        parts.append(f"{owner.op}(")
        rest: list[tuple[bool, Any]] = []
        for i, v in enumerate(owner.inputs):
            rest += [(True, ",")] * (i > 0) + [(False, v)]
        stack.append((True, ")"))
        stack.extend(reversed(rest))
    return "".join(parts)


def _leaf_text(obj: Any) -> str:
    if isinstance(obj, np.ndarray) and obj.ndim:
        strides = ",".join(map(str, obj.strides))
        return f"<ndarray:strides=[{strides}],digest={_sha(obj)}>"
    text = str(obj)
    return position_independent_str(obj) if " at 0x" in text else text


@documented_in("theano.printing")
def position_independent_str(obj: Any) -> str:
    """Return the text of an object without its address in memory.

    >>> position_independent_str(object())
    'object'
    """
    if isinstance(obj, Variable):
        return f"theano_var{{type={obj.type}}}"
    return type(obj).__name__


@documented_in("theano.printing")
def hex_digest(x: np.ndarray) -> str:
    """Return a digest of an array's values, with its strides and shape.

    >>> hex_digest(np.zeros((2, 1)))[64:]
    '|strides=[8,8]|shape=[2,1]'
    """
    strides, shape = ",".join(map(str, x.strides)), ",".join(map(str, x.shape))
    return f"{_sha(x)}|strides=[{strides}]|shape=[{shape}]"


def _sha(x: np.ndarray) -> str:
    import hashlib  # slow to import

    return hashlib.sha256(x.tobytes()).hexdigest()
