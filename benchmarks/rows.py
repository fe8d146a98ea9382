"""Gradient steps on some rows of a table of 1,000,000 x 16 numbers, beside whole steps and JAX.

A cost reads rows ``W[i]``, and the step is ``W - lr * grad(cost, W)``. *ours* is XLA; *whole* the
same without the rules that write only those rows; *numpy* the numpy engine; *jax* the rows read,
differentiated and written by hand, with donated state; *default* the default mode, after
30 calls, with its engine. ``--quick`` measures briefly; ``--only ROWS`` picks one count of rows;
``--assert`` fails where an aim is missed.
"""

import sys
import time
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from timing import asked, print_machine

import theano
import theano.tensor as T

TABLE = 1_000_000, 16
COUNTS = 1, 16, 64, 1_024, 4_096, 65_536
RATE = np.float32(0.01)
RULES = "scaled_writes", "difference_of_writes"
SETTLED = 30


def step(mode: theano.Mode | None) -> theano.compile.Function:
    """The function that reads and updates some rows of a table of its own."""
    i = T.lvector("i")
    w = theano.shared(np.ones(TABLE, "float32"), "w")
    cost = (w[i] ** 2).sum()
    return theano.function([i], cost, updates=[(w, w - RATE * T.grad(cost, w))], mode=mode)


def by_hand() -> Callable[[np.ndarray], np.ndarray]:
    def cost(rows):
        return (rows**2).sum()

    def new(w, i):
        value, slope = jax.value_and_grad(cost)(w[i])
        return value, w.at[i].add(-RATE * slope)

    jitted = jax.jit(new, donate_argnums=0)
    held = [jnp.ones(TABLE, "float32")]

    def call(i):
        value, held[0] = jitted(held[0], i)
        return np.asarray(value)

    return call


def engine(f: theano.compile.Function) -> str:
    """Which engine the calls have come to, in the first words of what is said of it."""
    return theano.printing.explain(f, file="str").split(":")[0].removeprefix("Runs on ")


def best(calls: dict[str, Callable[..., object]], i: np.ndarray, rounds: int) -> dict[str, float]:
    """The least milliseconds of each, taken in turns."""
    for call in calls.values():
        call(i), call(i)
    found = dict.fromkeys(calls, np.inf)
    for _ in range(rounds):
        for name, call in calls.items():
            started = time.perf_counter()
            call(i)
            found[name] = min(found[name], (time.perf_counter() - started) * 1e3)
    return found


def main() -> int:
    options = asked(__doc__)
    rounds = 4 if options.quick else 25
    random = np.random.default_rng(0)
    xla = theano.Mode("xla")
    calls = {
        "ours": step(xla),
        "whole": step(xla.excluding(*RULES)),
        "numpy": step(theano.Mode("numpy")),
        "jax": by_hand(),
    }
    print_machine()
    print(f"{'ms a step':>9}{''.join(f'{name:>10}' for name in calls)}{'default':>10}")
    found: dict[int, dict[str, float]] = {}
    for count in COUNTS:
        if options.only and options.only != str(count):
            continue
        i = random.integers(0, TABLE[0], count)
        usual = step(None)
        for _ in range(SETTLED):
            usual(i)
        found[count] = best({**calls, "default": usual}, i, rounds)
        times = "".join(f"{ms:10.3f}" for ms in found[count].values())
        print(f"{count:9,}{times} {engine(usual)}", flush=True)
    missed = []
    if 64 in found and found[64]["whole"] < 50 * found[64]["ours"]:
        missed.append("64 rows take more than a fiftieth of the time of all")
    if 1 in found and 64 in found and found[1]["ours"] > 3 * found[64]["ours"]:
        missed.append("1 row takes more than three times the time of 64")
    if 64 in found and found[64]["default"] > 2 * min(found[64]["ours"], found[64]["numpy"]):
        missed.append("64 rows: the default mode takes twice the time of the better engine")
    print("\n".join(f"missed: {m}" for m in missed) or "all aims are met")
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
