"""DebugMode: each kind of defect, planted in an op or a rewrite, is found by its own exception."""

import logging
import pickle

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.compile.planted_ops import OPS, Planted, gives_two_parts_of_one_array
from theano import gof
from theano.compile import debugmode
from theano.compile.debugmode import (
    BadDestroyMap,
    BadOptimization,
    BadStrides,
    BadThunkOutput,
    DebugMode,
    DebugModeError,
    InvalidValueError,
    StochasticOrder,
)

X = np.array([[1.0, 2.0], [3.0, 4.0]])


def mode(**options):
    """DebugMode on NumPy alone, with every graph rewritten twice."""
    return DebugMode(**{"check_c_code": False, "stability_patience": 2, **options})


@pytest.mark.parametrize("name", OPS)
def test_a_defect_of_an_op_is_found_by_its_own_exception(name):
    defect = OPS[name]
    run, options = defect.planted
    x, y = T.dmatrices("xy")
    made = Planted(run, **options)(x, y)
    outs = made if isinstance(made, list) else [made]
    total = sum(v.sum() for v in outs)
    with np.errstate(all="ignore"):
        f = theano.function(
            [x, y],
            total,
            mode=mode(**defect.options),
            on_unused_input="ignore",
            accept_inplace=True,
        )
        with pytest.raises(DebugModeError) as caught:
            f(X, X + 1)
    assert type(caught.value) is defect.error
    text = str(caught.value)
    assert defect.found in text
    assert "test_debugmode.py" in text, "the line that made the node is named"


def test_an_op_that_advances_a_generator_in_silence_is_found():
    class Draws(gof.Op):
        __props__ = ()

        def make_node(self, rng):
            return gof.Apply(self, [rng], [T.dscalar()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = np.asarray(inputs[0].uniform())

    rng = theano.tensor.raw_random.random_state_type()
    f = theano.function([rng], Draws()(rng), mode=mode())
    with pytest.raises(BadDestroyMap, match="changes input 0"):
        f(np.random.RandomState(3))


# the two engines


class Forked(gof.Op):
    """x + 1 on NumPy, and perhaps something else on XLA."""

    __props__ = ("kind",)

    def __init__(self, kind):
        self.kind = kind

    def make_node(self, x):
        return gof.Apply(self, [x], [x.type()])

    def compute(self, xp, x):
        return np.asfortranarray(x + 1) if self.kind == "strides" else x + 1

    def lower_xla(self, xp, sizes, x):
        if self.kind == "raises":
            raise ValueError("no such thing on XLA")
        return x + (2 if self.kind == "differs" else 1)


def on_both(kind, **options):
    x = T.dmatrix("x")
    return theano.function([x], Forked(kind)(x), mode=DebugMode(stability_patience=1, **options))


def test_forms_of_an_op_that_differ_on_the_two_engines_are_found():
    with pytest.raises(BadThunkOutput) as caught:
        on_both("differs")(X)
    assert caught.value.offending_op() == Forked("differs")
    assert (caught.value.thunk1, caught.value.thunk2) == ("perform", "xla")
    np.testing.assert_array_equal(caught.value.val2 - caught.value.val1, np.ones_like(X))
    np.testing.assert_array_equal(on_both("differs", check_c_code=False)(X), X + 1)
    np.testing.assert_array_equal(on_both("differs", check_py_code=False)(X), X + 2)


def test_an_op_that_raises_on_one_engine_only_is_found():
    with pytest.raises(BadThunkOutput, match="no such thing on XLA"):
        on_both("raises")(X)


def test_other_strides_on_the_other_engine_are_an_error_where_asked(caplog):
    with pytest.raises(BadStrides, match="strides"):
        on_both("strides", require_matching_strides=2)(X)
    with caplog.at_level(logging.WARNING, "theano.compile.debugmode"):
        on_both("strides", require_matching_strides=1)(X)
    assert "has strides" in caplog.text
    caplog.clear()
    on_both("strides", require_matching_strides=0)(X)
    assert not caplog.text


# rewrites


def rewriting(rule, *ops):
    """A mode that rewrites by one rule alone."""
    db = gof.EquilibriumDB()
    db.register(rule.__name__, gof.local_optimizer(list(ops))(rule), "all")
    return mode(optimizer=db.query("+all"), check_isfinite=False)


def add_to_sub(node):
    return [node.inputs[0] - node.inputs[1]]


def one_element_off(node):
    off = np.zeros((2, 2))
    off[1, 1] = 1e-3
    return [node.inputs[0] / T.inv(node.inputs[1]) + T.constant(off)]


def add_to_nan(node):
    return [node.inputs[0] * np.nan]


def add_to_its_first_input(node):
    return [node.inputs[0]]


@pytest.mark.parametrize(
    ("rule", "tracked"),
    [
        (add_to_sub, T.add),
        (one_element_off, T.mul),
        (add_to_nan, T.add),
        (add_to_its_first_input, T.add),
    ],
)
def test_a_rule_that_changes_a_value_is_named(rule, tracked):
    x, y = T.dmatrices("xy")
    f = theano.function([x, y], T.exp(tracked(x, y)), mode=rewriting(rule, tracked))
    with pytest.raises(BadOptimization) as caught:
        f(X, X + 1)
    error = caught.value
    assert str(error.reason) == rule.__name__ and rule.__name__ in str(error)
    assert error.old_r.owner.op == tracked
    np.testing.assert_array_equal(error.old_r_val, tracked(x, y).eval({x: X, y: X + 1}))
    assert f"Elemwise{{{tracked.scalar_op}" in error.old_graph and error.new_graph
    assert isinstance(error, gof.toolbox.BadOptimization)


def test_a_rewrite_of_the_whole_graph_that_changes_a_value_is_named():
    class Double(gof.Optimizer):
        name = "doubles_the_output"

        def add_requirements(self, fgraph):
            fgraph.attach_feature(gof.toolbox.ReplaceValidate())

        def apply(self, fgraph):
            fgraph.replace_validate(fgraph.outputs[0], fgraph.outputs[0] * 2, reason=self.name)

    x = T.dmatrix("x")
    f = theano.function([x], T.exp(x), mode=mode(optimizer=Double()))
    with pytest.raises(BadOptimization, match="doubles_the_output"):
        f(X)


def test_a_node_of_a_rewrite_that_raises_names_the_rewrite():
    def too_long(node):
        x, y = node.inputs
        return None if y.owner is not None else [x + T.concatenate([y, y])]

    x, y = T.dvectors("xy")
    f = theano.function([x, y], x + y, mode=rewriting(too_long, T.add))
    with pytest.raises(ValueError, match="by the rewrite too_long"):
        f([1, 2], [3, 4])


def test_a_formula_that_does_not_overflow_may_stand_for_one_that_does():
    x = T.dvector("x")
    f = theano.function([x], T.log(1 + T.exp(x)), mode=mode())
    np.testing.assert_allclose(f([1000.0, 0.0]), [1000.0, np.log(2)])


def test_a_replacement_that_the_graph_refused_is_not_held_against_the_rule():
    class Refused(gof.Optimizer):
        def add_requirements(self, fgraph):
            fgraph.attach_feature(gof.toolbox.ReplaceValidate())

        def apply(self, fgraph):
            class No(gof.toolbox.Feature):
                def validate(self, fgraph):
                    raise gof.InconsistencyError("no")

            no = No()
            fgraph.attach_feature(no)
            with pytest.raises(gof.InconsistencyError):
                fgraph.replace_validate(fgraph.outputs[0], fgraph.outputs[0] * 2)
            fgraph.remove_feature(no)

    x = T.dmatrix("x")
    f = theano.function([x], T.exp(x), mode=mode(optimizer=Refused()))
    np.testing.assert_allclose(f(X), np.exp(X))


@pytest.mark.parametrize("kind", ["sometimes", "in another order"])
def test_a_rewrite_that_goes_otherwise_the_second_time_is_found(kind):
    turn = []

    class Fickle(gof.Optimizer):
        def add_requirements(self, fgraph):
            fgraph.attach_feature(gof.toolbox.ReplaceValidate())

        def apply(self, fgraph):
            turn.append(1)
            nodes = [n for n in fgraph.toposort() if n.op in (T.exp, T.sin)]
            if kind == "sometimes":
                nodes = nodes[: len(turn) % 2]
            elif len(turn) % 2:
                nodes.reverse()
            for node in nodes:
                fgraph.replace_validate(node.outputs[0], node.op(*node.inputs), reason="fickle")

    x = T.dmatrix("x")
    with pytest.raises(StochasticOrder, match="second time"):
        theano.function([x], [T.exp(x), T.sin(x)], mode=mode(optimizer=Fickle()))
    theano.function([x], [T.exp(x), T.sin(x)], mode=mode(optimizer=Fickle(), stability_patience=1))


def test_an_input_that_is_read_after_it_was_overwritten_is_found():
    class Early(gof.Optimizer):
        """Puts an op in place without asking, and without an order."""

        def apply(self, fgraph):
            for node in fgraph.toposort():
                if node.op == T.exp:
                    fgraph.replace(node.outputs[0], T.inplace.exp_inplace(*node.inputs))

    x = T.dmatrix("x")
    y = x + 1
    f = theano.function([x], [T.exp(y) * 2, T.sin(y)], mode=mode(optimizer=Early()))
    with pytest.raises(BadDestroyMap, match="after it was overwritten") as caught:
        f(X)
    assert caught.value.destroyer.op == T.inplace.exp_inplace


# what is right


def test_in_place_ops_that_are_right_pass():
    x, y = T.dmatrices("xy")
    z = T.dot(x, y)
    out = [T.exp(z) + 1, (z * 2).sum()]
    f = theano.function([x, y], out, mode=DebugMode(stability_patience=2))
    assert any(n.op.destroy_map for n in f.maker.fgraph.apply_nodes)
    first, second = f(X, X)
    np.testing.assert_allclose(first, np.exp(X @ X) + 1)
    np.testing.assert_allclose(second, 2 * (X @ X).sum())


def test_a_step_of_a_perceptron_passes_on_both_engines_and_stores_its_updates():
    rng = np.random.RandomState(0)
    start = [rng.randn(4, 3) / 9, rng.randn(3, 2) / 9]

    def after_a_step(mode):
        w, v = map(theano.shared, start)
        x, t = T.dmatrix("x"), T.lvector("t")
        p = T.nnet.softmax(T.dot(T.tanh(T.dot(x, w)), v))
        cost = T.nnet.categorical_crossentropy(p, t).mean()
        updates = [(s, s - 0.1 * g) for s, g in zip((w, v), T.grad(cost, [w, v]), strict=True)]
        f = theano.function([x, t], cost, updates=updates, mode=mode)
        return [f(np.eye(4), [0, 1, 0, 1]), w.get_value(), v.get_value()]

    expected = after_a_step("FAST_COMPILE")
    for found, right in zip(after_a_step(DebugMode(stability_patience=2)), expected, strict=True):
        np.testing.assert_allclose(found, right)


def test_loops_choices_and_random_numbers_pass():
    x, n = T.dvector("x"), T.lscalar("n")
    powers, _ = theano.scan(
        lambda a, x: a * x, outputs_info=T.ones_like(x), non_sequences=x, n_steps=n
    )
    out = theano.ifelse.ifelse(T.gt(n, 2), powers[-1], x)
    streams = theano.tensor.shared_randomstreams.RandomStreams(5)
    noise = streams.uniform((2,))
    f = theano.function([x, n], [out, noise], mode=mode())
    np.testing.assert_allclose(f([2.0, 3.0], 3)[0], [8.0, 27.0])
    np.testing.assert_allclose(f([2.0, 3.0], 2)[0], [2.0, 3.0])
    assert not np.array_equal(f([2.0, 3.0], 2)[1], f([2.0, 3.0], 2)[1])


def test_outputs_that_share_memory_pass_where_no_node_reads_them():
    run = gives_two_parts_of_one_array[0]
    x = T.dmatrix("x")
    a, b = theano.function([x], Planted(run, n_out=2)(x), mode=mode())(X)
    np.testing.assert_array_equal(a, b[:1])
    f = theano.function([x], Planted(run, n_out=2)(x)[1] + 1, mode=mode())
    np.testing.assert_array_equal(f(X), 2 * X + 1)


def test_an_argument_that_is_not_finite_is_an_error_unless_allowed():
    x = T.dvector("x")
    with pytest.raises(InvalidValueError, match="Graph Input") as caught:
        theano.function([x], x * 2, mode=mode())([np.nan])
    assert caught.value.r.name == "x" and caught.value.client_node.op.scalar_op == theano.scalar.mul
    assert np.isnan(theano.function([x], x * 2, mode=mode(check_isfinite=False))([np.nan])).all()


def test_memory_that_is_promised_to_be_reused_and_is_not_is_told(caplog):
    def copies(ins, outs):
        outs[0][0] = ins[0].copy()

    x = T.dmatrix("x")
    f = theano.function([x], Planted(copies, view_map={0: [0]})(x), mode=mode())
    with caplog.at_level(logging.WARNING, "theano.compile.debugmode"):
        f(X)
    assert "view_map says that output 0 uses input 0" in caplog.text
    caplog.clear()
    with theano.config.change_flags(**{"DebugMode.warn_input_not_reused": False}):
        theano.function([x], Planted(copies, view_map={0: [0]})(x), mode=mode())(X)
    assert not caplog.text


# the mode


@pytest.mark.parametrize("name", ["DebugMode", "DEBUG_MODE"])
def test_the_mode_is_found_by_its_names(name):
    x = T.dvector("x")
    f = theano.function([x], 10 * x, mode=name)
    assert isinstance(f.maker.mode, DebugMode)
    assert f.maker.mode is theano.compile.predefined_modes["DebugMode"]
    with theano.config.change_flags(mode=name):
        assert isinstance(theano.function([x], 10 * x).maker.mode, DebugMode)
        assert isinstance(theano.compile.get_default_mode(), DebugMode)


def test_flags_say_what_is_checked_until_arguments_do():
    flags = {
        "DebugMode.patience": 3,
        "DebugMode.check_finite": False,
        "DebugMode.check_preallocated_output": "previous:strided",
    }
    with theano.config.change_flags(**flags):
        made = DebugMode()
        assert (made.stability_patience, made.check_isfinite) == (3, False)
        assert made.check_preallocated_output == ["previous", "strided"]
        assert DebugMode(check_isfinite=True).check_isfinite is True
    assert (DebugMode.stability_patience, DebugMode.check_isfinite) == (10, True)


def test_all_stands_for_every_kind_of_memory():
    made = DebugMode(check_preallocated_output=["ALL"])
    assert made.check_preallocated_output == [
        "initial", "previous", "c_contiguous", "f_contiguous", "strided", "wrong_size",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="takes names out of"):
        DebugMode(check_preallocated_output=["upside_down"])


def test_one_engine_at_least_is_checked():
    with pytest.raises(ValueError, match="at least one of check_c_code and check_py_code"):
        DebugMode(check_c_code=False, check_py_code=False)


def test_a_mode_made_from_another_keeps_its_checks():
    made = DebugMode(check_isfinite=False, stability_patience=4).excluding("fusion")
    assert isinstance(made, DebugMode)
    assert (made.check_isfinite, made.stability_patience) == (False, 4)
    again = pickle.loads(pickle.dumps(made))
    assert isinstance(again, DebugMode) and again.check_isfinite is False


def test_the_exceptions_have_one_base():
    for name in debugmode.__dict__:
        found = getattr(debugmode, name)
        if isinstance(found, type) and issubclass(found, Exception):
            assert issubclass(found, DebugModeError)
