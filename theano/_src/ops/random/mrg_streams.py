"""MRG_RandomStreams: samples from MRG31k3p streams, whose states are in shared variables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.tracebacks import warn_user
from theano._src.ops.arrays.select import nonzero
from theano._src.ops.core.cast import cast
from theano._src.ops.elementwise.arithmetic import sqrt, true_div
from theano._src.ops.elementwise.explog import log
from theano._src.ops.elementwise.trig import cos, sin
from theano._src.ops.meta.grad_views import undefined_grad
from theano._src.ops.random.missing_draws import streams_in
from theano._src.ops.random.mrg import MODULI, leap, mrg_uniform, spaced
from theano._src.ops.random.multinomial import ChoiceFromUniform, MultinomialFromUniform
from theano._src.ops.reduce.careduce import prod
from theano._src.ops.shape.join import join
from theano._src.ops.shape.shape import reshape
from theano._src.types.aliases import ShapeLike, TensorLike
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.dtypes import upcast
from theano._src.types.shared_constructors import shared

# log2 of the steps between rows (the published substreams) and between draws (its streams)
_LOG_ROW, _LOG_DRAW = 72, 134
_MANY = 60 * 256

#: integers
Ints: TypeAlias = np.ndarray[Any, Any] | Sequence[Any]

M1, M2 = (np.asarray(m, "int32") for m in MODULI)
A1p72, A2p72 = leap(_LOG_ROW).astype("int64")
A1p134, A2p134 = leap(_LOG_DRAW).astype("int64")

# the standard deviation of a standard normal distribution truncated to [-2, 2]
_CUT_STD = 0.87962566103423978


@documented_in("theano.sandbox.rng_mrg")
def matVecModM(A: Ints, s: Ints, m: TensorLike) -> np.ndarray:
    """Return ``dot(A, s) % m`` for integers below 2**31, without overflow.

    >>> matVecModM(np.array([[2**30, 3], [1, 1]]), np.array([4, 5]), 1000)
    array([311,   9], dtype=int32)
    """
    products = np.asarray(A, "int64") * np.asarray(s, "int64")
    return np.asarray((products % m).sum(axis=1) % m, "int32")


@documented_in("theano.sandbox.rng_mrg")
def multMatVect(v: Ints, A: Ints, m1: TensorLike, B: Ints, m2: TensorLike) -> np.ndarray:
    """Multiply the first half of ``v`` by ``A`` modulo ``m1``, the rest by ``B`` modulo ``m2``.

    Parameters
    ----------
    v : six whole numbers
    A, B : 3 x 3 matrices of whole numbers
    m1, m2 : int

    Returns
    -------
    numpy.ndarray
        The products, in int32.

    Examples
    --------
    >>> multMatVect([1, 2, 3, 4, 5, 6], np.eye(3, dtype=int) * 5, 11, np.eye(3, dtype=int), 4)
    array([ 5, 10,  4,  0,  1,  2], dtype=int32)
    """
    return np.concatenate([matVecModM(A, v[:3], m1), matVecModM(B, v[3:], m2)])


@documented_in("theano.sandbox.rng_mrg")
def ff_2p72(rstate: Ints) -> np.ndarray:
    """Return the state 2**72 steps later: the next row.

    >>> ff_2p72([5] * 6).tolist()
    [987852273, 1506709189, 1340156798, 1220051238, 858784089, 1625851191]
    """
    return multMatVect(rstate, A1p72, M1, A2p72, M2)


@documented_in("theano.sandbox.rng_mrg")
def ff_2p134(rstate: Ints) -> np.ndarray:
    """Return the state 2**134 steps later: the start of the next draw.

    >>> ff_2p134([5] * 6).tolist()
    [274986441, 890025462, 1782681152, 1456899561, 1357923274, 727976384]
    """
    return multMatVect(rstate, A1p134, M1, A2p134, M2)


@documented_in("theano.sandbox.rng_mrg")
def guess_n_streams(size: ShapeLike, warn: bool = False) -> int:
    """Return the number of streams to draw a sample of this size from.

    If the size consists of Python ints, it is a sixth of the number of samples (all of them for
    up to 6), and at most 60 * 256. Otherwise it is 60 * 256.

    Parameters
    ----------
    size : tuple or list of int, or a vector variable
    warn : bool
        Whether to warn if the size is not known.

    Examples
    --------
    >>> guess_n_streams((20, 30)), guess_n_streams((1000, 1000))
    (100, 15360)
    """
    if isinstance(size, (tuple, list)) and all(isinstance(n, int) for n in size):
        samples = math.prod(size)
        return min(samples // 6 if samples > 6 else samples, _MANY)
    if warn:
        warn_user(f"the size {size} does not tell how many streams to draw from; taking {_MANY}")
    return _MANY


@streams_in("theano.sandbox.rng_mrg")
class MRG_RandomStreams:
    """Random variables from the generator MRG31k3p, which runs on both engines.

    Each draw has its own streams in a shared variable, which every function that uses the draw
    advances. The numbers equal those of Theano 1.0.5 with its C code, for the same seed, size,
    ``nstreams`` and order of calls.

    Parameters
    ----------
    seed : int, or six ints
        A single int is used six times. The first three ints must be below 2147483647, the last
        three below 2147462579, and neither half may be all 0.
    use_cuda : optional
        Without effect: the engine chooses the device.

    Examples
    --------
    >>> import theano
    >>> from theano.sandbox.rng_mrg import MRG_RandomStreams
    >>> rng = MRG_RandomStreams(seed=234)
    >>> f = theano.function([], rng.uniform((3,)))
    >>> f().round(4).tolist(), f().round(4).tolist()
    ([0.4499, 0.3062, 0.7898], [0.4476, 0.078, 0.8625])
    """

    def __init__(self, seed: int | Ints = 12345, use_cuda: bool | None = None) -> None:
        #: for each draw: its shared state, the state after it, and the given size and nstreams
        self.state_updates: list[tuple[Any, Any, Any, int | None]] = []
        self.default_instance_seed = seed
        self.set_rstate(seed)

    def updates(self) -> list[tuple[Any, Any, Any, int | None]]:
        """Return a copy of ``state_updates``."""
        return list(self.state_updates)

    def set_rstate(self, seed: int | Ints) -> None:
        """Start the next draw at ``seed``, as in the constructor; earlier draws do not change."""
        self.rstate = _as_state(seed)

    def seed(self, seed: int | Ints | None = None) -> None:
        """Reset the streams of all draws to their initial state, or to that for another seed."""
        self.set_rstate(self.default_instance_seed if seed is None else seed)
        for state, new, size, nstreams in self.state_updates:
            n = self.n_streams(size) if nstreams is None else nstreams
            state.set_value(self.get_substream_rstates(n, new.owner.outputs[1].dtype), borrow=True)

    def inc_rstate(self) -> None:
        """Advance ``rstate`` by 2**134 steps."""
        self.rstate = ff_2p134(self.rstate)

    def get_substream_rstates(
        self, n_streams: int, dtype: str | bool | None = None, inc_rstate: bool = True
    ) -> np.ndarray:
        """Return ``n_streams`` states as rows, 2**72 steps apart, starting at ``rstate``.

        ``dtype`` has no effect. If ``inc_rstate``, ``rstate`` advances to the next draw.
        """
        if isinstance(dtype, bool):
            # in version 0.7, inc_rstate was the second argument
            inc_rstate = dtype
        if isinstance(n_streams, Variable) or n_streams != int(n_streams) or n_streams < 1:
            raise ValueError(
                f"get_substream_rstates takes a positive int as number of streams, got {n_streams}"
            )
        halves = np.asarray(self.rstate, "uint64").reshape(2, 3)
        result = spaced(halves, int(n_streams), _LOG_ROW).reshape(6, -1)
        if inc_rstate:
            self.inc_rstate()
        return np.ascontiguousarray(result.T, "int32")

    def n_streams(self, size: ShapeLike) -> int:
        """Return ``guess_n_streams(size)``."""
        return guess_n_streams(size)

    def pretty_return(
        self, node_rstate: Any, new_rstate: Any, sample: Any, size: ShapeLike, nstreams: int | None
    ) -> Any:
        """Record the state of ``sample`` on it and in ``state_updates``; return ``sample``."""
        sample.rstate = node_rstate
        sample.update = (node_rstate, new_rstate)
        self.state_updates.append((node_rstate, new_rstate, size, nstreams))
        node_rstate.default_update = new_rstate
        return sample

    def uniform(
        self,
        size: ShapeLike,
        low: TensorLike = 0.0,
        high: TensorLike = 1.0,
        ndim: int | None = None,
        dtype: str | None = None,
        nstreams: int | None = None,
        **kwargs: Any,
    ) -> Any:
        """Return numbers uniformly distributed between ``low`` and ``high``, both excluded.

        Parameters
        ----------
        size : tuple or list of ints and integer scalars, or an integer vector
        low, high : numbers or tensors
            They broadcast to the size; the size does not broadcast to them.
        ndim : int, optional
            The length of ``size``, if the graph does not determine it.
        dtype : str, optional
            float16, float32 or float64; if not given, that of ``low`` and ``high``, at least
            ``floatX``.
        nstreams : int, optional
            The number of streams to draw from: sample ``i`` comes from stream ``i % nstreams``.
        """
        ends = as_tensor_variable(low), as_tensor_variable(high)
        dtype = dtype or upcast(config.floatX, *(x.dtype for x in ends))
        first, last = (undefined_grad(cast(x, dtype)) for x in ends)
        size = _as_size("uniform", size)
        kwargs.pop("target", None)
        if kwargs:
            raise TypeError(f"uniform() got unexpected keyword arguments {sorted(kwargs)}")
        n = self.n_streams(size) if nstreams is None else nstreams
        state = shared(self.get_substream_rstates(n, dtype), borrow=True)
        state.tag.is_rng = True
        new, sample = mrg_uniform.new(state, ndim, dtype, size)
        u = self.pretty_return(state, new, sample, size, nstreams)
        result = u * (last - first) + first
        if result.type.broadcastable != u.type.broadcastable:
            raise NotImplementedError(
                f"uniform takes low and high that stretch over the size {size}, got {first.type} "
                f"and {last.type}; make the size as large as they are"
            )
        return result

    def binomial(
        self,
        size: ShapeLike = None,
        n: int = 1,
        p: TensorLike = 0.5,
        ndim: int | None = None,
        dtype: str = "int64",
        nstreams: int | None = None,
        **kwargs: Any,
    ) -> Any:
        """Return 1 with probability ``p``, else 0; arguments as for ``uniform``; ``n`` is 1."""
        if isinstance(n, Variable) or n != 1:
            raise NotImplementedError(f"MRG_RandomStreams.binomial takes n=1, got {n}")
        chance = undefined_grad(as_tensor_variable(p))
        u = self.uniform(size, ndim=ndim, nstreams=nstreams, **kwargs)
        return cast(u < chance, dtype)

    def multinomial(
        self,
        size: ShapeLike = None,
        n: TensorLike = 1,
        pvals: TensorLike = None,
        ndim: int | None = None,
        dtype: str = "int64",
        nstreams: int | None = None,
        **kwargs: Any,
    ) -> Any:
        """Count how often each of several outcomes is drawn in ``n`` draws.

        Parameters
        ----------
        pvals : matrix
            A row of probabilities for each row of the result. They are not checked: if they sum
            to less than 1, a draw may choose no outcome.
        n : int or integer scalar
        size, ndim : None
            The shape is that of ``pvals``.
        dtype : str
            "auto" is the dtype of ``pvals``.
        nstreams : int, optional
            As for ``uniform``.
        """
        if pvals is None:
            raise TypeError("MRG_RandomStreams.multinomial takes pvals: You have to specify pvals")
        rows = self._rows_of_chances("multinomial", pvals, size=size, ndim=ndim)
        u = self.uniform((rows.shape[0] * n,), nstreams=nstreams, **kwargs)
        return MultinomialFromUniform(dtype)(rows, u, n)

    def choice(
        self,
        size: int | Variable = 1,
        a: TensorLike = None,
        replace: bool = True,
        p: TensorLike = None,
        ndim: int | None = None,
        dtype: str = "int64",
        nstreams: int | None = None,
        **kwargs: Any,
    ) -> Any:
        """Return the outcomes of ``size`` draws without replacement.

        Parameters
        ----------
        size : int or integer scalar
        a : None
            The outcomes are the columns of ``p``.
        replace : bool
            Must be False: an outcome is chosen at most once.
        p : matrix
            A row of probabilities for each row of the result.
        ndim : None
            The result is a matrix.
        dtype : str
        nstreams : int, optional
            As for ``uniform``.
        """
        if replace:
            raise NotImplementedError(
                "MRG_RandomStreams.choice works without replacement; pass replace=False, "
                "or use multinomial"
            )
        if a is not None:
            raise TypeError(f"MRG_RandomStreams.choice chooses columns of p: a is None, got {a}")
        if p is None:
            raise TypeError("MRG_RandomStreams.choice takes p, rows of probabilities, got None")
        rows = self._rows_of_chances("choice", p, ndim=ndim)
        u = self.uniform((rows.shape[0] * size,), nstreams=nstreams, **kwargs)
        return ChoiceFromUniform(dtype)(rows, u, size)

    def _rows_of_chances(self, who: str, p: TensorLike, **unused: Any) -> Any:
        for name, value in unused.items():
            if value is not None:
                raise ValueError(
                    f"MRG_RandomStreams.{who} takes its shape from the probabilities: {name} is "
                    f"None, got {value}"
                )
        rows = undefined_grad(as_tensor_variable(p))
        if rows.ndim != 2:
            raise NotImplementedError(
                f"MRG_RandomStreams.{who} takes a matrix of probabilities, got {rows.type}"
            )
        return rows

    def multinomial_wo_replacement(
        self,
        size: ShapeLike = None,
        n: int | Variable = 1,
        pvals: TensorLike = None,
        ndim: int | None = None,
        dtype: str = "int64",
        nstreams: int | None = None,
        **kwargs: Any,
    ) -> Any:
        """Call ``choice`` without replacement: its deprecated name."""
        warn_user("MRG_RandomStreams.multinomial_wo_replacement is deprecated; use choice")
        if size is not None:
            raise ValueError(f"multinomial_wo_replacement takes size=None, got {size}")
        return self.choice(n, None, False, pvals, ndim, dtype, nstreams, **kwargs)

    def normal(
        self,
        size: ShapeLike,
        avg: TensorLike = 0.0,
        std: TensorLike = 1.0,
        ndim: int | None = None,
        dtype: str | None = None,
        nstreams: int | None = None,
        truncate: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Return normally distributed numbers with mean ``avg`` and standard deviation ``std``.

        Parameters
        ----------
        size, ndim, dtype, nstreams
            As for ``uniform``; ``size`` may also be one integer.
        avg, std : numbers or tensors
        truncate : bool
            Redraw numbers that are more than two standard deviations from the mean.
        """
        lengths = _as_vector("normal", size)
        middle, width = (undefined_grad(as_tensor_variable(x)) for x in (avg, std))
        dtype = dtype or upcast(config.floatX, middle.dtype, width.dtype)
        n = prod(lengths, dtype="int64")
        half = (n + 1) // 2
        draw = {"dtype": dtype, "nstreams": nstreams, **kwargs}

        # Box and Muller, 1958: two normal numbers from two uniform ones
        u = self.uniform((half * 2,), **draw)
        r = sqrt(-2.0 * log(u[:half]))
        angle = np.asarray(2 * np.pi, dtype) * u[half:]
        if not truncate:
            parts = [r * cos(angle), r * sin(angle)]
        else:
            parts, sides = [], [cos(angle), sin(angle)]
            far = [nonzero(abs(r * side) > 2.0)[0] for side in sides]
            near = [nonzero(~(abs(r * side) > 2.0))[0] for side in sides]
            low = constant(np.asarray(np.e**-2.0, dtype))
            again = self.uniform((far[0].size + far[1].size,), low=low, **draw)
            r_again = sqrt(-2.0 * log(again))
            shorter = [r_again[: far[0].size], r_again[far[0].size :]]
            for side, keep, fix, short in zip(sides, near, far, shorter, strict=True):
                parts += [(r * side)[keep], short * side[fix]]
        result = reshape(join(0, *parts)[:n], lengths, ndim=ndim)
        return cast(result * cast(width, dtype) + cast(middle, dtype), dtype)

    def truncated_normal(
        self,
        size: ShapeLike,
        avg: TensorLike = 0.0,
        std: TensorLike = 1.0,
        ndim: int | None = None,
        dtype: str | None = None,
        nstreams: int | None = None,
        **kwargs: Any,
    ) -> Any:
        """Return normal numbers truncated to within 2.27 times ``std`` of ``avg``.

        Their standard deviation is ``std``. Arguments as for ``normal``.
        """
        wider = true_div(std, constant(_CUT_STD))
        return self.normal(size, avg, wider, ndim, dtype, nstreams, truncate=True, **kwargs)


def _as_state(seed: int | Ints) -> np.ndarray:
    if isinstance(seed, (int, np.integer)):
        numbers: Sequence[Any] = [seed] * 6
    elif isinstance(seed, (tuple, list, np.ndarray)) and len(seed) == 6:
        numbers = list(seed)
    else:
        raise TypeError(f"MRG_RandomStreams takes 1 integer or 6 integers as seed, got {seed!r}")
    if not all(isinstance(n, (int, np.integer)) for n in numbers):
        raise TypeError(f"MRG_RandomStreams takes integers as seed, got {seed!r}")
    for name, half, m in zip(("first", "last"), (numbers[:3], numbers[3:]), MODULI, strict=True):
        if not all(0 <= n < m for n in half):
            raise ValueError(
                f"MRG_RandomStreams takes a seed of which the {name} 3 numbers are from 0 to less "
                f"than {m}, got {seed!r}"
            )
        if not any(half):
            raise ValueError(
                f"MRG_RandomStreams takes a seed of which the {name} 3 numbers are not all 0, got "
                f"{seed!r}"
            )
    return np.array(numbers, "int32")


def _is_int(n: object) -> bool:
    return isinstance(n, (int, np.integer))


def _as_size(who: str, size: ShapeLike) -> Any:
    """Check a size; return it as a tuple of ints and scalars, or as a vector."""
    if isinstance(size, (tuple, list)):
        for n in size:
            if not _is_int(n) and not (isinstance(n, Variable) and n.type.ndim == 0):
                raise TypeError(
                    f"{who} takes integers and integer scalars as lengths, got {n!r} in the size "
                    f"{size}"
                )
            if _is_int(n) and n <= 0:
                raise ValueError(f"{who} takes lengths above 0, got the size {size}")
        return tuple(size)
    if isinstance(size, Variable) and size.type.ndim == 1:
        return size
    raise TypeError(
        f"{who} takes a tuple of integers and integer scalars, or an integer vector, as size, got "
        f"{size!r}"
    )


def _as_vector(who: str, size: ShapeLike) -> Any:
    """Return a size as an integer vector; a single number is one length."""
    if _is_int(size) or (isinstance(size, Variable) and size.type.ndim == 0):
        size = (size,)
    size = _as_size(who, size)
    if size == ():
        return constant(np.zeros(0, "int64"))
    return as_tensor_variable(size, ndim=1)
