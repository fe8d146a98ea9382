"""What compiling costs in Python: rewriting a node, and `function()` beside PyTensor's.

Graphs: logistic regression, a perceptron with one hidden layer, and a recurrent net unrolled to
about 300 and 3,000 nodes; each with its gradients and updates. The same text builds them in both
languages. Rewriting a node is the time of the passes of the default mode over the nodes that
the user wrote. `function()` is everything from the user's graph to a callable, no program
compiled: here with the automatic linker, which compiles at the first calls; in PyTensor with
its rewrites of `fast_run` and ``linker='py'``, which makes no C, Numba or JAX code. That
leaves out most of what PyTensor's default takes. Times are the processor's, so that a busy
machine counts less.

``--beside PYTHON`` is an interpreter with PyTensor 3.0.7; by default one is made in ``build/``.
``--alone`` measures ours only. ``--profile`` shows which rules and functions take the time.
``--assert`` fails on an aim that is missed.
"""

import argparse
import gc
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time
import venv

import numpy as np

AIMS = {"ms a node": 0.3, "growth": 1.5, "beside": 0.1}
PYTENSOR = "3.0.7"
STEPS = {"recurrent net, 300": 8, "recurrent net, 3,000": 80}


def logistic(lang, T):
    x, y = T.dmatrix("x"), T.dvector("y")
    w, b = lang.shared(np.zeros(784), name="w"), lang.shared(0.0, name="b")
    p = 1 / (1 + T.exp(-T.dot(x, w) - b))
    error = -y * T.log(p) - (1 - y) * T.log(1 - p)
    cost = error.mean() + 0.01 * (w**2).sum()
    gw, gb = lang.grad(cost, [w, b])
    return [x, y], [p > 0.5, error], [(w, w - 0.1 * gw), (b, b - 0.1 * gb)]


def perceptron(lang, T):
    x, y = T.dmatrix("x"), T.lvector("y")
    sizes = [(784, 500), (500,), (500, 10), (10,)]
    params = [lang.shared(np.zeros(s), name=f"p{i}") for i, s in enumerate(sizes)]
    w1, b1, w2, b2 = params
    hidden = T.tanh(T.dot(x, w1) + b1)
    scores = T.exp(T.dot(hidden, w2) + b2)
    p = scores / scores.sum(axis=1, keepdims=True)
    cost = -T.log(p)[T.arange(y.shape[0]), y].mean()
    cost = cost + 0.001 * abs(w1).sum() + 0.001 * abs(w2).sum()
    cost = cost + 0.0001 * (w1**2).sum() + 0.0001 * (w2**2).sum()
    grads = lang.grad(cost, params)
    return [x, y], [cost], [(v, v - 0.01 * g) for v, g in zip(params, grads, strict=True)]


def recurrent(steps):
    def build(lang, T):
        x, y = T.dmatrix("x"), T.dmatrix("y")
        sizes = [(8, 16), (16, 16), (16,), (16, 4), (4,)]
        params = [lang.shared(np.zeros(s), name=f"p{i}") for i, s in enumerate(sizes)]
        u, w, b, v, c = params
        h, cost = T.zeros((16,)), 0.0
        for t in range(steps):
            h = T.tanh(T.dot(x[t], u) + T.dot(h, w) + b)
            cost = cost + ((T.dot(h, v) + c - y[t]) ** 2).sum()
        grads = lang.grad(cost, params)
        return [x, y], [cost], [(p, p - 0.01 * g) for p, g in zip(params, grads, strict=True)]

    return build


GRAPHS = {
    "logistic regression": logistic,
    "perceptron": perceptron,
    **{name: recurrent(steps) for name, steps in STEPS.items()},
}


def seconds(call, *args, **options):
    """What a call gives, and the processor's seconds: all of it is Python, in one thread."""
    gc.collect()
    gc.disable()
    started = time.process_time()
    made = call(*args, **options)
    spent = time.process_time() - started
    gc.enable()
    return made, spent


def measured_here(name: str, rounds: int) -> dict[str, float]:
    """Nodes of the user's graph; the least seconds of rewriting it, and of `function()`."""
    import theano
    import theano.tensor as T

    ins, outs, updates = GRAPHS[name](theano, T)
    passes = theano.compile.get_default_mode().optimizer
    best = {"function": float("inf"), "rewriting": float("inf")}
    for _ in range(rounds):
        f, spent = seconds(theano.function, ins, outs, updates=updates)
        best["function"] = min(best["function"], spent)
        again = theano.printing.rewriting(f)
        graph = again.graph(0)
        nodes = len(graph.apply_nodes)
        report, spent = seconds(passes.rewrite, graph)
        best["rewriting"] = min(best["rewriting"], spent)
    return {**best, "nodes": nodes, "after": report.nodes_after}


def measured_there(name: str, rounds: int) -> dict[str, float]:
    """The least seconds of PyTensor's `function()`, and of its rewriting; run by its Python."""
    import pytensor
    import pytensor.tensor as T

    ins, outs, updates = GRAPHS[name](pytensor, T)
    mode = pytensor.compile.mode.Mode(linker="py", optimizer="fast_run")
    best = {"function": float("inf")}
    for _ in range(rounds):
        _, spent = seconds(pytensor.function, ins, outs, updates=updates, mode=mode)
        best["function"] = min(best["function"], spent)
    updated = [new for _, new in updates]
    best["nodes"] = sum(1 for _ in pytensor.graph.traversal.applys_between([], outs + updated))
    return best


def environment() -> str:
    """An interpreter with PyTensor, made if it is not there."""
    home = pathlib.Path(__file__).resolve().parent.parent / "build" / f"pytensor-{PYTENSOR}"
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        print(f"making an environment with PyTensor {PYTENSOR} in {home.name}")
        venv.create(home, with_pip=True)
        wanted = f"pytensor=={PYTENSOR}"
        subprocess.run([python, "-m", "pip", "install", "-q", wanted], check=True)
    return str(python)


def ask(python: str, name: str, rounds: int) -> dict[str, float]:
    """What `measured_there` finds, in another interpreter."""
    flags = {"PYTENSOR_FLAGS": "cxx=,blas__ldflags=,floatX=float64"}
    run = subprocess.run(
        [python, "-W", "ignore", __file__, "--there", name, "--rounds", str(rounds)],
        env={**os.environ, **flags},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(run.stdout.splitlines()[-1])


def profile(name: str) -> None:
    import cProfile
    import pstats

    import theano
    import theano.tensor as T

    ins, outs, updates = GRAPHS[name](theano, T)
    steps = theano.printing.rewriting(theano.function(ins, outs, updates=updates))
    passes, graph = theano.compile.get_default_mode().optimizer, steps.graph(0)
    report = passes.rewrite(graph, timed=True)
    print(f"{name}: {report.nodes_before} nodes, {report.seconds * 1e3:.0f} ms with rules timed")
    for title, spent in (("pass", report.passes), ("rule", report.rule_seconds)):
        for what, took in sorted(spent.items(), key=lambda pair: -pair[1])[:15]:
            used = report.changes if title == "pass" else report.uses
            print(f"  {title} {what:40}{took * 1e3:9.1f} ms{used.get(what, 0):7d} changes")
    graph = steps.graph(0)
    with cProfile.Profile() as found:
        passes.rewrite(graph)
    pstats.Stats(found).sort_stats("tottime").print_stats(25)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--beside", default="", help="an interpreter with PyTensor")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--only", default="", help="graphs with this in their name")
    parser.add_argument("--profile", default="", choices=["", *GRAPHS])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--assert", dest="check", action="store_true")
    parser.add_argument("--there", default="", help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=0)
    options = parser.parse_args()
    rounds = options.rounds or (2 if options.quick else 5)
    if options.there:
        print(json.dumps(measured_there(options.there, rounds)))
        return 0
    if options.profile:
        profile(options.profile)
        return 0
    python = "" if options.alone else options.beside or environment()
    print(
        f"Python {platform.python_version()}, NumPy {np.__version__}, load {os.getloadavg()[0]:.1f}"
    )
    print(
        f"{'':24}{'nodes':>7}{'after':>7}{'rewriting':>11}{'ms a node':>11}{'function':>10}"
        f"{'PyTensor':>10}{'ratio':>8}"
    )
    measured_here("logistic regression", 1)
    missed, per_node = [], {}
    for name in [name for name in GRAPHS if options.only in name]:
        # in turns, so that a busy machine slows both
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(measured_here(name, 2))
            # where one call takes this long, the least of several says no more
            if python and not (theirs and theirs[-1]["function"] > 10):
                theirs.append(ask(python, name, 1 if name.endswith("3,000") else 2))
        best = {k: min(found[k] for found in ours) for k in ours[0]}
        per_node[name] = a_node = best["rewriting"] / best["nodes"] * 1e3
        line = (
            f"{name:24}{best['nodes']:7.0f}{best['after']:7.0f}{best['rewriting'] * 1e3:8.1f} ms"
            f"{a_node:11.3f}{best['function'] * 1e3:7.1f} ms"
        )
        if a_node > AIMS["ms a node"]:
            missed.append(f"{name}: {a_node:.3f} ms a node")
        if theirs:
            least = min(t["function"] for t in theirs)
            ratio = statistics.median(a["function"] for a in ours) / least
            line += f"{least * 1e3:7.0f} ms{ratio:8.3f}"
            if ratio > AIMS["beside"]:
                missed.append(f"{name}: {ratio:.3f} of PyTensor's function()")
        print(line, flush=True)
    if set(STEPS) <= set(per_node):
        small, large = (per_node[name] for name in STEPS)
        print(f"a node at 3,000 nodes to a node at 300: {large / small:.2f}, aim {AIMS['growth']}")
        if large / small > AIMS["growth"]:
            missed.append(f"growth: {large / small:.2f}")
    if missed:
        print("missed: " + "; ".join(missed))
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
