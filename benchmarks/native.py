"""Functions on short arrays on the three engines: microseconds a call, and milliseconds to compile.

The engines take turns, the best of many turns counts. Calls go through the function object.
*np.add* is ``np.add(x, 1.0)`` of 10 numbers beside them, which says how quick the machine is.
*default* is the default mode after two seconds of calls; *after* are the seconds after which
machine code ran there, and *longest* the milliseconds of the longest call on the way. *bare* is
the native program alone. One BLAS thread. ``--only TEXT`` picks functions, ``--assert`` fails where
the native engine is slower than the numpy engine, or gives other bits. Then programs of many loops
are compiled: that is linear in their number.
"""

import argparse
import os
import sys
import time
import timeit

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import theano
import theano.tensor as T
from theano._src.engines.choice import host as hosts
from theano._src.engines.native.linker import NativeLinker
from theano._src.engines.native.program import NativeProgram

TURNS, TURN = 12, 0.02
#: seconds of calls in the default mode before a function is measured
CALLED = 2.0
RNG = np.random.RandomState(0)
#: programs of so many loops are compiled
LOOPS = (250, 500, 1000, 2000)


def normal(x, mean, scale):
    """The log-density of a normal distribution."""
    return -0.5 * T.sqr((x - mean) / scale) - T.log(scale) - 0.5 * np.log(2 * np.pi)


def plus_one():
    x = T.dvector("x")
    return [x], x + 1, {}, [RNG.rand(10)]


def two_numbers():
    x, y = T.dscalars("x", "y")
    return [x, y], x + y, {}, [np.array(1.5), np.array(2.5)]


def eight_schools():
    """The hierarchical model of eight schools, not centred: log-density and gradient."""
    effects = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
    errors = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
    q = T.dvector("q")
    mean, log_scale, z = q[0], q[1], q[2:]
    scale = T.exp(log_scale)
    cauchy = np.log(2 / (np.pi * 5)) - T.log1p(T.sqr(scale / 5)) + log_scale
    schools = normal(effects, mean + scale * z, errors).sum()
    density = normal(mean, 0.0, 5.0) + cauchy + normal(z, 0.0, 1.0).sum() + schools
    return [q], [density, T.grad(density, q)], {}, [RNG.randn(10)]


def radon():
    """Intercepts and slopes of 85 counties, 919 houses: indices, and scattered sums."""
    counties, houses = 85, 919
    county = RNG.randint(0, counties, houses)
    floor, level = RNG.randint(0, 2, houses).astype(float), RNG.randn(houses)
    q = T.dvector("q")
    means, logs = [q[0], q[2]], [q[1], q[3], q[4]]
    z = [q[5 : 5 + counties], q[5 + counties : 5 + 2 * counties]]
    intercept, slope = (m + T.exp(s) * u for m, s, u in zip(means, logs, z, strict=False))
    density = sum(normal(m, 0.0, 1.0) for m in means) + sum(s - T.exp(s) for s in logs)
    density += sum(normal(u, 0.0, 1.0).sum() for u in z)
    fitted = intercept[county] + slope[county] * floor
    density += normal(level, fitted, T.exp(logs[2])).sum()
    return [q], [density, T.grad(density, q)], {}, [0.1 * RNG.randn(5 + 2 * counties)]


def negative_binomial():
    """A regression of 200 counts: logarithms of the gamma function and their slopes."""
    counts, x = RNG.poisson(3, 200).astype(float), RNG.randn(200)
    q = T.dvector("q")
    mean, shape = T.exp(q[0] + q[1] * x), T.exp(q[2])
    density = T.gammaln(counts + shape) - T.gammaln(shape) - T.gammaln(counts + 1)
    density += shape * T.log(shape / (mean + shape)) + counts * T.log(mean / (mean + shape))
    density = density.sum() + normal(q, 0.0, 2.0).sum()
    return [q], [density, T.grad(density, q)], {}, [0.1 * RNG.randn(3)]


def perceptron():
    """A step of a perceptron 20-32-3 on 16 rows."""
    x, y = T.dmatrix("x"), T.dmatrix("y")
    weights = [theano.shared(0.1 * RNG.randn(a, b)) for a, b in ((20, 32), (32, 3))]
    biases = [theano.shared(np.zeros(n)) for n in (32, 3)]
    hidden = T.tanh(T.dot(x, weights[0]) + biases[0])
    cost = T.sqr(T.dot(hidden, weights[1]) + biases[1] - y).mean()
    params = [*weights, *biases]
    updates = {p: p - 0.01 * g for p, g in zip(params, T.grad(cost, params), strict=True)}
    return [x, y], cost, updates, [RNG.randn(16, 20), RNG.randn(16, 3)]


def logistic_regression():
    """A step on 400 rows of 784 features."""
    x, y = T.dmatrix("x"), T.dvector("y")
    w, b = theano.shared(0.1 * RNG.randn(784)), theano.shared(np.array(0.0))
    p = 1 / (1 + T.exp(-T.dot(x, w) - b))
    loss = -y * T.log(p) - (1 - y) * T.log(1 - p)
    cost = loss.mean() + 0.01 * T.sqr(w).sum()
    updates = {v: v - 0.1 * g for v, g in zip((w, b), T.grad(cost, [w, b]), strict=True)}
    rows = [RNG.randn(400, 784), RNG.randint(0, 2, 400).astype(float)]
    return [x, y], [p > 0.5, loss], updates, rows


def recurrent():
    """A network of 64 units over 100 steps: the last state."""
    x, h = T.dmatrix("x"), T.dvector("h")
    w, u = (theano.shared(RNG.randn(64, 64) / 8) for _ in range(2))
    states, _ = theano.scan(lambda row, h: T.tanh(T.dot(row, u) + T.dot(h, w)), x, h)
    return [x, h], states[-1], {}, [RNG.randn(100, 64), np.zeros(64)]


def softmax_step():
    """A step of softmax regression, 32 rows of 20 features in 5 classes."""
    x, y = T.dmatrix("x"), T.dmatrix("y")
    w, b = theano.shared(0.1 * RNG.randn(20, 5)), theano.shared(np.zeros(5))
    p = T.nnet.softmax(T.dot(x, w) + b)
    cost = -(y * T.log(p)).sum(axis=1).mean()
    updates = {v: v - 0.1 * g for v, g in zip((w, b), T.grad(cost, [w, b]), strict=True)}
    rows = [RNG.randn(32, 20), np.eye(5)[RNG.randint(0, 5, 32)]]
    return [x, y], [cost, T.argmax(p, axis=1)], updates, rows


def polynomial(n):
    x = T.dvector("x")
    z = x
    for k in range(1, 16):
        z = z * x + 1.0 / k
    return [x], z, {}, [RNG.rand(n)]


def transcendental(n):
    x = T.dvector("x")
    return [x], T.exp(-x) * T.log(x + 1) + 2 * T.tanh(x), {}, [RNG.rand(n)]


def many_loops(n):
    """A program of so many loops, no two alike: each has a sum, which the next one reads."""
    x = T.dvector("x")
    y = x
    for k in range(n):
        y = y * (1.0 + k) + 0.5 / (k + 1)
        y = y / T.sum(y)
    return [x], y, {}, [RNG.rand(10)]


FUNCTIONS = {
    "x + 1, 10 elements": plus_one,
    "x + y, numbers": two_numbers,
    "eight schools": eight_schools,
    "radon": radon,
    "negative binomial": negative_binomial,
    "perceptron 16 x 20-32-3": perceptron,
    "logistic regression 400 x 784": logistic_regression,
    "softmax regression 32 x 20-5": softmax_step,
    "recurrent network, 100 steps of 64": recurrent,
    "polynomial, 1e3": lambda: polynomial(1000),
    "polynomial, 1e6": lambda: polynomial(10**6),
    "exp, log, tanh, 1e3": lambda: transcendental(1000),
    "exp, log, tanh, 1e6": lambda: transcendental(10**6),
}


def compiled(make, linker=None):
    RNG.seed(0)
    inputs, outputs, updates, values = make()
    mode = None if linker is None else theano.Mode(linker)
    return theano.function(inputs, outputs, updates=updates, mode=mode), values


def in_default_mode(make):
    """The function after two seconds of calls, when machine code ran, and the longest call."""
    f, values = compiled(make)
    start, ready, longest, n = time.perf_counter(), None, 0.0, 0
    while (now := time.perf_counter()) - start < CALLED:
        f(*values)
        n += 1
        if n > 1:
            longest = max(longest, time.perf_counter() - now)
        if ready is None and f.fn.host.is_native:
            ready = now - start
    hosts.finish()
    return f, values, ready, 1e3 * longest


def compile_time(make, level):
    """Milliseconds of processor time to make the program of a function that is rewritten."""
    f, _ = compiled(make, "numpy")
    linker = NativeLinker(level=level).accept(f.maker.fgraph)
    start = time.process_time()
    linker.make_thunk()
    return 1e3 * (time.process_time() - start)


def timer(f, values):
    """Calls of a function as a program writes them: nothing else is in the loop."""
    names = [f"x{i}" for i in range(len(values))]
    return timeit.Timer(f"f({', '.join(names)})", globals={"f": f, **dict(zip(names, values))})


def best(calls):
    """Microseconds of a call of each function on values; they take turns."""
    timers = {who: timer(f, values) for who, (f, values) in calls.items()}
    times = dict.fromkeys(calls, float("inf"))
    counts = dict.fromkeys(calls, 1)
    for _ in range(TURNS):
        for who, each in timers.items():
            times[who] = min(times[who], each.timeit(counts[who]) / counts[who])
            counts[who] = max(1, int(TURN / times[who]))
    return {who: 1e6 * t for who, t in times.items()}


def measure(make):
    calls, outputs = {}, {}
    f, values, ready, longest = in_default_mode(make)
    calls["np.add"] = np.add, [RNG.rand(10), 1.0]
    calls["default"] = f, values
    for who, linker in (("NumPy", "numpy"), ("XLA", "xla"), ("native", "native")):
        f, values = compiled(make, linker)
        outputs[who] = f(*values)
        calls[who] = f, values
    program = f.fn
    assert isinstance(program, NativeProgram), program.why
    if len(program._arguments) == len(values):
        calls["bare"] = program._run, values
    same = all(
        np.asarray(a).tobytes() == np.asarray(b).tobytes()
        for a, b in zip(_list(outputs["NumPy"]), _list(outputs["native"]), strict=True)
    )
    row = best(calls)
    row |= {"-O0": compile_time(make, 0), "-O2": compile_time(make, 2)}
    row |= {"longest": longest} | ({} if ready is None else {"after": ready})
    return row, same, len(program.nodes), len(program.called_back)


def _list(outputs):
    return outputs if isinstance(outputs, list) else [outputs]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--assert", dest="check", action="store_true")
    options = parser.parse_args()
    theano.config.xla.disk_cache = False  # all that is timed is compiled
    compile_time(plus_one, 0)  # loads llvmlite
    columns = ("np.add", "NumPy", "XLA", "default", "bare", "-O0", "-O2", "after", "longest")
    print("|".join(["", "function", "nodes", *columns, "same bits", ""]))
    failed = []
    for name, make in FUNCTIONS.items():
        if options.only not in name:
            continue
        row, same, nodes, called_back = measure(make)
        figures = [f"{row[c]:.3g}" if c in row else "" for c in columns]
        text = f"{nodes}" + (f" ({called_back} called back)" if called_back else "")
        print("| " + " | ".join([name, text, *figures, "yes" if same else "NO"]) + " |", flush=True)
        if not same or row["native"] > 1.1 * row["NumPy"] or row["default"] > 1.2 * row["NumPy"]:
            failed.append(name)
    if not options.only:
        print("| loops, no two alike | " + " | ".join(map(str, LOOPS)) + " |")
        with theano.config.change_flags(optimizer="fast_compile"):
            times = [compile_time(lambda n=n: many_loops(n), 0) for n in LOOPS]
        print("| -O0, s | " + " | ".join(f"{t / 1e3:.2f}" for t in times) + " |")
    if options.check and failed:
        sys.exit(f"slower than NumPy, or other bits: {', '.join(failed)}")


if __name__ == "__main__":
    main()
