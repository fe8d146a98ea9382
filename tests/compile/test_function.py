"""theano.function: inputs, outputs, updates, givens, errors, copies."""

import copy
import pickle

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import In, Out, Param, function, shared
from theano.compile.function_module import UnusedInputError
from theano.gof.fg import MissingInputError


@pytest.fixture
def xy():
    return T.dscalars("x", "y")


class Fails(theano.Op):
    """Raises on negative values; counts its calls."""

    __props__ = ()
    calls = 0

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        type(self).calls += 1
        if inputs[0] < 0:
            raise RuntimeError("negative")
        output_storage[0][0] = inputs[0] + 0


# outputs


def test_outputs_come_in_the_form_they_were_asked_for(xy):
    x, y = xy
    assert function([x, y], x + y)(1, 2) == 3
    assert function([x, y], [x + y])(1, 2) == [3]
    assert function([x, y], {"sum": x + y, "product": x * y})(2, 3) == {"sum": 5, "product": 6}
    assert function([x], None, on_unused_input="ignore")(1) is None
    assert function([x], [], on_unused_input="ignore")(1) == []


def test_output_subset_picks_outputs(xy):
    x, y = xy
    f = function([x, y], [x + y, x * y, x - y])
    assert f(5, 2, output_subset=[0, 2]) == [7, 3]


@pytest.mark.parametrize("linker", ["numpy", "py"])
def test_a_scalar_output_is_a_zero_d_array(linker):
    x = T.dscalar()
    value = function([x], [x, x + 1, x.shape.sum()], mode=theano.Mode(linker, None))(3)
    assert all(type(v) is np.ndarray and v.shape == () for v in value)


def test_an_output_never_shares_memory_with_an_input():
    x = T.dmatrix()
    a = np.zeros((2, 3))
    for out in (x, x.T, x[1:], x.reshape((3, 2))):
        made = function([x], out)(a)
        made[...] = 7
        assert (a == 0).all()


def test_two_outputs_never_share_memory():
    x = T.dvector()
    y = x + 1
    a, b = function([x], [y, y[::-1]])([1, 2])
    a[...] = 100
    assert b.tolist() == [3, 2]


def test_a_constant_output_can_be_changed_by_the_caller():
    c = T.constant(np.ones(2))
    f = function([], c)
    f()[...] = 5
    assert f().tolist() == [1, 1]


def test_a_value_returned_is_not_changed_by_the_next_call():
    x = T.dvector()
    f = function([x], x * 2)
    first = f([1, 2])
    f([5, 6])
    assert first.tolist() == [2, 4]


# inputs


def test_arguments_by_position_and_by_name(xy):
    x, y = xy
    f = function([x, In(y, value=10)], 100 * x + y)
    assert [f(1), f(1, 2), f(1, y=3), f(x=2, y=1)] == [110, 102, 103, 201]
    assert f(1) == 110


@pytest.mark.parametrize(
    ("args", "kwargs", "text"),
    [
        ((), {}, "Missing required input: x, y"),
        ((1,), {}, "Missing required input: y"),
        ((1, 2, 3), {}, "Too many"),
        ((1,), {"z": 2}, "Unknown input or state: z"),
        ((1,), {"x": 2}, "Multiple values for input: x"),
        (([1], 2), {}, 'Bad input argument with name "x"'),
    ],
)
def test_bad_calls_say_what_is_wrong(xy, args, kwargs, text):
    x, y = xy
    f = function([x, y], x + y)
    with pytest.raises(TypeError, match=text):
        f(*args, **kwargs)
    assert f(1, 2) == 3


def test_a_failed_call_leaves_no_argument_behind(xy):
    x, y = xy
    f = function([x, y], x + y)
    with pytest.raises(TypeError):
        f(1, "text")
    with pytest.raises(TypeError, match="Missing required input"):
        f(1)


def test_inputs_must_be_a_list(xy):
    with pytest.raises(Exception, match="contained in a list"):
        function(xy[0], xy[0])


def test_constants_and_shared_variables_are_no_inputs(xy):
    x, _ = xy
    with pytest.raises(TypeError, match="Constant"):
        function([x, T.constant(1)], x)
    with pytest.raises(TypeError, match="shared variable"):
        function([x, shared(1)], x)


def test_an_input_twice_is_refused(xy):
    x, _ = xy
    with pytest.raises(UnusedInputError, match="twice"):
        function([x, x], x)


def test_unused_inputs(xy):
    x, y = xy
    with pytest.raises(UnusedInputError, match="index 1"):
        function([x, y], x)
    with pytest.warns(UserWarning, match="index 1"):
        function([x, y], x, on_unused_input="warn")
    assert function([x, y], x, on_unused_input="ignore")(1, 2) == 1


def test_a_missing_input_is_named_with_the_node_that_needs_it(xy):
    x, y = xy
    with pytest.raises(MissingInputError, match=r"y of type .*Elemwise\{add"):
        function([x], x + y)


def test_an_intermediate_variable_can_be_an_input(xy):
    x, _ = xy
    middle = T.exp(x)
    assert function([middle], middle * 2)(3) == 6


@pytest.mark.parametrize(
    "given",
    [[1, 2], (1, 2), range(1, 3), np.array([1, 2], "int8"), np.array([1, 2], "float32")],
)
def test_what_holds_the_same_numbers_is_taken(given):
    x = T.dvector()
    assert function([x], x)(given).tolist() == [1, 2]


def test_downcasting_needs_permission():
    x = T.fvector()
    value = np.array([0.1])
    with pytest.raises(TypeError, match="allow_input_downcast"):
        function([x], x)(value)
    assert function([x], x, allow_input_downcast=True)(value).dtype == "float32"
    assert function([In(x, allow_downcast=True)], x)(value).dtype == "float32"


def test_trust_input_skips_the_check():
    x = T.dvector()
    f = function([x], x.sum())
    f.trust_input = True
    assert f(np.array([1, 2])) == 3


def test_a_default_is_used_again_after_it_was_overridden(xy):
    x, y = xy
    f = function([x, Param(y, default=1)], x + y)
    assert [f(1), f(1, 5), f(1)] == [2, 6, 2]
    f[y] = 2
    assert f["y"] == 2


def test_an_input_with_update_keeps_its_state(xy):
    x, s = xy
    f = function([x, In(s, value=10.0, update=s + x)], s)
    assert [f(1), f(1), f(1, 100), f(1)] == [10, 11, 100, 101]
    assert f.container[s].value == 102
    assert f.y == 102
    f.y = 0
    assert f(1) == 0


# shared variables and updates


def test_all_updates_see_the_old_values():
    a, b = shared(1.0), shared(2.0)
    f = function([], [a, b], updates=[(a, b), (b, a + b)])
    assert f() == [1, 2]
    assert (a.get_value(), b.get_value()) == (2, 3)


def test_updates_in_any_order_give_the_same():
    for order in (1, -1):
        w, prev = shared(1.0), shared(0.0)
        pairs = [(prev, w), (w, w + 10)]
        function([], updates=pairs[::order])()
        assert (prev.get_value(), w.get_value()) == (1, 11)


def test_two_shared_variables_never_come_to_share_memory():
    a, b = shared(np.zeros(2)), shared(np.ones(2))
    function([], updates={a: b})()
    b.get_value(borrow=True)[...] = 9
    assert a.get_value().tolist() == [1, 1]


def test_an_update_by_an_input_copies_it():
    s, x = shared(np.zeros(2)), T.dvector()
    value = np.ones(2)
    function([x], updates={s: x})(value)
    value[...] = 5
    assert s.get_value().tolist() == [1, 1]


def test_a_call_that_raises_leaves_shared_variables_as_they_were():
    x = T.dscalar()
    a, b = shared(1.0), shared(np.zeros(2))
    f = function([x], Fails()(x), updates=[(a, a + x), (b, b + Fails()(x * 2))])
    assert f(3.0) == 3
    before = a.get_value(), b.get_value().tolist()
    with pytest.raises(RuntimeError, match="negative"):
        f(-1.0)
    assert (a.get_value(), b.get_value().tolist()) == before == (4.0, [6.0, 6.0])


def test_updates_must_fit_their_variable():
    s = shared(np.zeros(2, "float32"))
    with pytest.raises(TypeError, match=r"same type.*astype\('float32'\)"):
        function([], updates=[(s, s + T.constant(np.float64(0.1)))])
    with pytest.raises(TypeError, match="SharedVariable"):
        function([], updates=[(T.dscalar(), 1)])
    with pytest.raises(ValueError, match="already has an update"):
        function([], updates=[(s, s), (s, s + s)])


def test_default_updates():
    a = shared(0)
    a.default_update = a + 1
    function([], a * 2)()
    assert a.get_value() == 1
    function([], a, no_default_updates=True)()
    function([], a, no_default_updates=[a])()
    assert a.get_value() == 1
    function([], a, updates={a: a + 10})()
    assert a.get_value() == 11


def test_a_default_update_brings_in_what_it_depends_on():
    a, b = shared(0), shared(5)
    b.default_update = b + 1
    a.default_update = a + b
    f = function([], a)
    f(), f()
    assert (a.get_value(), b.get_value()) == (11, 7)


# givens


def test_givens_replace_for_one_function_only(xy):
    x, y = xy
    s = shared(3.0)
    out = s * 2 + x
    assert function([x, y], out, givens={s: y})(1, 10) == 21
    assert function([x], out)(1) == 7


def test_givens_replace_expressions_and_take_values(xy):
    x, y = xy
    middle = T.exp(x)
    assert function([y], middle + 1, givens=[(middle, y * 2)])(3) == 7
    assert function([], x * 2, givens={x: np.float64(4)})() == 8


def test_givens_reach_into_updates(xy):
    x, y = xy
    s = shared(0.0)
    function([y], [], updates={s: s + x}, givens={x: y * 10})(2)
    assert s.get_value() == 20


def test_givens_must_have_the_type_unless_told(xy):
    x, _ = xy
    v = T.dvector()
    with pytest.raises(TypeError):
        function([v], x * 2, givens={x: v})
    assert function([v], x * 2, givens={x: v}, rebuild_strict=False)([1, 2]).tolist() == [2, 4]


def test_givens_cannot_replace_inputs(xy):
    x, y = xy
    with pytest.raises(RuntimeError, match="givens"):
        function([x, y], x, givens={x: y})


# the object


def test_values_by_position_name_and_variable(xy):
    x, y = xy
    f = function([x, In(y, value=2.0)], x * y)
    assert f[1] == f["y"] == f[y] == f.value[y] == f.container["y"].value == 2
    assert f["y"] is f.value[y]
    f.value["y"] = 5
    assert f(2) == 10
    with pytest.raises(KeyError, match="Unknown input"):
        f["z"]
    assert y in f and "z" not in f


def test_copy_has_its_own_defaults_and_shares_shared_variables(xy):
    x, y = xy
    s = shared(1.0)
    f = function([x, In(y, value=2.0)], x + y + s, updates={s: s + 1}, name="f")
    g = f.copy(name="g")
    g[y] = 100
    assert f(0) == 3 and g(0) == 102
    assert s.get_value() == 3 and g.name == "g" and f.name == "f"


def test_copy_can_swap_shared_variables_and_drop_updates(xy):
    x, _ = xy
    s, t = shared(1.0, name="s"), shared(10.0, name="t")
    f = function([x], x + s, updates={s: s + 1})
    g = f.copy(swap={s: t})
    assert g(0) == 10 and t.get_value() == 11 and s.get_value() == 1
    h = f.copy(delete_updates=True)
    assert h(0) == 1 and s.get_value() == 1
    assert f(0) == 1 and s.get_value() == 2
    with pytest.raises(ValueError, match="swap"):
        f.copy(swap={t: s})


def test_fn_runs_on_stored_values_many_times():
    s = shared(0.0)
    f = function([], s + 1, updates={s: s + 1})
    assert f.fn() == [1]
    assert f.fn(n_calls=3) == [4]


def test_free_drops_intermediate_results():
    x = T.dvector()
    f = function([x], T.exp(x) + 1, mode=theano.Mode("vm_nogc"))
    f([1, 2])
    f.free()
    assert f([0.0]).tolist() == [2]


def test_out_and_in_keep_what_they_are_told(xy):
    x, _ = xy
    assert Out(x).borrow is False and Out(x, borrow=True).borrow is True
    assert repr(In(x)) == "In(x)"
    with pytest.raises(TypeError, match="In takes a Variable"):
        In(3)


def test_deepcopy_of_a_function_has_values_of_its_own(xy):
    x, s = xy
    f = function([x, In(s, value=1.0, update=s + x)], s)
    g = copy.deepcopy(f)
    f(5)
    assert g(0) == 1 and f(0) == 6


def test_function_dump_writes_the_arguments(tmp_path, xy):
    x, y = xy
    path = tmp_path / "dump"
    theano.function_dump(str(path), [x, y], x + y, name="sum")
    kept = pickle.loads(path.read_bytes())
    name = kept.pop("name")
    assert name == "sum" and theano.function(**kept)(1, 2) == 3


def test_eval_compiles_once(xy):
    x, y = xy
    z = x * y
    assert z.eval({x: 2, y: 3}) == 6
    assert z.eval({y: 4, x: 2}) == 8
    assert len(z._fn_cache) == 1
    assert T.constant(3).eval() == 3


def test_a_subset_of_named_outputs_keeps_its_names(xy):
    x, y = xy
    f = function([x, y], {"a": x, "b": y}, name="both")
    assert f(1, 2, output_subset=["b"]) == {"b": 2}
    assert str(f).startswith('<theano function with name "both" at 0x')


def test_the_truth_of_a_comparison_cannot_be_asked(xy):
    x, _ = xy
    with pytest.warns(UserWarning, match="Variables are true"):
        assert bool(x)
    with pytest.raises(TypeError, match="boolean operations"):
        bool(x > 0)
    with pytest.raises(TypeError, match="a < x < b"):
        0 < x < 1  # noqa: B015
