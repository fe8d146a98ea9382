"""The optimizers and schedules of examples/optimizers.py are those of their formulas (U5.9)."""

import colorsys
import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import theano
import theano.tensor as T

HOME = Path(__file__).parents[2]
START = [np.array([0.5, -2.0, 3.0]), np.array([[1.0, -1.5]])]
RATE, STEPS = 0.05, 12


@pytest.fixture
def module(monkeypatch):
    monkeypatch.syspath_prepend(str(HOME / "examples"))
    yield importlib.import_module("optimizers")
    for name in ("optimizers", "digits", "drawing"):
        sys.modules.pop(name, None)


def test_the_file_alone_can_be_imported(tmp_path):
    shutil.copy(HOME / "examples" / "optimizers.py", tmp_path)
    command = [sys.executable, "-c", "import optimizers, sys; print('drawing' in sys.modules)"]
    environ = {**os.environ, "PYTHONPATH": str(HOME)}
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def grads_of(values):
    """Of sum(log cosh a) + sum(b**4) / 4."""
    return [np.tanh(values[0]), values[1] ** 3]


def scaled(grads, limit):
    norm = np.linalg.norm(np.concatenate([g.ravel() for g in grads]))
    return [g * limit / norm for g in grads] if norm > limit else grads


class Momentum:
    def __init__(self, nesterov):
        self.v, self.nesterov = 0.0, nesterov

    def step(self, g, rate, t):
        self.v = 0.9 * self.v - rate * g
        return 0.9 * self.v - rate * g if self.nesterov else self.v


class RmsProp:
    s = 0.0

    def step(self, g, rate, t):
        self.s = 0.9 * self.s + 0.1 * g * g
        return -rate * g / (np.sqrt(self.s) + 1e-8)


class Adam:
    """With the corrections of the mean and the size, as on the first page of the paper."""

    m = v = 0.0

    def step(self, g, rate, t):
        self.m, self.v = 0.9 * self.m + 0.1 * g, 0.999 * self.v + 0.001 * g * g
        m, v = self.m / (1 - 0.9 ** (t + 1)), self.v / (1 - 0.999 ** (t + 1))
        # the paper's second form has epsilon beside the size before its correction
        return -rate * m / (np.sqrt(v) + 1e-8 / np.sqrt(1 - 0.999 ** (t + 1)))


class Sgd:
    def step(self, g, rate, t):
        return -rate * g


RULES = {
    "sgd": ("sgd", {}, Sgd),
    "momentum": ("momentum", {}, lambda: Momentum(False)),
    "nesterov": ("momentum", {"nesterov": True}, lambda: Momentum(True)),
    "rmsprop": ("rmsprop", {}, RmsProp),
    "adam": ("adam", {}, Adam),
}


def cosine(t, rate=RATE, total=10, warmup=3):
    if t < warmup:
        return rate * (t + 1) / warmup
    return rate * (1 + np.cos(np.pi * min(1, (t - warmup) / (total - warmup)))) / 2


SCHEDULES = {
    "constant": (None, lambda t: RATE),
    "exponential": (("exponential", RATE, 0.5, 4), lambda t: RATE * 0.5 ** (t / 4)),
    "stairs": (("stairs", RATE, 0.5, 4), lambda t: RATE * 0.5 ** (t // 4)),
    "cosine": (("cosine", RATE, 10, 3), cosine),
}


def trained(module, rule, kwargs, rate, mode=None, dtype="float64", clip=None):
    params = [theano.shared(v.astype(dtype), name) for v, name in zip(START, "ab", strict=True)]
    cost = T.log(T.cosh(params[0])).sum() + (params[1] ** 4).sum() / 4
    updates = getattr(module, rule)(cost, params, rate=rate, clip=clip, **kwargs)
    step = theano.function([], cost, updates=updates, mode=mode)
    for _ in range(STEPS):
        assert step().dtype == dtype
    return [p.get_value() for p in params]


def expected(rule, rate, clip=None):
    values, rules = [v.copy() for v in START], [rule() for _ in START]
    for t in range(STEPS):
        grads = grads_of(values)
        grads = grads if clip is None else scaled(grads, clip)
        values = [v + r.step(g, rate(t), t) for v, g, r in zip(values, grads, rules, strict=True)]
    return values


def check(got, want, rtol):
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", RULES)
def test_steps_are_those_of_the_formulas_with_every_schedule(name, schedule, module):
    rule, kwargs, numpy_rule = RULES[name]
    made, rate = SCHEDULES[schedule]
    given = RATE if made is None else getattr(module, made[0])(*made[1:])
    check(trained(module, rule, kwargs, given), expected(numpy_rule, rate), 1e-12)


@pytest.mark.parametrize("clip", [0.5, 2.0, 1e6])
@pytest.mark.parametrize("name", RULES)
def test_gradients_are_clipped_by_their_joint_norm(name, clip, module):
    rule, kwargs, numpy_rule = RULES[name]
    got = trained(module, rule, kwargs, RATE, clip=clip)
    check(got, expected(numpy_rule, lambda t: RATE, clip), 1e-12)


def test_gradients_that_are_zero_stay_zero_where_they_are_clipped(module):
    w = theano.shared(np.zeros(3), "w")
    updates = module.sgd((w**2).sum(), [w], clip=1.0)
    theano.function([], [], updates=updates)()
    assert w.get_value().tolist() == [0, 0, 0]


@pytest.mark.xla
@pytest.mark.parametrize("name", RULES)
def test_parameters_of_float32_stay_float32_on_xla_too(name, module):
    rule, kwargs, numpy_rule = RULES[name]
    schedule = module.cosine(RATE, 10, 3)
    got = trained(module, rule, kwargs, schedule, theano.Mode("xla"), "float32", clip=2.0)
    check(got, expected(numpy_rule, cosine, 2.0), 2e-5)


@pytest.mark.parametrize("kind", ["input", "shared"])
def test_the_rate_may_be_a_variable(kind, module):
    rate = T.dscalar("rate") if kind == "input" else theano.shared(1.0, "rate")
    w = theano.shared(3.0, "w")
    updates = module.sgd(w**2 / 2, [w], rate=rate)
    step = theano.function([rate] if kind == "input" else [], [], updates=updates)
    for value, want in ((0.5, 1.5), (0.0, 1.5), (1.0, 0.0)):
        if kind == "shared":
            rate.set_value(value)
        step(*([value] if kind == "input" else []))
        assert w.get_value() == want


def test_the_comparison_keeps_the_best_epoch_and_draws(module, tmp_path):
    results = module.main(n_epochs=12, quiet=True, n=200)
    for name, costs in results["costs"].items():
        assert results["best"][name] == int(np.argmin(costs))
        assert results["losses"][name][-1] < results["losses"][name][0]
    np.testing.assert_allclose(
        results["rates"]["exponential"], 0.03 * 0.1 ** (np.arange(120) / 60), rtol=1e-12
    )
    pytest.importorskip("matplotlib")
    module.draw(results, tmp_path / "optimizers.png")
    assert (tmp_path / "optimizers.png").stat().st_size > 10_000


def test_the_page_of_the_text_names_the_colour_of_words_that_do_not_exist(module):
    """U3.8: it said red, and the picture was orange."""
    (stated,) = re.findall(
        r"Words that do not exist are (\w+)\.", (HOME / "docs/gallery/char_lstm.md").read_text()
    )
    colour = importlib.import_module("drawing").RED
    rgb = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    hue = 360 * colorsys.rgb_to_hsv(*rgb)[0]
    assert stated == ("orange" if 15 < hue < 45 else "red")
