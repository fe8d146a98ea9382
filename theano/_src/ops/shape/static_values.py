"""Values and lengths that are known when the graph is built.

The file of each op adds it to the tables here if its values or lengths can be known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import EmptyConstantError, NotScalarConstantError
from theano._src.ground.xp import numpy_xp
from theano._src.ops.core import cast
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise import arithmetic, compare
from theano._src.types.aliases import IntLike, TensorLike
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.dtypes import integer_dtypes
from theano._src.types.tensor import TensorConstant, TensorVariable

#: by op class: the single value of a node's output; the callback returns that of another variable
SCALAR_CONSTANTS: dict[type, Callable[[Apply, Variable, Callable[[Any], Any]], Any]] = {}
#: by op class: the number of entries of the vector that a node returns, or None
VECTOR_LENGTHS: dict[type, Callable[[Apply], int | None]] = {}
#: by op class: the entries of the vector that a node returns, as scalar variables, or None
VECTOR_ENTRIES: dict[type, Callable[[Apply], Sequence[Any] | None]] = {}

# cheap ops that are common in shape expressions
_FOLDED = (
    arithmetic.Add,
    arithmetic.Sub,
    arithmetic.Mul,
    arithmetic.TrueDiv,
    arithmetic.IntDiv,
    arithmetic.Mod,
    arithmetic.Neg,
    arithmetic.Maximum,
    arithmetic.Minimum,
    arithmetic.Identity,
    cast.Cast,
    compare.Switch,
    compare.EQ,
    compare.NEQ,
    compare.LT,
    compare.GT,
    compare.LE,
    compare.GE,
)


def _entry_for(table: dict[type, Any], op: Op) -> Any:
    for cls in type(op).__mro__:
        result = table.get(cls)
        if result is not None:
            return result
    return None


@documented_in("theano.tensor.basic")
def numpy_scalar(data: object) -> Any:
    """Return ``data`` as an array if it is a single number.

    Raises
    ------
    EmptyConstantError
        If it has no elements.
    NotScalarConstantError
        If it is not numeric, or has several elements.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.basic.numpy_scalar(np.array([5])).tolist()
    [5]
    """
    array = np.asarray(data)
    if array.ndim > 0 and array.size == 0:
        raise EmptyConstantError(f"a scalar is needed, got an empty array of {array.shape}")
    if array.size != 1 or array.dtype.kind not in "biufc":
        raise NotScalarConstantError(f"{data!r:.80} is not one number")
    return array


@documented_in("theano.tensor.basic")
def get_scalar_constant_value(
    orig_v: TensorLike,
    elemwise: bool = True,
    only_process_constants: bool = False,
    max_recur: int = 10,
) -> Any:
    """Return the constant that all elements of a variable are equal to, if it is known.

    Parameters
    ----------
    orig_v : Variable or number
    elemwise : bool
        If False, elementwise expressions are not computed (fills are still followed).
    only_process_constants : bool
        If True, only constants have a known value; no op is followed.
    max_recur : int
        The largest number of ops to follow.

    Returns
    -------
    numpy.ndarray
        An array without dimensions.

    Raises
    ------
    NotScalarConstantError
        If the graph does not determine the value, or elements differ.
    EmptyConstantError
        If there are no elements.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.get_scalar_constant_value(T.ones((T.lscalar(), 3)) + 1).item()
    2.0
    """
    seen: dict[Variable, Any] = {}

    def value(v: object, depth: int) -> Any:
        if not isinstance(v, Variable):
            return numpy_scalar(v)
        if isinstance(v, Constant):
            return _of_constant(v)
        if v.owner is None or only_process_constants or depth >= max_recur:
            raise NotScalarConstantError(v)
        if v not in seen:
            # a variable may be reached by several paths; compute it once
            try:
                seen[v] = _of_node(v.owner, v, elemwise, lambda w: value(w, depth + 1))
            except NotScalarConstantError as e:
                seen[v] = e
        if isinstance(seen[v], Exception):
            raise NotScalarConstantError(v)
        return seen[v]

    # a copy, so that changing the result does not change the constant
    return np.array(value(orig_v, 0))


def _of_constant(v: Constant) -> Any:
    one = v.unique_value() if isinstance(v, TensorConstant) else None
    return numpy_scalar(v.data if one is None else one)


def _of_node(node: Apply, v: Variable, elemwise: bool, value_of: Callable[[Any], Any]) -> Any:
    op = node.op
    if isinstance(op, Elemwise):
        scalar_op = op.scalar_op
        if isinstance(scalar_op, arithmetic.Second):
            return value_of(node.inputs[1])
        if elemwise and isinstance(scalar_op, _FOLDED):
            values = [value_of(x).reshape(()) for x in node.inputs]
            with np.errstate(all="ignore"):
                return np.asarray(op.compute(numpy_xp, *values))
        raise NotScalarConstantError(v)
    handler = _entry_for(SCALAR_CONSTANTS, op)
    if handler is None:
        raise NotScalarConstantError(v)
    return handler(node, v, value_of)


def first_input_constant(node: Apply, v: Variable, value_of: Callable[[Any], Any]) -> Any:
    """Entry of ``SCALAR_CONSTANTS`` for ops whose output holds only elements of the first input."""
    return value_of(node.inputs[0])


SCALAR_CONSTANTS[DimShuffle] = first_input_constant


@documented_in("theano.tensor.basic")
def extract_constant(
    x: TensorLike, elemwise: bool = True, only_process_constants: bool = False
) -> Any:
    """Return the constant value of ``x``, or ``x`` itself if it is not known.

    Arguments as for ``get_scalar_constant_value``.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.extract_constant(T.alloc(3, 2)).item()
    3
    """
    try:
        return get_scalar_constant_value(x, elemwise, only_process_constants)
    except (NotScalarConstantError, EmptyConstantError):
        return x


def known_int(x: TensorLike) -> int | None:
    """Return a size as an int if it is a known integer, else None."""
    if isinstance(x, (int, np.integer)):
        return int(x)
    try:
        result = get_scalar_constant_value(x)
    except (NotScalarConstantError, EmptyConstantError):
        return None
    return int(result.item()) if result.dtype.kind in "biu" else None


def vector_length(v: Variable) -> int | None:
    """Return the number of entries of a vector variable, or None if the graph does not fix it."""
    if v.type.broadcastable[0]:
        return 1
    if isinstance(v, Constant):
        return len(v.data)
    if v.owner is None:
        return None
    handler = _entry_for(VECTOR_LENGTHS, v.owner.op)
    return None if handler is None else handler(v.owner)


@documented_in("theano.tensor.basic")
def get_vector_length(v: TensorLike) -> int:
    """Return the number of entries of a vector, if the graph determines it.

    Parameters
    ----------
    v : vector variable, or a sequence of numbers and scalar variables

    Raises
    ------
    TypeError
        If ``v`` is not a vector.
    ValueError
        If the length is known only at run time.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.get_vector_length(T.dtensor3().shape)
    3
    """
    v = as_tensor_variable(v)
    if v.ndim != 1:
        raise TypeError(f"get_vector_length takes a vector, got {v} of {v.type}")
    number = vector_length(v)
    if number is None:
        raise ValueError(f"length not known: {v} of {v.type}; the graph does not tell it")
    return number


def vector_entries(v: Variable, n: int) -> list[Any]:
    """Return the ``n`` entries of a vector as scalar variables, taken from its op if possible."""
    if isinstance(v, Constant):
        return [constant(e) for e in v.data]
    if v.owner is not None:
        handler = _entry_for(VECTOR_ENTRIES, v.owner.op)
        result = None if handler is None else handler(v.owner)
        if result is not None:
            return list(result)
    vector = as_tensor_variable(v)
    return [vector[i] for i in range(n)]


def as_length(n: IntLike) -> Any:
    """Return an integer scalar as int64, the dtype of lengths."""
    if isinstance(n, (int, np.integer)):
        return constant(np.asarray(n, "int64"))
    if isinstance(n, Constant):
        return n if n.type.dtype == "int64" else constant(np.asarray(n.data, "int64"))
    return n if n.type.dtype == "int64" else cast.cast(n, "int64")


def product(factors: Iterable[Any]) -> Any:
    """Return the product of int64 lengths; constants are multiplied right away."""
    known, rest = 1, []
    for f in factors:
        n = int(f.data) if isinstance(f, Constant) else None
        if n is None:
            rest.append(f)
        else:
            known *= n
    if known != 1 or not rest:
        rest.append(as_length(known))
    return rest[0] if len(rest) == 1 else arithmetic.mul(*rest)


def total(terms: Iterable[Any]) -> Any:
    """Return the sum of int64 lengths; constants are added right away."""
    known, rest = 0, []
    for t in terms:
        n = int(t.data) if isinstance(t, Constant) else None
        if n is None:
            rest.append(t)
        else:
            known += n
    if known != 0 or not rest:
        rest.append(as_length(known))
    return rest[0] if len(rest) == 1 else arithmetic.add(*rest)


def scalar_lengths(
    who: str, lengths: Sequence[TensorLike]
) -> tuple[list[TensorVariable], tuple[bool, ...]]:
    """Return sizes as integer scalar variables, and for each whether it is known to be 1."""
    results = []
    for i, n in enumerate(lengths):
        v = as_tensor_variable(n)
        if v.ndim != 0:
            raise TypeError(
                f"{who} takes scalars as lengths, got {v} of {v.type} for dimension {i}"
            )
        if v.type.dtype not in integer_dtypes:
            raise TypeError(
                f"{who} takes integers as lengths, got {v} of {v.type} for dimension {i}; cast it"
            )
        results.append(v)
    return results, tuple(known_int(v) == 1 for v in results)
