"""Elemwise: a scalar op applied to each element, with static broadcasting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, TypeGuard, overload

import numpy as np

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.old_state import made_of_names
from theano._src.graph.op import Op, PureOp
from theano._src.graph.walk import nodes_of
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.config import config
from theano._src.ground.documented import OfInstance, documented_in
from theano._src.ground.xp import numpy_xp
from theano._src.ops.core import elemwise_doc
from theano._src.ops.core.dimshuffle import _ONE, DimShuffle, pad_left
from theano._src.ops.core.scalar import ScalarOp, brought_to
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.dtypes import complex_dtypes, discrete_dtypes
from theano._src.types.null import DisconnectedType, NullType
from theano._src.types.scalar import get_scalar_type
from theano._src.types.tensor import TensorVariable, tensor_type


@documented_in("theano.tensor.elemwise")
class Elemwise(Op):
    """A scalar op on each element of its inputs.

    Broadcasting is decided by the types: a broadcastable dimension stretches; any other must have
    the same length in all inputs, even if that length is 1.

    Parameters
    ----------
    scalar_op : ScalarOp
    inplace_pattern : dict, optional
        ``{output: input}`` for outputs that are written into the memory of an input.
    name : str, optional
    """

    __doc__ = OfInstance(elemwise_doc.docstring, __doc__)
    __signature__ = OfInstance(lambda op: elemwise_doc.signature(op.scalar_op))

    __props__ = ("scalar_op", "inplace_items")

    def __init__(
        self,
        scalar_op: ScalarOp,
        inplace_pattern: dict[int, int] | None = None,
        name: str | None = None,
        nfunc_spec: tuple[str, int, int] | None = None,
        openmp: bool | None = None,
    ) -> None:
        if not isinstance(scalar_op, ScalarOp):
            raise TypeError(f"Elemwise takes a ScalarOp, got {scalar_op!r}")
        self.scalar_op = scalar_op
        self.inplace_pattern = dict(inplace_pattern or {})
        self.inplace_items = tuple(sorted(self.inplace_pattern.items()))
        self.name = name
        self.nfunc_spec = nfunc_spec
        self.destroy_map = {out: [i] for out, i in self.inplace_items}
        self.runs_on = scalar_op.runs_on if scalar_op.has_compute else "host"  # type: ignore[misc]
        self._hash = hash((type(self), scalar_op, self.inplace_items))

    if TYPE_CHECKING:

        @overload
        def __call__(
            self, *inputs: Any, return_list: Literal[True], **options: Any
        ) -> list[TensorVariable]: ...

        @overload
        def __call__(self, *inputs: Any, **options: Any) -> TensorVariable: ...

        def __call__(self, *inputs: Any, **options: Any) -> Any: ...

    def __hash__(self) -> int:
        return self._hash

    @property
    def nin(self) -> int:
        return self.scalar_op.nin

    @property
    def nout(self) -> int:
        return self.scalar_op.nout

    def make_node(self, *inputs: TensorLike) -> Apply:
        ins = [x if type(x) is TensorVariable else as_tensor_variable(x) for x in inputs]
        scalar_op = self.scalar_op
        if len(ins) != scalar_op.nin and scalar_op.nin >= 0:
            raise TypeError(f"{self} takes {scalar_op.nin} inputs, got {len(ins)}")
        if not ins:
            raise TypeError(f"{self} takes at least one input")
        types = [x.type for x in ins]
        ndim = max([t.ndim for t in types])
        if any(t.ndim != ndim for t in types):
            ins = [pad_left(x, ndim) for x in ins]
            types = [x.type for x in ins]
        pattern = types[0].broadcastable
        for t in types[1:]:
            if t.broadcastable != pattern:
                pattern = tuple([a and b for a, b in zip(pattern, t.broadcastable, strict=True)])
        given = [t.dtype for t in types]
        right = scalar_op.for_dtypes(given)
        if right is not scalar_op:
            return Elemwise(right, self.inplace_pattern, self.name).make_node(*ins)
        dtypes = scalar_op.output_dtypes(given)
        for out, i in self.inplace_items:
            if types[i].broadcastable != pattern:
                raise ValueError(f"{self} cannot work in place on {ins[i]}, which stretches")
            if types[i].dtype != dtypes[out]:
                raise TypeError(
                    f"{self} cannot store {dtypes[out]} in the memory of {ins[i]}, "
                    f"which is of {types[i].dtype}"
                )
        return Apply(self, ins, [tensor_type(d, pattern)() for d in dtypes])

    def compute(self, xp: ArrayNamespace, *inputs: Array) -> Any:
        return self._planned(xp, self.scalar_op.compute, inputs)

    def compiles(self, node: Apply) -> bool:
        return self.runs_on != "host" and self.scalar_op.compiles(node)

    def lower_xla(self, xp: ArrayNamespace, before: Sequence[int], *inputs: Array) -> Any:
        lower = self.scalar_op.lower_xla
        return self._planned(xp, lambda xp, *ins: lower(xp, before, *ins), inputs)

    def _planned(
        self, xp: ArrayNamespace, meaning: Callable[..., Any], inputs: Sequence[Any]
    ) -> Any:
        loops, outs = self.scalar_op.plan(tuple([x.dtype for x in inputs]))
        result = meaning(xp, *[xp.astype(x, d) for x, d in zip(inputs, loops, strict=True)])
        if len(outs) == 1:
            return brought_to(xp, result, outs[0])
        return tuple(brought_to(xp, m, d) for m, d in zip(result, outs, strict=True))

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        if len(inputs) > 1:
            _same_lengths(node, inputs)

    def checks(
        self, xp: ArrayNamespace, before: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        return self.scalar_op.checks(xp, before, inputs, outputs)

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        if self.scalar_op.in_c and type(self.scalar_op).impl is not ScalarOp.impl:
            # compute in Python: the result is used to check the C code
            self.validate(node, inputs)
            run = self._via_plan(node, partial(ScalarOp.compute, self.scalar_op))
        else:
            run = self.bind(node)
        result = run(*inputs)
        if len(output_storage) == 1:
            result = (result,)
        for cell, value in zip(output_storage, result, strict=True):
            cell[0] = np.asarray(value)

    def bind(self, node: Apply) -> Callable[..., Any]:
        loop = self.scalar_op.loop(node)
        run = loop or self._via_plan(node)
        if len(node.inputs) > 1 and node.outputs[0].type.ndim:
            run = _checked(run, node)
        if not self.inplace_items:
            return run
        if loop is not None and len(node.outputs) == 1:
            return self._overwriting(node, loop, run)

        def inplace(*inputs: Any) -> Any:
            result = run(*inputs)
            many = result if len(node.outputs) > 1 else (result,)
            done = list(many)
            for out, i in self.inplace_items:
                if inputs[i].flags.writeable:
                    inputs[i][...] = many[out]
                    done[out] = inputs[i]
            return tuple(done) if len(node.outputs) > 1 else done[0]

        return inplace

    def _overwriting(
        self, node: Apply, loop: Callable[..., Any], run: Callable[..., Any]
    ) -> Callable[..., Any]:
        """Return NumPy's loop with its result written into the input."""
        ((_, i),) = self.inplace_items
        # the caller sees what becomes of an input; other short results may be new arrays
        is_given = node.inputs[i].owner is None

        def inplace(*inputs: Any) -> Any:
            x = inputs[i]
            if not x.flags.writeable:
                # a stretched view has fewer numbers in memory than elements
                return run(*inputs)
            _same_lengths(node, inputs)
            result = loop(*inputs, out=x)
            if is_given and result is not x:
                x[...] = result
                return x
            return result

        return inplace

    def _via_plan(
        self, node: Apply, compute: Callable[..., Any] | None = None
    ) -> Callable[..., Any]:
        """Return ``compute`` (default: the scalar op's) with casts of its inputs and outputs."""
        dtypes = tuple(v.type.numpy_dtype for v in node.inputs)
        loops, outs = self.scalar_op.plan(dtypes)
        casts = [None if d == have else d for d, have in zip(loops, dtypes, strict=True)]
        compute, many = compute or self.scalar_op.compute, len(outs) > 1
        plain = not any(casts)

        def run(*inputs: Any) -> Any:
            if not plain:
                inputs = tuple(
                    x if d is None else np.asarray(x).astype(d)
                    for x, d in zip(inputs, casts, strict=True)
                )
            result = compute(numpy_xp, *inputs)
            if many:
                return tuple(
                    brought_to(numpy_xp, np.asarray(m), d)
                    for m, d in zip(result, outs, strict=True)
                )
            return brought_to(numpy_xp, np.asarray(result), outs[0])

        return run

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        # an unbatched input cannot hold a batched result: not in place
        op = Elemwise(self.scalar_op, name=self.name) if self.inplace_items else self
        return op(*inputs, return_list=True)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        result = self._each(inputs, outputs, output_grads)
        return [_summed(g, x, outputs[0]) for g, x in zip(result, inputs, strict=True)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        outputs = self(*inputs, return_list=True)
        (out,) = outputs
        if out.type.dtype in discrete_dtypes:
            return [None]
        terms = []
        for i, dx in enumerate(eval_points):
            if dx is None or isinstance(dx.type, DisconnectedType):
                continue
            term = self._forwards(inputs, outputs, i, dx)
            if isinstance(term.type, NullType):
                return [term]
            if not isinstance(term.type, DisconnectedType):
                terms.append(term)
        if not terms:
            return [None]
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        if total.type.broadcastable != out.type.broadcastable:
            total = out.zeros_like() + total
        return [total.astype(out.type.dtype)]

    def _forwards(self, inputs: list[Any], outputs: list[Any], i: int, dx: TensorVariable) -> Any:
        """Return the tangent of the output for tangent ``dx`` of input ``i``."""
        (out,) = outputs
        if not {inputs[i].type.dtype, out.type.dtype} & set(complex_dtypes):
            # the Jacobian is diagonal: tangents and cotangents are mapped alike
            return self._each(inputs, outputs, [dx])[i]
        # for complex numbers it is a matrix per element, and ``_each`` applies its transpose
        ways = (1, 1j) if out.type.dtype in complex_dtypes else (1,)
        rows = [self._each(inputs, outputs, [out.ones_like() * way])[i] for way in ways]
        if any(isinstance(row.type, DisconnectedType | NullType) for row in rows):
            return rows[0]
        return sum(way * (row.conj() * dx).real for way, row in zip(ways, rows, strict=True))

    def _each(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        """Return the gradient of each input, not yet summed over its broadcast dimensions."""
        op = self.scalar_op
        if type(op).L_op is PureOp.L_op and type(op).grad is not PureOp.grad:
            return _in_tensors(op, inputs, output_grads)
        if all(out.type.dtype in discrete_dtypes for out in outputs):
            return [zero_gradient(x) for x in inputs]
        results = list(op.L_op(inputs, outputs, output_grads))
        _show_as_made_here(results, {*inputs, *outputs, *output_grads})
        return results

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        ask = getattr(self.scalar_op, "connection_pattern", None)
        return ask(node) if ask else [[True] * len(node.outputs)] * len(node.inputs)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        out = []
        for axis in range(node.outputs[0].type.ndim):
            for v, shape in zip(node.inputs, shapes, strict=True):
                if not v.type.broadcastable[axis]:
                    out.append(shape[axis])
                    break
            else:
                out.append(_ONE)
        return [tuple(out)] * len(node.outputs)

    def __str__(self) -> str:
        if self.name:
            return self.name
        where = str(list(self.inplace_items)) if self.inplace_items else ""
        return f"{type(self).__name__}{{{self.scalar_op}}}{where}"

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "inplace_items" not in state:
            state = vars(made_of_names(type(self), state))  # from Theano 1.0
        # str hashes differ between processes
        self.__dict__.update(state)
        self._hash = hash((type(self), self.scalar_op, self.inplace_items))


def zero_gradient(x: TensorVariable) -> TensorVariable:
    """Return zeros of a float dtype: the gradient where the output is a step function of ``x``."""
    return x.zeros_like(dtype=config.floatX if x.type.dtype in discrete_dtypes else x.type.dtype)


def _show_as_made_here(results: list[Any], before: set[Any]) -> None:
    """Make nodes that a formula has just created print like nodes created by gradients.

    As documented, these print without ',no_inplace', and scalar constants among them go through a
    DimShuffle even if it adds no dimensions.
    """
    for node in nodes_of([v for v in results if isinstance(v, Variable)], before):
        if not isinstance(node.op, Elemwise):
            continue
        if node.op.name and node.op.name.endswith(",no_inplace}"):
            node.op = _unnamed(node.op.scalar_op)
        for i, v in enumerate(node.inputs):
            if isinstance(v, Constant) and v not in before and v.type.ndim == 0:
                node.inputs[i] = _NO_SHUFFLE(v)


_unnamed = cache(Elemwise)
_NO_SHUFFLE = DimShuffle((), ())


def _summed(g: TensorVariable, x: TensorVariable, out: TensorVariable) -> TensorVariable:
    """Sum a gradient over the dimensions in which its input was broadcast."""
    if isinstance(g.type, DisconnectedType | NullType):
        return g
    more = g.type.ndim - x.type.ndim
    if more > 0:
        # inputs of a node have equal ndim, but programs that call grad may pass others
        g = g.sum(axis=list(range(more)))
    whole = out.type.broadcastable[out.type.ndim - x.type.ndim :]
    axes = [
        d
        for d, (a, b) in enumerate(zip(x.type.broadcastable, whole, strict=True))
        if a and not b and not g.type.broadcastable[d]
    ]
    return g.sum(axis=axes, keepdims=True) if axes else g


def _in_tensors(op: ScalarOp, inputs: list[Any], output_grads: list[Any]) -> list[Any]:
    """Return the gradient that a scalar op defines on scalars, in terms of tensors."""
    ins = [get_scalar_type(x.type.dtype)() for x in inputs]
    gs = [get_scalar_type(g.type.dtype)() for g in output_grads]
    before: dict[Any, Any] = dict(zip([*ins, *gs], [*inputs, *output_grads], strict=True))

    def in_tensors(v: Variable) -> Any:
        if v in before:
            return before[v]
        return constant(v.data) if isinstance(v, Constant) else v

    result = op.grad(ins, gs)
    for node in nodes_of([v for v in result if isinstance(v, Variable)], before):
        out = Elemwise(node.op)(*map(in_tensors, node.inputs), return_list=True)
        before.update(zip(node.outputs, out, strict=True))
    return [in_tensors(v) for v in result]


def _checked(run: Callable[..., Any], node: Apply) -> Callable[..., Any]:
    """Wrap ``run`` with a check that only broadcastable dimensions stretch."""
    if not any(any(v.type.broadcastable) for v in node.inputs):
        if len(node.inputs) == 2:

            def two(a: Array, b: Array) -> Any:
                if a.shape != b.shape:
                    _same_lengths(node, (a, b))
                return run(a, b)

            return two

        def same(*inputs: Any) -> Any:
            shape = inputs[0].shape
            for x in inputs:
                if x.shape != shape:
                    _same_lengths(node, inputs)
            return run(*inputs)

        return same

    def general(*inputs: Any) -> Any:
        _same_lengths(node, inputs)
        return run(*inputs)

    return general


def _same_lengths(node: Apply, inputs: Sequence[Any]) -> None:
    for axis in range(node.outputs[0].type.ndim):
        first = None
        for i, (v, x) in enumerate(zip(node.inputs, inputs, strict=True)):
            if v.type.broadcastable[axis]:
                continue
            n = x.shape[axis]
            if first is None:
                first = (i, n)
            elif n != first[1]:
                raise ValueError(
                    f"Input dimension mis-match. (input[{first[0]}].shape[{axis}] = {first[1]}, "
                    f"input[{i}].shape[{axis}] = {n})"
                )


def elemwise(scalar_op: ScalarOp, name: str | None = None) -> Elemwise:
    """Return the tensor form of a scalar op, with the printed name that users know."""
    return Elemwise(scalar_op, name=f"Elemwise{{{name or scalar_op},no_inplace}}")


def is_elemwise(node: Apply | None, scalar_class: type[ScalarOp]) -> TypeGuard[Apply]:
    """Whether a node is an Elemwise of a scalar op of this class."""
    return (
        node is not None
        and isinstance(node.op, Elemwise)
        and isinstance(node.op.scalar_op, scalar_class)
    )
