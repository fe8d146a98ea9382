"""Matrix products that also scale and add, as the BLAS routines gemm, gemv and ger do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.graph.walk import view_roots
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import InconsistencyError
from theano._src.ops.core.grad_helpers import conjugated
from theano._src.ops.elementwise.arithmetic import add
from theano._src.ops.linalg.dot import (
    Dot,
    check_inner,
    dot,
    dot_or_say,
)
from theano._src.ops.linalg.scipy_blas import (
    LETTERS,
    by_fortran_gemm,
    by_fortran_ger,
    has_one_thread,
)
from theano._src.ops.reduce.careduce import sum as sum_of
from theano._src.ops.shape.alloc import AllocEmpty
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast
from theano._src.ops.shape.shape import Shape_i
from theano._src.types.aliases import TensorLike, Vars
from theano._src.types.convert import as_tensor_variable
from theano._src.types.null import DisconnectedType
from theano._src.types.tensor import TensorVariable, tensor_type

#: dtypes of the products that these ops replace
FLOATS = ("float16", "float32", "float64", "complex64", "complex128")

# from this number of elements of the result on, saving one pass is worth loading SciPy's BLAS
LARGE = 1 << 14


def _operands(op: Op, ranks: Sequence[int], given: Sequence[TensorLike]) -> list[TensorVariable]:
    """Return the inputs as variables; all must have one float dtype and the given ranks."""
    if len(given) != len(ranks):
        raise TypeError(f"{op} takes {len(ranks)} inputs, got {len(given)}")
    first = as_tensor_variable(given[0])
    # a Python number takes the dtype of the first input
    numbers = (bool, int, float, complex)
    given = [np.asarray(v, first.dtype) if isinstance(v, numbers) else v for v in given[1:]]
    ins = [first, *map(as_tensor_variable, given)]
    for i, (v, ndim) in enumerate(zip(ins, ranks, strict=True)):
        if v.ndim != ndim:
            kind = ("a scalar", "a vector", "a matrix")[ndim]
            raise _refused(
                op,
                "E_scalar" if ndim == 0 else "E_rank",
                TypeError,
                f"{op} takes {kind} as input {i}, got {v} of {v.type}",
            )
    dtypes = [v.dtype for v in ins]
    if dtypes[0] not in FLOATS or len(set(dtypes)) > 1:
        which = "E_float" if len(set(dtypes)) == 1 else "E_mixed"
        raise _refused(
            op,
            which,
            TypeError,
            f"{op} takes inputs of one floating-point dtype, got {', '.join(dtypes)}; "
            "cast them, or use dot and +",
        )
    return ins


def _refused(op: Op, which: str, kind: type[Exception], text: str) -> Exception:
    """Return an error with the op's documented text and ``text`` as a note, or with ``text``."""
    documented = getattr(op, which, None)
    if documented is None:
        return kind(text)
    error = kind(documented)
    error.add_note(text)
    return error


def _is(value: object, number: int) -> bool:
    """Whether a factor is known to be ``number``; while XLA traces, only constants are known."""
    return isinstance(value, (np.ndarray, np.generic)) and bool(value == number)


def _constant_is(v: Variable, number: int) -> bool:
    return isinstance(v, Constant) and bool(v.data == number)


def _scaled(a: Array, product: Array) -> Any:
    if _is(a, 1):
        return product
    return -product if _is(a, -1) else a * product


def _added(b: Array, z: Array, product: Array) -> Any:
    """Return b z + product. If b is known to be 0, z may be uninitialised and is not read."""
    if _is(b, 0):
        return product
    return product + z if _is(b, 1) else b * z + product


@documented_in("theano.tensor.blas")
class Dot22(Op):
    """The product of two matrices of one floating-point dtype."""

    __props__ = ()

    def make_node(self, x: TensorLike, y: TensorLike) -> Apply:
        x, y = _operands(self, (2, 2), (x, y))
        pattern = (x.broadcastable[0], y.broadcastable[1])
        return Apply(self, [x, y], [tensor_type(x.dtype, pattern)()])

    def compute(self, xp: ArrayNamespace, x: Array, y: Array) -> Any:
        check_inner(x.shape, y.shape)
        return xp.dot(x, y)

    def bind(self, node: Apply) -> Callable[..., Any]:
        return dot_or_say

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        x, y = shapes
        return [(x[0], y[1])]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return Dot().L_op(inputs, outputs, output_grads)

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return Dot().R_op(inputs, eval_points)

    def __str__(self) -> str:
        return "Dot22"


class _Scaling(Op):
    """The derivatives of ops that compute ``b z + a x y``.

    ``_at`` maps x, y and a, and z and b if the op has them, to positions among the inputs.
    """

    _at: ClassVar[dict[str, int]]

    @staticmethod
    def _product(x: TensorVariable, y: TensorVariable) -> Any:
        return dot(x, y)

    @staticmethod
    def _product_slopes(x: TensorVariable, y: TensorVariable, g: TensorVariable) -> list[Any]:
        return Dot().L_op([x, y], [], [g])

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g,) = output_grads
        named = {name: inputs[i] for name, i in self._at.items()}
        x, y, a = named["x"], named["y"], named["a"]
        gx, gy = self._product_slopes(x, y, conjugated(a) * g)
        slopes = {"x": gx, "y": gy, "a": sum_of(g * conjugated(self._product(x, y)))}
        if "z" in named:
            b = named.get("b")
            slopes["z"] = g if b is None else conjugated(b) * g
            slopes["b"] = sum_of(g * conjugated(named["z"]))
        result = {self._at[name]: slope for name, slope in slopes.items() if name in self._at}
        return [patternbroadcast(result[i], v.broadcastable) for i, v in enumerate(inputs)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        named = {name: inputs[i] for name, i in self._at.items()}
        moved = {
            name: eval_points[i]
            for name, i in self._at.items()
            if eval_points[i] is not None and not isinstance(eval_points[i].type, DisconnectedType)
        }
        x, y, a = named["x"], named["y"], named["a"]
        z, b = named.get("z"), named.get("b")
        ways: dict[str, Callable[[Any], Any]] = {
            "x": lambda dx: a * self._product(dx, y),
            "y": lambda dy: a * self._product(x, dy),
            "a": lambda da: da * self._product(x, y),
            "z": lambda dz: dz if b is None else b * dz,
            "b": lambda db: db * z,
        }
        terms = [ways[name](dv) for name, dv in moved.items()]
        if not terms:
            return [None]
        pattern = self(*inputs).broadcastable
        return [patternbroadcast(terms[0] if len(terms) == 1 else add(*terms), pattern)]


@documented_in("theano.tensor.blas")
class Dot22Scalar(_Scaling):
    """``a x y`` for a scalar a and two matrices x and y."""

    __props__ = ()
    _at = {"x": 0, "y": 1, "a": 2}

    def make_node(self, x: TensorLike, y: TensorLike, a: TensorLike) -> Apply:
        x, y, a = _operands(self, (2, 2, 0), (x, y, a))
        pattern = (x.broadcastable[0], y.broadcastable[1])
        return Apply(self, [x, y, a], [tensor_type(x.dtype, pattern)()])

    def compute(self, xp: ArrayNamespace, x: Array, y: Array, a: Array) -> Any:
        check_inner(x.shape, y.shape)
        return _scaled(a, xp.dot(x, y))

    def bind(self, node: Apply) -> Callable[..., Any]:
        letter = _letter_of(node)

        def run(x: np.ndarray, y: np.ndarray, a: np.ndarray) -> Any:
            if letter and len(x) * y.shape[1] >= LARGE and x.shape[1] and a:
                check_inner(x.shape, y.shape)
                return by_fortran_gemm(letter, None, a, x, y, a, False)
            result = dot_or_say(x, y)
            return np.multiply(result, a, out=result)

        return run

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        x, y, _ = shapes
        return [(x[0], y[1])]

    def __str__(self) -> str:
        return "Dot22Scalar"


class Accumulating(Op):
    """An op that adds to its first input, in place or in a copy."""

    __props__ = ("inplace",)
    shape_like = 0

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = bool(inplace)
        self.destroy_map = {0: [0]} if inplace else {}

    # NOTE: the `perform` of subclasses: only the node shows whether the first input is read
    def _run(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = self.bind(node)(*inputs)

    def __str__(self) -> str:
        return f"{type(self).__name__}{{{'inplace' if self.inplace else 'no_inplace'}}}"


class _Product(Accumulating, _Scaling):
    """An op that adds a scaled product to its first input."""

    def _alone(self, z: Variable, others: Vars) -> None:
        """Raise if the op works in place and ``z`` shares memory with one of ``others``."""
        if not self.inplace:
            return
        roots = set(view_roots(z))
        for v in others:
            if not roots.isdisjoint(view_roots(v)):
                raise _refused(
                    self,
                    "E_z_uniq",
                    InconsistencyError,
                    f"{self} writes into {z}, which is the memory of {v} too; use the form that "
                    "is not in place",
                )


@documented_in("theano.tensor.blas")
class Gemm(_Product):
    """``b z + a x y`` for three matrices and two scalars.

    If ``b`` is the constant 0, ``z`` only provides memory and is not read.

    Parameters
    ----------
    z, a, x, y, b : matrix, scalar, matrix, matrix, scalar

    >>> import numpy as np
    >>> from theano.tensor.blas import gemm
    >>> m = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> gemm(m, 2.0, m, np.eye(2), 1.0).eval().tolist()
    [[3.0, 6.0], [9.0, 12.0]]
    """

    E_rank = "gemm only works for rank 2"
    E_scalar = "gemm requires scalar argument"
    E_z_uniq = "argument z aliased to x or y"
    E_mixed = "gemm requires matching dtypes"
    E_float = "gemm requires floating-point dtypes"

    _at = {"z": 0, "a": 1, "x": 2, "y": 3, "b": 4}
    perform = Accumulating._run

    def make_node(self, *inputs: TensorLike) -> Apply:
        ins = _operands(self, (2, 0, 2, 2, 0), inputs)
        self._alone(ins[0], ins[2:4])
        return Apply(self, ins, [ins[0].type()])

    def compute(self, xp: ArrayNamespace, z: Array, a: Array, x: Array, y: Array, b: Array) -> Any:
        _check_matrices(z.shape, x.shape, y.shape)
        return _added(b, z, _scaled(a, xp.dot(x, y)))

    def bind(self, node: Apply) -> Callable[..., Any]:
        _, alpha, _, _, beta = node.inputs
        inplace, unread, plain = self.inplace, _constant_is(beta, 0), _constant_is(alpha, 1)
        once = _constant_is(beta, 1)
        letter = _letter_of(node)

        def run(z: np.ndarray, a: np.ndarray, x: np.ndarray, y: np.ndarray, b: np.ndarray) -> Any:
            _check_matrices(z.shape, x.shape, y.shape)
            own = inplace and z.flags.writeable
            if unread:
                return _into(z if own else None, x, y, None if plain else a)
            # BLAS does not read x and y if a is 0, nor z if b is 0: NaN would be lost
            if z.size >= LARGE and letter and x.shape[1] and a and b:
                return by_fortran_gemm(letter, z, a, x, y, b, own)
            result = np.dot(x, y)
            if not plain:
                np.multiply(result, a, out=result)
            return _onto(z, result, None if once else b, own)

        return run


@documented_in("theano.tensor.blas")
class Gemv(_Product):
    """``beta y + alpha A x`` for a matrix, two vectors and two scalars.

    If ``beta`` is the constant 0, ``y`` only provides memory and is not read.

    Parameters
    ----------
    y, alpha, A, x, beta : vector, scalar, matrix, vector, scalar

    >>> import numpy as np
    >>> from theano.tensor.blas import gemv
    >>> v = np.array([1.0, 2.0])
    >>> gemv(v, 3.0, np.eye(2), v, 0.5).eval().tolist()
    [3.5, 7.0]
    """

    _at = {"z": 0, "a": 1, "x": 2, "y": 3, "b": 4}
    perform = Accumulating._run

    def __init__(self, inplace: bool, turned: bool = False) -> None:
        super().__init__(inplace)
        # whether A is a transposed matrix: a hint for XLA, not one of __props__
        self.turned = turned

    def make_node(
        self, y: TensorLike, alpha: TensorLike, A: TensorLike, x: TensorLike, beta: TensorLike
    ) -> Apply:
        ins = _operands(self, (1, 0, 2, 1, 0), (y, alpha, A, x, beta))
        self._alone(ins[0], ins[2:4])
        made_by = ins[2].owner
        turned = made_by is not None and getattr(made_by.op, "new_order", None) == (1, 0)
        op = self if turned == self.turned else type(self)(self.inplace, turned)
        return Apply(op, ins, [ins[0].type()])

    def compute(
        self, xp: ArrayNamespace, y: Array, alpha: Array, A: Array, x: Array, beta: Array
    ) -> Any:
        _check_vector(y.shape, A.shape, x.shape)
        # XLA copies a transposed matrix on the left of a vector at every call
        return _added(beta, y, _scaled(alpha, xp.dot(x, A.T) if self.turned else xp.dot(A, x)))

    def bind(self, node: Apply) -> Callable[..., Any]:
        _, alpha, _, _, beta = node.inputs
        inplace, unread, plain = self.inplace, _constant_is(beta, 0), _constant_is(alpha, 1)
        once = _constant_is(beta, 1)

        def run(y: np.ndarray, a: np.ndarray, A: np.ndarray, x: np.ndarray, b: np.ndarray) -> Any:
            _check_vector(y.shape, A.shape, x.shape)
            own = inplace and y.flags.writeable
            if unread:
                return _into(y if own else None, A, x, None if plain else a)
            result = np.dot(A, x)
            if not plain:
                np.multiply(result, a, out=result)
            return _onto(y, result, None if once else b, own)

        return run


@documented_in("theano.tensor.blas")
class Ger(_Product):
    """``A + alpha x y'`` for a matrix, a scalar and two vectors.

    Parameters
    ----------
    A, alpha, x, y : matrix, scalar, vector, vector

    >>> import numpy as np
    >>> from theano.tensor.blas import ger
    >>> v = np.array([1.0, 2.0])
    >>> ger(np.zeros((2, 2)), 3.0, v, v).eval().tolist()
    [[3.0, 6.0], [6.0, 12.0]]
    """

    __props__ = ("destructive",)
    _at = {"z": 0, "a": 1, "x": 2, "y": 3}
    perform = Accumulating._run

    def __init__(self, destructive: bool) -> None:
        super().__init__(destructive)
        self.destructive = self.inplace

    def make_node(self, A: TensorLike, alpha: TensorLike, x: TensorLike, y: TensorLike) -> Apply:
        ins = _operands(self, (2, 0, 1, 1), (A, alpha, x, y))
        self._alone(ins[0], ins[2:4])
        return Apply(self, ins, [ins[0].type()])

    def compute(self, xp: ArrayNamespace, A: Array, alpha: Array, x: Array, y: Array) -> Any:
        _check_outer(A.shape, x.shape, y.shape)
        return A + xp.expand_dims(_scaled(alpha, x), 1) * y

    def bind(self, node: Apply) -> Callable[..., Any]:
        inplace, plain = self.inplace, _constant_is(node.inputs[1], 1)
        letter = _letter_of(node)

        def run(A: np.ndarray, a: np.ndarray, x: np.ndarray, y: np.ndarray) -> Any:
            _check_outer(A.shape, x.shape, y.shape)
            own = inplace and A.flags.writeable
            if A.size >= LARGE and letter and a:
                return by_fortran_ger(letter, A, a, x, y, own)
            result = np.multiply((x if plain else a * x)[:, None], y)
            return _onto(A, result, None, own)

        return run

    @staticmethod
    def _product(x: TensorVariable, y: TensorVariable) -> Any:
        return dimshuffle(x, 0, "x") * dimshuffle(y, "x", 0)

    @staticmethod
    def _product_slopes(x: TensorVariable, y: TensorVariable, g: TensorVariable) -> list[Any]:
        return [dot(g, conjugated(y)), dot(conjugated(x), g)]

    def __str__(self) -> str:
        return f"Ger{{{'destructive' if self.destructive else 'non-destructive'}}}"


def _check_matrices(z: Sequence[int], x: Sequence[int], y: Sequence[int]) -> None:
    check_inner(x, y)
    if x[0] != z[0]:
        raise ValueError(
            f"Shape mismatch: x has {x[0]} rows but z has {z[0]} rows; "
            f"x.shape={tuple(x)}, z.shape={tuple(z)}"
        )
    if y[1] != z[1]:
        raise ValueError(
            f"Shape mismatch: y has {y[1]} cols but z has {z[1]} cols; "
            f"y.shape={tuple(y)}, z.shape={tuple(z)}"
        )


def _check_vector(y: Sequence[int], A: Sequence[int], x: Sequence[int]) -> None:
    if A[1] != x[0]:
        raise ValueError(
            f"Shape mismatch: A has {A[1]} cols (and {A[0]} rows) but x has {x[0]} elements"
        )
    if A[0] != y[0]:
        raise ValueError(
            f"Shape mismatch: A has {A[0]} rows (and {A[1]} cols) but y has {y[0]} elements"
        )


def _check_outer(A: Sequence[int], x: Sequence[int], y: Sequence[int]) -> None:
    if A[0] != x[0] or A[1] != y[0]:
        raise ValueError(
            f"Shape mismatch: A has {A[0]} rows and {A[1]} cols, but x has {x[0]} elements and y "
            f"has {y[0]}"
        )


def plain_product(node: Apply) -> tuple[Any, Any] | None:
    """Return (A, x) if a ``Gemv`` node computes just ``A x`` into an ``AllocEmpty``, else None.

    ``dot`` of a matrix and a vector is rewritten to this; NumPy allocates the result by itself.
    """
    if not isinstance(node.op, Gemv):
        return None
    y, alpha, A, x, beta = node.inputs
    if not _constant_is(alpha, 1) or not _constant_is(beta, 0) or y.owner is None:
        return None
    whole, dimension = A, 0
    if A.owner is not None and getattr(A.owner.op, "new_order", None) == (1, 0):
        whole, dimension = A.owner.inputs[0], 1
    if not isinstance(y.owner.op, AllocEmpty):
        return None
    length = y.owner.inputs[0].owner
    if length is None or not isinstance(length.op, Shape_i) or length.op.i != dimension:
        return None
    return (A, x) if length.inputs[0] is whole else None


def _letter_of(node: Apply) -> str | None:
    """SciPy's BLAS letter for the dtype of the output; None if SciPy's BLAS is not to be used."""
    kind: Any = node.outputs[0].type
    return LETTERS.get(kind.numpy_dtype.char) if has_one_thread() else None


def product_or_say(A: np.ndarray, x: np.ndarray) -> Any:
    """Return the product of a matrix and a vector; shape errors have the text of ``Gemv``."""
    try:
        return np.dot(A, x)
    except ValueError:
        _check_vector(A.shape[:1], A.shape, x.shape)
        raise


def _into(memory: np.ndarray | None, x: np.ndarray, y: np.ndarray, a: np.ndarray | None) -> Any:
    """Return a x y, in ``memory`` if that is C-contiguous; a None means 1."""
    if memory is not None and memory.flags.c_contiguous:
        result = np.dot(x, y, out=memory)
    else:
        result = np.dot(x, y)
    return result if a is None else np.multiply(result, a, out=result)


def _onto(z: np.ndarray, result: np.ndarray, b: np.ndarray | None, own: bool) -> Any:
    """Return b z + result, in the memory of z (if ``own``) or of result; b None means 1."""
    if not own:
        return np.add(result, z if b is None else z * b, out=result)
    if b is not None:
        np.multiply(z, b, out=z)
    return np.add(z, result, out=z)


_dot22 = Dot22()
_dot22scalar = Dot22Scalar()
gemm_inplace = Gemm(inplace=True)
gemm_no_inplace = Gemm(inplace=False)
gemm = gemm_no_inplace
gemv_inplace = Gemv(inplace=True)
gemv_no_inplace = Gemv(inplace=False)
gemv = gemv_no_inplace
ger_destructive = Ger(destructive=True)
ger = Ger(destructive=False)
