"""A record for each function of theano.sparse: what it makes of variables, and what that means.

The first word of a record's name is the function or op that it is of; `test_ops.py` asks that each
has one, and expands them into checks.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

import theano.sparse as S
import theano.tensor as T
from tests.sparse.matrices import dense, matrix, numbers, stored
from theano._src.ops.sparse.convert import ConvertFormat, at_stored
from theano._src.ops.sparse.csm import sparse_shape


@dataclass(frozen=True)
class Record:
    """One use of an op."""

    name: str
    op: Any
    #: the same of values: arrays, and matrices of SciPy's
    meaning: Any
    #: arguments: 'x' and 'y' are sparse and m x n, a tuple is the shape of a dense one
    args: tuple[Any, ...] = ("x",)
    #: 'structured' (of stored elements), 'regular' (of all), or None if there is none
    grad: str | None = "structured"
    #: the arguments that have a gradient, if not all have one
    wrt: tuple[int, ...] | None = None
    #: kinds of dtypes that it takes, as NumPy names them
    kinds: str = "iufc"
    #: whether the matrices are square
    square: bool = False
    #: whether it takes matrices without rows
    rows: bool = True
    #: whether it takes zeros that are stored
    zeros: bool = True
    #: whether it is not flat between steps
    smooth: bool = True
    #: whether the dtype that comes out is NumPy's for the same arguments
    same_dtype: bool = True

    def values(self, kind, variant="plain", dtype="float64"):
        """Arguments of the op."""
        shape = (4, 4) if self.square else (5, 4)
        made = {
            name: matrix(kind, variant, shape, dtype, seed) for seed, name in enumerate(("x", "y"))
        }
        m, n = made["x"].shape
        rng = np.random.default_rng(2)
        found = []
        for arg in self.args:
            if isinstance(arg, str):
                found.append(made[arg])
            else:
                size = tuple({"m": m, "n": n}.get(k, k) for k in arg)
                found.append(numbers(rng, size, dtype))
        return found

    @property
    def differentiated(self):
        """The positions of arguments that have a gradient."""
        if self.grad is None:
            return ()
        return tuple(range(len(self.args))) if self.wrt is None else self.wrt

    def takes(self, variant):
        if variant == "zeros stored":
            return self.zeros
        return variant != "no rows" or (self.rows and not self.square)


def variables(values):
    """A variable for each value."""
    return [
        S.SparseType(v.format, v.dtype)() if sp.issparse(v) else T.as_tensor_variable(v).type()
        for v in values
    ]


def _two(name, op, meaning, **facts):
    """Of two sparse matrices."""
    return Record(name, op, lambda x, y: meaning(dense(x), dense(y)), ("x", "y"), **facts)


def _with(name, op, meaning, shape, **facts):
    """Of a sparse matrix and a dense argument."""
    return Record(name, op, lambda x, d: meaning(dense(x), d), ("x", shape), **facts)


def _one(name, op, meaning, **facts):
    """Of a sparse matrix alone, by what it is as a dense one."""
    return Record(name, op, lambda x: meaning(dense(x)), **facts)


MATRIX, ROWS, COLUMNS, NUMBER = ("m", "n"), ("m",), ("n",), ()
NONE = {"grad": None}
REGULAR = {"grad": "regular"}

CONVERSIONS = [
    _one("dense_from_sparse", S.dense_from_sparse, lambda x: x),
    _one("dense_from_sparse regular", S.DenseFromSparse(structured=False), lambda x: x, **REGULAR),
    Record("csr_from_dense", S.csr_from_dense, dense, (MATRIX,)),
    Record("csc_from_dense", S.csc_from_dense, dense, (MATRIX,)),
    Record("csr_from_dense row", S.csr_from_dense, lambda v: v[None], (COLUMNS,)),
    _one("transpose", S.transpose, np.transpose),
    _one("neg", S.neg, np.negative),
    _one("cast", lambda x: S.cast(x, "complex64"), lambda x: x.astype("complex64"), **NONE),
    _one("cast float", lambda x: S.cast(x, "float64"), lambda x: x.astype("float64"), kinds="iuf"),
    *(
        Record(f"{letter}cast", getattr(S, f"{letter}cast"),
               stored(lambda data, d=name: data.astype(d)),
               kinds="iu" if name[0] == "i" else "iuf", **NONE)
        for letter, name in zip("bwilfdcz", ("int8", "int16", "int32", "int64", "float32",
                                            "float64", "complex64", "complex128"), strict=True)
    ),
    _one("ConvertFormat csr", ConvertFormat("csr"), lambda x: x),
    _one("ConvertFormat csc", ConvertFormat("csc"), lambda x: x),
    Record("AtStored", at_stored, lambda x, d: stored(np.ones_like)(x).multiply(d), ("x", MATRIX),
           wrt=(1,)),
    _one("SparseShape", sparse_shape, lambda x: np.array(x.shape), same_dtype=False, **NONE),
    _one("sp_zeros_like", S.sp_zeros_like, np.zeros_like, **NONE),
    Record("sp_ones_like", S.sp_ones_like, stored(np.ones_like), grad=None),
]  # fmt: skip


def _rebuilt(kind):
    def op(x):
        return getattr(S, kind)(*S.csm_properties(x if x.format == kind.lower() else x.T))

    def meaning(x):
        return x if x.format == kind.lower() else x.T

    return Record(kind, op, meaning)


PARTS = [
    Record("csm_properties", lambda x: S.csm_properties(x)[0], lambda x: x.data),
    Record("csm_data", S.csm_data, lambda x: x.data),
    Record("csm_indices", S.csm_indices, lambda x: x.indices, same_dtype=False, **NONE),
    Record("csm_indptr", S.csm_indptr, lambda x: x.indptr, same_dtype=False, **NONE),
    Record("csm_shape", S.csm_shape, lambda x: np.array(x.shape), same_dtype=False, **NONE),
    Record("csm_grad", lambda x, d: S.csm_grad()(x, S.mul(x, d)),
           lambda x, d: x.data * d[_places(x)], ("x", MATRIX), wrt=(1,)),
    Record("csm_grad dense", lambda x, d: S.csm_grad()(x, d),
           lambda x, d: d[_places(x)], ("x", MATRIX), wrt=(1,)),
    _rebuilt("CSR"),
    _rebuilt("CSC"),
    Record("CSM", lambda x, d: S.CSM(x.format)(d[0, 0] * S.csm_data(x), *S.csm_properties(x)[1:]),
           lambda x, d: dense(x) * d[0, 0], ("x", (2, 2))),
]  # fmt: skip


def _places(x):
    major = np.repeat(np.arange(len(x.indptr) - 1), np.diff(x.indptr))
    return (major, x.indices) if x.format == "csr" else (x.indices, major)


INDEXING = [
    _one("get_item_2d", lambda x: x[1:3, 1:], lambda x: x[1:3, 1:], **NONE),
    _one("get_item_2d steps", lambda x: x[::2, ::-1], lambda x: x[::2, ::-1], **NONE),
    _one("get_item_2d beyond", lambda x: x[-2:9], lambda x: x[-2:9], **NONE),
    _one("get_item_scalar", lambda x: x[4, 1], lambda x: x[4, 1], rows=False, **NONE),
    _one("get_item_scalar negative", lambda x: x[-1, -1], lambda x: x[-1, -1], rows=False, **NONE),
    _one("get_item_list", lambda x: S.get_item_list(x, [2, 0, -3]), lambda x: x[[2, 0, 2]],
         rows=False),
    _one("get_item_list none", lambda x: S.get_item_list(x, np.zeros(0, int)), lambda x: x[:0]),
    _one("get_item_2lists", lambda x: S.get_item_2lists(x, [1, 2, 1], [0, -1, 0]),
         lambda x: x[[1, 2, 1], [0, 3, 0]], rows=False),
    _two("get_item_list_grad", lambda x, y: S.get_item_list_grad(x, [2, 0, 2, 1, -1], y),
         lambda x, y: np.stack([y[1], y[3], y[0] + y[2], 0 * y[0], y[4]]), rows=False, wrt=(1,)),
    _with("get_item_2lists_grad",
          lambda x, v: S.get_item_2lists_grad(x, [1, 2, 1, -1], [0, 3, 0, 1], v),
          lambda x, v: _added(x, ([1, 2, 1, 4], [0, 3, 0, 1]), v), COLUMNS, rows=False,
          wrt=(1,)),
    _two("hstack", lambda x, y: S.hstack([x, y]), lambda x, y: np.hstack([x, y]), **REGULAR),
    _two("hstack csr", lambda x, y: S.hstack([x, y, x], format="csr"),
         lambda x, y: np.hstack([x, y, x]), **REGULAR),
    _two("hstack dtype", lambda x, y: S.hstack([x, y], dtype="complex128"),
         lambda x, y: np.hstack([x, y]).astype("complex128"), **NONE),
    _two("vstack", lambda x, y: S.vstack([x, y]), lambda x, y: np.vstack([x, y]), **REGULAR),
    _two("vstack csr", lambda x, y: S.vstack([x, S.transpose(S.transpose(y))], format="csr"),
         lambda x, y: np.vstack([x, y]), **REGULAR),
    Record("construct_sparse_from_list", lambda d, v: S.construct_sparse_from_list(d, v, [1, 4, 1]),
           lambda d, v: _added(d, [1, 4, 1], v), ((5, 3), (3, 3)), wrt=(1,), **REGULAR),
]  # fmt: skip


def _added(like, at, values):
    made = np.zeros(like.shape, values.dtype)
    np.add.at(made, at, values)
    return made


REDUCTIONS = [
    _one("sp_sum", S.sp_sum, lambda x: x.sum(dtype=x.dtype), **REGULAR),
    _one("sp_sum columns", lambda x: S.sp_sum(x, 0), lambda x: x.sum(0, dtype=x.dtype), **REGULAR),
    _one("sp_sum rows", lambda x: S.sp_sum(x, 1), lambda x: x.sum(1, dtype=x.dtype), **REGULAR),
    _one("sp_sum stored", lambda x: S.sp_sum(x, sparse_grad=True), lambda x: x.sum(dtype=x.dtype)),
    _one("sp_sum stored columns", lambda x: S.sp_sum(x, 0, sparse_grad=True),
         lambda x: x.sum(0, dtype=x.dtype)),
    _one("sp_sum stored rows", lambda x: S.sp_sum(x, 1, sparse_grad=True),
         lambda x: x.sum(1, dtype=x.dtype)),
    _one("diag", S.diag, np.diag, square=True, **REGULAR),
    Record("square_diagonal", S.square_diagonal, np.diag, (COLUMNS,)),
    _one("remove0", S.remove0, lambda x: x, **REGULAR),
    _one("ensure_sorted_indices", S.ensure_sorted_indices, lambda x: x),
    _one("clean", S.clean, lambda x: x, **REGULAR),
    _with("col_scale", S.col_scale, lambda x, v: x * v, COLUMNS),
    _with("row_scale", S.row_scale, lambda x, v: x * v[:, None], ROWS),
    _with("mul_s_v", S.mul_s_v, lambda x, v: x * v, COLUMNS),
    Record("structured_add_s_v", S.structured_add_s_v,
           lambda x, v: dense(x) + dense(stored(np.ones_like)(x)) * v, ("x", COLUMNS)),
]  # fmt: skip

ELEMENTWISE = [
    _two("add", S.add, np.add, **REGULAR),
    _two("add_s_s", S.add_s_s, np.add, **REGULAR),
    _with("add_s_s_data", lambda x, d: S.add_s_s_data(x, S.mul(x, d)), lambda x, d: x + x * d,
          MATRIX),
    _with("add dense", S.add, np.add, MATRIX),
    _with("add left", lambda x, d: S.add(d, x), np.add, MATRIX),
    _with("add_s_d", S.add_s_d, np.add, MATRIX),
    _two("add formats", lambda x, y: S.add(x, S.transpose(ConvertFormat(x.format)(y.T))), np.add,
         **REGULAR),
    _two("sub", S.sub, np.subtract, **REGULAR),
    _with("sub dense", S.sub, np.subtract, MATRIX),
    _with("sub left", lambda x, d: S.sub(d, x), lambda x, d: d - x, MATRIX),
    _two("mul", S.mul, np.multiply, **REGULAR),
    _two("mul_s_s", S.mul_s_s, np.multiply, **REGULAR),
    _with("mul dense", S.mul, np.multiply, MATRIX),
    _with("mul left", lambda x, d: S.mul(d, x), np.multiply, MATRIX),
    _with("mul vector", S.mul, np.multiply, COLUMNS),
    _with("mul number", S.mul, np.multiply, NUMBER),
    _with("mul_s_d", S.mul_s_d, np.multiply, MATRIX),
]  # fmt: skip

_COMPARED = {
    "eq": (np.equal, "equal"),
    "neq": (np.not_equal, "not_equal"),
    "lt": (np.less, "less_than"),
    "gt": (np.greater, "greater_than"),
    "le": (np.less_equal, "less_equal"),
    "ge": (np.greater_equal, "greater_equal"),
}


def _comparisons():
    for name, (meaning, word) in _COMPARED.items():
        # SciPy and NumPy order complex numbers differently, or not at all
        facts = {"grad": None, "kinds": "iufc" if name in ("eq", "neq") else "iuf"}
        either = getattr(S, name)
        yield _two(name, either, meaning, **facts)
        yield _with(f"{name} dense", either, meaning, MATRIX, **facts)
        swapped = lambda x, d, f=either: f(d, x)
        yield _with(f"{name} left", swapped, lambda x, d, f=meaning: f(d, x), MATRIX, **facts)
        yield _two(f"{word}_s_s", getattr(S, f"{word}_s_s"), meaning, **facts)
        yield _with(f"{word}_s_d", getattr(S, f"{word}_s_d"), meaning, MATRIX, **facts)


_THIN = ("n", 3)
PRODUCTS = [
    _with("dot", S.dot, np.matmul, _THIN, **REGULAR),
    _with("dot left", lambda x, d: S.dot(d, x), lambda x, d: d @ x, (3, "m"), **REGULAR),
    _with("dot vector", S.dot, np.matmul, COLUMNS, **REGULAR),
    _with("dot vector left", lambda x, v: S.dot(v, x), lambda x, v: v @ x, ROWS, **REGULAR),
    _two("dot sparse", lambda x, y: S.dot(x, y.T), lambda x, y: x @ y.T, **REGULAR),
    _with("structured_dot", S.structured_dot, np.matmul, _THIN),
    _with("structured_dot left", lambda x, d: S.structured_dot(d, x), lambda x, d: d @ x, (3, "m")),
    _two("structured_dot sparse", lambda x, y: S.structured_dot(x, y.T), lambda x, y: x @ y.T),
    Record("structured_dot_grad", S.structured_dot_grad,
           lambda x, b, g: dense(stored(np.ones_like)(x)) * (g @ b.T), ("x", _THIN, ("m", 3)),
           wrt=(1, 2)),
    _with("true_dot", S.true_dot, np.matmul, _THIN, **REGULAR),
    _with("true_dot left", lambda x, d: S.true_dot(d, x), lambda x, d: d @ x, (3, "m"), **REGULAR),
    _with("true_dot no dense", lambda x, d: S.true_dot(x, d, grad_preserves_dense=False),
          np.matmul, _THIN, grad=None),
    _two("true_dot sparse", lambda x, y: S.true_dot(x, y.T), lambda x, y: x @ y.T, **REGULAR),
    Record("sampling_dot", S.sampling_dot, lambda a, b, p: dense(p) * (a @ b.T),
           (("m", 3), ("n", 3), "x"), wrt=(0, 1)),
    Record("usmm", S.usmm, lambda a, x, d, z: a * (dense(x) @ d) + z,
           (NUMBER, "x", _THIN, ("m", 3)), grad=None),
    Record("usmm left", S.usmm, lambda a, d, x, z: a * (d @ dense(x)) + z,
           (NUMBER, (3, "m"), "x", (3, "n")), grad=None),
]  # fmt: skip


def _structured(name, f, **facts):
    def meaning(data):
        # of small integers NumPy computes in float16
        return f(data if data.dtype.kind in "fc" else data.astype(float))

    return Record(name, getattr(S, name), stored(meaning), same_dtype=False, **facts)


_OF_REAL = ("ceil", "floor", "trunc", "rad2deg", "deg2rad")
_UNIT = ("arcsin", "arctanh")  # of numbers between -1 and 1
STRUCTURED = [
    *(_structured(name, getattr(np, name), kinds="fc" if name in _UNIT else "iufc") for name in (
        "sin", "arcsin", "tan", "arctan", "sinh", "arcsinh", "tanh", "arctanh", "log1p", "expm1",
        "sqrt")),
    *(_structured(name, getattr(np, name), kinds="iuf", smooth="2" in name)
      for name in _OF_REAL),
    _structured("rint", np.rint, kinds="f", smooth=False),
    _structured("sgn", np.sign, kinds="iuf", smooth=False),
    _structured("sqr", np.square),
    _structured("conj", np.conj),
    _structured("structured_exp", np.exp),
    _structured("structured_log", np.log, zeros=False),
    _structured("structured_sigmoid", lambda d: 1 / (1 + np.exp(-d)), kinds="iuf"),
    Record("structured_pow", lambda x: S.structured_pow(x, 3), stored(lambda d: d**3),
           same_dtype=False),
    Record("structured_add", lambda x: S.structured_add(x, 2), stored(lambda d: d + 2),
           same_dtype=False),
    Record("structured_minimum", lambda x: S.structured_minimum(x, 0.35),
           stored(lambda d: np.minimum(d, 0.35)), kinds="f", same_dtype=False),
    Record("structured_maximum", lambda x: S.structured_maximum(x, 0.35),
           stored(lambda d: np.maximum(d, 0.35)), kinds="f", same_dtype=False),
    Record("structured_monoid", S.structured_monoid(T.cos)(lambda x: None), stored(np.cos),
           kinds="fc"),
]  # fmt: skip

RECORDS = [
    *(CONVERSIONS + PARTS + INDEXING + REDUCTIONS + ELEMENTWISE),
    *_comparisons(),
    *(PRODUCTS + STRUCTURED),
]
