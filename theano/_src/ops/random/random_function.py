"""RandomFunction: a draw from NumPy's generator, and the sizes of samples."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.random import RandomState

from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.index.advanced import aligned, common_length
from theano._src.ops.index.index_grad import is_zero_tangent
from theano._src.ops.random.distributions import multinomial_helper, permutation_helper
from theano._src.ops.shape.join import make_vector
from theano._src.ops.shape.static_values import as_length, get_vector_length, vector_length
from theano._src.types.aliases import ShapeLike, TensorLike
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.dtypes import integer_dtypes
from theano._src.types.generators import Spares
from theano._src.types.null import disconnected, grad_undefined
from theano._src.types.randomstate import RandomStateConstant, RandomStateType, random_state_type
from theano._src.types.tensor import TensorType, TensorVariable

#: the state of a generator: a variable, or a NumPy generator
State: TypeAlias = Variable | RandomState

#: lengths of the dimensions that a draw adds to its size, from shapes and values of arguments
_ADDED: dict[Any, Callable[[Sequence[Any], Sequence[Any]], tuple[Any, ...]]] = {
    permutation_helper: lambda shapes, args: (as_length(args[0]),),
    multinomial_helper: lambda shapes, args: (shapes[1][-1],),
}

_WHY = "A sample is no smooth function of what it is drawn with."


@documented_in("theano.tensor.raw_random")
class RandomFunction(Op):
    """A draw: ``(state, size, *arguments)`` returns the next state and a sample.

    Parameters
    ----------
    fn : str or callable
        A method of ``numpy.random.RandomState``, or a function that is called like one: with the
        state, the arguments, and the size as a tuple. An empty size is passed as None.
    outtype : TensorType
        The type of the sample.
    inplace : bool
        Whether the state may be overwritten.
    ndim_added : int
        The number of dimensions that a sample has in addition to those of the size.

    >>> import numpy as np, theano, theano.tensor as T
    >>> from theano.tensor.raw_random import RandomFunction, random_state_type
    >>> state = random_state_type()
    >>> _, sample = RandomFunction("exponential", T.dvector)(state, [2], 3.0)
    >>> f = theano.function([state], sample)
    >>> f(np.random.RandomState(7)) == np.random.RandomState(7).exponential(3.0, 2)
    array([ True,  True])
    """

    __props__ = ("fn", "outtype", "inplace", "ndim_added")
    runs_on = "host"

    def __init__(
        self,
        fn: str | Callable[..., Any],
        outtype: TensorType,
        inplace: bool = False,
        ndim_added: int = 0,
    ) -> None:
        self.fn = fn
        self.outtype = outtype
        self.inplace = bool(inplace)
        self.ndim_added = ndim_added
        self.destroy_map = {0: [0]} if inplace else {}

    @property
    def exec_fn(self) -> Callable[..., Any]:
        """The function that draws."""
        function: Callable[..., Any] = (
            getattr(np.random.RandomState, self.fn) if isinstance(self.fn, str) else self.fn
        )
        return function

    def __str__(self) -> str:
        return f"RandomFunction{{{self.fn if isinstance(self.fn, str) else self.fn.__name__}}}"

    def make_node(self, r: State, shape: ShapeLike, *args: TensorLike) -> Apply:
        if not isinstance(r, Variable):
            r = RandomStateConstant(random_state_type, copy.deepcopy(r))
        if not isinstance(r.type, RandomStateType):
            raise TypeError(
                f"{self} takes the state of a generator, got {r} of {r.type}; "
                "make one with theano.shared(numpy.random.RandomState(seed))"
            )
        size = constant(np.empty(0, "int64")) if is_empty(shape) else as_tensor_variable(shape)
        if size.ndim != 1 or size.dtype not in integer_dtypes:
            raise TypeError(f"{self} takes integers in a vector as size, got {size} of {size.type}")
        inputs = [r, cast(size, "int64"), *map(as_tensor_variable, args)]
        return Apply(self, inputs, [r.type(), self.outtype()])

    def compute(self, xp: ArrayNamespace, state: RandomState, size: Array, *args: Array) -> Any:
        new = copy.deepcopy(state)
        return new, self.draw(new, size, args)

    def bind(self, node: Apply) -> Callable[..., Any]:
        # an input of the graph is never overwritten: if a later node fails, the state must be
        # unchanged
        above = node.inputs[0].owner
        if self.inplace and above is not None and isinstance(above.op, RandomFunction):
            return lambda state, size, *args: (state, self.draw(state, size, args))
        copied = Spares().copy

        def run(state: RandomState, size: Array, *args: Array) -> Any:
            new = copied(state)
            return new, self.draw(new, size, args)

        return run

    def draw(self, state: RandomState, size: Array, args: Sequence[Any]) -> Any:
        """Draw a sample from a state, which advances."""
        ndim, added = self.outtype.ndim, self.ndim_added
        shape = tuple(size.tolist()) or None
        if shape is not None and len(shape) + added != ndim:
            raise ValueError(
                f"{self} takes {ndim - added} lengths as size, got {len(shape)}: {shape}; "
                "the number of dimensions was fixed when the graph was built"
            )
        array = np.asarray(self.exec_fn(state, *args, shape))
        if shape is None and array.ndim == 0:
            # NumPy returns a scalar if the size is None
            array = array.reshape((1,) * ndim)
        if array.ndim != ndim or (shape is not None and array.shape[: ndim - added] != shape):
            raise ValueError(
                f"{self} gives a sample of {ndim} dimensions of size {shape}, got the shape "
                f"{array.shape} from its arguments of shapes {[np.shape(a) for a in args]}"
            )
        return array.astype(self.outtype.numpy_dtype, copy=False)

    def do_constant_folding(self, node: Apply) -> bool:
        return False

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        size: Any = node.inputs[1]
        n = self.outtype.ndim - self.ndim_added
        more = _ADDED.get(self.fn) if self.ndim_added else (lambda shapes, args: ())
        if more is None or (n and vector_length(size) == 0):
            return [None, None]
        return [None, (*(size[i] for i in range(n)), *more(shapes[2:], node.inputs[2:]))]

    def batch_rule(self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]) -> None:
        raise TypeError(
            f"{self} takes arguments of one draw, got rows of them: a state has one that follows "
            "it, not one for each row; draw for all rows at once before, with their size"
        )

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        undefined = [grad_undefined(self, i, x, _WHY) for i, x in enumerate(inputs)]
        return [disconnected(), disconnected(), *undefined[2:]]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        moving = [i for i, dx in enumerate(eval_points) if i > 1 and not is_zero_tangent(dx)]
        return [None, grad_undefined(self, moving[0], inputs[moving[0]], _WHY) if moving else None]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[False, False], [False, False], *([False, True] for _ in node.inputs[2:])]


def is_empty(size: object) -> bool:
    return isinstance(size, (list, tuple)) and not size


# sizes


@documented_in("theano.tensor.raw_random")
def _infer_ndim_bcast(
    ndim: int | None, shape: ShapeLike, *args: TensorVariable
) -> tuple[int, Any, tuple[bool, ...]]:
    """Return ndim, int64 size and broadcast pattern of a sample; -1 is the length of arguments."""
    return sized(ndim, shape, [dims_of(a) for a in args])


def dims_of(x: TensorVariable) -> list[tuple[Any, bool]]:
    """Return the length of each dimension, and whether it is broadcastable."""
    return [(x.shape[i], one) for i, one in enumerate(x.broadcastable)]


def sized(
    ndim: int | None, shape: ShapeLike, dims: Sequence[Sequence[tuple[Any, bool]]]
) -> tuple[int, Any, tuple[bool, ...]]:
    """As ``_infer_ndim_bcast``, for arguments given by ``dims_of``."""
    least = max(map(len, dims), default=0)
    if shape is None:
        pairs = [(common_length(d), all(b for _, b in d)) for d in aligned(dims)] if dims else []
        ndim = len(pairs)
    elif isinstance(shape, (list, tuple)):
        if ndim is not None and ndim != len(shape):
            raise ValueError(f"a size has ndim lengths, got {len(shape)}: {shape}, and ndim={ndim}")
        ndim = len(shape)
        pairs = [_entry(s, ndim - i, dims) for i, s in enumerate(shape)]
    else:
        size = as_tensor_variable(shape)
        if size.ndim != 1 or size.dtype not in integer_dtypes:
            raise TypeError(
                "a size is a vector of integers, or a tuple of integers and scalars, got "
                f"{size} of {size.type}; the size is the first argument, so write size=(3,)"
            )
        ndim = get_vector_length(size) if ndim is None else ndim
        _refuse_if_less(ndim, least)
        return ndim, cast(size, "int64"), (False,) * ndim
    _refuse_if_less(ndim, least)
    return ndim, _vector([n for n, _ in pairs]), tuple(one for _, one in pairs)


def _refuse_if_less(ndim: int, least: int) -> None:
    if least > ndim:
        raise ValueError(
            f"a sample has as many dimensions as its arguments, got ndim={ndim} and an argument "
            f"of {least}; give a size of {least} lengths, or none"
        )


def _entry(s: Any, from_end: int, dims: Sequence[Sequence[tuple[Any, bool]]]) -> tuple[Any, bool]:
    """Return one length of a size, and whether it is known to be 1."""
    if isinstance(s, Variable):
        if getattr(s, "ndim", None) != 0 or s.type.dtype not in integer_dtypes:
            raise TypeError(f"a size has integer scalars, got {s} of {s.type}")
        return s, False
    try:
        n = operator.index(s.item() if isinstance(s, np.ndarray) else s)
    except TypeError as e:
        raise TypeError(f"a size has integers, got {s!r} of {type(s).__name__}") from e
    if n >= 0:
        return n, n == 1
    if n != -1:
        raise ValueError(f"a size has no negative lengths but -1, got {n}")
    facing = [d[-from_end] for d in dims if len(d) >= from_end]
    if not facing:
        raise ValueError(
            "-1 in a size is the length of the arguments in that dimension; none has it"
        )
    return next(((n, False) for n, one in facing if not one), (1, True))


def _vector(lengths: Sequence[Any]) -> Any:
    if all(isinstance(n, int) for n in lengths):
        return constant(np.array(lengths, "int64"))
    return make_vector(*map(as_length, lengths))
