"""How building, compiling and running graphs grow with their size: chains and trees.

Prints, for each shape and step, microseconds a node at 1,000 and 10,000 nodes and their ratio;
a linear step has ratio 1. ``--quick`` takes the best of fewer rounds; ``--assert`` fails on a
ratio above 1.5 or on building above 20 us a node.
"""

import argparse
import gc
import sys
import time

import numpy as np

import theano
import theano.tensor as T


def chain(n: int):
    x = T.dvector("x")
    y = x
    for i in range(n):
        y = T.tanh(y) if i % 2 else y * x
    return x, y


def tree(n: int):
    x = T.dvector("x")
    row = [T.exp(x * float(i)) for i in range(max(1, n // 4))]
    while len(row) > 1:
        row = [a + b for a, b in zip(row[::2], row[1::2], strict=False)] + row[len(row) // 2 * 2 :]
    return x, row[0]


def timed(call):
    gc.collect()
    gc.disable()
    started = time.perf_counter()
    made = call()
    spent = time.perf_counter() - started
    gc.enable()
    return made, spent


def measure(shape, n: int) -> dict[str, float]:
    """Microseconds a node for each step."""
    (x, y), build = timed(lambda: shape(n))
    nodes = len(theano.gof.graph.io_toposort([x], [y]))
    f, compiled = timed(lambda: theano.function([x], y))
    value = np.full(3, 0.1)
    f(value)
    _, run = timed(lambda: f(value))
    spent = {"build": build, "function": compiled, "call": run}
    return {step: seconds / nodes * 1e6 for step, seconds in spent.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--assert", dest="check", action="store_true")
    options = parser.parse_args()
    rounds = 3 if options.quick else 7
    failed = []
    print(f"{'us a node':24}{'1,000':>10}{'10,000':>10}{'ratio':>8}")
    for shape in (chain, tree):
        measure(shape, 100)
        best = {}
        for n in (1_000, 10_000):
            found = [measure(shape, n) for _ in range(rounds)]
            best[n] = {step: min(f[step] for f in found) for step in found[0]}
        for step in best[1_000]:
            small, large = best[1_000][step], best[10_000][step]
            print(f"{shape.__name__ + ' ' + step:24}{small:10.2f}{large:10.2f}{large / small:8.2f}")
            if large / small > 1.5:
                failed.append(f"{shape.__name__} {step}: {large / small:.2f} x of linear")
            if step == "build" and large > 20:
                failed.append(f"{shape.__name__} {step}: {large:.1f} us a node")
    if options.check and failed:
        print("\n".join(failed))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
