"""Indexing by arrays and masks, alone and mixed: what comes out where; writing; refusals."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.ops.expressions import VALUES, checked, table
from theano._src.ops.index.index import getitem
from theano.tensor.subtensor import (
    AdvancedBooleanSubtensor,
    AdvancedIncSubtensor,
    AdvancedIncSubtensor1,
    AdvancedSubtensor,
    AdvancedSubtensor1,
    advanced_inc_subtensor1,
    advanced_set_subtensor1,
    advanced_subtensor,
    advanced_subtensor1,
)
from theano.testing import Case, OpSpec, Raises, spec_tests

ROWS = table(
    "rows",
    """
    v[[0, 4, 0]]
    v[np.array([-1, -5])]
    v[p]
    v[q]
    v[w]
    v[none]
    v[o]
    m[p]
    m[p, :]
    m[p, ...]
    m[[2]]
    x[p]
    x[none]
    e[none]
    x[[0, 1], ]
    """,
)

# where the dimensions of arrays go: in place if they are neighbours, else in front
PLACES = table(
    "places",
    """
    x[r]
    v[r]
    x[:, q]
    x[:, p]
    x[:, :, q]
    x[..., q]
    x[:, r]
    x[:, :, r]
    x[p, q]
    x[p, q, q]
    x[:, p, q]
    x[p, :, q]
    x[p, ..., q]
    x[p, ..., q, q]
    x[None, p, ..., 1, q]
    x[..., p, q, q]
    x[:, p, ..., q]
    m[p, q, ...]
    x[r, :, r]
    x[0, p]
    x[p, 0]
    x[0, :, p]
    x[p, :, 0]
    x[:, 0, p]
    x[:, p, 0]
    x[0, p, q]
    x[i, p]
    x[i, :, p]
    x[p, ..., i]
    x[:, i, q]
    x[p, 1:]
    x[p, ::-1]
    x[1:, q]
    x[1:, p, ::2]
    x[1:, p, q]
    x[p, 1:, q]
    x[p, i:]
    x[p, i:, q]
    x[i:, q, ::j]
    x[::j, p, k:]
    x[p, i:j, q]
    x[0, i:, p]
    x[None, p]
    x[p, None]
    x[p, None, q]
    x[None, p, q]
    x[:, None, p]
    x[:, p, None]
    x[:, p, None, 0]
    x[None, :, p]
    x[0, None, p]
    x[p, None, None, i:]
    x[None, p, None, q]
    x[r, q[:2]]
    x[r, 0, r]
    x[o, q]
    x[p, o]
    x[o, :, q]
    x[:, r, 1:]
    x[..., r, 0]
    x[r, ..., 0]
    x[r, q[:2], ::-1]
    x[none, none]
    x[none, :, none]
    x[none, 0]
    x[:, none, 1]
    e[:, p]
    e[none, 1:]
    e[none, p[:0]]
    m[(0, 1), ]
    m[[[0, 1], [2, 0]]]
    m[[0, 2], [3, 1]]
    m[w, w]
    """,
)

MASKS = table(
    "masks",
    """
    m[bm]
    m[bv]
    m[bv, :]
    m[off]
    v[v > 2]
    v[v > 100]
    m[m > 4]
    x[b2]
    x[b6]
    x[b6, 1:]
    x[b6, 0]
    x[b6, i]
    x[b6, ::-1]
    x[0, bm]
    x[i, bm]
    x[:, bm]
    x[:, bv]
    x[:, bv, 0]
    x[:, bv, 1:]
    x[:, bv, k:]
    x[i:, bv]
    x[0, bv]
    x[0, :, np.array([True, False, True, False])]
    x[..., np.array([True, False, True, True])]
    x[b2, :, 1]
    x[b2, 1]
    x[b2, p]
    x[b2, :, p]
    x[:, bv, p[:2]]
    x[bm[:2, :3]]
    x[None, b2]
    x[b2, None]
    x[:, bv, None]
    m[bv, None, p[:2]]
    x[b6, None]
    v[yes]
    v[no]
    m[yes, 0]
    m[:, no]
    m[np.array([True, False, False])]
    e[bv[:0]]
    e[:, bv]
    """,
)


def written(put: bool) -> Any:
    """Both readings of ``x[key] = y`` or ``x[key] += y``: the graph, and a Python loop."""
    function = T.set_subtensor if put else T.inc_subtensor

    def symbolic(x: Any, y: Any, *parts: Any, key: Any) -> Any:
        return function(x[key(*parts)], y)

    def numeric(x: Any, y: Any, *parts: Any, key: Any) -> Any:
        # number the elements: which of them are met, one after the other
        places = np.arange(x.size).reshape(x.shape)[key(*parts)]
        values = np.broadcast_to(np.asarray(y).astype(x.dtype), places.shape)
        out = np.array(x).reshape(-1)
        for place, value in zip(places.reshape(-1), values.reshape(-1), strict=True):
            out[place] = value if put else out[place] + value
        return out.reshape(x.shape)

    return symbolic, numeric


V = VALUES
FULL = slice(None)
ONCE = [
    (V["m"], V["y34"][:2], (V["p"][:2],), lambda p: p),
    (V["m"], V["y"], (V["q"],), lambda q: (FULL, q)),
    (V["m"], V["y3"][:, None], (V["q"],), lambda q: (FULL, q)),
    (V["x"], V["y3"], (V["q"],), lambda q: (0, FULL, q)),
    (V["x"], V["y"], (V["q"], V["i"]), lambda q, i: (slice(i, None), q)),
    (V["x"], V["y"], (V["q"], V["j"]), lambda q, j: (FULL, q, slice(None, None, j))),
    (V["x"], V["y"], (V["q"],), lambda q: (FULL, None, q)),
    (V["x"], V["y"], (V["q"], V["i"]), lambda q, i: (None, 0, slice(i, None), q)),
    (V["m"], V["y"], (V["bm"],), lambda bm: bm),
    (V["m"], V["y4"], (V["bm"],), lambda bm: bm),
    (V["m"], V["y4"], (V["bv"],), lambda bv: bv),
    (V["m"], V["y"], (V["bv"],), lambda bv: bv),
    (V["m"], V["y"], (V["off"],), lambda off: off),
    (V["m"], V["y3"][:2], (V["bv"],), lambda bv: (bv, 1)),
    (V["x"], V["y"], (V["bv"],), lambda bv: (FULL, bv)),
    (V["x"], V["y4"], (V["bv"],), lambda bv: (FULL, bv)),
    (V["x"], V["y"], (V["bv"], V["k"]), lambda bv, k: (FULL, bv, slice(k, None))),
    (V["x"], V["y3"], (V["b6"],), lambda b6: (b6, 0)),
    (V["v"], V["y"], (V["yes"],), lambda yes: yes),
    (V["v"], V["y"], (V["no"],), lambda no: no),
    (V["m"], V["y4"], (V["yes"],), lambda yes: yes),
    (V["m"], V["y"], (V["none"],), lambda none: none),
    (V["m"], V["y"], (V["none"],), lambda none: (none, 1)),
]
OFTEN = [
    (V["v"], V["y"], (V["p"],), lambda p: p),
    (V["v"], V["y3"], (V["p"],), lambda p: p),
    (V["v"], V["y1"], (V["p"],), lambda p: p),
    (V["m"], V["y34"], (V["p"],), lambda p: p),
    (V["m"], V["y4"], (V["p"],), lambda p: p),
    (V["m"], V["y3"], (V["p"], V["p"]), lambda p, q: (p, q)),
    (V["x"], V["y4"], (V["p"], V["p"]), lambda p, q: (p, q)),
    (V["x"], V["y"], (V["r"],), lambda r: r),
    (V["v"], V["y3"][:2], (V["r"],), lambda r: r),
    (V["v"], V["y1"], (V["r"],), lambda r: r),
    (V["v"], V["y3"][:2, None], (V["r"],), lambda r: r),
    (V["x"], V["y"], (V["r"], V["i"]), lambda r, i: (r, slice(i, None), r)),
    (V["x"], V["y3"][:2], (V["b2"], V["p"]), lambda b2, p: (b2, p[:2], 0)),
]


AS_IT_IS = {"kwargs": {"key": lambda p: p}}


def writes(name: str, put: bool, rows: Any) -> OpSpec:
    return OpSpec(
        *written(put),
        name=name,
        cases=[Case(x, y, *p, kwargs={"key": key}) for x, y, p, key in rows],
        out_dtype=lambda *dtypes: dtypes[0],
        errors=[
            _refused(V["v"], V["y"], np.array([5]), IndexError, "out of bounds", lambda i: i),
            _refused(V["m"], V["y"], np.array([4]), IndexError, "out of", lambda i: (FULL, i)),
            _refused(V["v"], V["y4"], V["p"], ValueError, "broadcast", lambda i: i),
            _refused(V["m"], V["y3"], V["bm"], ValueError, "", lambda b: b),
            _refused(V["m"], V["y"], V["b2"], IndexError, "boolean index", lambda b: b),
            Raises((V["v"], V["y34"], V["p"]), TypeError, "dimension", kwargs={"key": lambda p: p}),
            Raises(
                (V["v"], np.array(1j), V["p"]), TypeError, "complex", kwargs={"key": lambda p: p}
            ),
        ],
    )


def _refused(x: Any, y: Any, i: Any, exception: Any, match: str, key: Any) -> Raises:
    return Raises((x, y, i), exception, match, when="run", kwargs={"key": key})


REFUSED = OpSpec(
    getitem,
    lambda x, key: x[key],
    name="refused arrays",
    cases=[Case(V["v"], V["p"])],
    errors=[
        Raises((V["v"], np.array([5])), IndexError, "index 5 is out of bounds", when="run"),
        Raises((V["v"], np.array([0, -6])), IndexError, "index -6 is out of bounds", when="run"),
        Raises((V["m"], (V["q"], V["q"] + 9)), IndexError, "out of bounds for axis 1", when="run"),
        Raises((V["m"], (V["p"], V["p"][:2])), IndexError, "broadcast", when="run"),
        Raises((V["m"], V["b2"]), IndexError, "boolean index did not match", when="run"),
        Raises((V["m"], V["bm"].T), IndexError, "boolean index did not match", when="run"),
        Raises((V["e"], np.array([0])), IndexError, "size 0", when="run"),
        Raises((V["v"], V["bm"]), IndexError, "too many indices"),
        Raises((V["v"], (V["p"], V["p"])), IndexError, "too many indices"),
        Raises((V["m"], (V["bm"], 0)), IndexError, "too many indices"),
        Raises((V["s"], V["p"]), IndexError, "too many indices"),
        Raises((V["v"], [0.5]), TypeError, "integers or a boolean mask", static=(1,)),
        Raises((V["v"], V["y3"]), TypeError, "integers or a boolean mask"),
        Raises((V["v"], [[True], [False]]), TypeError, "Python bools", static=(1,)),
        Raises((V["m"], ([True, False, True], 0)), TypeError, "Python bools", static=(1,)),
    ],
)

SPECS = [
    ROWS,
    PLACES,
    MASKS,
    writes("set by arrays", True, ONCE),
    writes("inc by arrays", False, ONCE + OFTEN),
    REFUSED,
]

IV, LM, BM = T.ivector("iv"), T.lmatrix("lm"), T.matrix("bm", dtype="bool")


@pytest.mark.parametrize(
    ("index", "op", "pattern"),
    [
        (IV, AdvancedSubtensor1, (False, False, False)),
        ([0], AdvancedSubtensor1, (True, False, False)),
        (np.s_[IV, :], AdvancedSubtensor1, (False, False, False)),
        (np.s_[:, IV], AdvancedSubtensor, (False, False, False)),
        (np.s_[IV, None], AdvancedSubtensor, (False, True, False, False)),
        (np.s_[None, :, IV], AdvancedSubtensor, (True, False, False, False)),
        (np.s_[IV, None, IV], AdvancedSubtensor, (False, True, False)),
        (T.lrow(), AdvancedSubtensor, (True, False, False, False)),
        (np.s_[T.lcol(), T.lrow()], AdvancedSubtensor, (False, False, False)),
        (np.s_[T.lcol(), [[0]]], AdvancedSubtensor, (False, True, False)),
        (BM, AdvancedBooleanSubtensor, (False, False)),
        (np.s_[BM, IV], AdvancedBooleanSubtensor, (False,)),
        (T.scalar(dtype="bool"), AdvancedBooleanSubtensor, (False, False, False, False)),
    ],
)
def test_the_op_and_the_pattern_follow_from_the_index(index: Any, op: Any, pattern: Any) -> None:
    out = T.dtensor3()[index]
    assert type(out.owner.op) is op
    assert out.broadcastable == pattern and out.dtype == "float64"


def test_the_dimensions_that_stretch_are_kept() -> None:
    x = T.TensorType("float64", (True, False, True))()
    assert x[:, IV].broadcastable == (True, False, True)
    assert x[0:1, IV, 0:0].broadcastable == (True, False, False)
    assert x[IV].broadcastable == (False, False, True)


def test_ops_print_as_they_are_known() -> None:
    m = T.dmatrix()
    texts = {
        m[IV]: "AdvancedSubtensor1",
        m[IV, IV]: "AdvancedSubtensor",
        m[BM]: "AdvancedBooleanSubtensor",
        T.inc_subtensor(m[IV], 1): "AdvancedIncSubtensor1{no_inplace,inc}",
        T.set_subtensor(m[IV], 1): "AdvancedIncSubtensor1{no_inplace,set}",
        T.set_subtensor(m[IV], 1, inplace=True): "AdvancedIncSubtensor1{inplace,set}",
        T.set_subtensor(m[IV, IV], 1): (
            "AdvancedIncSubtensor{inplace=False,  set_instead_of_inc=True}"
        ),
        T.inc_subtensor(m[BM], 1): (
            "AdvancedBooleanIncSubtensor{inplace=False,  set_instead_of_inc=False}"
        ),
    }
    for out, text in texts.items():
        assert str(out.owner.op) == text


def test_ops_of_other_indices_differ_and_survive_pickling() -> None:
    x = T.dtensor3()
    parts = [x[IV, IV], x[:, IV], x[IV, :, IV], x[IV, None], x[IV, 0:], x[BM], x[0, BM]]
    made = [v.owner.op for v in parts]
    made += [f(v, 0, inplace=p).owner.op for v in parts for f in WRITERS for p in (False, True)]
    assert len(set(made)) == len(made)
    again = pickle.loads(pickle.dumps(made))
    assert again == made and list(map(hash, again)) == list(map(hash, made))


WRITERS = (T.set_subtensor, T.inc_subtensor)


def test_ops_can_be_called_with_an_index_as_it_is_written() -> None:
    m = T.dmatrix()
    given = {m: np.arange(6.0).reshape(2, 3)}
    assert advanced_subtensor(m, [0, 1], [2, 0]).eval(given).tolist() == [2.0, 3.0]
    out = advanced_subtensor(m, slice(None), None, [2, 0])
    assert out.eval(given).tolist() == given[m][:, None, [2, 0]].tolist()
    out = AdvancedIncSubtensor(set_instead_of_inc=True)(m, 9, slice(None), [1, 1])
    assert out.eval(given).tolist() == [[0.0, 9.0, 2.0], [3.0, 9.0, 5.0]]
    assert advanced_subtensor1(m, [1, 1]).eval(given).tolist() == [[3.0, 4.0, 5.0]] * 2
    out = advanced_inc_subtensor1(m, 1, [1, 1])
    assert out.eval(given).tolist() == [[0.0, 1.0, 2.0], [5.0, 6.0, 7.0]]
    out = advanced_set_subtensor1(m, 1, [1])
    assert out.eval(given).tolist() == [[0.0, 1.0, 2.0], [1.0, 1.0, 1.0]]


def test_ops_refuse_what_is_no_index_of_theirs() -> None:
    m, s = T.dmatrix(), T.dscalar()
    with pytest.raises(TypeError, match="at least one array"):
        advanced_subtensor(m, slice(None))
    with pytest.raises(TypeError, match="AdvancedBooleanSubtensor takes masks"):
        advanced_subtensor(m, BM)
    with pytest.raises(TypeError, match="takes a vector as index"):
        advanced_subtensor1(m, LM)
    with pytest.raises(TypeError, match="takes integers as index"):
        advanced_subtensor1(m, T.vector(dtype="bool"))
    with pytest.raises(TypeError, match="at least one dimension"):
        advanced_subtensor1(s, IV)
    with pytest.raises(TypeError, match="at most 2 dimensions"):
        AdvancedIncSubtensor1()(m, T.dtensor3(), IV)
    with pytest.raises(IndexError, match="takes 2 indices, got 1"):
        m[IV, IV].owner.op.make_node(m, IV)


@pytest.mark.parametrize("key", ["IV", "(IV, IV)", "BM"])
@pytest.mark.parametrize("inplace", [False, True])
def test_writing_leaves_the_input_alone_unless_in_place(key: str, inplace: bool) -> None:
    m = T.dmatrix()
    index = eval(key)
    node = T.inc_subtensor(m[index], 1.0, inplace=inplace).owner
    value = np.zeros((2, 2))
    given = {"IV": [[0]], "(IV, IV)": [[0], [0]], "BM": [[[True, False], [False, False]]]}[key]
    out = node.op.bind(node)(value, np.float32(1), *map(np.array, given))
    assert out[0, 0] == 1 and value[0, 0] == inplace
    assert bool(node.op.destroy_map) is inplace and (out is value) is inplace


def test_repeated_indices_add_up_unless_told_to_ignore_them() -> None:
    v, i = T.dvector(), T.ivector()
    given = (np.zeros(3), [0, 0, 2])
    out = theano.function([v, i], T.inc_subtensor(v[i], 1))(*given)
    assert out.tolist() == [2.0, 0.0, 1.0]
    out = theano.function([v, i], T.inc_subtensor(v[i], 1, ignore_duplicates=True))(*given)
    assert out.tolist() == [1.0, 0.0, 1.0]


def test_values_take_the_dtype_of_the_tensor_they_go_into() -> None:
    # as Theano 1.0.5 answers
    k, km, i = T.ivector(), T.imatrix(), T.ivector()
    three, four = np.arange(3, dtype="int32"), np.zeros((2, 2), "int32")
    run = lambda x, part, f, value: theano.function([x, i], f(part, 1.7))(value, [0, 0])
    assert run(k, k[i], T.inc_subtensor, three).tolist() == [2, 1, 2]
    assert run(k, k[i], T.set_subtensor, three).tolist() == [1, 1, 2]
    assert run(km, km[i, i], T.inc_subtensor, four).tolist() == [[2, 0], [0, 0]]
    assert run(km, km[i, i], T.set_subtensor, four).tolist() == [[1, 0], [0, 0]]


def test_one_number_for_all_that_a_mask_chooses_demands_no_count() -> None:
    m, bm, bv = T.dmatrix(), T.matrix(dtype="bool"), T.vector(dtype="bool")
    shape = (T.lscalar(), T.lscalar())
    for part in (m[bm], m[bv], m[:, bv]):
        for f in WRITERS:
            node = f(part, 1.0).owner
            assert list(node.op.demands(node, [shape, (), shape])) == []
            many = f(part, T.dvector()).owner
            assert len(many.op.demands(many, [shape, shape[:1], shape])) == 1


@pytest.mark.xla
def test_checks_tell_an_array_that_is_out_of_range() -> None:
    v, m, i, u = T.dvector(), T.dmatrix(), T.lvector(), T.vector(dtype="uint8")
    V3, M = np.zeros(3), np.zeros((2, 3))
    rows = [
        (v[i], (V3, [0, 2, -3]), True),
        (v[i], (V3, [0, 3]), False),
        (v[i], (V3, [-4]), False),
        (v[u], (V3, [2]), True),
        (v[u], (V3, [3]), False),
        (m[i, i], (M, [1, -2], [2, -3]), True),
        (m[i, i], (M, [2], [2]), False),
        (m[:, i], (M, [2]), True),
        (m[:, i], (M, [3]), False),
        (T.inc_subtensor(v[i], 1), (V3, 1, [2]), True),
        (T.inc_subtensor(v[i], 1), (V3, 1, [3]), False),
        (T.set_subtensor(m[:, i], 1), (M, 1, [-3]), True),
        (T.set_subtensor(m[:, i], 1), (M, 1, [-4]), False),
    ]
    for out, values, holds in rows:
        assert checked(out.owner, values) is holds, (out.owner, values)


test_ops = spec_tests(SPECS)
