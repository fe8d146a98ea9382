"""The plan of the numpy engine, and the call that a function writes for itself."""

import copy
import inspect
import pickle
import sys
import threading

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.engines import costs, errstate
from theano._src.ops.linalg.blas import gemv_no_inplace
from theano._src.ops.shape.alloc import AllocEmpty
from theano.compile.function_module import Function

NUMPY, PY = theano.Mode("numpy"), theano.Mode("py")
APART = NUMPY.excluding("fusion")  # a line for each elementwise node
v, u, m = T.dvector("v"), T.dvector("u"), T.dmatrix("m")
r, s, z = T.drow("r"), T.dscalar("s"), T.fscalar("z")
ten = np.arange(10.0)


def both(inputs, out, values):
    """What the plan and one perform at a time make of values."""
    return [theano.function(inputs, out, mode=mode)(*values) for mode in (APART, PY)]


# lengths


MISMATCHED = {
    "two vectors": (v + u, "(input[0].shape[0] = 3, input[1].shape[0] = 2)"),
    "one of length 1": (v * u[:1], "(input[0].shape[0] = 3, input[1].shape[0] = 1)"),
    "after others that agree": ((v + v.exp()) * u, "= 3, input[1].shape[0] = 2)"),
    "a matrix and a row": (m - r, "(input[0].shape[1] = 3, input[1].shape[1] = 2)"),
    "a constant": (v + np.ones(4), "= 4"),
    "in place": (T.exp(v + 1) * u, "= 2)"),
}


@pytest.mark.parametrize("name", MISMATCHED)
@pytest.mark.parametrize("mode", [APART, NUMPY], ids=["apart", "fused"])
def test_lengths_that_differ_are_refused(name, mode):
    out, text = MISMATCHED[name]
    f = theano.function([v, u, m, r], out, mode=mode, on_unused_input="ignore")
    with pytest.raises(ValueError, match=r"Input dimension mis-match") as e:
        f([1, 2, 3], [1, 2], np.ones((2, 3)), [[1, 2]])
    assert text in str(e.value)


def test_lengths_are_looked_at_once():
    out = T.exp(v + u) * v - T.exp(u) / (v * v + 1)
    f = theano.function([v, u], out, mode=APART)
    assert f.fn.source.count(".shape") == 2


def test_a_length_that_only_one_of_three_pairs_has_been_checked_for_is_looked_at():
    w = T.dvector("w")
    f = theano.function([v, u, w], [v + u, v + w, u + w], mode=APART)
    assert [x.tolist() for x in f([1, 2], [3, 4], [5, 6])] == [[4, 6], [6, 8], [8, 10]]
    with pytest.raises(ValueError, match="mis-match"):
        f([1, 2], [3, 4], [5, 6, 7])


# numbers


@pytest.mark.parametrize("x, dtype", [(s, "float64"), (z, "float32")], ids=["float64", "float32"])
def test_values_of_no_dimension_come_out_as_arrays_with_the_digits_of_arrays(x, dtype):
    out = [(x + 3) * x - x / 7, T.exp(x) * x, x * x]
    value = np.array(1 / 3, dtype)
    ours, theirs = both([x], out, [value])
    for a, b in zip(ours, theirs, strict=True):
        assert type(a) is np.ndarray
        assert (a.dtype, a.shape) == (b.dtype, ())
        assert a == b


def test_numbers_overflow_and_divide_by_zero_in_silence():
    plain = theano.Mode("numpy", "None")
    f = theano.function([z], [z * z, z / (z - z), z * z - z * z], mode=plain)
    with np.errstate(all="raise"):
        square, ratio, nothing = f(np.float32(1e30))
    assert np.isinf(square)
    assert np.isinf(ratio)
    assert np.isnan(nothing)


def test_a_number_goes_into_matrices_without_being_given_dimensions():
    f = theano.function([s, m], s * m + s, mode=APART)
    assert f.fn.source.count(" = f") == 2
    assert f(2, [[1, 2]]).tolist() == [[4, 6]]
    g = theano.function([s, v], [T.exp(s).dimshuffle("x"), T.exp(s) + v], mode=APART)
    assert [x.shape for x in g(0, [1, 2])] == [(1,), (2,)]


def test_the_error_of_a_node_tells_the_shape_that_a_number_has_there():
    w = T.dvector("w")
    f = theano.function([s, v, w], T.clip(v + w, s, s + 1), mode=NUMPY)
    with pytest.raises(ValueError, match=r"mis-match") as e:
        f(1, [1, 2], [1, 2, 3])
    assert "(2,)" in str(e.value)
    assert "(3,)" in str(e.value)


# NumPy's error state


def test_the_callers_error_state_is_back_after_a_call_and_after_a_failure():
    f = theano.function([v, u], T.log(v) + u, mode=NUMPY)
    seen = []
    with np.errstate(divide="call", call=lambda *a: seen.append(a)):
        before = np.geterr()
        f([0, 1], [1, 1])
        with pytest.raises(ValueError, match="mis-match"):
            f([0, 1], [1])
        assert np.geterr() == before
        assert seen == []
        np.log(np.zeros(1))
    assert len(seen) == 1


@pytest.mark.parametrize(
    "way", [errstate.quiet, errstate._by_errstate], ids=["variable", "errstate"]
)
def test_the_state_is_set_and_put_back_with_and_without_numpys_variable(way):
    q = way()
    with np.errstate(all="raise"):
        for _ in range(2):
            token = q.enter(q.state if q.current() is q.usual else q.within())
            assert set(np.geterr().values()) == {"ignore"}
            inner = q.enter(q.state if q.current() is q.usual else q.within())
            q.leave(inner)
            assert set(np.geterr().values()) == {"ignore"}
            q.leave(token)
            assert set(np.geterr().values()) == {"raise"}


def test_the_callers_size_of_buffers_is_kept():
    class Size(theano.Op):
        __props__ = ()
        itypes, otypes = [T.dvector], [T.lscalar]

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = np.array(np.getbufsize())

    f = theano.function([v], Size()(v), mode=NUMPY)
    usual = np.getbufsize()
    assert f([1]) == usual
    with np.errstate():
        np.setbufsize(16 * 64)
        assert f([1]) == 16 * 64
    assert f([1]) == usual


def test_a_thread_has_the_state_of_the_flags_too():
    found = []
    f = theano.function([v], T.log(v), mode=NUMPY)

    def work():
        np.seterr(all="raise")
        found.append(f([0.0]).tolist())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [[-np.inf]]


# state


@pytest.mark.parametrize("mode", [APART, NUMPY], ids=["apart", "fused"])
def test_a_call_that_fails_leaves_the_very_numbers_of_state(mode):
    w = theano.shared(np.ones(3))
    held = w.get_value(borrow=True)
    last = T.opt.Assert("too large")(v.sum(), v.sum() < 5)
    f = theano.function([v], last, updates=[(w, (w + v) * 2)], mode=mode)
    f([1, 1, 1])
    assert w.get_value().tolist() == [4, 4, 4]
    held, kept = w.get_value(borrow=True), w.get_value()
    with pytest.raises(AssertionError, match="too large"):
        f([3, 3, 3])
    assert w.get_value(borrow=True) is held
    assert held.tolist() == kept.tolist()


def test_values_that_were_read_stay_when_state_goes_on():
    w = theano.shared(np.zeros(2))
    f = theano.function([v], w, updates=[(w, w + v)], mode=NUMPY)
    outs = [f([1, 2]) for _ in range(3)]
    assert [x.tolist() for x in outs] == [[0, 0], [1, 2], [2, 4]]


def test_threads_do_not_lose_updates():
    w = theano.shared(np.zeros(1))
    f = theano.function([], [], updates=[(w, w + 1)], mode=NUMPY)
    f()
    # a function made in between unites locks that are in use
    threads = [threading.Thread(target=lambda: [f() for _ in range(500)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    other = theano.shared(np.zeros(1))
    theano.function([], [], updates=[(w, w + other), (other, w)])
    for thread in threads:
        thread.join()
    assert w.get_value() == 2001


def test_threads_share_a_function_that_only_computes():
    f = theano.function([v, u], T.tanh(v * u) + u, mode=NUMPY)
    wrong = []

    def work(k):
        x = np.full(50, float(k))
        right = np.tanh(x * x) + x
        wrong.extend(1 for _ in range(300) if not (f(x, x) == right).all())

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# calls


@pytest.fixture(params=["numpy", "cvm", "py"])
def mode(request):
    return theano.Mode(request.param)


def test_arguments_are_cast_or_refused_after_quick_calls(mode):
    f = theano.function([v, r], v.sum() + r, mode=mode)
    row = np.ones((1, 2))
    for _ in range(2):
        assert f(ten, row).tolist() == [[46, 46]]
        assert f([1, 2], [[1, 2]]).tolist() == [[4, 5]]
        assert f(np.arange(3), row.astype("float32")).tolist() == [[4, 4]]
        assert f(ten.astype(">f8"), row).tolist() == [[46, 46]]
        with pytest.raises(TypeError, match=r'name "r".*at index 1[\s\S]*Non-unit'):
            f(ten, np.ones((2, 2)))
        with pytest.raises(TypeError, match=r'name "v".*at index 0[\s\S]*Wrong number of dim'):
            f(row, row)
        with pytest.raises(TypeError, match=r"risking loss of precision|real numbers|complex"):
            f(ten.astype(complex), row)


def test_wrong_numbers_of_arguments_are_told(mode):
    f = theano.function([v, s], v * s, mode=mode)
    f(ten, 2.0)
    with pytest.raises(TypeError, match=r"takes 2 \(v, s\), got 3"):
        f(ten, 2.0, 1.0)
    with pytest.raises(TypeError, match=r"Missing required input: s"):
        f(ten)
    with pytest.raises(TypeError, match=r"Missing required input: v, s"):
        f()
    with pytest.raises(TypeError, match=r"Multiple values for input: v"):
        f(ten, v=ten)
    with pytest.raises(TypeError, match=r"Unknown input or state: a0"):
        f(ten, a0=1)
    f.trust_input = True
    with pytest.raises(TypeError, match=r"Missing required input: s"):
        f(ten)
    with pytest.raises(TypeError, match=r"takes 2 \(v, s\), got 3"):
        f(ten, np.array(2.0), ten)


def test_names_and_defaults_mix_with_quick_calls(mode):
    f = theano.function([v, theano.In(s, value=2.0)], v * s, mode=mode)
    assert f(ten[:2]).tolist() == [0, 2]
    assert f(ten[:2], 5.0).tolist() == [0, 5]
    assert f(v=ten[:2], s=3.0).tolist() == [0, 3]
    assert f(ten[:2]).tolist() == [0, 2]
    assert f["s"] == 2


def test_an_input_with_an_update_of_its_own_goes_on_from_what_was_given(mode):
    f = theano.function([theano.In(s, value=1.0, update=s * 2)], s, mode=mode)
    assert [float(f()), float(f()), float(f(10.0)), float(f())] == [1, 2, 10, 20]


def test_trust_input_is_heeded_whenever_it_is_set(mode):
    f = theano.function([v], v.sum(), mode=mode)
    ints = np.array([2**60 + 1, 1])
    for _ in range(2):
        f.trust_input = False
        with pytest.raises(TypeError, match="dimensions"):
            f(np.ones((2, 2)))
        f.trust_input = True
        assert f(ints) == ints.sum()
        assert f(np.ones((2, 2))) == 4


@pytest.mark.parametrize(
    "outputs, found",
    [
        (s + 1, 3.0),
        ([s + 1], [3.0]),
        ([], []),
        (None, None),
        ({"a": s + 1, "b": s}, {"a": 3.0, "b": 2.0}),
    ],
    ids=["one", "a list of one", "none", "nothing", "by name"],
)
def test_outputs_have_the_form_that_was_asked_for(outputs, found, mode):
    f = theano.function([s], outputs, mode=mode, on_unused_input="ignore")
    assert f(2.0) == f(np.array(2.0)) == f(s=2.0) == found


def test_a_subset_of_outputs_can_be_asked_for_at_any_time(mode):
    f = theano.function([s], [s + 1, s + 2], mode=mode)
    assert [float(x) for x in f(1)] == [2, 3]
    assert [float(x) for x in f(1, output_subset=[1])] == [3]


def test_copies_have_calls_of_their_own(mode):
    f = theano.function([s], s + 1, mode=mode)
    f(1.0)
    f.trust_input = True
    for g in (pickle.loads(pickle.dumps(f)), copy.copy(f), copy.deepcopy(f), f.copy()):
        assert g(np.array(2.0)) == 3
        assert g._call is not f._call
    assert pickle.loads(pickle.dumps(f)).trust_input


def test_a_function_is_called_as_an_object_with_a_method_is():
    f = theano.function([s], s + 1, mode=NUMPY)
    assert callable(f)
    assert f.__call__(1.0) == Function.__call__(f, 1.0) == 2
    assert "inputs" in Function.__call__.__doc__
    inspect.signature(f)

    class Doubled(Function):
        def __call__(self, *args):
            return 2 * super().__call__(*args)

    maker = theano.compile.function_module.FunctionMaker
    g = maker([theano.In(s)], theano.Out(s + 1), mode=NUMPY, function_builder=Doubled).create()
    assert g(1.0) == 4


def test_a_mutable_input_may_be_overwritten_and_another_is_not():
    f = theano.function([theano.In(v, mutable=True)], T.exp(v), mode=APART)
    x = np.zeros(3)
    assert f(x) is x
    assert x.tolist() == [1, 1, 1]
    x = np.zeros(3)
    assert theano.function([v], T.exp(v), mode=APART)(x).tolist() == [1, 1, 1]
    assert x.tolist() == [0, 0, 0]


def test_a_number_goes_into_an_input_that_is_overwritten():
    f = theano.function([theano.In(m, mutable=True), s], m * (s + 1), mode=APART)
    x = np.ones((2, 2))
    assert f(x, 2.0) is x
    assert x.tolist() == [[3, 3], [3, 3]]
    # what stretches has fewer numbers than elements, and stays
    spread = np.broadcast_to(np.ones(2), (3, 2))
    assert f(spread, 2.0).tolist() == [[3, 3]] * 3
    assert spread.tolist() == [[1, 1]] * 3


def test_nothing_of_a_call_is_kept(mode):
    f = theano.function([v], [v + 1, v.sum()], mode=mode)
    x = np.zeros(5)
    before = sys.getrefcount(x)
    made, _ = f(x)
    assert sys.getrefcount(x) == before
    assert sys.getrefcount(made) == 2
    assert f.output_storage[0].storage[0] is None


def test_the_program_itself_runs_on_what_cells_hold(mode):
    f = theano.function([v], v + 1, mode=mode)
    f.input_storage[0].storage[0] = np.zeros(2)
    assert f.fn()[0].tolist() == [1, 1]
    assert f.output_storage[0].storage[0].tolist() == [1, 1]
    assert f([5.0]).tolist() == [6]


# the choice between engines


def test_small_calls_stay_on_numpy_however_many_they_are():
    f = theano.function([v], v + 1)
    for _ in range(5):
        f(ten)
        f(v=ten)
    assert f.fn.xla is None
    assert "10 calls ran on NumPy" in f.fn.choice()


LARGER = {
    "an outer product": T.outer(v, u),
    "a row with a column": v.dimshuffle(0, "x") + u,
    "a range": T.arange(s.astype("int64")) + v[0],
    "many steps": T.tanh(T.exp(T.sin(T.cos(v * v + 1) + 2) * v) - v) / (v + 3),
}


@pytest.mark.parametrize("name", LARGER)
def test_calls_that_may_grow_are_counted(name):
    f = theano.function([v, u, s], LARGER[name], on_unused_input="ignore")
    f(ten, ten, 5)
    assert f.fn._small == [0]
    assert [a.calls for a in f.fn.policy.records.values()] == [1]


@pytest.mark.xla
@pytest.mark.usefixtures("by_estimates")
def test_a_key_that_pays_goes_to_xla_and_small_ones_still_do_not(monkeypatch):
    # a machine on which large sums are dear
    dear = costs.KINDS | {"reduction": costs.KINDS["reduction"]._replace(numpy=1e-3)}
    monkeypatch.setattr(costs, "_known", [costs.Rates(load=0.0, kinds=dear)])
    f = theano.function([v], T.exp(v) * 2 + v.sum())
    large = np.zeros(1 << 14)
    for _ in range(3):
        assert (f(large) == 2).all()
    assert f.fn.xla is not None
    assert f(ten[:1]).tolist() == [2]
    assert f.fn.xla.compilations == 1
    assert (f(large) == 2).all()
    assert sum(a.calls for a in f.fn.policy.records.values()) + f.fn._small[0] == 3


@pytest.mark.parametrize(
    "made", [T.dot(m, v), T.dot(v, m), T.dot(m.T, v), T.dot(m, T.dot(m.T, v))], ids=str
)
def test_a_product_with_a_vector_makes_its_memory_itself(made):
    f = theano.function([m, v], made, mode=NUMPY)
    a, x = np.array([[1.0, 2], [3, 4]]), np.array([5.0, 6])
    plain = theano.function([m, v], made, mode=theano.Mode("numpy", optimizer=None))
    assert f(a, x).tolist() == plain(a, x).tolist()
    assert any(isinstance(n.op, AllocEmpty) for n in f.maker.fgraph.toposort())
    assert "shape" not in f.fn.source and f.fn.source.count(" = f") <= 2


def test_a_product_whose_memory_is_as_long_as_something_else_is_refused_where_they_differ():
    n = T.lscalar("n")
    f = theano.function([m, v, n], gemv_no_inplace(AllocEmpty("float64")(n), 1.0, m, v, 0.0))
    assert f(np.eye(2), np.ones(2), 2).tolist() == [1, 1]
    with pytest.raises(ValueError, match="but y has 3 elements"):
        f(np.eye(2), np.ones(2), 3)


@pytest.mark.parametrize("mode", [NUMPY, theano.Mode("xla")], ids=["numpy", "xla"])
def test_a_product_that_does_not_fit_says_so_on_both_engines(mode):
    f = theano.function([m, v], T.dot(m, v), mode=mode)
    with pytest.raises(ValueError, match=r"Shape mismatch: . has 2 cols"):
        f(np.eye(2), np.ones(3))


def test_memory_that_is_asked_for_beside_a_product_is_still_given():
    room = AllocEmpty("float64")(m.shape[0])
    f = theano.function([m, v], [gemv_no_inplace(room, 1.0, m, v, 0.0), room.shape[0]], mode=NUMPY)
    made, length = f(np.eye(2), np.ones(2))
    assert (made.tolist(), length) == ([1, 1], 2)
