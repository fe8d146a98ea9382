"""Basic indexing: integers, slices, new dimensions; writing into a copy; lengths of slices."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.ops.expressions import VALUES, checked, table
from theano._src.engines.jax.arrays.jax_xp import jax_xp, jit, x64
from theano._src.ground.xp import numpy_xp
from theano._src.ops.index.index import getitem, iterate
from theano._src.ops.index.slices import positions, slice_ends, symbol, window
from theano.tensor.subtensor import (
    IncSubtensor,
    Subtensor,
    get_canonical_form_slice,
    get_idx_list,
)
from theano.testing import Case, OpSpec, Raises, evaluate, spec_tests

INTEGERS = table(
    "integers",
    """
    x[0]
    x[-1]
    x[1, 2]
    x[-2, -3, -4]
    x[i]
    x[j]
    x[i, j]
    x[i, j, k]
    x[u]
    x[..., 0]
    x[..., i]
    x[0, ..., k]
    x[...]
    x[0, 1, 2, ...]
    v[4]
    s[()]
    s[...]
    """,
)

SLICES = table(
    "slices",
    """
    v[:]
    v[1:]
    v[:3]
    v[1:3]
    v[-3:]
    v[:-1]
    v[-4:-1]
    v[::2]
    v[::-1]
    v[::-2]
    v[3:0:-1]
    v[-1:-4:-1]
    v[3::-1]
    v[:2:-1]
    v[10:]
    v[:10]
    v[-10:]
    v[:-10]
    v[-10:10]
    v[10:-10:-1]
    v[10::-3]
    v[3:1]
    v[1:3:-1]
    v[2:2]
    v[i:]
    v[:k]
    v[i:k]
    v[j:]
    v[:j]
    v[j:j]
    v[::i]
    v[::j]
    v[::k]
    v[k::j]
    v[:i:j]
    v[i:j]
    v[j:i:j]
    v[big:]
    v[:big]
    v[low:]
    v[:low]
    v[low:big]
    v[big:low:j]
    v[::big]
    v[::low]
    v[u:]
    v[i * 1 : (i + 1) * 2]
    x[:, 1:]
    x[:, ::-1]
    x[:, 2:0:-1, ::2]
    x[0, 1:, ::-1]
    x[i, :, j:]
    x[1:, 0]
    x[1:, i, ::j]
    x[:, i:, k]
    x[..., 1:3]
    x[2:]
    x[5:, 0]
    e[0:0]
    e[::-1]
    e[:, 1:]
    e[:, i]
    e[i:, ::j]
    """,
)

NEW_DIMENSIONS = table(
    "new dimensions",
    """
    x[None]
    x[None, 0]
    x[0, None]
    x[:, None]
    x[:, None, ..., 1:3]
    x[..., None]
    x[None, ..., None]
    x[None, None, 1, ::-1]
    x[i, None, j]
    x[None, i:, None, :, k]
    s[None]
    s[None, None]
    v[None, ::-2, None]
    """,
)


def written(put: bool) -> Any:
    """Both readings of ``x[key] = y`` or ``x[key] += y``: the graph, and NumPy on a copy."""
    function = T.set_subtensor if put else T.inc_subtensor

    def symbolic(x: Any, y: Any, *parts: Any, key: Any) -> Any:
        return function(x[key(*parts)], y)

    def numeric(x: Any, y: Any, *parts: Any, key: Any) -> Any:
        out = np.array(x)
        y = np.asarray(y).astype(out.dtype)
        if put:
            out[key(*parts)] = y
        else:
            out[key(*parts)] = out[key(*parts)] + y
        return out

    return symbolic, numeric


V = VALUES
WRITTEN = [
    (V["v"], V["y"], (), lambda: 0),
    (V["v"], V["y"], (V["j"],), lambda j: j),
    (V["v"], V["y"], (), lambda: slice(1, 3)),
    (V["v"], V["y"], (), lambda: slice(None, None, -2)),
    (V["v"], V["y3"], (), lambda: slice(4, 1, -1)),
    (V["v"], V["y3"], (V["k"],), lambda k: slice(k, None)),
    (V["v"], V["y"], (V["big"],), lambda big: slice(big, None)),
    (V["v"], V["y"], (V["low"], V["big"]), lambda low, big: slice(low, big)),
    (V["x"], V["y"], (), lambda: 1),
    (V["x"], V["y4"], (), lambda: (slice(None), 1)),
    (V["x"], V["y34"], (V["i"],), lambda i: i),
    (V["x"], V["y4"], (V["i"],), lambda i: (slice(None), i)),
    (V["x"], V["y4"], (V["i"], V["j"]), lambda i, j: (i, slice(None, j))),
    (V["x"], V["y"], (V["i"], V["j"]), lambda i, j: (slice(None), slice(i, None), j)),
    (V["x"], V["y1"], (V["j"],), lambda j: (..., slice(None, None, j))),
    (V["x"], V["y"], (), lambda: (0, 0, 0)),
    (V["x"], V["y34"], (), lambda: ...),
    (V["m"], V["y"], (V["i"], V["j"], V["k"]), lambda i, j, k: (slice(i, None), slice(k, j, i))),
    (V["m"], V["y4"], (V["u"],), lambda u: slice(u, None, -1)),
    (V["e"], V["y3"], (), lambda: slice(0, 5)),
    (V["s"], V["y"], (), lambda: ()),
]

SETS, INCS = (
    OpSpec(
        *written(put),
        name=name,
        cases=[Case(x, y, *p, kwargs={"key": key}) for x, y, p, key in WRITTEN],
        out_dtype=lambda *dtypes: dtypes[0],
        errors=[
            Raises(
                (V["v"], V["y"], np.int64(5)),
                IndexError,
                "out of bounds",
                when="run",
                kwargs={"key": lambda i: i},
            ),
            Raises(
                (V["v"], V["y4"]),
                ValueError,
                "broadcast",
                when="run",
                kwargs={"key": lambda: slice(1, 3)},
            ),
            Raises((V["v"], V["y34"]), TypeError, "0-dimensional", kwargs={"key": lambda: 0}),
            Raises((V["v"], np.array(1j)), TypeError, "complex", kwargs={"key": lambda: 0}),
        ],
    )
    for put, name in ((True, "set_subtensor"), (False, "inc_subtensor"))
)

REFUSED = OpSpec(
    getitem,
    lambda x, key: x[key],
    name="refused indices",
    cases=[Case(V["v"], V["i"])],
    errors=[
        Raises((V["v"], V["big"]), IndexError, "out of bounds for axis 0 with size 5", when="run"),
        Raises((V["v"], np.int64(5)), IndexError, "index 5 is out of bounds", when="run"),
        Raises((V["v"], np.int64(-6)), IndexError, "index -6 is out of bounds", when="run"),
        Raises((V["e"], V["i"]), IndexError, "size 0", when="run"),
        Raises((V["v"], (0, 0)), IndexError, "too many indices"),
        Raises((V["s"], 0), IndexError, "too many indices", static=(1,)),
        Raises((V["x"], (..., 0, ...)), IndexError, "single ellipsis"),
        Raises((V["v"], V["y"]), TypeError, "integers or a boolean mask"),
        Raises((V["v"], 1.0), TypeError, "integers or a boolean mask", static=(1,)),
        Raises((V["v"], "a"), TypeError, "an index takes integers, slices"),
        Raises((V["v"], True), TypeError, "does not support Python bools", static=(1,)),
        Raises((V["v"], [True, False]), TypeError, "does not support Python bools", static=(1,)),
        Raises((V["v"], slice(1.5)), TypeError, "takes integers"),
        Raises((V["v"], slice(None, "a")), TypeError, "takes integers"),
        Raises((V["v"], slice(np.array([1, 2]))), TypeError, "takes scalars"),
    ],
)

SPECS = [INTEGERS, SLICES, NEW_DIMENSIONS, SETS, INCS, REFUSED]

BOUNDS = (None, *range(-6, 7))
STEPS = (None, -3, -2, -1, 1, 2, 3)


def _choices(given: Any) -> list[Any]:
    every = (BOUNDS, BOUNDS, STEPS)
    return [values[1:] if g else (None,) for g, values in zip(given, every, strict=True)]


def test_slices_of_known_bounds_begin_and_end_where_python_says() -> None:
    for n, start, stop, step in itertools.product(range(5), BOUNDS, BOUNDS, STEPS):
        first, count, stride = slice_ends(start, stop, step, n)
        want = list(range(n))[start:stop:step]
        assert [first + stride * i for i in range(count)] == want


@pytest.mark.parametrize("given", list(itertools.product((False, True), repeat=3)), ids=str)
def test_slices_of_symbolic_bounds_begin_and_end_where_python_says(given: Any) -> None:
    """Every combination of length and bounds, the shape included, and the canonical form."""
    n, *parts = T.lscalars("n", "start", "stop", "step")
    theslice = slice(*[p if g else None for p, g in zip(parts, given, strict=True)])
    ends = [symbol(e) for e in slice_ends(theslice.start, theslice.stop, theslice.step, n)]
    canonical, direction = get_canonical_form_slice(theslice, n)
    wanted = [*ends, canonical.start, canonical.stop, canonical.step, symbol(direction)]
    run = theano.function([n, *parts], wanted, on_unused_input="ignore")
    choices = [
        values[1:] if g else (None,)
        for g, values in zip(given, (BOUNDS, BOUNDS, STEPS), strict=True)
    ]
    for length, (start, stop, step) in itertools.product(range(5), itertools.product(*choices)):
        got = run(length, *[1 if p is None else p for p in (start, stop, step)])
        first, count, stride, low, high, positive, turn = map(int, got)
        want = list(range(length))[start:stop:step]
        assert [first + stride * i for i in range(count)] == want
        assert low >= 0 and high <= length and positive > 0
        assert list(range(length))[low:high:positive][::turn] == want


@pytest.mark.parametrize("given", list(itertools.product((False, True), repeat=3)), ids=str)
def test_slices_take_what_numpy_takes(given: Any) -> None:
    x = T.dvector("x")
    parts = T.lscalars("start", "stop", "step")
    theslice = slice(*[p if g else None for p, g in zip(parts, given, strict=True)])
    run = theano.function([x, *parts], x[theslice], on_unused_input="ignore")
    choices = [
        values[1:] if g else (None,)
        for g, values in zip(given, (BOUNDS, BOUNDS, STEPS), strict=True)
    ]
    for n, (start, stop, step) in itertools.product((0, 1, 4), itertools.product(*choices)):
        value = np.arange(float(n))
        got = run(value, *[1 if p is None else p for p in (start, stop, step)])
        assert got.tolist() == value[start:stop:step].tolist()


def test_compiled_slices_take_what_numpy_takes() -> None:
    """With bounds known while tracing, and the same sums that are done on traced ones."""
    for n, start, stop, step in itertools.product((0, 1, 4), BOUNDS, BOUNDS, STEPS):
        value = np.arange(n)
        want = value[start:stop:step].tolist()
        parts = [None if p is None else np.int64(p) for p in (start, step)]
        assert value[window(*parts, len(want), n)].tolist() == want
        assert positions(numpy_xp, *parts, len(want), n).tolist() == want


@pytest.mark.xla
def test_what_is_known_while_tracing_need_not_be_an_operand() -> None:
    """Constants stay constants: the same values as with every input traced."""
    x, y = T.dtensor3(), T.dscalar()
    value, one = np.arange(24.0).reshape(2, 3, 4), np.array(1.0)
    keys = [0, -1, np.s_[:, 1:], np.s_[:, ::-2, 3:0:-1], np.s_[1, 5:, ::3], np.s_[..., -2]]
    for key in keys:
        for out, first in ((x[key], [value]), (T.inc_subtensor(x[key], y), [value, one])):
            node = out.owner
            shapes = [[T.constant(np.int64(n)) for n in value.shape]]
            known = [int(d.data) for d in node.op.demands(node, shapes)]
            parts = [v.data for v in node.inputs[len(first) :]]

            def program(*operands: Any, node: Any = node, known: Any = known, parts: Any = parts):
                return node.op.lower_xla(jax_xp, known, *operands, *parts)

            with x64():
                got = np.asarray(jit(program)(*first))
            want = node.op.bind(node)(*first, *parts)
            assert got.tolist() == want.tolist()


def test_only_ends_of_slices_are_not_read_by_the_compiled_form() -> None:
    x, i, a, b, c = T.dtensor3(), *T.lscalars("i", "a", "b", "c")
    part = x[i, a:b:c, :b]
    assert part.owner.op.demand_only == (3, 5)
    assert T.set_subtensor(part, 0).owner.op.demand_only == (4, 6)
    part = x[T.lvector(), a:b, :b]
    assert part.owner.op.demand_only == (3, 4)
    assert T.set_subtensor(part, 0).owner.op.demand_only == (4, 5)


@pytest.mark.xla
def test_checks_tell_an_index_that_is_out_of_range() -> None:
    v, m, i, step = T.dvector(), T.dmatrix(), T.bscalar(), T.lscalar()
    V3, M = np.zeros(3), np.zeros((2, 3))
    table = [
        (v[i], (V3, 2), True),
        (v[i], (V3, -3), True),
        (v[i], (V3, 3), False),
        (v[i], (V3, -4), False),
        (v[i], (np.zeros(0), 0), False),
        (m[:, i], (M, 2), True),
        (m[:, i], (M, 3), False),
        (T.inc_subtensor(m[1:, i], 1), (M, 1, 1, 2), True),
        (T.inc_subtensor(m[1:, i], 1), (M, 1, 1, -4), False),
        (v[::step], (V3, -1), True),
        (v[::step], (V3, 0), False),
    ]
    for out, values, holds in table:
        assert checked(out.owner, values) is holds, (out.owner, values)


def test_a_length_does_not_overflow() -> None:
    n = T.lscalar("n")
    for step in (2**63 - 1, -(2**63 - 1)):
        assert evaluate([symbol(slice_ends(None, None, step, n)[1])], {n: np.int64(3)})[0] == 1
    assert T.arange(4)[: 2**80].eval().tolist() == [0, 1, 2, 3]
    assert T.arange(4)[-(2**80) :].eval().tolist() == [0, 1, 2, 3]


def test_a_step_of_zero_is_refused() -> None:
    x, step = T.dvector(), T.lscalar()
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        theano.function([x, step], x[::step])([1.0, 2.0], 0)
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        slice_ends(None, None, 0, 3)


@pytest.mark.parametrize(
    ("index", "text"),
    [
        (0, "Subtensor{int64}"),
        (np.s_[1:2], "Subtensor{int64:int64:}"),
        (np.s_[:, ::-1], "Subtensor{::, ::int64}"),
        (np.s_[-1, :, 2], "Subtensor{int64, ::, int64}"),
        (np.s_[..., 0], "Subtensor{::, ::, int64}"),
        ((), "Subtensor{}"),
        (np.s_[0:5:None], "Subtensor{int64:int64:}"),
        (T.iscalar(), "Subtensor{int32}"),
        (slice(T.iscalar(), T.lscalar()), "Subtensor{int32:int64:}"),
        (slice(None, None, T.bscalar()), "Subtensor{::int8}"),
        (T.constant(1), "Subtensor{int8}"),
    ],
)
def test_a_subtensor_prints_its_index(index: Any, text: str) -> None:
    op = T.dtensor3()[index].owner.op
    assert str(op) == text
    assert str(pickle.loads(pickle.dumps(op))) == text
    assert op == Subtensor(op.idx_list) and hash(op) == hash(Subtensor(op.idx_list))


def test_writing_prints_what_it_does_and_where() -> None:
    v, i = T.dvector(), T.iscalar()
    assert str(T.set_subtensor(v[1:3], 1).owner.op) == "IncSubtensor{Set;int64:int64:}"
    assert str(T.inc_subtensor(v[1:i], 1).owner.op) == "IncSubtensor{Inc;int64:int32:}"
    assert str(T.set_subtensor(v[0], 1, inplace=True).owner.op) == "IncSubtensor{InplaceSet;int64}"
    assert str(T.inc_subtensor(v[0], 1, inplace=True).owner.op) == "IncSubtensor{InplaceInc;int64}"


def test_ops_of_other_indices_differ() -> None:
    x = T.dtensor3()
    made = [x[0], x[:], x[0:], x[:0], x[0, 0], x[::1], x[T.iscalar()]]
    assert len({v.owner.op for v in made}) == len(made)
    writes = [f(x[0], 1, inplace=p) for f in (T.set_subtensor, T.inc_subtensor) for p in (0, 1)]
    assert len({v.owner.op for v in writes}) == len(writes)


@pytest.mark.parametrize(
    ("index", "stretches"),
    [
        (np.s_[:], True),
        (np.s_[0:1], True),
        (np.s_[:1], True),
        (np.s_[0:2], True),
        (np.s_[::-1], True),
        (np.s_[0:0], False),
        (np.s_[-1:], False),
        (np.s_[1:], False),
        (slice(T.iscalar(), None), False),
        (slice(None, T.iscalar()), False),
    ],
)
def test_a_slice_of_a_row_stretches_where_it_surely_keeps_it(index: Any, stretches: bool) -> None:
    assert T.drow()[index].broadcastable == (stretches, False)
    assert T.dmatrix()[index].broadcastable == (False, False)


def test_a_view_of_the_input_is_said_to_be_one() -> None:
    node = T.dmatrix()[0, 0].owner
    value = np.arange(4.0).reshape(2, 2)
    assert node.op.view_map == {0: [0]}
    assert np.shares_memory(node.op.bind(node)(value, np.int64(0), np.int64(0)), value)


def test_writing_leaves_the_input_alone_unless_in_place() -> None:
    for inplace in (False, True):
        v = T.dvector()
        node = T.set_subtensor(v[0], 9, inplace=inplace).owner
        value = np.array([1.0, 2.0])
        out = node.op.bind(node)(value, np.int8(9), np.int64(0))
        assert out.tolist() == [9.0, 2.0]
        assert value.tolist() == ([9.0, 2.0] if inplace else [1.0, 2.0])
        assert bool(node.op.destroy_map) is inplace and (out is value) is inplace


def test_values_take_the_dtype_of_the_tensor_they_go_into() -> None:
    # as Theano 1.0.5 answers
    k = T.ivector()
    given = np.arange(3, dtype="int32")
    for function in (T.set_subtensor, T.inc_subtensor):
        out = theano.function([k], function(k[0], 1.7))(given)
        assert out.tolist() == [1, 1, 2] and out.dtype == "int32"


def test_only_an_index_can_be_written_into() -> None:
    v, m = T.dvector(), T.dmatrix()
    for x in (v, m + 1, 3, T.constant(1.0), v.sum()):
        with pytest.raises(TypeError, match="result of a subtensor operation"):
            T.set_subtensor(x, 0)


def test_writing_goes_through_reordered_dimensions() -> None:
    # recorded from Theano 1.0.5: the whole comes back reordered
    m, w = T.dmatrix(), T.dmatrix()
    given = np.arange(6.0).reshape(2, 3)
    for part in (m[0:2].T, m[0:2].dimshuffle(1, 0)):
        out = theano.function([m, w], T.inc_subtensor(part, w))(given, np.ones((3, 2)))
        assert out.tolist() == [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]


def test_writing_goes_through_reshapes() -> None:
    m, u = T.dmatrix(), T.dvector()
    given = np.arange(6.0).reshape(2, 3)
    out = theano.function([m, u], T.inc_subtensor(m[:, 0:2].flatten(), u))(given, [1, 2, 3, 4])
    assert out.tolist() == [[1.0, 3.0, 2.0], [6.0, 8.0, 5.0]]
    out = theano.function([m, u], T.inc_subtensor(m[0:1].reshape((3,)), u))(given, [1, 2, 3])
    assert out.tolist() == [[1.0, 3.0, 5.0], [3.0, 4.0, 5.0]]
    out = theano.function([m], T.set_subtensor(m[:, 0:2].flatten(), 8))(given)
    assert out.tolist() == [[8.0, 8.0, 2.0], [8.0, 8.0, 5.0]]


def test_writing_goes_through_new_dimensions() -> None:
    x, w = T.dtensor3(), T.dmatrix()
    given = np.zeros((2, 3, 4))
    out = theano.function([x, w], T.set_subtensor(x[:, None, 0], w[:, None]))(
        given, np.ones((2, 4))
    )
    want = given.copy()
    want[:, 0] = 1
    assert out.tolist() == want.tolist()
    y = T.dtensor3()
    run = theano.function([x, y], T.set_subtensor(x[:, None, 0], y))
    assert run(given, np.ones((2, 1, 4))).tolist() == want.tolist()
    with pytest.raises(ValueError, match="supposed to be 1"):
        run(given, np.ones((2, 2, 4)))


def test_a_part_of_a_part_writes_into_the_part() -> None:
    m = T.dmatrix()
    out = T.inc_subtensor(m[0][1], 5).eval({m: np.zeros((2, 3))})
    assert out.tolist() == [0.0, 5.0, 0.0]


def test_the_index_of_a_node_can_be_read_back() -> None:
    i = T.iscalar()
    node = T.dtensor3()[i, :, 1:i].owner
    first, full, last = get_idx_list(node.inputs, node.op.idx_list)
    assert first is i and full == slice(None) and last.stop is i
    assert last.start.data == 1 and last.step is None
    assert get_idx_list(node.inputs, node.op.idx_list, get_count=True)[1] == 3


def test_vectors_of_known_length_are_iterated_over() -> None:
    assert [int(v.eval()) for v in iterate(T.constant([4, 5, 6]))] == [4, 5, 6]
    assert len(list(iterate(T.dmatrix().shape))) == 2
    for unknown in (T.dvector(), T.dmatrix(), T.dscalar()):
        with pytest.raises(TypeError, match="does not support iteration"):
            iterate(unknown)


def test_sizes_are_read_through_indices_of_shapes() -> None:
    x = T.TensorType("float64", (False, True, False))()
    assert T.get_vector_length(x.shape[1:]) == 2
    assert T.get_vector_length(x.shape[::-1]) == 3
    assert T.get_vector_length(x.shape[5:]) == 0
    assert T.get_scalar_constant_value(x.shape[1]) == 1
    assert T.get_scalar_constant_value(x.shape[::-1][1]) == 1
    assert T.get_scalar_constant_value(T.constant([3, 4, 5])[-1]) == 5
    assert T.get_scalar_constant_value(T.constant([[3, 4], [5, 6]])[1, 0]) == 5
    for unknown in (x.shape[0], T.constant([3, 4])[T.iscalar()], T.constant([3, 4])[7]):
        with pytest.raises(T.NotScalarConstantError):
            T.get_scalar_constant_value(unknown)


def test_nodes_are_made_anew_from_flat_inputs() -> None:
    x, y = T.dvector(), T.dscalar()
    for node in (x[1:3].owner, T.set_subtensor(x[1:3], y).owner):
        other = [v.type() if v.owner is None and v.name else v for v in node.inputs]
        again = node.op.make_node(*other)
        assert again.op == node.op and again.outputs[0].type == node.outputs[0].type
    with pytest.raises(IndexError, match="takes 2 indices, got 1"):
        x[1:3].owner.op.make_node(x, 1)
    with pytest.raises(TypeError, match="takes an index of int64"):
        Subtensor((slice(1, 2),))(x, T.iscalar(), 2)
    with pytest.raises(ValueError, match="Trying to increment a 0-dimensional subtensor"):
        IncSubtensor((0,))(x, x, 0)


test_ops = spec_tests(SPECS)


_COLUMNS = T.TensorType("float64", (False, True, True))("x")


@pytest.mark.parametrize(
    ("index", "pattern"),
    [
        (np.s_[:, None], (False, True)),
        (np.s_[None, :], (True, False)),
        (np.s_[1:, None], (False, True)),
        (np.s_[:, None, None], (False, True, True)),
        (np.s_[:, :, None], (False, True, True)),
    ],
)
def test_a_new_dimension_drops_broadcastable_dimensions_that_are_not_named_and_warns(
    index, pattern
):
    with pytest.warns(UserWarning, match="A new dimension in the index of x"):
        made = _COLUMNS[index]
    assert made.type.broadcastable == pattern
    value = np.arange(3.0).reshape(3, 1, 1)
    expected = value[index][tuple([slice(None)] * made.ndim)].ravel()
    assert np.array_equal(made.eval({_COLUMNS: value}).ravel(), expected)


@pytest.mark.parametrize(
    "index", [np.s_[:, None, :, :], np.s_[:, None, ...], np.s_[None, ...], np.s_[None]]
)
def test_a_new_dimension_keeps_dimensions_that_are_named_or_not_broadcastable(index):
    value = np.zeros((3, 1, 1))
    assert _COLUMNS[index].ndim == 4
    assert _COLUMNS[index].eval({_COLUMNS: value}).shape == value[index].shape
