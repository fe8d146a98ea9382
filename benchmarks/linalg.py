"""Linear algebra and einsum beside bare JAX and SciPy, and the two engines beside each other.

Batches on XLA are compared with the same function of ``jax.numpy`` under ``jax.jit``; single
matrices, in the default mode, with SciPy's; at last XLA with the numpy engine, which has no aim:
it says which is faster for each. Calls alternate as in ``xla.py``, whose options it takes. BLAS
has one thread on every side unless OPENBLAS_NUM_THREADS says more: on a busy machine several
wait for each other a hundred times longer than they work.
"""

import math
import os
import sys
from functools import partial

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from timing import XLA, Row, asked, compare, numbers, print_heading, print_machine

import theano
import theano.tensor as T
from theano.tensor import nlinalg, slinalg

NUMPY = theano.Mode("numpy")
ROWS: list[Row] = []


def tensors(*values):
    """A variable for each array, of its dtype and number of dimensions."""
    return [T.TensorType(str(v.dtype), (False,) * v.ndim)() for v in values]


def regular(*shape):
    """Matrices far from singular; symmetric and positive definite."""
    x = numbers(*shape)
    made = numbers(*shape)
    made[...] = x @ np.swapaxes(x, -1, -2) / shape[-1] + np.eye(shape[-1])
    return made


def on_xla(name, ours, jax_form, values):
    """Our function on XLA beside JAX's."""

    def make(scale):
        at = values(scale)
        inputs = tensors(*at)
        f = theano.function(inputs, ours(*inputs), mode=XLA)
        jitted = jax.jit(jax_form)

        def beside():
            made = jitted(*at)
            return [np.array(m) for m in made] if isinstance(made, tuple) else np.array(made)

        return lambda: f(*at), beside

    ROWS.append(Row(name, 1.10, make))


def on_cpu(name, ours, scipy_form, values):
    """Our function in the default mode, after it has settled on an engine, beside SciPy's."""

    def make(scale):
        at = values(scale)
        inputs = tensors(*at)
        f = theano.function(inputs, ours(*inputs))
        for _ in range(30):
            f(*at)
        return lambda: f(*at), lambda: scipy_form(*at)

    ROWS.append(Row(name, 1.0, make, "scipy"))


def engines(name, ours, values):
    """Our function on XLA beside the numpy engine: above 1, the numpy engine is faster."""

    def make(scale):
        at = values(scale)
        inputs = tensors(*at)
        f, g = (theano.function(inputs, ours(*inputs), mode=m) for m in (XLA, NUMPY))
        return lambda: f(*at), lambda: g(*at)

    ROWS.append(Row(name, math.inf, make, "numpy engine"))


# what is compared


def stack(scale, *more):
    return numbers(max(int(100 * scale), 2), *more)


def many(scale):
    return (regular(max(int(100 * scale), 2), 50, 50),)


def many_and_right(scale):
    (a,) = many(scale)
    return a, numbers(len(a), 50, 5)


def matrices(scale):
    return stack(scale, 100, 100), stack(scale, 100, 100)


def heads(scale):
    return stack(scale, 60, 8, 32), stack(scale, 60, 8, 32)


def chain(scale):
    n = max(int(1000 * scale), 10)
    return numbers(n, 300), numbers(300, 300), numbers(300, n)


def rows_of_both(scale):
    n = max(int(5000 * scale), 10)
    return numbers(n, 100), numbers(100, 100), numbers(n, 100)


def single(scale):
    n = max(int(300 * scale**0.5), 10)
    return (regular(n, n),)


def single_and_right(scale, columns=None):
    (a,) = single(scale)
    return a, numbers(len(a), *([] if columns is None else [columns]))


def factored(scale, columns=None):
    a, b = single_and_right(scale, columns)
    made = numbers(*a.shape)
    made[...] = np.linalg.cholesky(a)
    return made, b


on_xla("matmul, 100 x 100x100 float64", T.matmul, jnp.matmul, matrices)
for _text, _values in (
    ("bqhd,bkhd->bhqk", heads),
    ("ij,jk,kl->il", chain),
    ("ni,ij,nj->n", rows_of_both),
):
    on_xla(f"einsum {_text}", partial(T.einsum, _text), partial(jnp.einsum, _text), _values)

on_xla("solve, 100 x 50x50 and 5 columns", slinalg.solve, jnp.linalg.solve, many_and_right)
on_xla("cholesky, 100 x 50x50", slinalg.cholesky, jnp.linalg.cholesky, many)
on_xla("inverse, 100 x 50x50", nlinalg.matrix_inverse, jnp.linalg.inv, many)
on_xla("eigh, 100 x 50x50", nlinalg.eigh, lambda x: tuple(jnp.linalg.eigh(x)), many)
on_xla("svd, 100 x 50x50", nlinalg.svd, lambda x: tuple(jnp.linalg.svd(x)), many)

on_cpu("cholesky, 300x300", slinalg.cholesky, partial(scipy.linalg.cholesky, lower=True), single)
on_cpu("solve, 300x300, a vector", slinalg.solve, scipy.linalg.solve, single_and_right)
on_cpu("svd, 300x300", nlinalg.svd, scipy.linalg.svd, single)

_lower = partial(slinalg.solve_triangular, lower=True)
for _name, _ours, _values in (
    ("cholesky, 300x300", slinalg.cholesky, single),
    ("solve, 300x300, a vector", slinalg.solve, single_and_right),
    ("solve_triangular, 300x300, a vector", _lower, factored),
    ("solve_triangular, 300x300, 300 columns", _lower, partial(factored, columns=300)),
    ("inverse, 300x300", nlinalg.matrix_inverse, single),
    ("det, 300x300", nlinalg.det, single),
    ("qr, 300x300", nlinalg.qr, single),
    ("eigh, 300x300", nlinalg.eigh, single),
    ("svd, 300x300", nlinalg.svd, single),
    ("expm, 300x300", slinalg.expm, single),
    ("solve, 100 x 50x50 and 5 columns", slinalg.solve, many_and_right),
    ("solve_triangular, 100 x 50x50 and 5 columns", _lower, many_and_right),
    ("cholesky, 100 x 50x50", slinalg.cholesky, many),
    ("inverse, 100 x 50x50", nlinalg.matrix_inverse, many),
    ("eigh, 100 x 50x50", nlinalg.eigh, many),
    ("svd, 100 x 50x50", nlinalg.svd, many),
):
    engines(_name, _ours, _values)


def main() -> int:
    options = asked(__doc__)
    seconds, scale = (0.05, 0.02) if options.quick else (2.0, 1.0)
    print_machine()
    if options.quick:
        print("at a fiftieth of the sizes named: whether it runs, not how fast")
    print_heading()
    missed = 0
    for one in ROWS:
        if options.only in f"{one.name} {one.beside}":
            found = compare(one, seconds, scale)
            print(found, flush=True)
            missed += not found.met
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
