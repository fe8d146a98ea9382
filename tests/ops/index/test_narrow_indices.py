"""Indices and counts of narrow dtypes meet lengths that those do not hold: A7.

Each program runs on plain NumPy and on both engines, for lengths around the limit of each dtype
and indices at the ends of what is allowed and one beyond.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.ops.index.index_list import signed

#: dtypes of indices and lengths around the highest that each of them holds
CASES = [
    ("int8", 128),
    ("int8", 257),
    ("uint8", 256),
    ("int16", 32_769),
    ("uint16", 65_536),
]
if os.environ.get("THEANO_TEST_LENGTHS"):
    CASES += [("int8", n) for n in (127, 129, 255, 256)]
    CASES += [("uint8", n) for n in (127, 128, 255, 511, 512)]
    CASES += [("int16", n) for n in (32_767, 32_768, 65_536, 65_537)]
    CASES += [("uint16", n) for n in (65_535, 65_537)]
    CASES += [("int32", 300), ("uint32", 300)]


def _set(x, i, value):
    x = x.copy()
    x[i] = value
    return x


def _added(x, i, value):
    x = x.copy()
    np.add.at(x, i, value)
    return x


def _two(x):
    return T.stack([x, 2 * x])


def _one_hot(i, n):
    return (np.arange(n) == i[:, None]).astype("float64")


def _neg_log(x, i):
    return (np.log(np.exp(x).sum()) - x)[i]


class Program(NamedTuple):
    """A program of a vector ``x`` and an index or count ``i``, and what it says in NumPy."""

    symbolic: Callable[[Any, Any], Any]
    plain: Callable[[Any, Any], Any]
    #: what ``i`` is: scalar or vector indices, those that are not negative, bounds, or a count
    kind: str = "vector"
    #: the error for an index out of range
    error: type[Exception] = IndexError


PROGRAMS = {
    "x[i]": Program(lambda x, i: x[i], lambda x, i: x[i], "scalar"),
    "x[1, i]": Program(lambda x, i: _two(x)[1, i], lambda x, i: 2 * x[i], "scalar"),
    "set x[i]": Program(
        lambda x, i: T.set_subtensor(x[i], 7), lambda x, i: _set(x, i, 7), "scalar"
    ),
    "gradient of x[i]": Program(
        lambda x, i: T.grad(x[i] ** 2, x), lambda x, i: _set(0 * x, i, 2 * x[i]), "scalar"
    ),
    "x[v]": Program(lambda x, i: x[i], lambda x, i: x[i]),
    "x[v, 1]": Program(lambda x, i: _two(x).T[i, 1], lambda x, i: 2 * x[i]),
    "x[:, v]": Program(lambda x, i: _two(x)[:, i], lambda x, i: np.stack([x, 2 * x])[:, i]),
    "take": Program(T.take, np.take),
    "take_along_axis": Program(lambda x, i: T.take_along_axis(x, i, 0), lambda x, i: x[i]),
    "set x[v]": Program(lambda x, i: T.set_subtensor(x[i], 7), lambda x, i: _set(x, i, 7)),
    "inc x[v]": Program(lambda x, i: T.inc_subtensor(x[i], 7), lambda x, i: _added(x, i, 7)),
    "inc x[:, v]": Program(
        lambda x, i: T.inc_subtensor(_two(x)[:, i], 7)[0], lambda x, i: _added(x, i, 7)
    ),
    "gradient of x[v]": Program(
        lambda x, i: T.grad((x[i] ** 2).sum(), x), lambda x, i: _added(0 * x, i, 2 * x[i])
    ),
    "gradient of x[:, v]": Program(
        lambda x, i: T.grad((_two(x)[:, i] ** 2).sum(), x), lambda x, i: _added(0 * x, i, 10 * x[i])
    ),
    "take wrap": Program(lambda x, i: T.take(x, i, mode="wrap"), lambda x, i: x[i], error=None),
    "take clip": Program(
        lambda x, i: T.take(x, i, mode="clip"), lambda x, i: x[i], "positive", None
    ),
    "choose": Program(
        lambda x, i: T.choose(i, x.dimshuffle(0, "x")), lambda x, i: x[i], "positive", ValueError
    ),
    "to_one_hot": Program(
        lambda x, i: T.extra_ops.to_one_hot(i, x.shape[0]),
        lambda x, i: _one_hot(i, len(x)),
        "positive",
        None,
    ),
    "crossentropy": Program(
        lambda x, i: T.nnet.categorical_crossentropy(
            T.nnet.softmax(T.alloc(x, i.shape[0], x.shape[0])), i
        ),
        _neg_log,
        "positive",
        ValueError,
    ),
    "unravel_index": Program(
        lambda x, i: T.unravel_index(i, (x.shape[0], 1))[0], lambda x, i: i, "positive", ValueError
    ),
    "ravel_multi_index": Program(
        lambda x, i: T.ravel_multi_index((i, 0 * i), (x.shape[0], 1)),
        lambda x, i: i,
        "positive",
        ValueError,
    ),
    "sorter": Program(
        lambda x, i: T.searchsorted(x, x[i], sorter=T.arange(x.shape[0]).astype(i.dtype)),
        lambda x, i: i,
        "positive",
        None,
    ),
    "x[i:]": Program(lambda x, i: x[i:], lambda x, i: x[int(i) :], "bound"),
    "x[:i]": Program(lambda x, i: x[:i], lambda x, i: x[: int(i)], "bound"),
    "x[i::-1]": Program(lambda x, i: x[i::-1], lambda x, i: x[int(i) :: -1], "bound"),
    "x[::i]": Program(lambda x, i: x[::i], lambda x, i: x[:: int(i)], "bound"),
    "inc x[i:]": Program(
        lambda x, i: T.inc_subtensor(x[i:], 7),
        lambda x, i: _added(x, slice(int(i), None), 7),
        "bound",
    ),
    "roll": Program(T.roll, lambda x, i: np.roll(x, int(i) % len(x)), "bound"),
    "triu": Program(
        lambda x, i: T.triu(_two(x), i), lambda x, i: np.triu(np.stack([x, 2 * x]), int(i)), "bound"
    ),
    "arange": Program(lambda x, i: T.arange(i), lambda x, i: np.arange(int(i)), "count"),
    "arange of its dtype": Program(
        lambda x, i: T.arange(1, i, 3, dtype=i.dtype), lambda x, i: np.arange(1, int(i), 3), "count"
    ),
    "alloc": Program(
        lambda x, i: T.alloc(x[0], 2, i), lambda x, i: np.full((2, int(i)), x[0]), "count"
    ),
    "repeat": Program(
        lambda x, i: T.repeat(x[:2], i), lambda x, i: np.repeat(x[:2], int(i)), "count"
    ),
    "repeat by a vector": Program(
        lambda x, i: T.repeat(x[:2], T.stack([i, i])),
        lambda x, i: np.repeat(x[:2], int(i)),
        "count",
    ),
    "tile": Program(lambda x, i: T.tile(x[:2], i, 1), lambda x, i: np.tile(x[:2], int(i)), "count"),
    "reshape": Program(
        lambda x, i: T.alloc(x[0], i, 3).reshape((i, -1)),
        lambda x, i: np.full((int(i), 3), x[0]),
        "count",
    ),
    "scan": Program(
        lambda x, i: theano.scan(lambda a: a + 1, outputs_info=[x[0]], n_steps=i)[0],
        lambda x, i: x[0] + 1 + np.arange(int(i)),
        "count",
    ),
}


def _fitting(values, dtype):
    info = np.iinfo(dtype)
    return [v for v in values if info.min <= v <= info.max]


def _rounds(kind: str, dtype: str, n: int) -> list[Any]:
    """Values of ``i`` which are allowed, the same number of them for each dtype and length."""
    info = np.iinfo(dtype)
    if kind in ("bound", "count"):
        ends = [info.min or 1, info.max] if kind == "bound" else [1, min(info.max, n - 1)]
        return [np.asarray(v, dtype) for v in ends]
    low = 0 if kind == "positive" else -n
    good = _fitting([low, -1, 0, n // 2, n - 1, info.min, info.max], dtype)
    good = [v for v in good if low <= v < n]
    if kind == "scalar":
        return [np.asarray(v, dtype) for v in (good * 7)[:7]]
    return [np.asarray((good * 9)[:9], dtype)]


def _beyond(kind: str, dtype: str, n: int) -> list[Any]:
    info = np.iinfo(dtype)
    low = 0 if kind == "positive" else -n
    wrong = _fitting({low - 1, n, info.min, info.max}, dtype)
    wrong = [v for v in sorted(wrong) if not low <= v < n]
    fill = [] if kind == "scalar" else [0] * 8
    return [np.asarray([v, *fill] if fill else v, dtype) for v in wrong]


@pytest.mark.parametrize("linker", ["numpy", "xla"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_index_or_count_of_a_narrow_dtype_gives_what_numpy_gives(name, linker):
    """A7: uint8 into 256, int8 into 128 and int16 into 32,768 elements failed on XLA."""
    program = PROGRAMS[name]
    cases = CASES
    if name in ("to_one_hot", "crossentropy"):  # matrices
        cases = [(dtype, n) for dtype, n in CASES if n < 1000]
    if name == "sorter":  # the positions are of that dtype
        cases = [(dtype, n) for dtype, n in CASES if n <= np.iinfo(dtype).max + 1]
    inputs, outputs, tables = [], [], []
    for dtype, n in cases:
        x = T.dvector()
        i = (
            T.scalar(dtype=dtype)
            if program.kind in ("scalar", "bound", "count")
            else T.vector(dtype=dtype)
        )
        inputs += [x, i]
        outputs.append(program.symbolic(x, i))
        tables.append(np.linspace(-1, 1, n))
    f = theano.function(inputs, outputs, mode=theano.Mode(linker), on_unused_input="ignore")
    rounds = list(zip(*(_rounds(program.kind, *case) for case in cases), strict=True))
    for values in rounds:
        made = f(*(v for pair in zip(tables, values, strict=True) for v in pair))
        for case, x, i, got in zip(cases, tables, values, made, strict=True):
            want = program.plain(x, i)
            assert np.shape(got) == np.shape(want), (case, i)
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14, err_msg=f"{case} {i}")
    if program.kind in ("bound", "count") or program.error is None:
        return
    for k, case in enumerate(cases):
        for wrong in _beyond(program.kind, *case):
            values = list(rounds[0])
            values[k] = wrong
            with pytest.raises(program.error):
                f(*(v for pair in zip(tables, values, strict=True) for v in pair))


@pytest.mark.parametrize("linker", ["numpy", "xla"])
def test_an_unsigned_index_of_64_bits_is_never_read_as_a_negative_one(linker):
    """A7: from 2**63 an index was one from the end, on NumPy or on XLA."""
    x, i, v = T.dvector(), T.scalar(dtype="uint64"), T.vector(dtype="uint64")
    table, far = np.arange(5.0), np.asarray(2**64 - 2, "uint64")
    outputs = [x[i:], x[:i], x[i::-1], x[::i], T.inc_subtensor(x[i:], 7), T.roll(x, i)]
    mode = theano.Mode(linker)
    made = theano.function([x, i], outputs, mode=mode)(table, far)
    turned = np.roll(table, (2**64 - 2) % 5)
    for got, want in zip(made, [[], table, table[::-1], [0], table, turned], strict=True):
        np.testing.assert_array_equal(got, want)
    for out in (x[v], T.take(x, v), T.inc_subtensor(x[v], 7), T.stack([x, x])[:, v]):
        f = theano.function([x, v], out, mode=mode)
        with pytest.raises(IndexError, match="18446744073709551614"):
            f(table, np.asarray([0, far], "uint64"))


@pytest.mark.parametrize("linker", ["numpy", "xla"])
def test_the_last_of_a_negative_number_of_steps_is_an_error(linker):
    """A7: on XLA a loop of which only the last step is read gave the initial state."""
    n = T.bscalar()
    last = theano.scan(lambda a: a + 1, outputs_info=[T.constant(0.0)], n_steps=n)[0][-1]
    f = theano.function([n], last, mode=theano.Mode(linker))
    assert f(3) == 3
    with pytest.raises(ValueError, match="takes a number of steps that is not negative, got -3"):
        f(-3)


@pytest.mark.xla
def test_a_function_with_an_index_of_a_narrow_dtype_moves_to_xla_in_default_mode():
    """A7: it failed at the call with which it moved, or never left NumPy."""
    x, i = T.dvector(), T.vector(dtype="uint8")
    f = theano.function([x, i], T.exp(x[i]))
    f.fn._most = 0
    table, places = np.linspace(0, 1, 256), np.asarray([0, 128, 255], "uint8")
    with theano.config.change_flags({"xla.background": False}):
        for call in range(6):
            np.testing.assert_allclose(f(table, places), np.exp(table[places]), rtol=1e-14)
            if call == 2:
                (key,) = f.fn.policy.records
                f.fn.policy.promote(key)
    assert f.fn.xla.compilations == 1


@pytest.mark.parametrize(
    ("dtype", "lengths", "wanted"),
    [
        ("int8", [-5, 2**31 - 1], "int32"),
        ("uint16", [70_000], "int32"),
        ("int32", [2**31], "int64"),
        ("int32", [np.asarray(3)], "int64"),  # a length that is computed
        ("uint32", [3], "int64"),
        ("int64", [3], "int64"),
    ],
)
def test_indices_have_32_bits_where_they_and_all_lengths_fit(dtype, lengths, wanted):
    assert signed(np, np.zeros(2, dtype), *lengths).dtype == wanted
