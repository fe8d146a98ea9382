"""Arrays of jax go to compiled programs as they are, and nothing is compiled for them again."""

import jax
import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.other_arrays import OnlyDLPack, of_jax


def spied(f):
    """The arguments that the only program of a function gets, call by call."""
    (stage,) = f.fn.stages
    inner, seen = stage.last, []

    def record(*args):
        seen.append(args)
        return inner(*args)

    stage.last = record
    return seen


def test_an_array_of_jax_goes_to_a_program_as_it_is():
    x, y = T.dvector("x"), T.dvector("y")
    f = theano.function([x, y], x * y + 1, mode=theano.Mode(linker="xla"))
    given = of_jax(np.arange(3.0))
    assert not given.committed
    assert f(np.ones(3), np.ones(3)).tolist() == [2, 2, 2]
    seen = spied(f)
    made = f(given, np.full(3, 2.0))
    assert type(made) is np.ndarray and made.tolist() == [1, 3, 5]
    assert f(y=given, x=given).tolist() == [1, 2, 5]
    assert seen[0][0] is given and seen[1][0] is given and seen[1][1] is given
    assert f.fn.compilations == 1


def test_no_kind_of_array_is_compiled_for_again():
    compiled = []
    jax.monitoring.register_event_duration_secs_listener(
        lambda event, *_, **__: compiled.append(event) if "backend_compile" in event else None
    )
    x = T.dvector("x")
    f = theano.function([x], T.tanh(x) * 3, mode=theano.Mode(linker="xla"))
    values = np.arange(5.0)
    committed = jax.device_put(of_jax(values), jax.devices()[0])
    assert committed.committed
    f(values)
    assert compiled
    compiled.clear()
    for given in (of_jax(values), OnlyDLPack(values), committed):
        np.testing.assert_array_equal(f(given), f(values))
    assert not compiled


def test_a_weakly_typed_array_computes_in_the_dtype_of_its_input():
    x = T.fscalar("x")
    f = theano.function([x], [x + np.float64(0.1), x * 2], mode=theano.Mode(linker="xla"))
    given = jax.numpy.asarray(0.5)
    assert given.weak_type
    wide, narrow = f(given)
    assert wide.dtype == "float64" and narrow.dtype == "float32"
    assert wide == np.float64(0.5) + 0.1


def test_a_step_on_the_host_reads_an_array_of_jax():
    x = T.dvector("x")

    @theano.compile.ops.as_op([T.dvector], [T.dvector])
    def doubled(value):
        assert type(value) is np.ndarray
        return value * 2

    f = theano.function([x], [doubled(x), T.exp(x)], mode=theano.Mode(linker="xla"))
    on_host, compiled = f(of_jax(np.zeros(2)))
    assert on_host.tolist() == [0, 0] and compiled.tolist() == [1, 1]


def test_what_is_handed_out_is_not_the_array_that_was_given():
    x = T.dvector("x")
    f = theano.function([x], [x, x + 0, x.dimshuffle(0)], mode=theano.Mode(linker="xla"))
    values = np.arange(20_000.0)
    given = of_jax(values)
    for made in f(given):
        made[:] = -1
    assert np.array_equal(np.asarray(given), values)


def test_an_error_shows_the_values_of_an_array_of_jax():
    x, i = T.dvector("x"), T.lscalar("i")
    f = theano.function([x, i], x[i] * 2, mode=theano.Mode(linker="xla"))
    with pytest.raises(IndexError, match="index 7 is out of bounds"):
        f(of_jax(np.ones(3)), 7)


def test_a_traced_value_is_refused_with_what_to_do():
    x = T.fvector("x")
    f = theano.function([x], x * 2, mode=theano.Mode(linker="xla"))
    with pytest.raises(TypeError, match=r"theano\.as_jax makes of a function one"):
        jax.jit(f)(np.ones(3, "float32"))
