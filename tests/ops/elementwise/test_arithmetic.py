"""Arithmetic on each element: values, dtypes, signs, zeros, overflow, and what is refused."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from tests.ops.elements import ALL, COMPLEX, DISCRETE, FLOATS, INTS, REALS, by_python, promoted
from theano._src.engines.numpy.lines import text_of
from theano._src.graph.op import Op
from theano._src.ground.config import config
from theano._src.ops.core.elemwise import Elemwise, elemwise
from theano._src.ops.elementwise import arithmetic as A
from theano._src.types.scalar import get_scalar_type
from theano._src.types.tensor import tensor_type
from theano.testing import Case, OpSpec, Raises, evaluate, spec_tests

inf, nan = math.inf, math.nan
Z = np.ones(2, "complex128")
B = np.ones(2, "bool")


def to_float(*dtypes: str) -> str:
    narrow = {"bool": "float32", "int8": "float32", "int16": "float32"}
    narrow |= {"uint8": "float32", "uint16": "float32"}
    return promoted(*[narrow.get(d, "float64" if d in DISCRETE else d) for d in dtypes])


def divided(*dtypes: str) -> str:
    return "float64" if set(dtypes) <= set(DISCRETE) else promoted(*dtypes)


def quotient(a, b):
    if b == 0:
        return 0 if isinstance(a, int) else nan if a == 0 else math.copysign(inf, a)
    return a // b


def remainder(a, b):
    return a % b if b else 0 if isinstance(a, int) else nan


def real_of(dtype: str) -> str:
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


# fmt: off
SPECS = [
    OpSpec(A.add, by_python(lambda a, b: a + b), nin=2, dtypes=ALL, out_dtype=promoted,
           domain=(-100, 100), special={(inf, -inf): nan, (0.0, -0.0): 0.0, (1e308, 1e308): inf}),
    OpSpec(A.add, by_python(lambda a, b, c: a + b + c), name="add of three", nin=3,
           dtypes=("int8", "float64"), out_dtype=promoted),
    OpSpec(A.add, np.array, name="add of one", cases=[Case(np.arange(3.0)), Case(np.int8(2))]),
    OpSpec(A.sub, by_python(lambda a, b: a - b), nin=2,
           dtypes=[ALL, [d for d in ALL if d != "bool"]], out_dtype=promoted,
           domain=(-100, 100), special={(inf, inf): nan, (0.0, 0.0): 0.0},
           errors=[Raises((B, B), TypeError, "bool output not supported; cast")]),
    OpSpec(A.mul, by_python(lambda a, b: a * b), nin=2, dtypes=ALL, out_dtype=promoted,
           domain=(-100, 100), rtol=1e-12, special={(inf, 0): nan, (-1, 0): -0.0}),
    OpSpec(A.mul, by_python(lambda a, b, c: a * b * c), name="mul of three", nin=3,
           dtypes=("int8", "float64"), out_dtype=promoted),
    OpSpec(A.true_div, by_python(lambda a, b: a / b), nin=2,
           dtypes=[ALL, [d for d in ALL if d != "bool"]],
           out_dtype=divided, domain=[(-100, 100), (1, 9)],
           special={(1, 0): inf, (-1, 0): -inf, (0, 0): nan, (1, -inf): -0.0}),
    OpSpec(A.int_div, by_python(quotient), nin=2, dtypes=REALS, out_dtype=promoted,
           domain=[(-100, 100), (-9, 9)],
           special={(7, 2): 3, (-7, 2): -4, (7, -2): -4, (-7, -2): 3, (1, 0): inf, (-1, 0): -inf,
                    (0, 0): nan, (1, inf): 0.0, (-1, inf): -1, (1, -inf): -1, (-1, -inf): 0.0,
                    (0.0, 5): 0.0, (inf, 2): nan, (nan, 2): nan, (2, nan): nan, (-0.0, 3): -0.0,
                    (1, 0.1): 9, (0.3, 0.1): 2, (1e300, 1e-300): inf, (6, 0.2): 29},
           errors=[Raises((Z, Z), A.ComplexError, "int_div takes real numbers, got complex128")]),
    OpSpec(A.mod, by_python(remainder), nin=2, dtypes=REALS, out_dtype=promoted,
           domain=[(-100, 100), (-9, 9)],
           rtol={"float32": 1e-5, "float64": 1e-12, "float16": 2e-2},
           special=[((7, 3), 1), ((-7, 3), 2), ((7, -3), -2), ((-7, -3), -1), ((1, 0), nan),
                    ((1, inf), 1), ((-1, inf), inf), ((1, -inf), -inf), ((inf, 2), nan),
                    ((nan, 2), nan), ((-6, 3), 0.0), ((6, -3), -0.0), ((0.0, -3), -0.0),
                    ((-0.0, 3), 0.0), ((5.5, 2), 1.5)],
           errors=[Raises((Z, Z), A.ComplexError, "mod takes real numbers, got complex128")]),
    OpSpec(A.pow, by_python(lambda a, b: a ** b), nin=2,
           dtypes=INTS, domain=[(-5, 5), (0, 9)], out_dtype=promoted,
           name="pow of integers",
           errors=[Raises((np.array([2]), np.array([-1])), ValueError,
                          "[Ii]ntegers to negative integer powers", when="run")]),
    OpSpec(A.pow, by_python(lambda a, b: a ** b), nin=2, dtypes=FLOATS + COMPLEX,
           domain=[(0.1, 4), (-3, 3)], out_dtype=promoted, rtol=1e-12,
           special={(0, 0): 1, (nan, 0): 1, (1, nan): 1, (0, -1): inf, (-8, 1 / 3): nan,
                    (-2, 3): -8, (2, inf): inf, (0.5, inf): 0.0, (-0.0, 3): -0.0, (-inf, 2): inf}),
    OpSpec(A.neg, by_python(lambda x: -x), dtypes=ALL[1:], out_dtype=str,
           special=[(0.0, -0.0), (-0.0, 0.0), (inf, -inf), (nan, nan)],
           errors=[Raises(B, TypeError, "neg takes numbers, got a bool input; cast")]),
    OpSpec(A.abs_, by_python(abs), dtypes=REALS, out_dtype=str,
           special={-0.0: 0.0, -inf: inf, nan: nan}),
    OpSpec(A.abs_, by_python(abs, "float64"), name="abs of complex", dtypes=COMPLEX,
           out_dtype=real_of, special={3 + 4j: 5, -1j: 1}),
    OpSpec(A.sgn, by_python(lambda x: (x > 0) - (x < 0)), dtypes=REALS[1:], out_dtype=str,
           special={-inf: -1, nan: nan, 0: 0, 1e-320: 1},
           errors=[Raises(B, TypeError, "sgn takes numbers, got a bool"),
                   Raises(Z, TypeError, "sgn takes real numbers, got complex128")]),
    OpSpec(A.inv, by_python(lambda x: 1 / x), dtypes=ALL[1:], out_dtype=to_float, domain=(1, 9),
           special=[(0.0, inf), (-0.0, -inf), (-inf, -0.0), (nan, nan), (4, 0.25)]),
    OpSpec(A.sqr, by_python(lambda x: x * x), dtypes=ALL, out_dtype=str, domain=(-30, 30),
           special={-inf: inf, -3: 9, 1e200: inf}),
    OpSpec(A.sqrt, by_python(lambda x: x ** 0.5), dtypes=ALL, out_dtype=to_float,
           domain=(0, 100), special={-1: nan, -0.0: -0.0, inf: inf, 2.25: 1.5}),
    OpSpec(A.maximum, by_python(max), nin=2, dtypes=REALS, out_dtype=promoted,
           special={(nan, 1): nan, (1, nan): nan, (-inf, inf): inf}),
    OpSpec(A.minimum, by_python(min), nin=2, dtypes=REALS, out_dtype=promoted,
           special={(nan, 1): nan, (1, nan): nan, (-inf, inf): -inf}),
    OpSpec(A.second, lambda a, b: np.array(np.broadcast_arrays(a, b)[1]), nin=2, dtypes=ALL,
           out_dtype=lambda a, b: b, special={(nan, 1): 1, (1, nan): nan}),
    OpSpec(A.tensor_copy, np.array, dtypes=ALL, special={nan: nan, -0.0: -0.0}),
    OpSpec(A.clip, by_python(lambda x, lo, hi: lo if x < lo else hi if x > hi else x), nin=3,
           dtypes=("bool", "int8", "uint8", "int64", "float16", "float32", "float64"),
           domain=[(-9, 9), (-5, 1), (-1, 5)], out_dtype=promoted,
           # the last three: as Theano 1.0.5 answers
           special={(nan, 0, 1): nan, (-inf, 0, 1): 0, (inf, 0, 1): 1,
                    (5, nan, 1): 1, (5, 3, nan): 5, (3, 5, 1): 5},
           errors=[Raises((Z, Z, Z), TypeError, "clip takes real numbers, got")]),
    OpSpec(A.mod_check, by_python(remainder), nin=2, dtypes=("int8", "float64"),
           out_dtype=promoted, domain=[(-9, 9), (1, 9)],
           errors=[Raises((Z, np.ones(2)), A.ComplexError, "mod takes real numbers")]),
]
# fmt: on


def vector(dtype, name=None):
    return tensor_type(dtype, (False,))(name)


def computed(op, *arrays):
    arrays = [np.asarray(a) for a in arrays]
    inputs = [tensor_type(a.dtype.name, (False,) * a.ndim)() for a in arrays]
    return evaluate([op(*inputs)], dict(zip(inputs, arrays, strict=True)))[0]


# fmt: off
INTEGER_CORNERS = [
    # op, dtype, a, b, result: NumPy's answers, which are Theano 1.0.5's
    (A.int_div, "int64", [7, -7, 7, -7, 1, -1], [2, 2, -2, -2, 0, 0], [3, -4, -4, 3, 0, 0]),
    (A.mod,     "int64", [7, -7, 7, -7, 1, -1], [3, 3, -3, -3, 0, 0], [1, 2, -2, -1, 0, 0]),
    (A.int_div, "int8",  [-128, -128, 127], [-1, 1, -128], [-128, -128, -1]),
    (A.mod,     "int8",  [-128, -128, 127], [-1, 127, -128], [0, 126, -1]),
    (A.int_div, "uint8", [255, 1, 200], [2, 0, 201], [127, 0, 0]),
    (A.mod,     "uint8", [255, 1, 200], [2, 0, 201], [1, 0, 200]),
    (A.add,     "int8",  [127, -128], [1, -1], [-128, 127]),
    (A.sub,     "uint8", [0, 3], [1, 5], [255, 254]),
    (A.mul,     "int8",  [100, -128], [2, -1], [-56, -128]),
    (A.pow,     "int8",  [2, 3, 10], [7, 5, 3], [-128, -13, -24]),
    (A.int_div, "bool",  [True, False, True], [True, True, False], [True, False, False]),
    (A.mod,     "bool",  [True, False, True], [True, True, False], [False, False, False]),
    (A.add,     "bool",  [True, False, True], [True, False, False], [True, False, True]),
    (A.mul,     "bool",  [True, False, True], [True, False, False], [True, False, False]),
]
# fmt: on


@pytest.mark.parametrize(("op", "dtype", "a", "b", "want"), INTEGER_CORNERS)
def test_integers_wrap_and_divide_as_numpy_does(op, dtype, a, b, want):
    got = computed(op, np.array(a, dtype), np.array(b, dtype))
    assert got.dtype == dtype
    assert got.tolist() == want


@pytest.mark.xla
def test_integer_corners_are_the_same_under_jax():
    import jax

    from theano._src.engines.jax.arrays.jax_xp import jax_xp, x64

    def program(pairs):
        return [row[0].compute(jax_xp, *p) for row, p in zip(INTEGER_CORNERS, pairs, strict=True)]

    pairs = [(np.array(a, d), np.array(b, d)) for _, d, a, b, _ in INTEGER_CORNERS]
    with x64():
        made = [np.asarray(m) for m in jax.jit(program)(pairs)]
    for (op, dtype, _, _, want), got in zip(INTEGER_CORNERS, made, strict=True):
        assert (str(op), got.dtype.name, got.tolist()) == (str(op), dtype, want)


@pytest.mark.xla
@pytest.mark.parametrize("op", [A.int_div, A.mod, A.maximum, A.minimum, A.pow, A.clip, A.true_div])
def test_special_floats_are_the_same_under_jax(op):
    import jax

    from theano._src.engines.jax.arrays.jax_xp import jax_xp, x64

    (spec,) = [s for s in SPECS if s.fn is op and s.special]
    pairs = list(spec.special.items()) if isinstance(spec.special, dict) else spec.special
    columns = [np.array(c, "float64") for c in zip(*[key for key, _ in pairs], strict=True)]
    with x64():
        got = np.asarray(jax.jit(lambda *xs: op.compute(jax_xp, *xs))(*columns))
    want = np.array([w for _, w in pairs], "float64")
    np.testing.assert_allclose(got, want, rtol=1e-15)
    signed = np.array([isinstance(w, float) and w == 0 for _, w in pairs])
    assert (np.signbit(got) == np.signbit(want))[signed].all()


def test_bools_to_a_power_are_int8():
    got = computed(A.pow, np.array([True, False]), np.array([True, True]))
    assert (got.dtype, got.tolist()) == ("int8", [1, 0])


def test_integers_divide_in_floatX():
    with config.change_flags(floatX="float32"):
        assert A.true_div(vector("int64"), vector("int8")).dtype == "float32"
        assert A.true_div(vector("int64"), vector("float64")).dtype == "float64"


def test_a_python_number_does_not_widen_a_tensor():
    assert A.add(vector("float32"), 1).dtype == "float32"
    assert A.clip(vector("int8"), 0, 300).dtype == "int16"
    assert A.clip(vector("int64"), 0.5, 2).dtype == "float64"


def test_fill_has_the_shape_of_the_first_and_the_dtype_of_the_second():
    got = computed(A.fill, np.zeros((2, 3)), np.array(7, "int8"))
    assert (got.dtype, got.tolist()) == ("int8", [[7] * 3] * 2)
    assert got.flags.writeable


def test_sums_and_products_need_an_input():
    with pytest.raises(TypeError, match="takes at least one input"):
        A.add()
    with pytest.raises(TypeError, match=r"sub,no_inplace} takes 2 inputs, got 1"):
        A.sub(vector("float64"))


# fmt: off
PRINTED = {
    "add": "add", "sub": "sub", "mul": "mul", "true_div": "true_div", "int_div": "int_div",
    "mod": "mod", "pow": "pow", "neg": "neg", "abs_": "Abs", "sgn": "sgn", "inv": "inv",
    "sqr": "sqr", "sqrt": "sqrt", "maximum": "maximum", "minimum": "minimum", "second": "second",
    "clip": "clip",
}
# fmt: on


@pytest.mark.parametrize(("name", "scalar"), PRINTED.items())
def test_ops_print_by_their_documented_names(name, scalar):
    assert str(getattr(A, name)) == f"Elemwise{{{name},no_inplace}}"
    assert str(getattr(A, f"scalar_{name}")) == scalar


def test_other_spellings_are_the_same_ops():
    assert A.truediv is A.true_div
    assert A.intdiv is A.floor_div is A.int_div
    assert A.fill is A.second
    assert A.reciprocal is A.inv
    assert str(A.tensor_copy) == "Elemwise{identity}"


def test_scalar_ops_state_their_algebra():
    assert (A.scalar_add.identity, A.scalar_mul.identity) == (0, 1)
    for op in (A.scalar_add, A.scalar_mul, A.scalar_maximum, A.scalar_minimum):
        assert op.commutative and op.associative
    assert not A.scalar_sub.commutative
    ops = (A.add, A.sub, A.mul, A.true_div, A.neg, A.sqr)
    assert [op.scalar_op.operator for op in ops] == ["+", "-", "*", "/", "-", None]


def test_scalar_ops_run_on_numbers():
    node = A.scalar_add.make_node(get_scalar_type("int8")(), 300)
    cell = [None]
    A.scalar_add.perform(node, [np.int8(3), np.int16(300)], [cell])
    assert cell[0] == 303 and cell[0].dtype == "int16"
    assert A.scalar_mod_check(get_scalar_type("int8")(), 3).type.dtype == "int8"


@pytest.mark.parametrize("name", PRINTED)
def test_scalar_ops_are_equal_when_made_again(name):
    op = getattr(A, f"scalar_{name}")
    assert type(op)() == op and hash(type(op)()) == hash(op)
    assert elemwise(op) == Elemwise(op) and isinstance(op, Op)


def test_the_inplace_form_writes_into_its_first_input():
    op, x = Elemwise(A.scalar_add, {0: 0}), vector("float64")
    a = np.arange(3.0)
    node = op.make_node(x, x)
    made = op.bind(node)(a, a.copy())
    assert made is a and a.tolist() == [0, 2, 4]


# fmt: off
HOST = [(A.add, 2), (A.sub, 2), (A.mul, 2), (A.int_div, 2), (A.mod, 2), (A.neg, 1), (A.abs_, 1),
        (A.maximum, 2), (A.minimum, 2), (A.second, 2), (A.tensor_copy, 1)]
# fmt: on


@pytest.mark.parametrize(("op", "nin"), HOST, ids=[str(op) for op, _ in HOST])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "uint64"])
def test_host_text_gives_what_numpy_gives(op, nin, dtype):
    if dtype == "bool" and op in (A.sub, A.neg):
        pytest.skip("not for bools")
    values = [False, True] if dtype == "bool" else _edges(np.iinfo(dtype))
    node = op.make_node(*[tensor_type(dtype, ())() for _ in range(nin)])
    names = ["a", "b"][:nin]
    run = eval(f"lambda {', '.join(names)}: {text_of(node, *names)}")
    grid = np.meshgrid(*[np.array(values, dtype)] * nin)
    with np.errstate(all="ignore"):
        want = _on_numpy(op, grid)
    for *given, result in zip(*[g.ravel().tolist() for g in grid], want.ravel().tolist()):
        assert run(*given) == result
        assert type(run(*given)) is type(result)


def _edges(info):
    return [n for n in (info.min, info.min + 1, -7, -1, 0, 1, 2, 3, info.max) if n >= info.min]


def _on_numpy(op, grid):
    names = {A.neg: "negative", A.abs_: "absolute", A.int_div: "floor_divide", A.mod: "remainder"}
    if op in (A.second, A.tensor_copy):
        return grid[-1]
    found = getattr(np, names.get(op) or op.scalar_op.nfunc)(*grid)
    return found.astype(grid[0].dtype)


def test_host_text_is_for_integer_scalars_only():
    x = tensor_type("float64", ())()
    assert text_of(A.add.make_node(x, x), "a", "b") is None
    v = vector("int64")
    assert text_of(A.add.make_node(v, v), "a", "b") is None


def test_clip_takes_none_for_a_bound_that_is_not_there():
    x = vector("float64")
    made = evaluate(
        [A.clip(x, None, 1), A.clip(x, 0), x.clip(None, None)], {x: np.array([-2, 0.5, 3, nan])}
    )
    for got, want in zip(made, [[-2, 0.5, 1, nan], [0, 0.5, 3, nan], [-2, 0.5, 3, nan]]):
        np.testing.assert_array_equal(got, want)


def test_ops_survive_pickling():
    for op in (A.add, A.second, A.clip, A.tensor_copy):
        again = pickle.loads(pickle.dumps(op))
        assert again == op and str(again) == str(op)


test_ops = spec_tests(SPECS)
