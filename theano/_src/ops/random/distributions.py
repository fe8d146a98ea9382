"""Draws from NumPy's generator that need more than one call of a RandomState method."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from theano._src.ground.documented import documented_in

Values: TypeAlias = np.ndarray[Any, Any]
#: a shape; None means that of the arguments
Size: TypeAlias = tuple[int, ...] | None

#: by how much the sum of probabilities may exceed 1, because of rounding
_EXCESS = 1e-5


@documented_in("theano.tensor.raw_random")
def random_integers_helper(
    random_state: np.random.RandomState, low: Values, high: Values, size: Size
) -> Any:
    """Draw integers from ``low`` to ``high``, both included; arrays broadcast as in NumPy.

    ``random_state`` is the generator. ``size`` is the shape; if None, it is that of the bounds.

    >>> import numpy as np
    >>> random_integers_helper(np.random.RandomState(1), np.array(4), np.array(4), (2,)).tolist()
    [4, 4]
    """
    first, last = _whole(np.ceil, low), _whole(np.floor, high)
    return random_state.randint(first, last + 1, size, np.int64)


def _whole(round_to: np.ufunc, given: Values) -> Any:
    """Return a rounded bound as int64, or as Python ints where adding 1 could overflow."""
    bound: Values = np.asarray(given)
    if bound.dtype.kind == "f":
        bound = round_to(bound)
    if bound.ndim == 0:
        return int(bound)
    return bound.astype(np.int64 if (abs(bound) < 2**62).all() else object)


@documented_in("theano.tensor.raw_random")
def choice_helper(
    random_state: np.random.RandomState, a: Values, replace: object, p: Values, size: Size
) -> Any:
    """Draw elements of ``a``, or integers below it; an empty ``p`` means equal probabilities.

    ``random_state`` is the generator, and ``size`` the shape of the result. An element is drawn
    repeatedly only if ``replace``.

    >>> import numpy as np
    >>> choice_helper(np.random.RandomState(1), np.array([7]), True, np.array([]), (2,)).tolist()
    [7, 7]
    """
    if a.ndim > 1:
        raise ValueError(f"choice takes a vector or a number as a, got shape {a.shape}")
    if p.ndim != 1:
        raise ValueError(f"choice takes a vector as p, got shape {p.shape}")
    return random_state.choice(
        a if a.ndim else a.item(), size, bool(replace), p if p.size else None
    )


@documented_in("theano.tensor.raw_random")
def permutation_helper(random_state: np.random.RandomState, n: Values, shape: Size) -> Any:
    """Draw permutations of integers below ``n`` from ``random_state``, in shape ``(*shape, n)``.

    >>> import numpy as np
    >>> permutation_helper(np.random.RandomState(1), np.array(3), (2,)).tolist()
    [[0, 2, 1], [1, 2, 0]]
    """
    if np.ndim(n):
        raise ValueError(f"permutation takes a number as n, got shape {np.shape(n)}")
    rows, length = shape or (), int(n)
    out = np.empty((*rows, length), np.int64)
    for i in np.ndindex(*rows):
        out[i] = random_state.permutation(length)
    return out


@documented_in("theano.tensor.raw_random")
def multinomial_helper(
    random_state: np.random.RandomState, n: Values, pvals: Values, size: Size
) -> Any:
    """Draw the counts of ``n`` experiments for each row of ``pvals``; both broadcast to ``size``.

    Rows are drawn one after another from the generator ``random_state``.

    >>> import numpy as np
    >>> multinomial_helper(np.random.RandomState(1), np.array(5), np.array([0, 1.0]), (2,)).tolist()
    [[0, 5], [0, 5]]
    """
    n, pvals = np.asarray(n), _probabilities(pvals)
    rows = np.broadcast_shapes(n.shape, pvals.shape[:-1]) if size is None else tuple(size)
    classes = pvals.shape[-1]
    if n.size == 1 and pvals.size == classes and max(n.ndim, pvals.ndim - 1) <= len(rows):
        return random_state.multinomial(int(n.item()), pvals.reshape(classes), rows)
    # NumPy's error names both shapes
    each_n = np.broadcast_to(n, rows)
    each_p = np.broadcast_to(pvals, (*rows, classes))
    out = np.empty((*rows, classes), np.int64)
    for i in np.ndindex(*rows):
        out[i] = random_state.multinomial(int(each_n[i]), each_p[i])
    return out


def _probabilities(given: Values) -> Any:
    """Return the rows as float64; rows whose sum exceeds 1 by rounding are normalized."""
    pvals = np.asarray(given, np.float64)
    if pvals.ndim == 0 or not pvals.shape[-1]:
        raise ValueError(f"multinomial takes rows of probabilities as pvals, got {pvals.shape}")
    # NOTE: written so that NaN is refused
    if pvals.size and not pvals.min() >= 0:
        raise ValueError(f"multinomial takes probabilities as pvals, got {pvals.min()} among them")
    total = pvals.sum(axis=-1, keepdims=True)
    if (total > 1 + _EXCESS).any():
        raise ValueError(
            f"multinomial takes rows that add up to 1 as pvals, got one with {total.max()}"
        )
    return np.where(total > 1, pvals / np.maximum(total, 1), pvals)
