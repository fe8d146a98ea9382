"""The gradient checks of an OpSpec catch gradients that are wrong, and let right ones be."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ops.core.elemwise import elemwise
from theano._src.ops.core.scalar import BinaryFloatOp, FloatOp
from theano._src.ops.elementwise.arithmetic import sqr
from theano._src.ops.elementwise.explog import exp, log
from theano._src.testing import gradients
from theano._src.types.convert import as_tensor_variable
from theano._src.types.null import disconnected, grad_undefined
from theano._src.types.tensor import tensor_type
from theano.testing import Case, OpSpec

OPS = Path(__file__).parents[1] / "ops"
MODULES = sorted(f"{p.parent.name}.{p.stem}" for p in OPS.rglob("test_*.py"))


class Cubed(FloatOp):
    def compute(self, xp, x):
        return x * x * x

    def L_op(self, inputs, outputs, output_grads):
        (x,), (g,) = inputs, output_grads
        return [3 * g * sqr(x)]


class Scaled(BinaryFloatOp):
    """x exp(y)"""

    def compute(self, xp, x, y):
        return x * xp.exp(y)

    def L_op(self, inputs, outputs, output_grads):
        (x, y), (g,) = inputs, output_grads
        return [g * exp(y), g * x * exp(y)]


class Hidden(FloatOp):
    """x squared, with a gradient that does not know that it depends on x."""

    def compute(self, xp, x):
        return x * x

    def L_op(self, inputs, outputs, output_grads):
        return [output_grads[0] * 0]


hidden = elemwise(Hidden())


class Reversed(Op):
    """A vector from its end."""

    __props__ = ()

    def make_node(self, x):
        x = as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def compute(self, xp, x):
        return x[::-1] * 2

    def L_op(self, inputs, outputs, output_grads):
        return [2 * output_grads[0][::-1]]

    def R_op(self, inputs, eval_points):
        return [self(eval_points[0])]


VECTORS = [Case(np.arange(4.0), id="doubles"), Case(np.float32([1, 5]), id="narrow")]


def cubed(**changes):
    return OpSpec(_changed(elemwise, Cubed, changes), lambda x: x**3, name="cubed")


def scaled(**changes):
    return OpSpec(
        _changed(elemwise, Scaled, changes), lambda x, y: x * np.exp(y), name="scaled", nin=2
    )


def reversed_(**changes):
    fn = _changed(lambda op: op, Reversed, changes)
    return OpSpec(fn, lambda x: 2 * np.flip(x), name="reversed", cases=VECTORS)


def _changed(wrap, cls, changes):
    return wrap(type(cls.__name__, (cls,), changes)())


def slope(formula):
    """L_op of one input, by its slope."""

    def L_op(self, inputs, outputs, output_grads):
        return [formula(inputs[0], output_grads[0])]

    return L_op


@pytest.mark.parametrize("spec", [cubed(), scaled(), reversed_()], ids=str)
def test_right_gradients_pass(spec):
    gradients.gradient(spec)


@pytest.mark.xla
@pytest.mark.parametrize("spec", [cubed(), scaled()], ids=str)
def test_right_gradients_are_those_of_jax(spec):
    assert gradients.has_jax_form(spec)
    gradients.gradient_by_jax(spec)


WRONG = {
    "of another factor": cubed(L_op=slope(lambda x, g: 3.00001 * g * sqr(x))),
    "of another sign": cubed(L_op=slope(lambda x, g: -3 * g * sqr(x))),
    "of another power": cubed(L_op=slope(lambda x, g: 3 * g * x)),
    "zero": cubed(L_op=slope(lambda x, g: g * 0)),
    "not a number": cubed(L_op=slope(lambda x, g: g * log(x - x - 1))),
    "exchanged": scaled(
        L_op=lambda self, ins, outs, gs: [gs[0] * ins[0] * exp(ins[1]), gs[0] * exp(ins[1])]
    ),
    "disconnected": scaled(
        L_op=lambda self, ins, outs, gs: [gs[0] * exp(ins[1]), disconnected()],
    ),
    "in order": reversed_(L_op=lambda self, ins, outs, gs: [2 * gs[0]]),
}


@pytest.mark.parametrize("which", WRONG)
def test_a_wrong_reverse_gradient_is_caught(which):
    with pytest.raises(AssertionError, match=r"the gradient of .* along a random direction is"):
        gradients.gradient(WRONG[which])


@pytest.mark.xla
@pytest.mark.parametrize("which", ["of another factor", "zero", "exchanged"])
def test_a_gradient_that_is_not_that_of_jax_is_caught(which):
    with pytest.raises(AssertionError, match=r"jax's own of .* along a random direction is"):
        gradients.gradient_by_jax(WRONG[which])


def test_a_wrong_forward_gradient_is_caught():
    spec = reversed_(R_op=lambda self, ins, points: [2 * points[0]])
    with pytest.raises(AssertionError, match="the gradient of output 0 of reversed, forward"):
        gradients.gradient(spec)


def test_a_gradient_whose_own_gradient_is_lost_is_caught():
    with pytest.raises(AssertionError, match="the second gradient of cubed"):
        gradients.gradient(cubed(L_op=slope(lambda x, g: 3 * g * hidden(x))))


def test_a_second_gradient_is_left_out_where_the_spec_says_so():
    spec = cubed(L_op=slope(lambda x, g: 3 * g * hidden(x)))
    spec.grad = "once: for this test"
    # forward by R_op, which does not ask for the second
    gradients.gradient(spec)


def test_a_gradient_of_another_shape_is_caught():
    spec = reversed_(L_op=lambda self, ins, outs, gs: [2 * gs[0][::-1][:1]])
    with pytest.raises(AssertionError, match=r"for x0 has shape \(1,\), the variable \(4,\)"):
        gradients.gradient(spec)


def test_an_op_without_gradient_is_caught():
    class Bare(Op):
        __props__ = ()

        def make_node(self, x):
            return Apply(self, [x], [x.type()])

        def compute(self, xp, x):
            return x + 1

    with pytest.raises(NotImplementedError, match="has no gradient"):
        gradients.gradient(OpSpec(Bare(), lambda x: 1 + x, cases=VECTORS))


def test_a_gradient_through_whole_numbers_must_be_zero():
    class Rounded(Op):
        __props__ = ()

        def make_node(self, x):
            return Apply(self, [x], [tensor_type("int64", x.broadcastable)()])

        def compute(self, xp, x):
            return xp.astype(x, "int64")

        def L_op(self, inputs, outputs, output_grads):
            return [output_grads[0] + 1]

    spec = OpSpec(Rounded(), np.trunc, cases=VECTORS)
    with pytest.raises(AssertionError, match=r"through whole numbers is .* not zero"):
        gradients.gradient(spec)


def test_a_fixed_input_must_have_no_gradient():
    def L_op(self, inputs, outputs, output_grads):
        (_, y), (g,) = inputs, output_grads
        return [g * exp(y), grad_undefined(self, 1, y, "for this test")]

    lacking, whole = scaled(L_op=L_op), scaled()
    lacking.fixed = whole.fixed = {1: "for this test"}
    gradients.gradient(lacking)
    with pytest.raises(AssertionError, match="has a gradient for input 1, which its spec calls"):
        gradients.gradient(whole)


def test_gradients_of_complex_numbers_are_checked():
    def spec(conjugated):
        def L_op(self, inputs, outputs, output_grads):
            (x,), (g,) = inputs, output_grads
            return [3 * g * sqr(x.conj() if conjugated else x)]

        made = cubed(L_op=L_op)
        made.dtypes = ("complex128",)
        return made

    gradients.gradient(spec(True))
    with pytest.raises(AssertionError, match="along a random direction"):
        gradients.gradient(spec(False))


def test_differences_that_cannot_be_trusted_are_an_error():
    spec = OpSpec(
        elemwise(type("Noise", (Cubed,), {"compute": lambda self, xp, x: xp.sin(x * 1e9)})()),
        np.sin,
        name="noise",
    )
    with pytest.raises(AssertionError, match="cannot be checked: finite differences give"):
        gradients.gradient(spec)


def test_a_slot_for_a_case_takes_only_what_it_is_for():
    with pytest.raises(ValueError, match="takes 'none: reason' as grad"):
        Case(1.0, grad="later")


@pytest.mark.parametrize("shape", ["matrix", "scalar"])
def test_values_for_gradients_keep_away_from_the_ends_of_the_domain(shape):
    spec = OpSpec(log, np.log, domain=(0, 1))
    for i in range(50):
        spec.name = f"log{i}"
        (x,) = spec.draw(("float64",), shape, 0.1).args
        assert ((x >= 0.1) & (x <= 0.9)).all()


def test_every_spec_has_a_checked_gradient_or_says_why_not(capsys):
    without, lines = 0, []
    for name in MODULES:
        module = importlib.import_module(f"tests.ops.{name}")
        for spec in getattr(module, "SPECS", ()):
            why = gradients.why_not(spec)
            parts = [] if why is None else [why]
            parts += [f"input {i}: {reason}" for i, reason in spec.fixed.items()]
            parts += [spec.grad] if spec.grad.startswith("once: ") else []
            parts += [f"{case}: {case.grad}" for case in spec.cases or () if case.grad]
            without += why is not None
            lines += [f"  {name.replace('test_', '')}: {spec.name}: {p}" for p in parts]
            assert all(p.rpartition(": ")[2].strip() for p in parts), spec
    with capsys.disabled():
        print(f"\n{without} OpSpecs without a gradient, and parts of others:", *lines, sep="\n")
