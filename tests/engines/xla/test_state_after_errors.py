"""State after errors: as before the call or as after it, whatever fails (ADR 23)."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.engines.xla.faulty import Case, called_back, in_a_callback, names_its_node
from theano._src.engines.jax.kept_programs import KeptProgram
from theano._src.engines.xla import overwriting

pytestmark = pytest.mark.xla

XLA = theano.Mode("xla")
ENGINES = pytest.mark.parametrize("linker", ["xla", "numpy", "py", "cvm"])

x = T.dvector("x")


def test_after_an_injected_fault_state_is_as_before_the_call_or_as_after_it():
    """A3: THEANO_TEST_FAULTS faults, over programs, engines and points of a call."""
    count = os.environ.get("THEANO_TEST_FAULTS", "60")
    done = subprocess.run(
        [sys.executable, "-m", "tests.engines.xla.faulty", count],
        capture_output=True,
        text=True,
        timeout=60 + 5 * int(count),
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["wrong"] == []
    assert report["faults"] == int(count)
    found = {name.split(" ")[0].strip(":,") for name in report["points"]}
    assert {"step", "memory", "dispatch", "callback", "compile"} <= found


def test_the_harness_finds_state_that_is_lost(monkeypatch):
    """A callback that raises, in a program that overwrites state all the same."""
    monkeypatch.setattr(overwriting, "_calls_out", lambda jaxpr: False)
    case = Case(called_back, "xla")
    for _ in range(2):
        assert case.call() == []
    case.after(3)
    with pytest.raises(Exception, match=r"deleted|injected"):
        in_a_callback(case, None)


# errors out of XLA


def test_too_little_memory_is_a_memory_error_that_names_the_node_and_leaves_state():
    """A3, lost_state_memory: in a process of its own, whose memory is limited."""
    text = (
        "import numpy as np, theano, theano.tensor as T\n"
        "from tests.engines.xla.faulty import little_memory\n"
        "w, v = theano.shared(np.arange(1000.0), 'w'), T.dvector()\n"
        "big = T.sort((T.outer(v, v) + w[0]).flatten())\n"
        "f = theano.function([v], big[5], updates=[(w, w + 1)], mode=theano.Mode('xla'))\n"
        "for k in range(2): f(np.ones(40))\n"
        "try:\n"
        "    with little_memory(50 << 20): f(np.ones(4000))\n"
        "except MemoryError as error: text = str(error)\n"
        "assert 'Apply node that caused the error' in text and '<string>' in text, text\n"
        "assert w.get_value().tolist() == np.arange(2.0, 1002).tolist()\n"
        "assert f(np.ones(40)) == 3 and w.get_value()[0] == 3\n"
    )
    subprocess.run([sys.executable, "-c", text], check=True, timeout=300)


def counted(y, linker="xla"):
    """A function of ``x`` with two updates, one of them by ``y``; and a reader of the state."""
    w, n = theano.shared(np.arange(3.0), "w"), theano.shared(0, "n")
    f = theano.function([x], y.sum(), updates=[(w, w + y), (n, n + 1)], mode=theano.Mode(linker))
    return f, lambda: (w.get_value().tolist(), int(n.get_value()))


@pytest.mark.parametrize("calls", [0, 1, 3])
def test_a_callback_that_raises_leaves_state_and_names_its_node(calls):
    """A3, lost_state_callback: from the first call on."""
    import jax

    def host(a):
        if a[0] < 0:
            raise ValueError("negative")
        return np.asarray(a) * 2

    def function(a):
        return jax.pure_callback(host, jax.ShapeDtypeStruct(a.shape, a.dtype), a)

    f, read = counted(theano.from_jax(function)(x))
    for _ in range(calls):
        f(np.ones(3))
    before = read()
    compiled = f.fn.compilations
    for _ in range(2):
        with pytest.raises(jax.errors.JaxRuntimeError, match="negative") as caught:
            f(-np.ones(3))
        assert names_its_node(caught.value)
        assert read() == before
    assert f(np.ones(3)) == 6
    assert read() == ([2.0 * calls + k + 2 for k in range(3)], calls + 1)
    assert f.fn.compilations == max(compiled, 1)


@pytest.mark.parametrize("flag", ["jax_debug_nans", "jax_debug_infs"])
def test_debug_flags_of_jax_are_for_other_code_and_state_goes_on(flag):
    """A3, lost_state_debug_nans: jax ran the program again, on arguments that were gone."""
    import jax

    f, read = counted(T.log(x))
    for _ in range(2):
        f(np.ones(3))
    jax.config.update(flag, True)
    try:
        with np.errstate(all="ignore"):
            value = f(np.array([-1.0, 1, 1] if flag == "jax_debug_nans" else [0.0, 1, 1]))
        assert not np.isfinite(value)
        assert f(np.ones(3)) == 0
    finally:
        jax.config.update(flag, False)
    assert f(np.ones(3)) == 0
    assert read()[1] == 5 and len(read()[0]) == 3


@pytest.mark.parametrize("stream", ["RandomStreams", "MRG_RandomStreams"])
def test_state_beside_a_generator_is_updated_in_place(stream):
    """A3: a training step with dropout must not copy its parameters."""
    from theano.sandbox.rng_mrg import MRG_RandomStreams
    from theano.tensor.shared_randomstreams import RandomStreams

    srng = {"RandomStreams": RandomStreams, "MRG_RandomStreams": MRG_RandomStreams}[stream](7)
    w = theano.shared(np.zeros(1000))
    f = theano.function([], w.sum(), updates=[(w, w + srng.uniform((1000,)))], mode=XLA)
    places = set()
    for _ in range(6):
        f()
        places.add(w.container.storage[0].unsafe_buffer_pointer())
    assert len(places) < 6 and 2 < w.get_value().mean() < 4


def test_a_result_that_finds_no_memory_says_that_updates_are_stored(monkeypatch):
    f, read = counted(x * 2)
    for _ in range(2):
        f(np.ones(3))

    def no_memory(value):
        raise MemoryError("no room for a result")

    monkeypatch.setitem(f.fn._run.__globals__, "owned", no_memory)
    with pytest.raises(MemoryError, match="no room") as caught:
        f(np.ones(3))
    assert "updates of shared variables are stored" in caught.value.__notes__[-1]
    assert read() == ([6, 7, 8], 3)


# what overwrites state


def test_programs_that_call_back_are_told_from_others():
    import jax
    import jax.numpy as jnp

    def inside(a):
        return jax.lax.cond(a[0] > 0, lambda: jax.pure_callback(np.sin, a, a), lambda: a)

    def looped(a):
        return jax.lax.fori_loop(0, 3, lambda i, s: inside(s), a)

    a = jnp.ones(3)

    def need_of(function):
        program = KeptProgram(jax.jit(function))
        program.made_for((a,))
        return overwriting.need_of(program, (a,))

    assert [need_of(f) for f in (inside, looped, jax.jit(inside))] == [None] * 3
    assert need_of(lambda a: jnp.linalg.cholesky(jnp.outer(a, a))) > 0


def test_memory_is_looked_for_where_much_is_needed():
    assert overwriting.has_room(0) and overwriting.has_room(1 << 26)
    assert not overwriting.has_room(1 << 60)
    assert not overwriting.has_room(1 << 70)


def test_a_spared_array_is_not_overwritten():
    import jax

    run = jax.jit(lambda a: a + 1, donate_argnums=0)
    a = run(jax.numpy.zeros(1000, "float32"))
    (given,), views = overwriting.spared(a)
    assert run(given)[0] == 2
    assert np.asarray(a)[0] == 1 and views[0][0] == 1


# one memory, two variables


@ENGINES
def test_a_variable_and_its_clone_are_one_input(linker):
    """A9, shared_and_clone: what is overwritten in place was read as the clone, too."""
    w = theano.shared(np.arange(5.0), "w")
    clone = w.clone()
    new = T.inc_subtensor(w[1:3], 5.0)
    f = theano.function(
        [], [new.sum() + clone[1], clone * 1], updates=[(w, new)], mode=theano.Mode(linker)
    )
    value = np.arange(5.0)
    for _ in range(4):
        total, old = f()
        assert old.tolist() == value.tolist()
        before = value[1]
        value[1:3] += 5
        assert total == value.sum() + before
        assert w.get_value().tolist() == clone.get_value().tolist() == value.tolist()


@pytest.mark.parametrize("background", [True, False, None])
def test_a_clone_is_no_obstacle_when_a_function_moves_to_xla(background):
    """A9, shared_and_clone: at call 660 the buffer was donated that was also read."""
    w, n = theano.shared(np.zeros((30, 30))), theano.shared(0)
    clone = w.clone()
    f = theano.function([], T.exp(-(clone**2)).sum(), updates=[(w, T.tanh(w) + 0.25), (n, n + 1)])
    f.fn._most = 0
    value = np.zeros((30, 30))
    with theano.config.change_flags(**{"xla.background": background}):
        for k in range(8):
            np.testing.assert_allclose(f(), np.exp(-(value**2)).sum(), rtol=1e-12)
            value = np.tanh(value) + 0.25
            if k == 2:
                for key in list(f.fn.policy.records):
                    f.fn.policy.promote(key)
    np.testing.assert_allclose(w.get_value(), value, rtol=1e-12)
    assert n.get_value() == 8


def test_two_updates_of_one_container_are_refused():
    w = theano.shared(np.zeros(3), "w")
    with pytest.raises(ValueError, match="already has an update expression"):
        theano.function([], updates=[(w, w + 1), (w.clone(), w + 2)])


def test_a_default_update_of_a_clone_is_made_once():
    w = theano.shared(0)
    clone = w.clone()
    w.default_update = w + 1
    f = theano.function([], [w + 0, clone + 0])
    assert [v.item() for v in f()] == [0, 0] and w.get_value() == 1


@pytest.mark.parametrize("how", ["set_value", "internal", "container"])
def test_two_variables_of_one_array_of_jax_are_updated_apart(how):
    """A9: the buffer of one would be donated, and is read as the other's."""
    import jax

    a, b = theano.shared(np.zeros(5), "a"), theano.shared(np.zeros(5), "b")
    f = theano.function([], b.sum(), updates=[(a, a + 1)], mode=XLA)
    for _ in range(3):
        f()
    if how == "set_value":
        with jax.enable_x64(True):
            array = jax.numpy.full(5, 3.0)
        a.set_value(array, borrow=True)
        b.set_value(array, borrow=True)
    elif how == "internal":
        b.set_value(a.get_value(borrow=True, return_internal_type=True), borrow=True)
    else:
        b.container.storage[0] = a.container.storage[0]
    for k in range(3):
        assert f() == 15
        assert (a.get_value()[0], b.get_value()[0]) == (4 + k, 3)
