"""Functions whose Python ops call other functions, from several threads at once."""

import contextlib
import threading

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.gof import Apply, Op

MODES = {
    "numpy": theano.Mode("numpy"),
    "xla": theano.Mode("xla"),
    "default": theano.Mode(),
}
ENGINES = pytest.mark.parametrize(
    "mode",
    ["numpy", "default", pytest.param("xla", marks=pytest.mark.xla)],
)


class Calling(Op):
    """A number, through a Python function."""

    __props__ = ("what",)

    def __init__(self, what):
        self.what = what

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = np.asarray(self.what(inputs[0]))


def in_threads(*targets, seconds=60):
    """Run functions at the same time; what they raised. None may be left waiting."""
    errors = []

    def guarded(target):
        try:
            target()
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=guarded, args=(t,), daemon=True) for t in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds)
    assert not any(thread.is_alive() for thread in threads), "threads wait for each other"
    return errors


class Pair:
    """Two functions, each of which counts its calls and does something to the other's variable."""

    def __init__(self, mode, do=None):
        self.both = threading.Barrier(2, timeout=0.5)
        self.state = [theano.shared(0.0, name) for name in "ab"]
        x = T.dscalar("x")
        self.plain = [
            theano.function([x], w + x, updates=[(w, w + x)], mode=MODES[mode]) for w in self.state
        ]
        do = do or (lambda pair, other, x: pair.plain[other](x))
        self.calls = []
        for k in (0, 1):
            op = Calling(lambda x, other=1 - k: self._meet(do, other, x))
            w = self.state[k]
            self.calls.append(
                theano.function([x], op(w * 0 + x), updates=[(w, w + 1)], mode=MODES[mode])
            )

    def _meet(self, do, other, x):
        with contextlib.suppress(threading.BrokenBarrierError):
            self.both.wait()  # where both threads can be inside, they are
        return do(self, other, x)


def reading(pair, other, x):
    pair.state[other].get_value()
    return x


def making(pair, other, x):
    y = T.dscalar("y")
    return theano.function([y], y + pair.state[0] * 0 + pair.state[1] * 0)(x)


@ENGINES
def test_two_functions_that_call_on_each_others_variables_do_not_wait_for_ever(mode):
    pair = Pair(mode)
    assert in_threads(lambda: pair.calls[0](10.0), lambda: pair.calls[1](10.0)) == []
    assert [w.get_value().item() for w in pair.state] == [11, 11]


@ENGINES
@pytest.mark.parametrize("do", [reading, making])
def test_reading_values_and_making_functions_in_an_op_waits_for_nobody(mode, do):
    pair = Pair(mode, do)
    assert in_threads(lambda: pair.calls[0](1.0), lambda: pair.calls[1](1.0)) == []
    assert [w.get_value().item() for w in pair.state] == [1, 1]


def test_functions_are_made_while_others_run_user_code():
    pair = Pair("numpy")
    y = T.dscalar("y")

    def make():
        for _ in range(30):
            a, b = (theano.shared(0.0) for _ in "ab")
            theano.function([y], y + a + b + pair.state[0] + pair.state[1])(1.0)

    def call(k):
        for _ in range(30):
            pair.both.abort()
            pair.calls[k](1.0)

    assert in_threads(make, lambda: call(0), lambda: call(1)) == []


def test_a_call_from_an_op_may_come_back_to_the_same_function():
    x = T.dscalar("x")
    w = theano.shared(0.0, "w")
    depth = []

    def again(v):
        depth.append(v)
        return f(v - 1) if v > 0 else v

    f = theano.function([x], Calling(again)(x), updates=[(w, w + 1)], mode=MODES["numpy"])
    f(3.0)
    assert len(depth) == 4


def test_eight_threads_of_calls_within_calls_lose_no_update_of_plain_functions():
    x = T.dscalar("x")
    state = [theano.shared(0.0) for _ in range(4)]
    add = [theano.function([x], [], updates=[(w, w + x)], mode=MODES["numpy"]) for w in state]
    counts = [theano.shared(0.0) for _ in range(4)]
    outer = []
    for k, count in enumerate(counts):
        op = Calling(lambda v, k=k: (add[(k + 1) % 4](1.0), add[(k + 2) % 4](1.0), v)[-1])
        outer.append(theano.function([x], op(x), updates=[(count, count + 1)], mode=MODES["numpy"]))

    def work(k):
        for i in range(200):
            outer[(k + i) % 4](1.0)
            add[k % 4](1.0)

    assert in_threads(*[lambda k=k: work(k) for k in range(8)]) == []
    assert [c.get_value().item() for c in counts] == [400.0] * 4
    assert [w.get_value().item() for w in state] == [1200.0] * 4


def test_functions_without_user_code_run_at_the_same_time_as_those_with_it():
    inside, leave = threading.Event(), threading.Event()
    x = T.dscalar("x")
    w, v = theano.shared(0.0), theano.shared(0.0)

    def wait(value):
        inside.set()
        assert leave.wait(30)
        return value

    slow = theano.function([x], Calling(wait)(x) + w, mode=MODES["numpy"])
    quick = theano.function([x], x + v, updates=[(v, v + x)], mode=MODES["numpy"])

    def call():
        assert inside.wait(30)
        quick(1.0)
        leave.set()

    assert in_threads(lambda: slow(1.0), call) == []
    assert v.get_value() == 1
