"""The documented contract of Op, Type, Variable and Apply, as authors of their own use it."""

import copy
import pickle
import warnings

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import Apply, gof
from theano.gof.utils import MethodNotDefined

LINKERS = ["numpy", "py"]


@pytest.fixture(params=LINKERS)
def run(request):
    """Compile and call, without rewrites, under one linker."""

    def run(inputs, outputs, *values, **kwargs):
        mode = theano.Mode(request.param, None)
        return theano.function(inputs, outputs, mode=mode, **kwargs)(*values)

    return run


class Unary(theano.Op):
    """What most ops below share: one tensor in, one of the same type out."""

    __props__ = ()

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return Apply(self, [x], [x.type()])


class DoubleByPerform(Unary):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2


class DoubleByCompute(Unary):
    def compute(self, xp, x):
        return x * 2


class DoubleByThunk(Unary):
    def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
        (x,), (z,) = node.inputs, node.outputs

        def thunk():
            assert compute_map[x][0] and not compute_map[z][0]
            storage_map[z][0] = storage_map[x][0] * 2
            compute_map[z][0] = True

        return thunk


class DoubleByTypes(theano.Op):
    itypes = [T.dvector]
    otypes = [T.dvector]

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2


DOUBLES = [DoubleByPerform, DoubleByCompute, DoubleByThunk, DoubleByTypes]


@pytest.mark.parametrize("cls", DOUBLES)
def test_one_way_of_saying_what_an_op_means_is_enough(cls, run):
    x = T.dvector()
    assert run([x], cls()(x), [1, 2]).tolist() == [2, 4]
    assert run([x], cls()(cls()(x)) + 1, [1, 2]).tolist() == [5, 9]


@pytest.mark.parametrize("cls", DOUBLES)
def test_an_op_runs_in_every_mode(cls):
    x = T.dvector()
    for mode in ("FAST_RUN", "FAST_COMPILE", None):
        f = theano.function([x], cls()(x), mode=mode)
        assert f([1, 2]).tolist() == [2, 4] and f([3]).tolist() == [6]


def test_perform_below_compute_is_what_the_op_means(run):
    class Triple(DoubleByCompute):
        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] * 3

    x = T.dvector()
    assert run([x], Triple()(x), [1, 2]).tolist() == [3, 6]


def test_compute_below_perform_is_what_the_op_means(run):
    class Triple(DoubleByPerform):
        def compute(self, xp, x):
            return x * 3

    x = T.dvector()
    assert run([x], Triple()(x), [1, 2]).tolist() == [3, 6]


def test_make_thunk_comes_before_perform_of_the_same_class(run):
    class Both(DoubleByThunk):
        def make_thunk(self, *args, **kwargs):
            return super().make_thunk(*args, **kwargs)

        def perform(self, node, inputs, output_storage):
            raise AssertionError("make_thunk takes precedence")

    x = T.dvector()
    assert run([x], Both()(x), [1]).tolist() == [2]


def test_an_op_without_meaning_says_so_when_it_runs(run):
    x = T.dvector()
    with pytest.raises(MethodNotDefined) as caught:
        run([x], Unary()(x), [1])
    assert caught.value.args[0] == "perform" and caught.value.args[1] is Unary
    assert "Apply node that caused the error: Unary(" in caught.value.__notes__[0]


def test_an_op_without_make_node_says_so():
    class Nothing(theano.Op):
        pass

    with pytest.raises(MethodNotDefined, match="make_node"):
        Nothing()(T.dscalar())


@pytest.mark.parametrize("method", ["grad", "R_op"])
def test_methods_that_an_op_does_not_give_are_named(method):
    with pytest.raises(MethodNotDefined, match=f"DoubleByPerform does not define {method}"):
        getattr(DoubleByPerform(), method)([T.dscalar()], [T.dscalar()])


def test_l_op_falls_back_on_grad():
    class WithGrad(DoubleByPerform):
        def grad(self, inputs, output_grads):
            return [output_grads[0] * 2]

    g = T.dvector("g")
    (made,) = WithGrad().L_op([T.dvector()], [T.dvector()], [g])
    assert made.owner.inputs[0] is g


# methods assigned to instances, as the tutorial's double does


def make_double():
    double = gof.Type()

    def filter(x, strict=False, allow_downcast=None):
        if strict:
            if not isinstance(x, float):
                raise TypeError("Expected a float!")
            return x
        made = float(x)
        if not allow_downcast and made != x:
            raise TypeError(f"{x} would lose precision")
        return made

    double.filter = filter
    double.values_eq_approx = lambda x, y, tolerance=1e-4: (
        abs(x - y) / (abs(x) + abs(y)) < tolerance
    )
    return double


def test_a_plain_type_takes_its_methods_as_attributes():
    double = make_double()
    assert double.filter(5) == 5.0
    with pytest.raises(TypeError, match="Expected a float!"):
        double.filter(5, strict=True)
    assert double.is_valid_value(5.0) and not double.is_valid_value(5)
    assert double.values_eq_approx(1.0, 1.00001) and double.values_eq(1.0, 1.0)
    assert double != make_double() and double == double
    x = double("x")
    assert isinstance(x, gof.Variable) and x.type is double and x.name == "x"
    assert double.make_variable().name is None
    assert double.may_share_memory(x, x) and not double.may_share_memory(1.0, 2.0)


def make_mul(double):
    mul = gof.Op()

    def make_node(x, y):
        x, y = (gof.Constant(double, v) if isinstance(v, (int, float)) else v for v in (x, y))
        if x.type != double or y.type != double:
            raise TypeError("mul only works on doubles")
        return gof.Apply(mul, [x, y], [double()])

    def perform(node, inputs, output_storage):
        x, y = inputs
        output_storage[0][0] = x * y

    mul.make_node, mul.perform = make_node, perform
    return mul


def test_a_plain_op_takes_its_methods_as_attributes(run):
    double = make_double()
    mul = make_mul(double)
    x, y = double("x"), double("y")
    assert run([x, y], mul(x, y), 5, 6) == 30.0
    assert run([x, y], mul(x, y), 5.6, 6.7) == 5.6 * 6.7
    assert run([x], mul(x, 2), 3.4) == 6.8
    with pytest.raises(TypeError, match="mul only works on doubles"):
        mul(x, T.dscalar())


def test_a_type_without_filter_says_so():
    with pytest.raises(MethodNotDefined, match="filter"):
        gof.Type().filter(1)


def test_a_function_refuses_what_a_users_type_refuses(run):
    double = make_double()
    x = double("x")
    with pytest.raises(ValueError, match="could not convert"):
        run([x], make_mul(double)(x, 2), "abc")


def test_a_users_type_can_be_shared_and_updated(run):
    double = make_double()
    s = theano.compile.SharedVariable(name="s", type=double, value=2, strict=False)
    mul = make_mul(double)
    run([], [], updates=[(s, mul(s, 3))])
    assert s.get_value() == 6.0


# equality, hash and text from __props__


class Scaled(Unary):
    __props__ = ("factor", "note")

    def __init__(self, factor, note="n"):
        self.factor = factor
        self.note = note
        self.cache = []  # not named: does not count


def test_props_give_equality_hash_and_text():
    assert Scaled(2) == Scaled(2) and hash(Scaled(2)) == hash(Scaled(2))
    assert Scaled(2) != Scaled(3) and not Scaled(2) == Scaled(3)  # noqa: SIM201
    assert Scaled(2) != 2
    assert str(Scaled(2)) == "Scaled{factor=2, note='n'}" and str(Unary()) == "Unary"
    assert Scaled(2)._props() == (2, "n")
    assert Scaled(2)._props_dict() == {"factor": 2, "note": "n"}


def test_a_subclass_with_the_same_props_is_another_op():
    class Other(Scaled):
        pass

    assert Other(2) != Scaled(2) and Other(2) == Other(2)
    assert str(Other(2)) == "Other{factor=2, note='n'}"


def test_what_a_class_defines_itself_is_kept():
    class Own(Unary):
        __props__ = ("a",)
        a = 1

        def __str__(self):
            return "own"

        def __eq__(self, other):
            return isinstance(other, Own)

    assert str(Own()) == "own"
    assert Own() == Own() and hash(Own()) == hash(Own())


def test_without_props_an_op_is_equal_to_itself_alone():
    class Plain(theano.Op):
        pass

    a = Plain()
    assert a == a and a != Plain() and str(a) == "Plain"


def test_a_name_is_what_an_op_is_called():
    op = Scaled(2)
    op.name = "twice"
    assert str(op) == "twice"


def test_equal_ops_on_equal_inputs_are_computed_once():
    calls = []

    class Counted(Unary):
        def perform(self, node, inputs, output_storage):
            calls.append(1)
            output_storage[0][0] = inputs[0] + 1

    x = T.dvector()
    f = theano.function([x], [Counted()(x), Counted()(x)])
    assert [v.tolist() for v in f([1])] == [[2], [2]] and len(calls) == 1


# making nodes


def test_itypes_are_checked():
    class Both(theano.Op):
        itypes = [T.dscalar, T.lvector]
        otypes = [T.dvector, T.dscalar]

    made = Both()(T.dscalar(), T.lvector())
    assert [v.type for v in made] == [T.dvector, T.dscalar]
    with pytest.raises(ValueError, match="Both takes 2 inputs, got 1"):
        Both()(T.dscalar())
    with pytest.raises(
        TypeError, match=r"takes .*float64, scalar\) as input 0, got f of .*float32"
    ):
        Both()(T.fscalar("f"), T.lvector())


def test_a_number_that_make_node_does_not_wrap_has_no_type():
    class Bare(theano.Op):
        def make_node(self, x, y):
            return Apply(self, [x, y], [x.type()])

    with pytest.raises(TypeError, match=r"takes Variables as inputs, got 2 of type int; wrap"):
        Bare()(T.dscalar(), 2)
    with pytest.raises(AttributeError, match="'int' object has no attribute 'type'"):
        Bare()(2, T.dscalar())


class DivMod(theano.Op):
    __props__ = ()

    def make_node(self, x, y):
        return Apply(self, [x, y], [x.type("quotient"), x.type("rest")])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0], output_storage[1][0] = np.divmod(*inputs)


def test_an_op_of_several_outputs_gives_a_list(run):
    x, y = T.lvectors("x", "y")
    made = DivMod()(x, y)
    assert isinstance(made, list) and [v.index for v in made] == [0, 1]
    assert [v.tolist() for v in run([x, y], made, [7, 9], [2, 5])] == [[3, 1], [1, 4]]
    assert run([x, y], made[1], [7], [2]).tolist() == [1]


def test_default_output_hides_the_others(run):
    class Rest(DivMod):
        default_output = 1

    x, y = T.lvectors("x", "y")
    made = Rest()(x, y)
    assert made.index == 1 and made.owner.default_output() is made is made.owner.out
    assert Rest()(x, y, return_list=True)[0].index == 1
    assert run([x, y], made, [7], [2]).tolist() == [1]
    assert run([x, y], made.owner.outputs[0], [7], [2]).tolist() == [3]


def test_return_list_gives_a_list_always():
    (made,) = DoubleByPerform()(T.dscalar(), return_list=True)
    assert isinstance(made.owner.op, DoubleByPerform)


def test_keywords_go_to_make_node():
    class Options(theano.Op):
        def make_node(self, x, dtype="float64"):
            return Apply(self, [x], [T.vector(dtype=dtype)])

    assert Options()(T.dvector(), dtype="int8").dtype == "int8"


# variables and nodes


def test_making_a_node_sets_owner_and_index():
    x, y = T.lvectors("x", "y")
    a, b = x.type(), x.type()
    node = Apply(DivMod(), [x, y], [a, b])
    assert (node.inputs, node.outputs, node.nin, node.nout) == ([x, y], [a, b], 2, 2)
    assert [v.owner for v in (a, b)] == [node, node] and [a.index, b.index] == [0, 1]
    assert x.owner is None and x.index is None and str(node) == "DivMod(x, y)"
    with pytest.raises(AttributeError, match="has 2 outputs and no default_output"):
        node.default_output()


def test_an_output_belongs_to_one_node():
    x, y = T.lvectors("x", "y")
    taken = DivMod()(x, y)[0]
    with pytest.raises(ValueError, match="already belongs to another Apply: DivMod"):
        Apply(DivMod(), [x, y], [taken, x.type()])


def test_a_variable_has_type_owner_index_and_name():
    v = gof.Variable(T.dscalar, None, None, "v")
    assert (v.type, v.owner, v.index, v.name, str(v)) == (T.dscalar, None, None, "v", "v")
    assert str(gof.Variable(T.dscalar)) == "<TensorType(float64, scalar)>"
    assert str(DivMod()(T.lscalar(), T.lscalar())[0].owner.outputs[1]) == "rest"
    assert str(DoubleByPerform()(T.dscalar())) == "DoubleByPerform.0"
    with pytest.raises(TypeError, match="takes an int as index"):
        gof.Variable(T.dscalar, DoubleByPerform()(T.dscalar()).owner)


def test_a_clone_of_a_variable_has_no_owner_and_a_tag_of_its_own():
    y = DoubleByPerform()(T.dscalar())
    y.name, y.tag.note = "y", "n"
    c = y.clone()
    assert (c.owner, c.name, c.type, c.tag.note) == (None, "y", y.type, "n")
    c.tag.note = "other"
    assert y.tag.note == "n"


def test_a_clone_of_a_node_has_new_outputs_on_the_same_inputs():
    x = T.dscalar("x")
    node = DoubleByPerform()(x).owner
    node.tag.note = "n"
    c = node.clone()
    assert c.op is node.op and c.inputs == [x] and c.outputs[0] is not node.outputs[0]
    assert c.outputs[0].owner is c and c.tag.note == "n"


def test_clone_with_new_inputs_builds_anew_where_types_differ():
    node = DoubleByPerform()(T.dscalar("x")).owner
    f = T.fscalar("f")
    assert node.clone_with_new_inputs([f], strict=False).outputs[0].type == T.fscalar
    with pytest.raises(TypeError, match="Cannot convert"):
        node.clone_with_new_inputs([f])
    other = T.dscalar("other")
    assert node.clone_with_new_inputs([other]).inputs == [other]


def test_constants_of_any_type_know_their_data():
    c = gof.Constant(theano.generic, [1, 2], name="c")
    assert c.data == [1, 2] and c.owner is None and str(c) == "c"
    assert str(gof.Constant(theano.generic, "x" * 100)) == f"Constant{{{'x' * 10}...{'x' * 10}}}"


def test_a_constant_cannot_be_an_input():
    c = T.constant(1.0)
    with pytest.raises(TypeError, match=r"(?i)constant"):
        theano.function([c], c + 1)


@pytest.mark.parametrize("remake", [copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_a_copied_graph_computes_the_same(remake):
    x, y = T.lvectors("x", "y")
    out = DivMod()(x, y)[0] + DivMod()(x, y)[1] * 2
    out.name, out.tag.note = "out", {"a": 1}
    a, b, made = remake([x, y, out])
    assert made.name == "out" and made.tag.note == {"a": 1} and made is not out
    assert theano.function([a, b], made)([7, 9], [2, 5]).tolist() == [5, 9]
    node = remake(out.owner)
    assert node.op == out.owner.op and [v.type for v in node.inputs] == [T.lvector, T.lvector]


def test_a_variable_of_a_compiled_graph_is_pickled_without_it():
    x = T.dvector("x")
    f = theano.function([x], DoubleByPerform()(x))
    made = pickle.loads(pickle.dumps(f.maker.fgraph.outputs[0]))
    assert made.fgraph is None


# declared views and overwrites


def test_an_op_that_declares_a_view_may_return_one(run):
    class Tail(Unary):
        view_map = {0: [0]}

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0][1:]

    x = T.dvector()
    a = np.arange(3.0)
    made = run([x], Tail()(x), a)
    made[...] = 9
    assert a.tolist() == [0, 1, 2], "the caller's array is not the output's memory"


def test_an_op_that_overwrites_runs_after_all_readers(run):
    class Clear(Unary):
        destroy_map = {0: [0]}

        def perform(self, node, inputs, output_storage):
            inputs[0][...] = 0
            output_storage[0][0] = inputs[0]

    x = T.dvector()
    kept = DoubleByPerform()(x)
    cleared = Clear()(kept)
    a = np.array([1.0, 2.0])
    out = run([x], [cleared, kept + 1], a, accept_inplace=True)
    assert [v.tolist() for v in out] == [[0, 0], [3, 5]] and a.tolist() == [1, 2]


# test values


@pytest.fixture
def x():
    x = T.dvector("x")
    x.tag.test_value = np.array([1.0, 2.0])
    return x


def flags(value):
    return theano.config.change_flags(compute_test_value=value)


def test_off_computes_nothing(x):
    y = x + 1
    assert not hasattr(y.tag, "test_value")


@pytest.mark.parametrize("how", ["raise", "warn", "ignore"])
@pytest.mark.parametrize("cls", DOUBLES)
def test_test_values_travel_while_the_graph_is_built(x, how, cls):
    with flags(how):
        y = cls()(cls()(x)) + theano.shared(1.0)
    assert y.tag.test_value.tolist() == [5, 9]
    assert gof.op.get_test_value(y).tolist() == [5, 9]


def test_every_output_gets_a_test_value():
    a, b = T.lvectors("a", "b")
    a.tag.test_value, b.tag.test_value = np.array([7]), np.array([2])
    with flags("raise"):
        made = DivMod()(a, b)
    assert [v.tag.test_value.tolist() for v in made] == [[3], [1]]


def test_a_missing_test_value_raises_warns_or_is_ignored():
    z = T.dvector("z")
    text = r"Cannot compute test value: input 0 \(z\) of Op DoubleByPerform\(z\) missing default"
    with flags("raise"), pytest.raises(ValueError, match=text):
        DoubleByPerform()(z)
    with flags("warn"), pytest.warns(UserWarning, match=text):
        DoubleByPerform()(z)
    with flags("ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not hasattr(DoubleByPerform()(z).tag, "test_value")


def test_a_mistake_raises_at_the_users_line(x):
    with flags("raise"), pytest.raises(ValueError, match="mis-match"):
        x + np.ones(3)


def test_a_test_value_of_a_wrong_type_is_refused(x):
    x.tag.test_value = np.ones((2, 2))
    with flags("raise"), pytest.raises(TypeError, match="Wrong number of dimensions") as caught:
        x + 1
    assert "test value of x" in caught.value.__notes__[0]


def test_get_test_value_knows_constants_and_shared_variables():
    assert gof.op.get_test_value(T.constant(3)) == 3
    assert gof.op.get_test_value(theano.shared(4.0)) == 4
    with pytest.raises(AttributeError, match="no test value"):
        gof.op.get_test_value(T.dscalar("z"))


class Weighted(theano.Op):
    """``a + w * b`` and ``b``: linear in ``a`` and ``b`` together, given ``w``."""

    __props__ = ()
    linear_in = (0, 2)
    nondiff_inputs = (1,)
    shape_like = (0, 2)

    def make_node(self, a, w, b):
        return theano.Apply(self, [a, w, b], [a.type(), b.type()])

    def compute(self, xp, a, w, b):
        return a + w * b, b


def test_r_op_of_a_linear_op_is_the_op_of_the_steps():
    a, w, b, da, db = T.dvector(), T.dscalar(), T.dvector(), T.dvector(), T.dvector()
    outs = Weighted()(a, w, b)
    steps = theano.Rop(outs, [a, b], [da, db])
    both = theano.function([a, w, b, da, db], steps, on_unused_input="ignore")
    values = ([0, 0], 2, [0, 0], [1, 2], [10, 20])
    np.testing.assert_array_equal(both(*values), [[21, 42], [10, 20]])
    steps = theano.Rop(outs, [b], [db])
    of_b_alone = theano.function([a, w, b, da, db], steps, on_unused_input="ignore")
    np.testing.assert_array_equal(of_b_alone(*values), [[20, 40], [10, 20]])


def test_inputs_without_a_gradient_are_not_connected():
    node = Weighted().make_node(T.dvector(), T.dscalar(), T.dvector())
    assert node.op.connection_pattern(node) == [[True, True], [False, False], [True, True]]


def test_outputs_have_the_shapes_of_the_inputs_named():
    node = Weighted().make_node(T.dvector(), T.dscalar(), T.dvector())
    assert node.op.infer_shape(node, ["n", "", "m"]) == ["n", "m"]


def test_a_method_of_the_class_itself_stands_before_a_fact():
    class Own(Weighted):
        shape_like = 0

        def connection_pattern(self, node):
            return [[True, False]] * 3

    node = Own().make_node(T.dvector(), T.dscalar(), T.dvector())
    assert node.op.connection_pattern(node) == [[True, False]] * 3
    assert node.op.infer_shape(node, ["n", "", "m"]) == ["n", "n"]
