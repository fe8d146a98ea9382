"""Assertions, printing, Python functions as ops, views and copies, files."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from theano._src.engines.jax.arrays.jax_xp import jax_xp
from theano._src.graph.graph import Constant
from theano._src.ground.errors import NotScalarConstantError
from theano._src.ops.meta import c_registry, disk, misc, python_op
from theano._src.ops.shape.static_values import get_scalar_constant_value
from theano._src.types.convert import constant
from theano._src.types.generic import generic
from theano._src.types.scalar import get_scalar_type
from theano._src.types.tensor import TensorVariable, tensor_type
from theano.testing import Case, OpSpec, Raises, evaluate, spec_tests

dvector, dmatrix = tensor_type("float64", (False,)), tensor_type("float64", (False, False))
fmatrix, dscalar = tensor_type("float32", (False, False)), tensor_type("float64", ())
V = np.arange(3.0)


def asserted(x, *conditions):
    return misc.Assert("x must be longer")(x, *conditions)


SPECS = [
    OpSpec(
        asserted,
        lambda x, *conditions: x,
        cases=[
            Case(V),
            Case(V, True, id="bool"),
            Case(V, 2, -1.5, id="numbers"),
            Case(np.int8(3), True, id="scalar"),
        ],
        errors=[
            Raises((V, False), AssertionError, "^x must be longer", when="run"),
            Raises((V, True, 0), AssertionError, "^x must be longer", when="run"),
            Raises((V, V), TypeError, "conditions that are scalars, got .*use theano.tensor.all"),
        ],
    ),
    OpSpec(misc.view_op, np.array, name="view_op", cases=[Case(V), Case(np.int8(2))]),
    OpSpec(misc.deep_copy_op, np.array, name="deep_copy_op", cases=[Case(V), Case(np.int8(2))]),
    OpSpec(
        misc.DoubleOp(),
        lambda x: x + x,
        name="DoubleOp",
        cases=[Case(V), Case(np.array([100, -2], "int8")), Case(np.float32(2))],
    ),
    OpSpec(
        lambda x: misc.tensor_from_scalar(misc.scalar_from_tensor(x)),
        np.array,
        name="scalar and back",
        cases=[Case(np.float32(1.5)), Case(np.int64(3)), Case(np.bool_(True))],
        sizes="none: single numbers",
        errors=[
            Raises(V, TypeError, "ScalarFromTensor takes 0 dimensions, got .*vector"),
        ],
    ),
    OpSpec(
        misc.Print("told"),
        np.array,
        name="Print",
        cases=[Case(V), Case(np.int8(2))],
        xla="host: it prints",
    ),
]


def test_ops_print_as_documented():
    assert str(misc.assert_op) == "Assert{msg='Theano Assert failed!'}"
    assert str(misc.Assert("hi")) == "Assert{msg='hi'}"
    assert str(misc.ViewOp()) == "ViewOp" and str(misc.OutputGuard()) == "OutputGuard"
    assert str(misc.DeepCopyOp()) == "DeepCopyOp" and str(misc.DoubleOp()) == "DoubleOp"
    assert str(misc.tensor_from_scalar) == "TensorFromScalar"
    assert str(misc.scalar_from_tensor) == "ScalarFromTensor"
    load = "Load{dtype: int64, broadcastable: (False,), mmep: None}"
    assert str(disk.LoadFromDisk("int64", (False,))) == load
    assert str(misc.Print("hey")).startswith("Print{message='hey', attrs=('__str__',), ")


def test_assert_is_a_view_and_states_its_checks():
    x, a, b = dvector(), tensor_type("bool", ())(), tensor_type("int8", ())()
    out = misc.assert_op(x, a, b)
    assert out.owner.op.view_map == {0: [0]} and out.type == x.type
    flags = misc.assert_op.checks(jax_xp, (), [V, np.bool_(True), np.int8(0)], [V])
    assert [bool(f) for f in flags] == [True, False]
    assert misc.Assert("a") != misc.Assert("b") and misc.assert_ is misc.Assert


def test_a_constant_is_seen_through_an_assert_that_cannot_fail():
    assert get_scalar_constant_value(misc.assert_op(constant(3), np.array(True))) == 3
    with pytest.raises(NotScalarConstantError):
        get_scalar_constant_value(misc.assert_op(constant(3), np.array(False)))
    with pytest.raises(NotScalarConstantError):
        get_scalar_constant_value(misc.assert_op(constant(3), dscalar()))


# attrs, and what is printed of [1, 2, 3]
PRINTED = [
    (("__str__",), "hello world __str__ = [1. 2. 3.]\n"),
    ("__str__", "hello world __str__ = [1. 2. 3.]\n"),
    (["shape", "min"], "hello world shape = (3,)\nhello world min = 1.0\n"),
    ([], ""),
]


@pytest.mark.parametrize(("attrs", "text"), PRINTED)
def test_print_says_the_message_and_each_attribute(attrs, text, capsys):
    x = dvector()
    out = misc.Print("hello world", attrs=attrs)(x)
    (made,) = evaluate([out], {x: np.array([1.0, 2.0, 3.0])})
    assert capsys.readouterr().out == text
    assert made.tolist() == [1, 2, 3]


def test_print_calls_the_function_it_is_given(capsys):
    told = []
    x = dvector()
    op = misc.Print("note", global_fn=lambda op, value: told.append((op.message, value.tolist())))
    evaluate([op(x)], {x: V})
    assert told == [("note", [0, 1, 2])] and capsys.readouterr().out == ""


def test_print_is_not_folded_and_runs_on_the_host():
    op = misc.Print("a", attrs=["shape"])
    node = op(dvector()).owner
    assert op.runs_on == "host" and op.view_map == {0: [0]} and not op.do_constant_folding(node)
    assert op == misc.Print("a", attrs=("shape",)) != misc.Print("b", attrs=("shape",))
    assert pickle.loads(pickle.dumps(misc.Print("a"))) == misc.Print("a")


@python_op.as_op([fmatrix, fmatrix], [fmatrix])
def matrix_product(a, b):
    return np.dot(a, b)


@python_op.as_op(itypes=dvector, otypes=[dvector, dscalar], infer_shape=lambda node, s: [s[0], ()])
def halves_and_sum(x):
    return x / 2, float(x.sum())


def wrong_count(x):
    return [x, x]


def test_a_python_function_runs_as_an_op():
    a = fmatrix()
    square = np.array([[1, 2], [3, 4]], "float32")
    (made,) = evaluate([matrix_product(a, a)], {a: square})
    assert made.dtype == np.float32 and made.tolist() == [[7, 10], [15, 22]]
    x = dvector()
    halves, total = evaluate(halves_and_sum(x), {x: V})
    assert halves.tolist() == [0, 0.5, 1] and total.shape == () and total == 3
    assert str(matrix_product) == "FromFunctionOp{matrix_product}"
    assert matrix_product.runs_on == "host"


def test_a_python_function_gives_the_types_it_promised():
    x = dvector()
    narrow = python_op.as_op([dvector], [tensor_type("float32", (False,))])(lambda v: v)
    assert evaluate([narrow(x)], {x: V})[0].dtype == np.float32
    for fn, error, text in [
        (wrong_count, ValueError, r"FromFunctionOp\{wrong_count\} gave 2 values"),
        (lambda v: None, TypeError, "gave None"),
        (lambda v: v[0], TypeError, "Wrong number of dimensions"),
    ]:
        op = python_op.as_op([dvector], [dvector])(fn)
        with pytest.raises(error, match=text):
            evaluate([op(x)], {x: V})


def test_a_python_function_refuses_other_inputs():
    a = fmatrix()
    with pytest.raises(ValueError, match="takes 2 inputs, got 1"):
        matrix_product(a)
    with pytest.raises(TypeError, match=r"takes inputs of types .*float32.* got .*float64.*cast"):
        matrix_product(a, dmatrix())
    assert matrix_product(a, np.ones((2, 2), "float32")).type == fmatrix


def test_as_op_takes_types():
    def fn(x):
        return x

    for args, text in [
        (("x", dvector), "itypes has to be a list of Theano types, got 'x'"),
        ((["x"], dvector), "itypes has to be a list"),
        ((dvector, [3]), "otypes has to be a list"),
        ((dvector, dvector, 3), "infer_shape needs to be a callable, got 3"),
    ]:
        with pytest.raises(TypeError, match=text):
            python_op.as_op(*args)(fn)
    assert python_op.as_op(dvector, dvector)(fn).itypes == [dvector]
    assert python_op.as_op(dvector, dvector)(fn) == python_op.as_op([dvector], [dvector])(fn)
    assert python_op.as_op(dvector, dvector)(fn) != python_op.as_op([dvector], [dmatrix])(fn)


def test_a_shape_is_inferred_only_where_as_op_was_told_how():
    assert not hasattr(matrix_product, "infer_shape")
    x = dvector()
    n = dscalar()
    halves, _ = halves_and_sum(x)
    assert halves_and_sum.infer_shape(halves.owner, [(n,)]) == [(n,), ()]


def test_a_decorated_function_pickles_by_name():
    assert pickle.loads(pickle.dumps(matrix_product)) is matrix_product
    hidden = python_op.as_op(dvector, dvector)(wrong_count)
    with pytest.raises(pickle.PicklingError, match=r"wrong_count is another object.*decorator"):
        pickle.dumps(hidden)
    with pytest.raises(pickle.PicklingError, match="is not found as"):
        pickle.dumps(python_op.as_op(dvector, dvector)(lambda x: x))


def test_a_guard_says_that_it_destroys_what_it_only_views():
    x = dvector()
    out = misc.OutputGuard()(x)
    assert out.owner.op.destroy_map == {0: [0]} == out.owner.op.view_map
    assert evaluate([out], {x: V})[0] is V


def test_a_deep_copy_shares_nothing():
    x = dvector()
    (made,) = evaluate([misc.deep_copy_op(x)], {x: V})
    assert made.tolist() == V.tolist() and not np.shares_memory(made, V)
    thing = generic("thing")
    inner = [1]
    copied = misc.deep_copy_op.bind(misc.deep_copy_op(thing).owner)({"a": inner})
    assert copied == {"a": [1]} and copied["a"] is not inner


def test_scalars_and_tensors_of_no_dimension_are_converted():
    s = get_scalar_type("float64")("s")
    assert misc.tensor_from_scalar(s).type == dscalar
    assert misc.scalar_from_tensor(dscalar()).type == s.type
    with pytest.raises(TypeError, match="TensorFromScalar takes a scalar variable"):
        misc.tensor_from_scalar(dscalar())
    assert get_scalar_constant_value(misc.scalar_from_tensor(constant(4))) == 4


def test_arrays_are_read_from_files(tmp_path):
    name = str(tmp_path / "five.npy")
    np.save(name, np.arange(5))
    path = generic("path")
    for mode in (None, "c"):
        out = disk.load(path, "int64", (False,), mmap_mode=mode)
        assert out.type == tensor_type("int64", (False,)) and isinstance(out, TensorVariable)
        assert evaluate([out], {path: name})[0].tolist() == [0, 1, 2, 3, 4]
    constant_path = disk.load(name, "int64", (False,))
    assert isinstance(constant_path.owner.inputs[0], Constant)
    assert evaluate([constant_path], {})[0].sum() == 10
    assert not constant_path.owner.op.do_constant_folding(constant_path.owner)


def test_a_mapped_file_never_changes(tmp_path):
    name = str(tmp_path / "five.npy")
    np.save(name, np.arange(5))
    (mapped,) = evaluate([disk.load(name, "int64", (False,), mmap_mode="c")], {})
    mapped[0] = 9
    assert np.load(name)[0] == 0


def test_files_of_another_kind_are_refused(tmp_path):
    name = str(tmp_path / "table.npy")
    np.save(name, np.ones((2, 3)))
    for args, error, text in [
        (("int64", (False, False)), TypeError, "Expected an array of type int64, got float64"),
        (("float64", (False,)), TypeError, "Wrong number of dimensions"),
        (("float64", (True, False)), TypeError, "broadcastable"),
    ]:
        with pytest.raises(error, match=text):
            evaluate([disk.load(name, *args)], {})
    with pytest.raises(FileNotFoundError):
        evaluate([disk.load(str(tmp_path / "none.npy"), "int64", (False,))], {})
    for mode in ("r", "r+", "w+"):
        with pytest.raises(ValueError, match=f"are None and 'c'.*got '{mode[0]}"):
            disk.load(name, "int64", (False,), mmap_mode=mode)
    with pytest.raises(TypeError, match="LoadFromDisk takes a file name, got 3"):
        disk.load(3, "int64", (False,))


def test_a_value_is_a_variable_that_keeps_its_number_aside():
    d = misc.value(1.5, name="d")
    assert type(d) is TensorVariable and d.owner is None and d.name == "d"
    assert d.tag.value == 1.5 and d.type == constant(1.5).type
    with pytest.raises(TypeError, match="got the symbolic variable"):
        misc.value(d)


def test_c_code_is_kept():
    kept = c_registry.C_CODE
    calls = [
        (c_registry.register_view_op_c_code, "ViewOp", ("code", 1)),
        (c_registry.register_deep_copy_op_c_code, "DeepCopyOp", ("code", 1)),
        (c_registry.register_shape_c_code, "Shape", ("code", 1)),
        (c_registry.register_shape_i_c_code, "Shape_i", ("code", "check", 1)),
        (c_registry.register_specify_shape_c_code, "SpecifyShape", ("code", 1, "support")),
        (c_registry.register_rebroadcast_c_code, "Rebroadcast", ("code", 1)),
    ]
    for register, op, what in calls:
        register(fmatrix, *what)
        assert kept[op].pop(fmatrix) == what


test_ops = spec_tests(SPECS)
