"""Sparse matrices for tests: each way in which one may be stored."""

import numpy as np
import scipy.sparse as sp

KINDS = {"csr": sp.csr_matrix, "csc": sp.csc_matrix}
VARIANTS = (
    "plain",
    "out of order",
    "zeros stored",
    "twice stored",
    "long indices",
    "nothing stored",
    "no rows",
)


def numbers(rng, shape, dtype):
    """Numbers that each dtype holds, far enough from where functions have corners."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < 0.6
    if kind in "iu":
        return rng.integers(1, 4, shape).astype(dtype)
    found = np.round(rng.uniform(0.1, 0.9, shape), 3)
    if kind == "c":
        found = found + 1j * np.round(rng.uniform(0.1, 0.9, shape), 3)
    return found.astype(dtype)


def matrix(kind, variant="plain", shape=(5, 4), dtype="float64", seed=0):
    """A random matrix, one row and one column of it empty, that is stored in some way."""
    rng = np.random.default_rng(seed)
    chosen = rng.random(shape) < 0.7
    chosen[3:4] = chosen[:, 2:3] = False
    made = KINDS[kind](np.where(chosen, numbers(rng, shape, dtype), 0).astype(dtype))
    match variant:
        case "plain":
            return made
        case "nothing stored":
            return KINDS[kind](shape, dtype=dtype)
        case "no rows":
            return KINDS[kind]((0, shape[1]), dtype=dtype)
        case "zeros stored":
            made.data[::3] = 0
            return made
        case "long indices":
            # SciPy's constructors would choose int32
            made.indices, made.indptr = made.indices.astype("int64"), made.indptr.astype("int64")
            return made
        case "twice stored":
            twice = np.repeat(np.arange(made.nnz), 2)
            parts = (made.data[twice], made.indices[twice], made.indptr * 2)
            return KINDS[kind](parts, shape=shape)
    assert variant == "out of order"
    parts = [slice(a, b) for a, b in zip(made.indptr, made.indptr[1:], strict=False)]
    order = np.concatenate([np.arange(made.nnz)[p][::-1] for p in parts])
    made = KINDS[kind]((made.data[order], made.indices[order], made.indptr), shape=shape)
    made.has_sorted_indices = False
    return made


def dense(x):
    """A value of either kind as an array."""
    return x.toarray() if sp.issparse(x) else np.asarray(x)


def stored(f):
    """A function of what is stored, element by element, on a matrix of SciPy's."""

    def of(x, *rest):
        made = x.copy()
        made.data = np.asarray(f(made.data, *rest))
        return made

    return of
