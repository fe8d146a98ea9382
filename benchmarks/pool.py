"""Pooling and its gradient beside JAX's, or beside PyTorch's in an interpreter that has it.

``--torch PYTHON`` names that interpreter: calls alternate with those of a process of its own.
Options otherwise as in ``xla.py``.
"""

import argparse
import json
import subprocess
import sys

import jax
import numpy as np
from timing import XLA, Row, compare, numbers, print_heading, print_machine

import theano
import theano.tensor as T
from theano.tensor.signal.pool import pool_2d

# batch, channels, height and width; window; stride; mode
CASES = [
    ((20, 20, 24, 24), 2, 2, "max"),
    ((20, 50, 8, 8), 2, 2, "max"),
    ((20, 20, 24, 24), 3, 2, "max"),
    ((20, 20, 24, 24), 3, 1, "max"),
    ((20, 20, 24, 24), 2, 2, "average_inc_pad"),
]
# The other side of --torch: a case, then a number of calls a line; answers seconds a call.
WORKER = """
import json, sys, time
import torch
torch.set_num_threads(int(sys.argv[2]))
shape, window, stride, mode, slope = json.loads(sys.argv[1])
x = torch.randn(*shape, requires_grad=slope)
pool = torch.nn.functional.max_pool2d if mode == "max" else torch.nn.functional.avg_pool2d
g = torch.ones_like(pool(x, window, stride))
def call():
    if not slope:
        return pool(x, window, stride)
    x.grad = None
    pool(x, window, stride).backward(g)
for line in sys.stdin:
    n = int(line)
    started = time.perf_counter()
    for _ in range(n):
        call()
    print((time.perf_counter() - started) / n, flush=True)
"""


def ours(shape, window, stride, mode, slope):
    """Our call: pooling, or its gradient."""
    x, g = T.ftensor4("x"), T.ftensor4("g")
    z = pool_2d(x, (window, window), ignore_border=True, stride=(stride, stride), mode=mode)
    at = numbers(*shape, dtype="float32")
    if not slope:
        f = theano.function([x], z, mode=XLA)
        return lambda: f(at)
    f = theano.function([x, g], T.Lop(z, x, g), mode=XLA)
    ones = numbers(*z.eval({x: at}).shape, dtype="float32")
    return lambda: f(at, ones)


def in_jax(shape, window, stride, mode, slope):
    """The same by JAX's own reduction over windows."""
    sizes, steps = (1, 1, window, window), (1, 1, stride, stride)
    largest = mode == "max"

    def pool(x):
        start, how = (-np.inf, jax.lax.max) if largest else (0.0, jax.lax.add)
        z = jax.lax.reduce_window(x, np.float32(start), how, sizes, steps, "VALID")
        return z if largest else z / np.float32(window * window)

    at = numbers(*shape, dtype="float32")
    if not slope:
        f = jax.jit(pool)
        return lambda: np.array(f(at))
    f = jax.jit(lambda x, g: jax.vjp(pool, x)[1](g)[0])
    g = np.ones(jax.eval_shape(pool, at).shape, "float32")
    return lambda: np.array(f(at, g))


def in_torch(python, threads, case):
    """A call that makes the other process do one."""
    made = subprocess.Popen(
        [python, "-c", WORKER, json.dumps(case), str(threads)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip

    def call():
        made.stdin.write("1\n")
        made.stdin.flush()
        return float(made.stdout.readline())

    return call


def row(case, slope, options):
    """One line of the table."""
    shape, window, stride, mode = case
    name = f"{'gradient, ' * slope}{mode} {window}/{stride} of {'x'.join(map(str, shape))}"

    def make(scale):
        if options.torch:
            return ours(*case, slope), in_torch(options.torch, options.threads, [*case, slope])
        return ours(*case, slope), in_jax(*case, slope)

    return Row(name, 1.0, make, "torch" if options.torch else "jax")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--assert", dest="check", action="store_true")
    parser.add_argument("--torch", metavar="PYTHON")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    print_machine()
    print_heading()
    missed = 0
    for one in (row(case, slope, options) for case in CASES for slope in (False, True)):
        if options.only in f"{one.name} {one.beside}":
            found = compare(one, 0.05 if options.quick else 2.0, 1.0)
            print(found, flush=True)
            missed += not found.met
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
