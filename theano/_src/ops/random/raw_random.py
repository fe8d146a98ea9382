"""Random draws from NumPy's generator: each takes a state and returns the next, and a sample."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.tracebacks import warn_user
from theano._src.ops.random.distributions import (
    choice_helper,
    multinomial_helper,
    permutation_helper,
    random_integers_helper,
)
from theano._src.ops.random.random_function import (
    RandomFunction,
    State,
    _infer_ndim_bcast,
    dims_of,
    is_empty,
    sized,
)
from theano._src.types.aliases import ShapeLike, TensorLike
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.dtypes import integer_dtypes, upcast
from theano._src.types.tensor import tensor_type


@documented_in("theano.tensor.raw_random")
def uniform(
    random_state: State,
    size: ShapeLike = None,
    low: TensorLike = 0.0,
    high: TensorLike = 1.0,
    ndim: int | None = None,
    dtype: str | None = None,
) -> Any:
    """Return the next state, and numbers uniformly distributed in ``[low, high)``.

    Parameters
    ----------
    random_state : variable of RandomStateType
    size : tuple of integers and scalars, or integer vector, optional
        The shape of the sample; by default the broadcast shape of the arguments. A -1 in a tuple
        is replaced by their length in that dimension.
    low, high : tensors
    ndim : int, optional
        The length of a symbolic ``size``, if the graph does not determine it.
    dtype : str, optional
        By default ``floatX``, or the dtype of the arguments if that is wider.

    >>> import numpy as np, theano
    >>> from theano.tensor import raw_random
    >>> state = raw_random.random_state_type()
    >>> new, sample = raw_random.uniform(state, (2,), 3.0, 4.0)
    >>> theano.function([state], sample)(np.random.RandomState(1)).round(3).tolist()
    [3.417, 3.72]
    """
    return _of_two("uniform", random_state, size, ndim, dtype, low, high)


@documented_in("theano.tensor.raw_random")
def normal(
    random_state: State,
    size: ShapeLike = None,
    avg: TensorLike = 0.0,
    std: TensorLike = 1.0,
    ndim: int | None = None,
    dtype: str | None = None,
) -> Any:
    """Return the next state, and normally distributed numbers.

    Parameters
    ----------
    random_state, size, ndim, dtype
        As for ``uniform``.
    avg, std : tensors
        The mean and the standard deviation.

    >>> import numpy as np, theano
    >>> from theano.tensor import raw_random
    >>> state = raw_random.random_state_type()
    >>> new, sample = raw_random.normal(state, (2,))
    >>> theano.function([state], sample)(np.random.RandomState(1)).round(3).tolist()
    [1.624, -0.612]
    """
    return _of_two("normal", random_state, size, ndim, dtype, avg, std)


def _of_two(
    fn: str, state: State, size: ShapeLike, ndim: int | None, dtype: str | None, *of: TensorLike
) -> Any:
    args = [as_tensor_variable(x) for x in of]
    dtype = dtype or upcast(config.floatX, *(x.dtype for x in args))
    _, size, pattern = _infer_ndim_bcast(ndim, size, *args)
    return RandomFunction(fn, tensor_type(dtype, pattern))(state, size, *args)


@documented_in("theano.tensor.raw_random")
def binomial(
    random_state: State,
    size: ShapeLike = None,
    n: TensorLike = 1,
    p: TensorLike = 0.5,
    ndim: int | None = None,
    dtype: str = "int64",
    prob: TensorLike = None,
) -> Any:
    """Return the next state, and the number of successes in ``n`` trials of probability ``p``.

    Parameters
    ----------
    random_state, size, ndim
        As for ``uniform``.
    n, p : tensors
    dtype : str
    prob : tensor, optional
        The former name of ``p``.

    >>> import numpy as np, theano
    >>> from theano.tensor import raw_random
    >>> state = raw_random.random_state_type()
    >>> new, sample = raw_random.binomial(state, (3,), 10, 0.5)
    >>> theano.function([state], sample)(np.random.RandomState(1)).tolist()
    [5, 6, 0]
    """
    if prob is not None:
        warn_user("the parameter 'prob' of binomial is now called 'p'")
        p = prob
    n, p = as_tensor_variable(n), as_tensor_variable(p)
    ndim, size, _ = _infer_ndim_bcast(ndim, size, n, p)
    kind = tensor_type(dtype, (False,) * ndim)
    return RandomFunction("binomial", kind)(random_state, size, n, p)


@documented_in("theano.tensor.raw_random")
def random_integers(
    random_state: State,
    size: ShapeLike = None,
    low: TensorLike = 0,
    high: TensorLike = 1,
    ndim: int | None = None,
    dtype: str = "int64",
) -> Any:
    """Return the next state, and integers from ``low`` to ``high``, both included.

    Parameters
    ----------
    random_state, size, ndim
        As for ``uniform``.
    low, high : tensors
    dtype : str

    >>> import numpy as np, theano
    >>> from theano.tensor import raw_random
    >>> state = raw_random.random_state_type()
    >>> new, sample = raw_random.random_integers(state, (4,), 1, 3)
    >>> theano.function([state], sample)(np.random.RandomState(1)).tolist()
    [2, 1, 1, 2]
    """
    low, high = as_tensor_variable(low), as_tensor_variable(high)
    _, size, pattern = _infer_ndim_bcast(ndim, size, low, high)
    draw = RandomFunction(random_integers_helper, tensor_type(dtype, pattern))
    return draw(random_state, size, low, high)


@documented_in("theano.tensor.raw_random")
def choice(
    random_state: State,
    size: ShapeLike = None,
    a: TensorLike = 2,
    replace: bool | Variable = True,
    p: TensorLike = None,
    ndim: int | None = None,
    dtype: str = "int64",
) -> Any:
    """Return the next state, and elements of ``a``; a scalar if no size is given.

    Parameters
    ----------
    random_state, size, ndim
        As for ``uniform``.
    a : vector, or integer scalar
        A scalar means the integers from 0 up to, but not including, it.
    replace : bool
        Whether an element may be drawn again.
    p : vector, optional
        Probabilities of the elements; equal ones if not given.
    dtype : str

    >>> import numpy as np, theano
    >>> from theano.tensor import raw_random
    >>> state = raw_random.random_state_type()
    >>> new, sample = raw_random.choice(state, (3,), [5, 7, 9], replace=False)
    >>> theano.function([state], sample)(np.random.RandomState(1)).tolist()
    [5, 9, 7]
    """
    a = as_tensor_variable(a)
    replace = constant(replace, dtype="int8") if isinstance(replace, bool) else replace
    # 0 also means equal probabilities, for callers that pass it by position
    none = p is None or (isinstance(p, (int, float)) and not p)
    p = constant(np.empty(0)) if none else as_tensor_variable(p)
    if a.dtype not in integer_dtypes and dtype in integer_dtypes:
        raise TypeError(
            f"choice gives elements of a as {dtype}, got a of {a.type}; pass dtype={a.dtype!r}"
        )
    _, size, pattern = sized(ndim, size, ())
    draw = RandomFunction(choice_helper, tensor_type(dtype, pattern))
    return draw(random_state, size, a, replace, p)


@documented_in("theano.tensor.raw_random")
def poisson(
    random_state: State,
    size: ShapeLike = None,
    lam: TensorLike = 1.0,
    ndim: int | None = None,
    dtype: str = "int64",
) -> Any:
    """Return the next state, and counts of the Poisson distribution with mean ``lam``.

    Parameters
    ----------
    random_state, size, ndim
        As for ``uniform``.
    lam : tensor
    dtype : str

    >>> import numpy as np, theano
    >>> from theano.tensor import raw_random
    >>> state = raw_random.random_state_type()
    >>> new, sample = raw_random.poisson(state, (3,), 4.0)
    >>> theano.function([state], sample)(np.random.RandomState(1)).tolist()
    [2, 2, 3]
    """
    lam = as_tensor_variable(lam)
    _, size, pattern = _infer_ndim_bcast(ndim, size, lam)
    return RandomFunction("poisson", tensor_type(dtype, pattern))(random_state, size, lam)


@documented_in("theano.tensor.raw_random")
def permutation(
    random_state: State,
    size: ShapeLike = None,
    n: TensorLike = 1,
    ndim: int | None = None,
    dtype: str = "int64",
) -> Any:
    """Return the next state, and permutations of the integers below ``n``, in the last dimension.

    Parameters
    ----------
    random_state, ndim
        As for ``uniform``.
    size : tuple or vector, optional
        The number of permutations in each dimension; a single one if not given. The sample has
        one more dimension.
    n : integer scalar
    dtype : str

    >>> import numpy as np, theano
    >>> from theano.tensor import raw_random
    >>> state = raw_random.random_state_type()
    >>> new, sample = raw_random.permutation(state, (2,), 3)
    >>> theano.function([state], sample)(np.random.RandomState(1)).tolist()
    [[0, 2, 1], [1, 2, 0]]
    """
    if size is None or is_empty(size):
        if ndim not in (None, 0, 1):
            raise TypeError(f"permutation takes a size of {ndim} lengths, got none: {size}")
        ndim = 0
        size = ()
    _, size, pattern = sized(ndim, size, ())
    kind = tensor_type(dtype, (*pattern, False))
    return RandomFunction(permutation_helper, kind, ndim_added=1)(random_state, size, n)


@documented_in("theano.tensor.raw_random")
def multinomial(
    random_state: State,
    size: ShapeLike = None,
    n: TensorLike = 1,
    pvals: TensorLike = (0.5, 0.5),
    ndim: int | None = None,
    dtype: str = "int64",
    p_vals: TensorLike = None,
) -> Any:
    """Return the next state, and the counts of classes in ``n`` experiments, in the last dimension.

    Parameters
    ----------
    random_state, ndim
        As for ``uniform``.
    size : tuple or vector, optional
        The shape of the sample without its last dimension. Rows of ``pvals`` broadcast to it.
    n : integer tensor
    pvals : tensor
        Rows of probabilities that sum to 1.
    dtype : str
    p_vals : tensor, optional
        Another name of ``pvals``.

    >>> import numpy as np, theano
    >>> from theano.tensor import raw_random
    >>> state = raw_random.random_state_type()
    >>> new, sample = raw_random.multinomial(state, (2,), 6, [0.5, 0.25, 0.25])
    >>> theano.function([state], sample)(np.random.RandomState(1)).tolist()
    [[3, 2, 1], [0, 2, 4]]
    """
    n = as_tensor_variable(n)
    pvals = as_tensor_variable(list(pvals) if isinstance(pvals, tuple) else pvals)
    pvals = pvals if p_vals is None else as_tensor_variable(p_vals)
    if pvals.ndim == 0:
        raise TypeError(f"multinomial takes rows of probabilities as pvals, got {pvals}, a scalar")
    _, size, pattern = sized(ndim, size, [dims_of(n), dims_of(pvals)[:-1]])
    kind = tensor_type(dtype, (*pattern, pvals.broadcastable[-1]))
    return RandomFunction(multinomial_helper, kind, ndim_added=1)(random_state, size, n, pvals)
