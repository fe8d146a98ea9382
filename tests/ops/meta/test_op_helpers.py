"""Ops and functions of few lines that programs written for Theano name."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.tensor.basic import (
    alloc_validate_shape,
    check_and_normalize_axes,
    register_transfer,
    transfer,
)
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(4)
M = rng.normal(size=(3, 4))
C = M + 1j * rng.normal(size=(3, 4))


def turned(x):
    return T.extra_ops.cpu_contiguous(x.T)


def transformed(a, n=None, axis=None):
    axis = a.ndim - 1 if axis is None else int(axis)
    n = a.shape[axis] if n is None else int(n)
    lines = np.moveaxis(a, axis, -1)[..., :n]
    k = np.arange(n)
    waves = np.exp(-2j * np.pi * np.outer(k, np.arange(lines.shape[-1])) / n)
    # shifted, so that zeros have digits to be compared
    return np.moveaxis(lines @ waves.T, -1, axis) + 16


def fft(a, n=None, axis=None):
    return T.fourier.fft(a, n, axis) + 16


def rounded_up(a, b):
    return np.array([-((-int(x)) // int(y)) for x, y in zip(a, b, strict=True)], a.dtype)


# fmt: off
SPECS = [
    OpSpec(T.Mean(axis=1), lambda x: x.sum(1) / x.shape[1], name="Mean{1}", cases=[
        Case(M, id="float64"), Case(M.astype("float32"), id="float32"),
        Case(np.arange(12).reshape(3, 4), id="int64"),
    ], out_dtype="float64"),
    OpSpec(T.Mean(), lambda x: x.sum() / x.size, name="Mean", cases=[Case(M)]),
    OpSpec(turned, lambda x: np.array(x.T), cases=[Case(M, id="float64"), Case(C, id="complex")]),
    OpSpec(fft, transformed, cases=[
        Case(M, id="float64"), Case(C, id="complex128"), Case(M[0], id="vector"),
        Case(M, kwargs={"n": 6}, id="longer"), Case(M, kwargs={"n": 2, "axis": 0}, id="shorter"),
        Case(M.astype("float32"), kwargs={"axis": 0}, id="float32"),
    ], out_dtype="complex128", errors=[
        Raises((M[0, 0],), TypeError, "one dimension or more"),
        Raises((M,), TypeError, "from 0 to 1 as axis", kwargs={"axis": 2}),
        Raises((M,), TypeError, "above 0 as n", kwargs={"n": 0}),
        Raises((M,), TypeError, "above 0 as n", kwargs={"n": 1.5}),
    ]),
    OpSpec(T.ceil_intdiv, rounded_up, cases=[
        Case(np.array([6, 7, -7, 0]), np.array([3, 3, 3, 5]), id="int64"),
        Case(np.array([6, 7, 255], "uint8"), np.array([3, 3, 2], "uint8"), id="uint8"),
        Case(np.array([2**62 + 1]), np.array([2]), id="large"),
    ], grad="none: of integers"),
]
# fmt: on


@pytest.mark.parametrize("linker", ["py", "numpy", "xla"])
def test_the_length_and_the_dimension_of_a_transform_may_be_variables(linker):
    a, n, axis = T.dmatrix(), T.iscalar(), T.iscalar()
    f = theano.function([a, n, axis], T.fourier.fft(a, n, axis), mode=theano.Mode(linker))
    for length, at in ((5, 0), (2, 1)):
        made = f(M, length, at)
        np.testing.assert_allclose(made, np.fft.fft(M, length, at), rtol=1e-12, atol=1e-12)
    with pytest.raises(ValueError, match="axis from 0 to 1, got 2"):
        f(M, 2, 2)


def test_an_array_in_c_order_is_not_copied():
    x = T.dmatrix()
    f = theano.function(
        [theano.In(x, borrow=True)], theano.Out(T.extra_ops.cpu_contiguous(x), borrow=True)
    )
    assert np.shares_memory(f(M), M)
    assert f(M.T).flags.c_contiguous


def test_the_number_of_dimensions_is_checked():
    x = T.dmatrix()
    assert not T.is_flat(x) and T.is_flat(x, ndim=2) and T.is_flat(T.flatten(x))
    with pytest.warns(UserWarning, match="use ndim"):
        assert T.is_flat(x, outdim=2)
    with pytest.raises(ValueError, match="got both"):
        T.is_flat(x, ndim=2, outdim=2)


def test_lengths_are_checked_before_an_array_is_made():
    lengths, ones = alloc_validate_shape([1, T.lscalar("n"), T.constant(1) + 0])
    assert [v.ndim for v in lengths] == [0, 0, 0] and ones == [True, False, True]
    with pytest.raises(TypeError, match="must be integers, but argument 1 is not"):
        alloc_validate_shape([1, 2.0])
    with pytest.raises(TypeError, match="must be a scalar, but dimension 0"):
        alloc_validate_shape([T.lvector()])


def test_axes_are_counted_from_zero():
    x = T.dtensor3()
    for axis, found in ((None, []), (-1, [2]), ([1, -3], [0, 1]), (T.constant(1), [1])):
        assert check_and_normalize_axes(x, axis) == found
    assert check_and_normalize_axes(x, T.NoneConst) == []
    with pytest.raises(ValueError, match="valid axis number for 3-D tensor"):
        check_and_normalize_axes(x, 3)
    with pytest.raises(TypeError, match="constant axis"):
        check_and_normalize_axes(x, T.iscalar())


def test_a_transfer_asks_what_is_registered(monkeypatch):
    monkeypatch.setattr("theano._src.ops.meta.op_helpers._TRANSFERS", [])
    x = T.dvector()
    assert transfer(x, "cpu") is x and x.transfer("cpu") is x
    with pytest.raises(ValueError, match="Can't transfer to target dev0"):
        transfer(x, "dev0")
    register_transfer(lambda v, target: v + 0 if target == "dev0" else None)
    assert transfer(x, "dev0").owner.inputs[0] is x


def test_the_gradient_of_an_op_may_be_asked_of_inputs_that_stretch():
    m, v, g = T.dmatrix("m"), T.dvector("v"), T.dmatrix("g")
    gm, gv = T.mul.grad([m, v], [g])
    assert (gm.ndim, gv.ndim) == (2, 1)
    f = theano.function([m, v, g], [gm, gv])
    made = f(M, M[0], M)
    np.testing.assert_allclose(made[0], M * M[0])
    np.testing.assert_allclose(made[1], (M * M).sum(0))


def test_types_are_listed_by_what_they_hold():
    assert T.basic.int_types == (T.bscalar, T.wscalar, T.iscalar, T.lscalar)
    assert T.basic.float_vector_types == (T.fvector, T.dvector)
    assert T.basic.complex_matrix_types == (T.cmatrix, T.zmatrix)


def test_everything_from_tensor_brings_its_usual_names():
    names = {}
    exec("from theano.tensor import *", names)
    assert names["np"] is np and names["theano"] is theano and names["config"] is theano.config


test_ops = spec_tests(SPECS)
