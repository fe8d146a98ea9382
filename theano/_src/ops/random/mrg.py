"""MRG31k3p: many streams of random numbers, computed in parallel.

P. L'Ecuyer and R. Touzin, "Fast combined multiple recursive generators with multipliers of the
form a = +-2^q +-2^r", Winter Simulation Conference 2000. Two linear recurrences of order three,
modulo primes just below 2^31; a sample is the difference of their newest values. As they are
linear, the value after k steps is a row of a matrix power times the state, so that no sample
depends on the one before it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ground.xp import numpy_xp
from theano._src.ops.shape.static_values import (
    as_length,
    get_vector_length,
    known_int,
    vector_entries,
    vector_length as length_of,
)
from theano._src.types.aliases import ShapeLike, TensorLike
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.dtypes import integer_dtypes
from theano._src.types.null import grad_undefined
from theano._src.types.tensor import TensorType, tensor_type

MODULI = (2**31 - 1, 2**31 - 21069)

# x[n] = 2^22 x[n-2] + (2^7 + 1) x[n-3] and y[n] = 2^15 y[n-1] + (2^15 + 1) y[n-3],
# as the matrices of one step for the last three values, the newest first
STEP = (
    ((0, 2**22, 2**7 + 1), (1, 0, 0), (0, 1, 0)),
    ((2**15, 0, 2**15 + 1), (1, 0, 0), (0, 1, 0)),
)

# the number of steps that have a row in the table; further steps start from later states
_LOG_ROWS = 10
_ROWS = 2**_LOG_ROWS
# the number of samples that NumPy computes at a time
_BLOCK = 2**14
# above this many samples, XLA computes them in a loop of this many turns
_MANY, _TURNS = 2**15, 4

Matrix = tuple[tuple[int, ...], ...]


def _matmul(a: Matrix, b: Matrix, m: int) -> Matrix:
    columns = tuple(zip(*b, strict=True))
    return tuple(
        tuple(sum(x * y for x, y in zip(row, column, strict=True)) % m for column in columns)
        for row in a
    )


def _kept(rows: object) -> Any:
    """Return rows of integers for both halves as a read-only array."""
    array = np.array(rows, "uint64")
    array.flags.writeable = False
    return array


@cache
def _leap(half: int, log: int) -> Matrix:
    """Return the matrix of 2**log steps for half a state."""
    if log == 0:
        return STEP[half]
    below = _leap(half, log - 1)
    return _matmul(below, below, MODULI[half])


@cache
def leap(log: int) -> Any:
    """Return the matrices of 2**log steps, one for each half of a state."""
    return _kept([_leap(half, log) for half in (0, 1)])


@cache
def _samples() -> Any:
    """Return weights of the state for the newest value after 1, 2, ... steps, for both halves."""
    results: list[list[Any]] = [[], []]
    for half, step in enumerate(STEP):
        row: Matrix = ((1, 0, 0),)
        for _ in range(_ROWS):
            row = _matmul(row, step, MODULI[half])
            results[half] += row
    return _kept(results)


@lru_cache(maxsize=1024)
def _last(k: int) -> Any:
    """Return weights of the state for the newest four values after ``k`` steps, for both halves."""
    results = []
    for half, step in enumerate(STEP):
        a: Matrix = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
        for log in range((k - 1).bit_length()):
            if (k - 1) >> log & 1:
                a = _matmul(a, _leap(half, log), MODULI[half])
        results.append([*_matmul(a[:1], step, MODULI[half]), *a])
    return _kept(results)


def _sums(rows: Array, x: Array) -> Any:
    # below 3 * 2^62, so uint64 does not overflow
    a, b, c = rows.T.reshape(3, -1, *[1] * (x.ndim - 1))
    t = a * x[0]
    t += b * x[1]
    t += c * x[2]
    return t


def values(xp: ArrayNamespace, rows: Array, state: Iterable[Array]) -> tuple[Any, Any]:
    """Return, for both halves of ``state``, its sums weighted by ``rows``, modulo their modulus."""
    x, y = (_sums(r, half) for r, half in zip(rows, state, strict=True))
    # modulo the first modulus, 2^31 is 1
    x = (x & (2**31 - 1)) + (x >> 31)
    x = (x & (2**31 - 1)) + (x >> 31)
    # modulo the second, 2^32 is 42138 and 2^31 is 21069; the result is below twice the modulus
    y = (y & (2**32 - 1)) + (y >> 32) * 42138
    y = (y & (2**31 - 1)) + (y >> 31) * 21069
    # unsigned x - m wraps around if x < m, so the smaller of x and x - m is the remainder
    return xp.minimum(x, x - MODULI[0]), xp.minimum(y, y - MODULI[1])


def spaced(state: Array, n: int, log: int) -> Any:
    """Return ``n`` states, 2**log steps apart, along a new third dimension."""
    result = state[:, :, None]
    while result.shape[2] < n:
        result = np.concatenate([result, values(numpy_xp, leap(log), result)], axis=2)
        log += 1
    return result[:, :, :n]


@lru_cache(maxsize=32)
def _starts(n: int) -> Any:
    """Return, for both halves, the weights of ``n`` states that are ``_ROWS`` steps apart."""
    # the states that follow the unit vectors are the weights
    unit = np.broadcast_to(np.eye(3, dtype="uint64"), (2, 3, 3))
    return _kept(spaced(unit, n, _LOG_ROWS).reshape(2, 3 * n, 3))


def _drawn(xp: ArrayNamespace, state: Arrays, rounds: int) -> Any:
    """Return the samples of all streams, round after round: integers from 1 to 2^31 - 1."""
    width = state[0].shape[1]
    if rounds > _ROWS:
        starts = -(-rounds // _ROWS)
        later = [xp.reshape(x, (3, -1)) for x in values(xp, _starts(starts), state)]
        result = xp.reshape(_drawn(xp, later, _ROWS), (_ROWS, starts, width))
        return xp.reshape(xp.transpose(result, (1, 0, 2)), (-1, width))

    def of(rows: Array) -> Any:
        x, y = values(xp, rows, state)
        # x - y if positive, else x - y + m; computed minus 1, so that 0 wraps around too
        d = xp.astype(x, "uint32") - xp.astype(y, "uint32") - np.uint32(1)
        d = xp.minimum(d, d + np.uint32(MODULI[0])) + np.uint32(1)
        return xp.astype(d, "int32")

    rows = _samples()[:, :rounds]
    if rounds * width <= _BLOCK:
        return of(rows)
    if xp.name == "numpy":
        # in pieces, so that intermediate arrays stay in the cache
        pieces = max(1, _BLOCK // width)
        return xp.concatenate([of(rows[:, i : i + pieces]) for i in range(0, rounds, pieces)])
    if rounds * width <= _MANY or rounds < _TURNS:
        return of(rows)
    # NOTE: a loop makes XLA store the samples. Otherwise XLA would recompute them for each of
    # several readers, as in a normal distribution
    piece = -(-rounds // _TURNS)
    turns = xp.moveaxis(_samples()[:, : piece * _TURNS].reshape(2, _TURNS, piece, 3), 1, 0)
    _, out = xp.scan(lambda nothing, rows: (nothing, of(rows)), (), turns, _TURNS, False)
    return xp.reshape(out, (-1, width))


def _as_float16(xp: ArrayNamespace, k: Array) -> Any:
    # exact in float32: a product of 16 bits and 9 bits
    return xp.astype(xp.astype((k & 0x7FFF) + 1, "float32") * np.float32(511 * 2.0**-24), "float16")


def _as_float32(xp: ArrayNamespace, k: Array) -> Any:
    # times the float before 2^-31, so that the result is never 1: it is the float before k 2^-31.
    # NOTE: XLA would merge a product with a constant factor that follows, and round once
    bits = xp.astype(k, "float32").view("uint32") - np.uint32((31 << 23) + 1)
    return bits.view("float32")


def _as_float64(xp: ArrayNamespace, k: Array) -> Any:
    return xp.astype(k, "float64") * 2.0**-31


_AS_FLOAT = {"float16": _as_float16, "float32": _as_float32, "float64": _as_float64}


@documented_in("theano.sandbox.rng_mrg")
class mrg_uniform_base(Op):
    """The base class of generators: it holds the type of samples, which have no gradient."""

    __props__ = ("output_type", "inplace")

    def __init__(self, output_type: TensorType, inplace: bool = False) -> None:
        if output_type.dtype not in _AS_FLOAT:
            raise TypeError(
                f"{type(self).__name__} gives float16, float32 or float64, got {output_type}; "
                "cast the sample"
            )
        self.output_type = output_type
        self.inplace = inplace

    def __str__(self) -> str:
        where = "inplace" if self.inplace else "no_inplace"
        return f"{type(self).__name__}{{{self.output_type},{where}}}"

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        why = "No gradient goes through random sampling."
        return [grad_undefined(self, i, x, why) for i, x in enumerate(inputs)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return [None, None]


@documented_in("theano.sandbox.rng_mrg")
class mrg_uniform(mrg_uniform_base):
    """The states after sampling, and samples of shape ``size``, strictly between 0 and 1.

    Sample ``i`` comes from stream ``i % n``, whose state is row ``i % n`` of the first input.

    >>> import numpy as np, theano.tensor as T
    >>> draw = mrg_uniform(T.dvector)
    >>> state, sample = draw(np.full((1, 6), 7, "int32"), [2])
    >>> sample.eval().round(6).tolist()
    [0.013459, 0.01339]
    """

    demand_only = (1,)

    def make_node(self, rstate: TensorLike, size: TensorLike) -> Apply:
        rstate, size = as_tensor_variable(rstate), as_tensor_variable(size)
        ndim = self.output_type.ndim
        if rstate.ndim != 2 or rstate.dtype != "int32":
            raise TypeError(
                f"{self} takes an int32 matrix of states, got {rstate} of {rstate.type}"
            )
        if size.ndim == 1 and length_of(size) == 0:
            # NumPy converts an empty list to float64
            size = constant(np.zeros(0, "int64"))
        if size.ndim != 1 or size.dtype not in integer_dtypes:
            raise TypeError(f"{self} takes a vector of integers as size, got {size} of {size.type}")
        n = length_of(size)
        if n is not None and n != ndim:
            raise ValueError(f"{self} takes a size of {ndim} lengths, got {n}: {size}")
        pattern = [known_int(e) == 1 for e in vector_entries(size, ndim)]
        sample = tensor_type(self.output_type.dtype, tuple(pattern))()
        return Apply(self, [rstate, size], [tensor_type("int32", rstate.broadcastable)(), sample])

    @classmethod
    def new(cls, rstate: Variable, ndim: int | None, dtype: str, size: ShapeLike) -> list[Any]:
        """Return new states and a sample of ``ndim`` dimensions; None: the length of ``size``."""
        size = as_tensor_variable(size, ndim=1)
        ndim = get_vector_length(size) if ndim is None else ndim
        results: list[Any] = cls(tensor_type(dtype, (False,) * ndim))(rstate, size)
        return results

    def compute(self, xp: ArrayNamespace, rstate: Array, size: Array) -> Any:
        lengths = tuple(size.tolist())
        return self._sampled(xp, rstate, len(lengths), lengths)

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        # a vector may hold more lengths than ndim
        return [*self.infer_shape(node, shapes)[1], shapes[1][0]]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        *lengths, n = sizes
        return self._sampled(xp, inputs[0], n, tuple(lengths))

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        lengths = vector_entries(node.inputs[1], self.output_type.ndim)
        return [shapes[0], tuple(as_length(n) for n in lengths)]

    def _sampled(self, xp: ArrayNamespace, rstate: Array, n: int, shape: tuple[int, ...]) -> Any:
        self._check(rstate, n, shape)
        total, streams = math.prod(shape), len(rstate)
        if total == 0:
            return xp.array(rstate), xp.zeros(shape, self.output_type.dtype)
        used, rounds = min(total, streams), -(-total // streams)
        x = [xp.astype(rstate[:used, i], "uint64") for i in range(6)]
        state = xp.stack(x[:3]), xp.stack(x[3:])
        drawn = xp.reshape(_drawn(xp, state, rounds), (-1,))[:total]
        sample = xp.reshape(_AS_FLOAT[self.output_type.dtype](xp, drawn), shape)

        # the last round may not reach all streams
        took = np.arange(used) < total - (rounds - 1) * streams
        halves = [xp.where(took, v[:3], v[1:]) for v in values(xp, _last(rounds), state)]
        now = xp.astype(xp.stack([*halves[0], *halves[1]], axis=1), "int32")
        return (now if used == streams else xp.index_set(rstate, slice(0, used), now)), sample

    def _check(self, rstate: Array, n: int, shape: tuple[int, ...]) -> None:
        if n != self.output_type.ndim:
            raise ValueError(f"{self} takes a size of {self.output_type.ndim} lengths, got {n}")
        if min(shape, default=0) < 0:
            raise ValueError(f"negative dimensions are not allowed: {self} of size {shape}")
        if math.prod(shape) >= 2**31:
            raise ValueError(f"{self} gives at most 2**31 - 1 samples, got the size {shape}")
        if rstate.shape[1] != 6 or (len(rstate) == 0 and 0 not in shape):
            raise ValueError(
                f"{self} takes states in rows of 6, one at least, got the shape {rstate.shape}"
            )


@documented_in("theano.sandbox.rng_mrg")
class DotModulo(Op):
    """``dot(A, s) % m`` and ``dot(A2, s2) % m2``, concatenated and without overflow.

    >>> import numpy as np
    >>> A, v = np.array([[1, 2], [3, 4]]), np.array([5, 6], "int32")
    >>> DotModulo()(A, v, np.int32(7), A, v, np.int32(10)).eval().tolist()
    [3, 4, 7, 9]
    """

    __props__ = ()

    def make_node(
        self,
        A: TensorLike,
        s: TensorLike,
        m: TensorLike,
        A2: TensorLike,
        s2: TensorLike,
        m2: TensorLike,
    ) -> Apply:
        inputs = [as_tensor_variable(x) for x in (A, s, m, A2, s2, m2)]
        if [x.ndim for x in inputs] != [2, 1, 0, 2, 1, 0] or any(
            x.dtype not in integer_dtypes for x in inputs
        ):
            kinds = ", ".join(str(x.type) for x in inputs)
            raise TypeError(f"{self} takes matrix, vector, scalar twice, of integers, got {kinds}")
        return Apply(self, inputs, [tensor_type(inputs[1].dtype, (False,))()])

    def compute(self, xp: ArrayNamespace, *inputs: Array) -> Any:
        results = []
        for a, s, m in (inputs[:3], inputs[3:]):
            a, s, m = (xp.astype(x, "int64") for x in (a, s, m))
            results.append(xp.sum(a * s % m, axis=1) % m)
        return xp.astype(xp.concatenate(results), inputs[1].dtype)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        return [(shapes[0][0] + shapes[3][0],)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        why = "Remainders of whole numbers have no slope."
        return [grad_undefined(self, i, x, why) for i, x in enumerate(inputs)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return [None]
