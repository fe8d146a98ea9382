"""JaxOp: an op that is defined by a JAX function."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np

from theano._src.engines.jax.arrays.jax_xp import jit, x64
from theano._src.engines.jax.backend import needs_jax
from theano._src.engines.jax.kept_programs import KeptProgram
from theano._src.engines.jax.settings import for_runs
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import ArrayNamespace
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in, short_traceback
from theano._src.ground.errors import ShapeError
from theano._src.ground.xp import numpy_xp
from theano._src.ops.shape.shape import shape_i
from theano._src.types.convert import as_tensor_variable
from theano._src.types.null import DisconnectedType
from theano._src.types.tensor import TensorType, tensor_type

#: lengths for tracing with unknown ones: no two sums or products of a few of them are equal
_PRIMES = ((101, 103, 107, 109, 113, 127, 131, 137), (211, 223, 227, 229, 233, 239, 241, 251))


@dataclass(frozen=True)
class Flat:
    """A function of trees of arrays as a function of arrays that returns a list."""

    function: Callable[..., Any]
    tree: Any
    #: the tree structure of the last result
    results: list[Any] = field(default_factory=list, compare=False)

    def __call__(self, *arrays: Any) -> list[Any]:
        import jax

        args, kwargs = jax.tree_util.tree_unflatten(self.tree, arrays)
        leaves, form = jax.tree_util.tree_flatten(self.function(*args, **kwargs))
        self.results[:] = [form]
        return list(leaves)

    def __str__(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)

    def __reduce_ex__(self, protocol: Any) -> Any:
        name = getattr(self.function, "__qualname__", "")
        if "<" in name and not _takes_any_function(sys._getframe(1)):
            raise pickle.PicklingError(
                f"The op that from_jax made of {name} holds that function, and pickles hold only "
                "functions with a name in a module: write it with def at the top of a module, "
                "or pickle with cloudpickle"
            )
        return super().__reduce_ex__(protocol)


def _takes_any_function(frame: FrameType | None) -> bool:
    """Whether the caller copies, or pickles with a library that stores functions as code."""
    while frame is not None:
        module = str(frame.f_globals.get("__name__"))
        if module in ("copy", "dill._dill") or "cloudpickle" in module:
            return True
        frame = frame.f_back
    return False


@dataclass(frozen=True)
class Vjp:
    """Maps inputs and gradients of the float outputs to gradients of the float inputs."""

    function: Callable[..., list[Any]]
    inputs: tuple[bool, ...]
    outputs: tuple[bool, ...]

    def __call__(self, *arrays: Any) -> list[Any]:
        import jax

        n = len(self.inputs)
        given, gradients = arrays[:n], arrays[n:]
        part, values = _of_floats(self.function, self.inputs, self.outputs, given)
        return list(jax.vjp(part, *values)[1](list(gradients)))

    def __str__(self) -> str:
        return f"vjp({self.function})"


@dataclass(frozen=True)
class Jvp:
    """Maps inputs and tangents of the float inputs to tangents of the float outputs."""

    function: Callable[..., list[Any]]
    inputs: tuple[bool, ...]
    outputs: tuple[bool, ...]

    def __call__(self, *arrays: Any) -> list[Any]:
        import jax

        n = len(self.inputs)
        given, tangents = arrays[:n], arrays[n:]
        part, values = _of_floats(self.function, self.inputs, self.outputs, given)
        return list(jax.jvp(part, tuple(values), tuple(tangents))[1])

    def __str__(self) -> str:
        return f"jvp({self.function})"


@dataclass(frozen=True)
class Batched:
    """The function mapped over a leading dimension of the batched inputs."""

    function: Callable[..., list[Any]]
    batched: tuple[bool, ...]

    def __call__(self, *arrays: Any) -> list[Any]:
        import jax

        axes = tuple(0 if b else None for b in self.batched)
        return list(jax.vmap(self.function, axes)(*arrays))

    def __str__(self) -> str:
        return f"vmap({self.function})"


def _of_floats(
    function: Callable[..., list[Any]],
    inputs: Sequence[bool],
    outputs: Sequence[bool],
    given: Sequence[Any],
) -> tuple[Callable[..., list[Any]], list[Any]]:
    """The float outputs as a function of the float inputs, and the values of these inputs."""

    def part(*floats: Any) -> list[Any]:
        left = iter(floats)
        every = [next(left) if is_float else x for x, is_float in zip(given, inputs, strict=True)]
        result = function(*every)
        return [x for x, is_float in zip(result, outputs, strict=True) if is_float]

    return part, [x for x, is_float in zip(given, inputs, strict=True) if is_float]


@documented_in("theano.extend")
class JaxOp(Op):
    """A JAX function of arrays as an op; created by ``from_jax``.

    Parameters
    ----------
    function : callable
        Takes arrays and returns a list of arrays.
    types : tuple of TensorTypes, optional
        The types of the outputs; by default they are found by tracing the function.
    like : tuple of int, optional
        For each output, the input that has its shape; by default shapes are found by tracing.
    """

    __props__ = ("function", "types", "like")

    def __init__(
        self,
        function: Callable[..., list[Any]],
        types: tuple[TensorType, ...] | None = None,
        like: tuple[int, ...] | None = None,
    ) -> None:
        self.function = function
        self.types = types
        self.like = like
        self._programs: dict[Any, KeptProgram] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_programs": {}}

    def make_node(self, *inputs: Any) -> Apply:
        held = [as_tensor_variable(x) for x in inputs]
        types = self.types
        if types is None:
            types = tuple(
                tensor_type(
                    str(first.dtype),
                    tuple(n == m == 1 for n, m in zip(first.shape, second.shape, strict=True)),
                )
                for first, second in zip(*self._outlines(held), strict=True)
            )
        return Apply(self, held, [kind() for kind in types])

    def _outlines(self, inputs: Sequence[Variable]) -> list[Any]:
        """Shapes and dtypes of the outputs, for two choices of the unknown lengths."""
        try:
            return self._probed(inputs, differ=True)
        except Exception:
            pass
        try:
            return self._probed(inputs, differ=False)
        except Exception as error:
            raise TypeError(
                f"{self} takes inputs of {', '.join(str(v.type) for v in inputs)}, and tracing it "
                "with made-up lengths failed: give from_jax the types of its outputs "
                f"({type(error).__name__}: {str(error)[:200]})"
            ) from error

    def _probed(self, inputs: Sequence[Variable], differ: bool) -> list[Any]:
        import jax

        results = []
        for lengths in _PRIMES:
            # a matrix product needs lengths that are equal
            left = iter(lengths * 4 if differ else lengths[:1] * 64)
            requested = [
                jax.ShapeDtypeStruct(
                    v.data.shape
                    if hasattr(v, "data")
                    else [1 if one else next(left) for one in v.type.broadcastable],
                    v.type.numpy_dtype,
                )
                for v in inputs
            ]
            with x64():
                # NOTE: jax does not call a function again that it has traced; a call sets `results`
                results.append(jax.eval_shape(lambda *arrays: self.function(*arrays), *requested))
        return results

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        """Each length, if it is constant or always equals a length of an input."""
        if self.like is not None:
            return [shapes[i] for i in self.like]
        try:
            outlines = self._probed(node.inputs, differ=True)
        except Exception:
            raise ShapeError(f"{self} does not say what shapes it gives") from None
        where: dict[tuple[int, int], tuple[int, int]] = {}
        counts = iter(range(64))
        for i, v in enumerate(node.inputs):
            if not hasattr(v, "data"):
                for axis, one in enumerate(v.type.broadcastable):
                    if not one:
                        k = next(counts)
                        if k >= len(_PRIMES[0]):
                            raise ShapeError(f"{self} has more lengths than can be distinguished")
                        where[_PRIMES[0][k], _PRIMES[1][k]] = (i, axis)
        results = []
        for first, second in zip(*outlines, strict=True):
            lengths = []
            for pair in zip(first.shape, second.shape, strict=True):
                if pair in where:
                    i, axis = where[pair]
                    lengths.append(shape_i(node.inputs[i], axis))
                elif pair[0] == pair[1]:
                    lengths.append(pair[0])
                else:
                    raise ShapeError(f"{self} gives lengths that are none of its inputs'")
            results.append(lengths)
        return results

    def compute(self, xp: ArrayNamespace, *inputs: Any) -> Any:
        if xp is numpy_xp:
            program = self._program_for(inputs)
            with for_runs()():
                results = [np.array(x) for x in program(*inputs)]
        else:
            results = self.function(*inputs)
        return results[0] if len(results) == 1 else results

    def _program_for(self, inputs: Sequence[Any]) -> KeptProgram:
        """The function compiled for such NumPy arrays; beyond a limit the oldest is dropped."""
        key = tuple((x.shape, x.dtype) for x in map(np.asarray, inputs))
        program = self._programs.get(key)
        if program is None:
            while len(self._programs) >= config.xla.max_keys:
                self._programs.pop(next(iter(self._programs)), None)
            program = self._programs[key] = KeptProgram(jit(self.function))
        return program

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        ins, outs = _floats(node.inputs), _floats(node.outputs)
        return [[i and o for o in outs] for i in ins]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        ins, outs = _floats(inputs), _floats(outputs)
        gradients = [
            out.zeros_like() if isinstance(g.type, DisconnectedType) else g.astype(out.dtype)
            for out, g, is_float in zip(outputs, output_grads, outs, strict=True)
            if is_float
        ]
        like = tuple(i for i, is_float in enumerate(ins) if is_float)
        if not like:
            return [DisconnectedType()() for _ in inputs]
        op = JaxOp(Vjp(self.function, ins, outs), tuple(inputs[i].type for i in like), like)
        result = iter(op(*inputs, *gradients, return_list=True))
        return [next(result) if is_float else DisconnectedType()() for is_float in ins]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        outputs = self.make_node(*inputs).outputs
        ins, outs = _floats(inputs), _floats(outputs)
        tangents = [
            v.zeros_like() if t is None else t
            for v, t, is_float in zip(inputs, eval_points, ins, strict=True)
            if is_float
        ]
        types = tuple(v.type for v, is_float in zip(outputs, outs, strict=True) if is_float)
        result = iter(
            JaxOp(Jvp(self.function, ins, outs), types)(*inputs, *tangents, return_list=True)
        )
        return [next(result) if is_float else None for is_float in outs]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        types = tuple(
            tensor_type(v.type.dtype, (False, *v.type.broadcastable)) for v in node.outputs
        )
        op = JaxOp(Batched(self.function, tuple(is_batched)), types)
        results: Sequence[Any] = op(*inputs, return_list=True)
        return results

    def __str__(self) -> str:
        return f"JaxOp{{{self.function}}}"


def _floats(variables: Sequence[Any]) -> tuple[bool, ...]:
    return tuple(v.type.numpy_dtype.kind in "fc" for v in variables)


@documented_in("theano")
def from_jax(function: Callable[..., Any], outputs: Any = None) -> Callable[..., Any]:
    """Turn a JAX function into a function of symbolic variables.

    The function becomes an op that is compiled as part of the graph. Its derivatives are jax's, of
    every order and in both directions; ``vectorize`` maps it.

    Parameters
    ----------
    function : callable
        Takes and returns arrays, or trees of them (dicts, lists, the parameters of a module). It
        must have no side effects, and must not be changed later.
    outputs : tree of types, optional
        Such as ``T.dmatrix``; for functions that jax cannot trace with arbitrary lengths, such as
        modules that fix the lengths of their inputs.

    Returns
    -------
    callable
        Takes variables, or trees of them, and returns a variable or a tree.

    Raises
    ------
    TypeError
        When called, if the types of the outputs cannot be found.

    Examples
    --------
    >>> import jax.numpy as jnp, theano, theano.tensor as T
    >>> softcap = theano.from_jax(lambda x, cap: cap * jnp.tanh(x / cap))
    >>> x = T.dvector("x")
    >>> y = softcap(x, 5.0)
    >>> f = theano.function([x], [y, T.grad(y.sum(), x)])
    >>> [v.round(4).tolist() for v in f([0, 10])]
    [[0.0, 4.8201], [1.0, 0.0707]]
    """

    @short_traceback
    def call(*args: Any, **kwargs: Any) -> Any:
        needs_jax("from_jax")
        import jax

        leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
        flat = Flat(function, tree)
        if outputs is None:
            out = JaxOp(flat)(*leaves, return_list=True)
            return jax.tree_util.tree_unflatten(flat.results[-1], out)
        types, result = jax.tree_util.tree_flatten(outputs)
        out = JaxOp(flat, tuple(types))(*leaves, return_list=True)
        return jax.tree_util.tree_unflatten(result, out)

    call.__name__ = str(getattr(function, "__name__", "from_jax"))
    call.__doc__ = getattr(function, "__doc__", None)
    return call


def jvp(function: Any, points: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """The derivative of a function of arrays along a direction, computed by jax."""
    import jax

    with x64():
        arrays = [[jax.numpy.asarray(x) for x in each] for each in (points, tangents)]
        return jit(lambda xs, dxs: jax.jvp(function, xs, dxs)[1])(*map(tuple, arrays))
