"""What goes wrong in a compiled program is said as the numpy engine says it, to the letter."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import Apply
from theano._src.engines.xla.linker import XlaLinker

pytestmark = pytest.mark.xla

ENGINES = ("numpy", "xla")
NEGATIVE = np.array([-1, 2])


def on(engine: str, **options: Any) -> theano.Mode:
    """A mode of one engine, with the rewrites that both have."""
    return theano.Mode(engine, **options).excluding(*XlaLinker.leaves_out)


def text_of(error: BaseException) -> str:
    return "\n".join([str(error), *getattr(error, "__notes__", ())])


def raised(f: Callable[..., Any], *args: Any) -> Exception:
    """What a call raises."""
    try:
        f(*args)
    except Exception as e:
        return e
    raise AssertionError("nothing was raised")


class Refused(Exception):
    """Made of more than one text, so that it cannot be made again from one."""

    def __init__(self, code: int, *, where: str) -> None:
        super().__init__(code, where)
        self.code = code
        self.where = where


class Refuses(theano.Op):
    """Its input, unless that has a negative number."""

    __props__ = ()

    def make_node(self, x):
        return Apply(self, [T.as_tensor_variable(x)], [x.type()])

    def perform(self, node, inputs, output_storage):
        if (inputs[0] < 0).any():
            raise Refused(7, where="below zero")
        output_storage[0][0] = inputs[0].copy()


class Counts(theano.Op):
    """Its input; counts how often it ran."""

    __props__ = ()

    def __init__(self):
        self.runs = 0

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        self.runs += 1
        output_storage[0][0] = inputs[0].copy()


refuses = Refuses()


@dataclass(frozen=True)
class Kind:
    """A program, what it takes, and what it refuses with which words."""

    types: tuple[Any, ...]
    build: Callable[..., Any]
    good: tuple[Any, ...]
    bad: tuple[Any, ...]
    error: type[Exception]
    words: str

    @property
    def line(self) -> int:
        return self.build.__code__.co_firstlineno

    def function(self, engine: str, **mode: Any) -> Any:
        inputs = [t(f"in{i}") for i, t in enumerate(self.types)]
        mode = on(engine, **mode)
        return theano.function(inputs, self.build(*inputs), mode=mode, on_unused_input="ignore")


V, M, I, IV, S = T.dvector, T.dmatrix, T.lscalar, T.lvector, T.dscalar
ones, zeros, arange = np.ones, np.zeros, np.arange
A = arange(6.0).reshape(2, 3)
EMPTY = zeros((0, 3))

# fmt: off
KINDS = {
    "sizes of elementwise inputs differ": Kind(
        (V, V), lambda x, y: T.exp(x) * y, (ones(3), ones(3)), (ones(3), ones(2)),
        ValueError, "Input dimension mis-match"),
    "a length is 1 by chance": Kind(
        (M, M), lambda x, y: x + y, (A, A), (A, A[:1]),
        ValueError, "Input dimension mis-match"),
    "shapes for dot": Kind(
        (M, M), lambda x, y: T.dot(x, y), (A, A.T.copy()), (A, A),
        ValueError, "hape mismatch"),
    "an index": Kind(
        (V, I), lambda x, i: x[i] * 2, (ones(3), 2), (ones(3), 3),
        IndexError, "out of bounds"),
    "an index from the end": Kind(
        (M, I), lambda x, i: x[:, i] * 2, (A, -3), (A, -4),
        IndexError, "out of bounds"),
    "an index that is computed from an array": Kind(
        (V, V), lambda x, y: x[T.cast(y.sum(), "int64")], (ones(3), ones(2)), (ones(3), ones(3)),
        IndexError, "out of bounds"),
    "a vector of indices": Kind(
        (M, IV), lambda x, i: T.exp(x)[i], (A, [0, 1]), (A, [0, 2]),
        IndexError, "out of bounds"),
    "a vector of indices from the end": Kind(
        (M, IV), lambda x, i: T.exp(x)[:, i], (A, [0, -3]), (A, [0, -4]),
        IndexError, "out of bounds"),
    "an index to set at": Kind(
        (V, I), lambda x, i: T.set_subtensor(x[i], 7.0), (ones(3), 2), (ones(3), -4),
        IndexError, "out of bounds"),
    "indices to add at": Kind(
        (V, IV), lambda x, i: T.inc_subtensor(x[i], 7.0), (ones(3), [2, 2]), (ones(3), [2, 5]),
        IndexError, "out of bounds"),
    "a value to set of another size": Kind(
        (V, V), lambda x, y: T.set_subtensor(x[1:], y), (ones(3), ones(2)), (ones(3), ones(3)),
        ValueError, "broadcast"),
    "an assertion": Kind(
        (V,), lambda x: T.opt.Assert("not all small")(x * 2, (x < 5).all()), (ones(3),), (A[1],),
        AssertionError, "not all small"),
    "a shape that was specified": Kind(
        (M, I), lambda x, n: T.specify_shape(x, (n, 3)) + 1, (A, 2), (A, 3),
        AssertionError, r"Got shape (2, 3), expected (3, 3)"),
    "a shape for other sizes": Kind(
        (M, I), lambda x, n: T.exp(x).reshape((n, 2)), (A, 3), (A, 4),
        ValueError, "Cannot reshape input of shape (2, 3) to shape (4, 2)"),
    "a length for the rest that is not whole": Kind(
        (M, I), lambda x, n: T.exp(x).reshape((n, -1)), (A, 3), (A, 4),
        ValueError, "Cannot reshape input of shape (2, 3) to shape (4, -1)"),
    "arrays to join": Kind(
        (M, M), lambda x, y: T.join(0, x, y * 2), (A, A), (A, A[:, 1:]),
        ValueError, "agree in all other dimensions"),
    "the axis to join along": Kind(
        (I, M), lambda i, x: T.join(i, x, x * 2), (1, A), (2, A),
        np.exceptions.AxisError, "axis 2 is out of bounds"),
    "lengths to split by": Kind(
        (V, IV), lambda x, n: T.split(T.exp(x), n, 2), (ones(3), [1, 2]), (ones(3), [2, 2]),
        ValueError, "splits sum to 4, expected 3"),
    "the largest of none": Kind(
        (M,), lambda x: T.exp(x).max(axis=0), (A,), (EMPTY,),
        ValueError, "at least one element"),
    "where the largest of none is": Kind(
        (M,), lambda x: T.exp(x).argmax(axis=0), (A,), (EMPTY,),
        ValueError, "at least one element"),
    "a dimension that was to be broadcastable": Kind(
        (M,), lambda x: T.addbroadcast(T.exp(x), 0) * 2, (A[:1],), (A,),
        ValueError, "was supposed to be 1 (got 2 instead)"),
    "a choice": Kind(
        (IV, M), lambda i, x: T.choose(i, x * 2), ([0, 1, 1], A), ([0, 2, 1], A),
        ValueError, "invalid entry in choice array"),
    "indices to take": Kind(
        (M, IV), lambda x, i: T.take(x * 2, i, axis=1), (A, [0, 2]), (A, [0, 3]),
        IndexError, "out of bounds"),
    "a negative power of an integer": Kind(
        (IV, IV), lambda x, n: x ** n, ([2, 3], [1, 0]), ([2, 3], [1, -1]),
        ValueError, "negative"),
    "a negative size": Kind(
        (I,), lambda n: T.zeros((n, 2)) + 1, (2,), (-1,),
        ValueError, "negative dimensions"),
    "a step of zero": Kind(
        (I, I), lambda n, k: T.arange(0, n, k) * 2, (4, 2), (4, 0),
        ZeroDivisionError, "step that is not zero"),
    "negative numbers to count": Kind(
        (IV,), lambda x: T.bincount(x), ([0, 2],), ([0, -2],),
        ValueError, "non-negative"),
    "an exception that is more than a text": Kind(
        (V,), lambda x: refuses(T.exp(x) - 2) * 2, (ones(3),), (-ones(3),),
        Refused, ""),
    "an index after a mask": Kind(
        (V, I), lambda x, i: T.exp(x[T.exp(x) > 2])[i], (A[1], 2), (A[1] - 4, 2),
        IndexError, "out of bounds"),
    "sizes after a mask": Kind(
        (V, V), lambda x, y: T.exp(x[T.exp(x) > 2]) * y, (A[1], ones(3)), (A[1] - 4, ones(2)),
        ValueError, "Input dimension mis-match"),
}
# fmt: on


@pytest.mark.parametrize("name", KINDS)
def test_both_engines_say_the_same(name):
    kind = KINDS[name]
    said = []
    for engine in ENGINES:
        f = kind.function(engine)
        before = f(*kind.good)
        error = raised(f, *kind.bad)
        assert type(error) is kind.error
        said.append(text_of(error))
        np.testing.assert_equal(f(*kind.good), before)
    assert f.fn.compilations
    assert said[1] == said[0]
    assert kind.words in said[0]
    assert f'File "{__file__}", line {kind.line}' in said[0]


@pytest.mark.parametrize(
    "name", ["an index", "shapes for dot", "an assertion", "sizes after a mask"]
)
def test_both_engines_say_the_same_at_the_first_call_with_nothing_rewritten(name):
    kind = KINDS[name]
    said = [text_of(raised(kind.function(e, optimizer=None), *kind.bad)) for e in ENGINES]
    assert said[1] == said[0]
    assert kind.words in said[0]


@pytest.mark.parametrize(
    "name", ["an index", "a length is 1 by chance", "an exception that is more than a text"]
)
def test_both_engines_say_the_same_at_length(name):
    kind = KINDS[name]
    with theano.config.change_flags(exception_verbosity="high"):
        said = [text_of(raised(kind.function(engine), *kind.bad)) for engine in ENGINES]
    assert said[1] == said[0]
    assert "Debugprint of the apply node" in said[0]


def test_an_exception_keeps_what_it_was_made_of():
    kind = KINDS["an exception that is more than a text"]
    error = raised(kind.function("xla"), *kind.bad)
    assert (error.code, error.where, error.args) == (7, "below zero", (7, "below zero"))


def test_the_first_of_several_that_fail_is_named():
    x, i = V("x"), I("i")
    first = T.opt.Assert("first")(T.exp(x), (x < 5).all())
    here = inspect.currentframe().f_lineno - 1
    second = T.opt.Assert("second")(first * 2, (first < 5).all())
    said = []
    for engine in ENGINES:
        f = theano.function([x, i], [second[i], first], mode=on(engine))
        f(ones(3), 1)
        said.append(text_of(raised(f, A[1] * 9, 8)))
        late = text_of(raised(f, ones(3) * 4, 8))
        assert late.startswith("second\n")
    assert said[1] == said[0]
    assert said[0].startswith("first\n") and f"line {here}" in said[0]


def test_a_size_and_a_value_that_both_fail_are_named_in_order():
    x, n = V("x"), I("n")
    checked = T.opt.Assert("first")(T.exp(x), (x < 5).all())
    said = []
    for engine in ENGINES:
        f = theano.function([x, n], checked.reshape((n, 2)), mode=on(engine))
        f(ones(4), 2)
        said.append(text_of(raised(f, 9 * ones(4), 3)))
    assert said[1] == said[0]
    assert said[0].startswith("first\n")


def test_an_assertion_and_a_size_from_a_vector_that_both_fail_are_named_in_order():
    x, k = V("x"), IV("k")
    checked = T.opt.Assert("first")(T.exp(x), (x < 5).all())
    said = []
    for engine in ENGINES:
        f = theano.function([x, k], checked.reshape((k[1], 2)), mode=on(engine))
        f(ones(4), [0, 2])
        said.append(text_of(raised(f, 9 * ones(4), [2])))
    assert said[1] == said[0]


def test_a_vector_of_sizes_that_is_too_short_is_named_by_who_reads_it():
    x, k = V("x"), IV("k")
    said = []
    for engine in ENGINES:
        f = theano.function([x, k], T.exp(x).reshape(k, ndim=2), mode=on(engine))
        f(ones(4), [2, 2])
        said.append(text_of(raised(f, ones(4), [4])))
    assert said[1] == said[0]
    assert "Reshape{2} takes 2 lengths, got 1" in said[0]


def test_an_op_whose_compiled_form_cannot_be_traced_is_named():
    x = V("x")
    f = theano.function([x], T.exp(Branches()(x * 2)), mode=theano.Mode("xla"))
    said = text_of(raised(f, ones(2)))
    assert "Branches raised this while XLA traced it" in said and "set runs_on = 'host'" in said
    assert f'File "{__file__}"' in said


class Branches(theano.Op):
    """Its compute asks for a value, which a compiled program cannot tell."""

    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def compute(self, xp, x):
        return x if x.sum() > 0 else -x


def test_what_ran_before_the_failure_does_not_run_again(capfd):
    x, i = V("x"), I("i")
    counts = Counts()
    y = counts(theano.printing.Print("seen")(T.exp(x)))
    f = theano.function([x, i], T.exp(y[y > 2])[i], mode=theano.Mode("xla"))
    f(A[1], 0)
    assert counts.runs == 1
    capfd.readouterr()
    assert isinstance(raised(f, A[1], 3), IndexError)
    assert counts.runs == 2
    assert capfd.readouterr().out.count("seen") == 1


def test_what_comes_after_the_failure_does_not_run():
    x, i = V("x"), I("i")
    counts = Counts()
    f = theano.function([x, i], counts(T.exp(x)[i]), mode=theano.Mode("xla"))
    assert isinstance(raised(f, A[1], 3), IndexError)
    assert counts.runs == 0


STATE = {
    "an index": lambda w, x, i: w[i] + x.sum(),
    "an assertion": lambda w, x, i: T.opt.Assert("too large")(x.sum(), i < 3) + w.sum(),
    "a row to add to": lambda w, x, i: T.inc_subtensor(w[i], x.sum()).sum(),
    "a host step": lambda w, x, i: refuses(2 - T.extra_ops.cumsum(x + i))[0] + w.sum(),
}


@pytest.mark.parametrize("name", STATE)
@pytest.mark.parametrize("within", [False, True], ids=["beside the update", "in the update"])
def test_a_call_that_fails_leaves_shared_variables_bit_for_bit(name, within):
    start = np.array([0.1, -0.0, np.nan])
    said = []
    for engine in ENGINES:
        w, n = theano.shared(start, "w"), theano.shared(np.float32(0.1), "n")
        x, i = V("x"), I("i")
        y = STATE[name](w, x, i)
        new = w * 0.5 + (y if within else x.sum())
        updates = [(w, new), (n, n * 3)]
        outputs = [] if within else [y]
        f = theano.function([x, i], outputs, updates=updates, mode=on(engine))
        said.append(text_of(raised(f, ones(2), 3)))
        held = [w.get_value(), n.get_value()]
        assert [v.tobytes() for v in held] == [start.tobytes(), np.float32(0.1).tobytes()]
        f(ones(2), 0)
        moved = [w.get_value(), n.get_value()]
        assert moved[1] == np.float32(0.1) * np.float32(3) and moved[0][0] != start[0]
        said.append(text_of(raised(f, ones(2), 3)))
        again = [w.get_value(), n.get_value()]
        assert [v.tobytes() for v in again] == [v.tobytes() for v in moved]
    assert said[2:] == said[:2]
