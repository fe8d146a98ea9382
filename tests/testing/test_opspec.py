"""The checks of an OpSpec catch ops that are wrong, each in its way, and let right ones be."""

import numpy as np
import pytest

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ops.core.elemwise import elemwise
from theano._src.ops.core.scalar import BinaryScalarOp, FloatOp
from theano._src.ops.elementwise.arithmetic import neg
from theano._src.ops.shape.join import join
from theano._src.testing.collect import checks_of
from theano._src.testing.opspec import SEED, rng_for
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import upcast
from theano._src.types.null import DisconnectedType
from theano._src.types.tensor import tensor_type
from theano.testing import Case, OpSpec, Raises, evaluate, spec_tests

nan, inf = np.nan, np.inf


def failures(spec: OpSpec) -> dict[str, str]:
    """What each check that fails says."""
    found = {}
    for label, check in checks_of(spec):
        try:
            check()
        except Exception as e:
            found[label] = f"{type(e).__name__}: {e}"
    return found


def caught(spec: OpSpec, label: str, words: str) -> None:
    found = failures(spec)
    said = [text for name, text in found.items() if name.startswith(label)]
    assert said, f"{label} did not fail; these did: {found}"
    assert all(words in text for text in said), said


# right ops, from which the wrong ones are made


class Negated(Op):
    """-x, with every fact stated."""

    __props__ = ()

    def make_node(self, x):
        x = as_tensor_variable(x)
        if x.dtype == "bool":
            raise TypeError(f"Negated takes numbers, got {x} of {x.type}; cast it first")
        return Apply(self, [x], [x.type()])

    def compute(self, xp, x):
        return -x

    def infer_shape(self, node, shapes):
        return shapes

    def L_op(self, inputs, outputs, output_grads):
        return [neg(output_grads[0])]


class Doubled(FloatOp):
    name = "doubled"

    def compute(self, xp, x):
        return x + x

    def L_op(self, inputs, outputs, output_grads):
        return [output_grads[0] * 2]


class Sum(BinaryScalarOp):
    name = "sum"

    def compute(self, xp, x, y):
        return x + y

    def L_op(self, inputs, outputs, output_grads):
        return [output_grads[0], output_grads[0]]


class Counted(Op):
    """0, 1, ... n - 1: the compiled form must know n."""

    __props__ = ()
    demand_only = (0,)

    def make_node(self, n):
        return Apply(self, [as_tensor_variable(n)], [tensor_type("int64", (False,))()])

    def compute(self, xp, n):
        return self.lower_xla(xp, [int(n)], None)

    def infer_shape(self, node, shapes):
        return [(node.inputs[0],)]

    def demands(self, node, shapes):
        return [node.inputs[0]]

    def lower_xla(self, xp, sizes, n):
        if sizes[0] < 0:
            raise ValueError(f"Counted takes a length, got {sizes[0]}")
        return xp.arange(sizes[0], dtype="int64")


def is_disconnected(g):
    return isinstance(g.type, DisconnectedType)


class Halves(Op):
    """A vector's ends: two outputs, both views."""

    __props__ = ()
    view_map = {0: [0], 1: [0]}

    def make_node(self, x):
        x = as_tensor_variable(x)
        return Apply(self, [x], [x.type(), x.type()])

    def compute(self, xp, x):
        return x[:1], x[1:]

    def L_op(self, inputs, outputs, output_grads):
        gs = zip(outputs, output_grads, strict=True)
        return [join(0, *[v.zeros_like() if is_disconnected(g) else g for v, g in gs])]


class OnHost(Op):
    __props__ = ()

    def make_node(self, x):
        x = as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] + 1

    def L_op(self, inputs, outputs, output_grads):
        return output_grads


ALL = ("int8", "int64", "uint8", "float16", "float32", "float64", "complex64", "complex128")
NO_BOOL = [Raises(np.array(True), TypeError, "Negated takes numbers, got .*; cast it")]
VECTORS = [Case(np.arange(3.0)), Case(np.float32([1, 2]), id="narrow")]

RIGHT = [
    OpSpec(
        Negated(),
        lambda x: 0 - x,
        dtypes=ALL,
        out_dtype=lambda d: d,
        errors=NO_BOOL,
    ),
    OpSpec(elemwise(Doubled()), lambda x: 2 * x, special={inf: inf, nan: nan, 0: 0}),
    OpSpec(
        elemwise(Sum()),
        lambda x, y: x - -y,
        nin=2,
        dtypes=ALL,
        out_dtype=upcast,
        special=[((0.0, -0.0), 0.0), ((-0.0, -0.0), -0.0), ((inf, -inf), nan)],
    ),
    OpSpec(
        Counted(),
        lambda n: np.cumsum(np.ones(n, int)) - 1,
        cases=[Case(3), Case(0)],
        errors=[Raises(-1, ValueError, "takes a length, got -1", when="run")],
    ),
    OpSpec(Halves(), lambda x: (x[[0]], np.delete(x, 0)), cases=VECTORS),
    OpSpec(OnHost(), lambda x: 1 + x, cases=VECTORS, xla="host: only perform"),
]
test_ops = spec_tests(RIGHT)


def make(cls, name, **changes):
    """A wrong variant of a right op; it can be pickled as a global of this module."""
    made = type(name, (cls,), {"__props__": (), **changes, "__module__": __name__})
    globals()[name] = made
    return made()


def negated_spec(op, **facts):
    return OpSpec(op, np.negative, **{"dtypes": ("float32", "float64"), **facts})


def test_a_wrong_value_is_caught():
    op = make(Negated, "WrongValue", compute=lambda self, xp, x: -x * 1.001)
    caught(negated_spec(op), "value-float64-matrix", "expected")


def test_a_failure_names_the_seed_and_the_inputs():
    op = make(Negated, "WrongAgain", compute=lambda self, xp, x: -x * 1.001)
    said = failures(negated_spec(op))["value-float32-scalar"]
    assert f"THEANO_TEST_SEED={SEED}" in said and "array(" in said


def test_a_value_wrong_in_one_element_is_caught():
    def compute(self, xp, x):
        return xp.where(x == 2, -2.0000001, -x)

    op = make(Negated, "WrongOnce", compute=compute)
    caught(negated_spec(op, cases=[Case(np.arange(5.0))]), "value", "1 of 5 differ")


def test_a_result_of_another_dtype_than_declared_is_caught():
    op = make(Negated, "WrongDtype", compute=lambda self, xp, x: xp.astype(-x, "float64"))
    caught(negated_spec(op, dtypes=("float32",)), "value", "came as float64")
    caught(negated_spec(op, dtypes=("float32",)), "memory", "came as float64")


def test_a_result_of_another_dimension_than_declared_is_caught():
    op = make(Negated, "WrongNdim", compute=lambda self, xp, x: -x[None])
    caught(negated_spec(op), "value", "dimensions")


def test_a_declared_dtype_that_is_not_the_reference_s_is_caught():
    spec = OpSpec(elemwise(Doubled()), lambda x: 2 * x, dtypes=("int8", "float64"))
    caught(spec, "dtypes", "('int8',): ['float32'], expected ['int8']")


def test_a_wrong_infer_shape_is_caught():
    op = make(Negated, "WrongShape", infer_shape=lambda self, node, s: [s[0][::-1]])
    caught(negated_spec(op), "shape", "infer_shape says (3, 2), running gives (2, 3)")


def test_an_infer_shape_that_runs_the_node_is_caught():
    op = make(Counted, "ShapeByRunning", infer_shape=lambda self, node, s: [(_length(node),)])
    caught(OpSpec(op, np.arange, cases=[Case(3)]), "shape", "computes the node itself")


class _Length(Op):
    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [tensor_type("int64", ())()])

    def compute(self, xp, x):
        return xp.asarray(x.shape[0])


def _length(node):
    return _Length()(node.outputs[0])


def test_a_shape_of_floats_is_caught():
    op = make(Counted, "FloatShape", infer_shape=lambda self, node, s: [(3.5,)])
    caught(OpSpec(op, np.arange, cases=[Case(3)]), "shape", "integer scalars")


def test_changing_an_input_is_caught():
    def compute(self, xp, x):
        if xp.name == "numpy":
            x[...] = 0
        return -x

    op = make(Negated, "Changes", compute=compute)
    caught(negated_spec(op), "memory", "changed its input 0")
    caught(negated_spec(op), "value-float32-matrix", "was changed")


def test_giving_out_an_input_is_caught():
    op = make(Negated, "GivesOut", compute=lambda self, xp, x: x)
    caught(OpSpec(op, lambda x: x * 1), "memory", "say so in view_map")


def test_a_wrong_error_text_is_caught():
    caught(
        negated_spec(Negated(), errors=[Raises(np.array(True), TypeError, "cannot negate")]),
        "error0",
        "does not match 'cannot negate'",
    )


def test_a_wrong_class_of_error_is_caught():
    caught(
        negated_spec(Negated(), errors=[Raises(np.array(True), ValueError, "takes")]),
        "error0",
        "raises TypeError, not ValueError",
    )


def test_an_error_that_does_not_come_is_caught():
    errors = [Raises(np.array(1.0), TypeError, "takes"), Raises(1.0, ValueError, "x", when="run")]
    caught(negated_spec(Negated(), errors=errors), "error", "nothing was raised")


def test_an_op_that_cannot_be_pickled_is_caught():
    class Local(Negated):
        __props__ = ()

    caught(negated_spec(Local()), "pickle", "pickle")


def test_an_op_that_does_not_equal_its_copy_is_caught():
    op = make(Negated, "Singular", __eq__=lambda a, b: a is b, __hash__=lambda a: id(a))
    caught(negated_spec(op), "equality", "copied is not equal")
    caught(negated_spec(op), "pickle", "unpickled is not equal")


def test_an_op_that_equals_everything_is_caught():
    always, never, hash_of = lambda a, b: True, lambda a, b: False, lambda a: 1
    op = make(Negated, "Agreeable", __eq__=always, __ne__=never, __hash__=hash_of)
    caught(negated_spec(op), "equality", "equals another op")


def test_a_value_that_differs_on_xla_is_caught():
    def compute(self, xp, x):
        return -x if xp.name == "numpy" else -x + 1e-3

    caught(negated_spec(make(Negated, "Differs", compute=compute)), "xla", "(xla)")


def test_a_special_value_that_differs_on_xla_is_caught():
    def compute(self, xp, x):
        return -x if xp.name == "numpy" else xp.where(x == 7, 7, -x)

    spec = negated_spec(make(Negated, "Special", compute=compute), special={7: -7})
    assert list(failures(spec)) == ["special-xla"]


def test_an_error_that_does_not_come_on_xla_is_caught():
    def lower_xla(self, xp, sizes, n):
        return xp.arange(abs(sizes[0]), dtype="int64")

    op = make(Counted, "Forgives", compute=_refusing, lower_xla=lower_xla)
    errors = [Raises(-1, ValueError, "takes a length", when="run")]
    spec = OpSpec(op, np.arange, cases=[Case(3), Case(5)], errors=errors)
    assert list(failures(spec)) == ["error0-ValueError-xla"]


def _refusing(self, xp, n):
    if n < 0:
        raise ValueError("takes a length")
    return xp.arange(int(n), dtype="int64")


def test_a_dtype_that_differs_on_xla_is_caught():
    def compute(self, xp, x):
        return -x if xp.name == "numpy" else -xp.astype(x, "float32")

    op = make(Negated, "Narrows", compute=compute)
    caught(negated_spec(op), "xla", "came as float32")


def test_control_flow_on_values_is_caught_on_xla():
    def compute(self, xp, x):
        return -x if x.sum() < 1e9 else x

    caught(negated_spec(make(Negated, "Branches", compute=compute)), "xla", "bool")


def test_a_demand_only_input_that_is_read_is_caught():
    op = make(Counted, "Reads", lower_xla=lambda self, xp, sizes, n: xp.arange(sizes[0]) + n)
    caught(OpSpec(op, np.arange, cases=[Case(3)]), "xla", "Error")


def test_a_wrong_demand_is_caught():
    op = make(Counted, "Demands", demands=lambda self, node, s: [as_tensor_variable(2)])
    caught(OpSpec(op, np.arange, cases=[Case(3)]), "xla", "shape (2,), expected (3,)")


def test_an_op_for_the_host_must_be_announced():
    caught(OpSpec(OnHost(), lambda x: x + 1, cases=VECTORS), "xla", "xla='host: reason'")


def test_an_op_that_compiles_must_not_be_announced_as_host():
    caught(negated_spec(Negated(), xla="host: no"), "xla", "can be compiled")


def test_stretching_by_chance_is_caught():
    class Loose(Op):
        __props__ = ()

        def make_node(self, x, y):
            x, y = as_tensor_variable(x), as_tensor_variable(y)
            return Apply(self, [x, y], [tensor_type("float64", (False,) * x.ndim)()])

        def compute(self, xp, x, y):
            return x + y

    caught(OpSpec(Loose(), np.add, nin=2, dtypes=("float64",)), "mismatch", "nothing was raised")


@pytest.mark.parametrize(
    "special", [{1.0: -1.5}, {nan: 0}, {inf: nan}, {0.0: 0.0}, [(-0.0, -0.0)], {(2.0,): 2}]
)
def test_a_wrong_special_value_is_caught(special):
    caught(negated_spec(Negated(), special=special), "special", "expected")


def test_the_sign_of_a_zero_written_as_an_integer_is_free():
    assert failures(negated_spec(Negated(), special=[(0.0, 0), (-0.0, 0)])) == {}


def test_draws_repeat():
    first, second = negated_spec(Negated()).all_cases(), negated_spec(Negated()).all_cases()
    assert [c.id for c in first] == [c.id for c in second]
    for a, b in zip(first, second):
        np.testing.assert_array_equal(a.args[0], b.args[0])
    assert rng_for("a").random() != rng_for("b").random()


def test_integers_are_drawn_from_the_domain_and_the_dtype():
    spec = negated_spec(Negated(), dtypes=("uint8", "int8"), domain=(-2.5, 1000))
    for case in spec.all_cases():
        assert (case.args[0] >= (0 if case.dtypes == ("uint8",) else -2)).all()


def test_a_table_of_dtypes_says_which_are_tried():
    table = {"int8": "int8", ("int8", "float32"): "float32"}
    spec = OpSpec(elemwise(Sum()), np.add, nin=2, dtypes=ALL, out_dtype=table)
    assert spec.combinations() == [("int8", "int8"), ("int8", "float32")]


def test_every_shape_and_every_uniform_dtype_is_tried():
    ids = [case.id for case in RIGHT[2].all_cases()]
    for word in ("scalar", "matrix", "empty", "row_col", "vector_matrix", *ALL):
        assert any(word in name.replace("-", " ") for name in ids), word
    assert 10 <= len(list(checks_of(RIGHT[2]))) <= 30


def test_arguments_stay_what_they_are_where_they_are_static():
    seen = []

    def fn(x, axes, n, m, word, *, k):
        seen.extend([x.type.dtype, axes, [type(v).__name__ for v in n], m.type.ndim, word, k])
        return Negated()(x)

    arrays = [np.zeros(2), np.ones(3)]
    Case(np.float32(1), 2, arrays, 3, "w", static=(1,), kwargs={"k": 4}).build(fn)
    assert seen == ["float32", 2, ["TensorVariable", "TensorVariable"], 0, "w", 4]


@pytest.mark.parametrize("facts", [{"xla": False}, {"grad": "maybe"}, {"xla": "host"}])
def test_a_slot_takes_only_what_it_is_for(facts):
    with pytest.raises(ValueError, match="takes"):
        OpSpec(Negated(), np.negative, **facts)


def test_a_lambda_needs_a_name():
    with pytest.raises(ValueError, match="give name="):
        OpSpec(lambda x: x, np.negative)


def test_evaluation_node_by_node_takes_values_at_any_variable():
    x = tensor_type("float64", ())("x")
    y = Negated()(x)
    z = Negated()(y)
    assert evaluate([z], {x: np.array(2.0)}) == [2.0]
    assert evaluate([z], {y: np.array(5.0)}) == [-5.0]


def test_evaluation_without_a_value_says_which():
    x = tensor_type("float64", ())("x")
    with pytest.raises(ValueError, match="none for x of"):
        evaluate([Negated()(x)], {})


def test_a_perform_that_differs_from_compute_is_caught():
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2

    op = make(Negated, "TwoMeanings", perform=perform, compute=Negated.compute)
    caught(negated_spec(op), "value-float64-matrix", "expected")


def test_an_input_that_a_function_gives_out_is_copied():
    spec = OpSpec(lambda x: x, np.array, name="input", dtypes=("float64",))
    assert [name for name in failures(spec) if name.startswith("value")] == []
