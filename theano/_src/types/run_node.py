"""Run a node on the host, lower it for XLA, and tell whether it has a compiled form."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.graph.c_op import in_c
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import HasInnerGraph, Op, meaning_of, perform_of
from theano._src.graph.testvalue import thunk_of
from theano._src.ground.array_types import ArrayNamespace
from theano._src.ground.length_numbers import are_numbers
from theano._src.types.checked import gives_flags
from theano._src.types.scalar import Scalar
from theano._src.types.tensor import TensorType


def has_compiled_form(node: Apply) -> bool:
    """Whether a node can be compiled: its op has ``compute`` and its values are arrays."""
    op = node.op
    if meaning_of(op) != "compute" or not op.compiles(node):
        return False
    return all(isinstance(v.type, TensorType | Scalar) for v in (*node.inputs, *node.outputs))


# for XLA


def lowering_args(xp: ArrayNamespace, node: Apply, values: Sequence[Any]) -> list[Any]:
    """Return the validated arguments for ``lower_node``: None for inputs used only for sizes."""
    args = [None if i in node.op.demand_only else x for i, x in enumerate(values)]
    if type(node.op).validate is not Op.validate:
        xp.validated(node, args)
    return args


def lower_node(
    xp: ArrayNamespace, node: Apply, sizes: Sequence[int], args: Sequence[Any]
) -> tuple[list[Any], list[Any]]:
    """Return the outputs of a node, computed by ``xp``, and the check flags of its inner graphs.

    ``sizes`` are the integers that the op demands. The op's own conditions are in ``Op.checks``.
    """
    op = node.op
    flags: Sequence[Any] = ()
    if isinstance(op, HasInnerGraph):
        results, flags = op.lower_checked(xp, sizes, *args)
    else:
        results = op.bind_xla(node)(xp, sizes, *args)
        if gives_flags(op):
            results, flags = results
        elif len(node.outputs) == 1:
            results = [results]
    for value in results:
        _refuse_endless(node, value)
    return list(results), list(flags)


def _refuse_endless(node: Apply, value: Any) -> None:
    """Raise MemoryError if the size in bytes exceeds int64: XLA would abort the process."""
    shape = getattr(value, "shape", ())
    if not are_numbers(*shape) or math.prod(shape) < 1 << 56:
        return
    if math.prod(shape) * np.dtype(value.dtype).itemsize >= 1 << 63:
        raise MemoryError(f"{node.op} cannot make an array of shape {shape} and {value.dtype}")


# on the host


def run_node(node: Apply, args: Sequence[Any]) -> list[Any]:
    """Compute the outputs of a node from host values."""
    return runner_of(node)(*args)


def runner_of(node: Apply) -> Callable[..., list[Any]]:
    """Return a function from the node's input values to the list of its output values."""
    run = call_of(node)
    return (lambda *args: [run(*args)]) if len(node.outputs) == 1 else run


def call_of(node: Apply) -> Callable[..., Any]:
    """Return a function from input values to the output value, or to a list if several."""
    how = meaning_of(node.op)
    if how == "c_code":
        return _of_c_code(node)
    _prepare(node)
    match how:
        case "compute":
            return _of_compute(node)
        case "perform":
            return _of_perform(node)
        case _:
            return _of_thunk(node)


def _prepare(node: Apply) -> None:
    """Call the op's own ``prepare_node``, if any, before the node's function is built."""
    prepare = getattr(node.op, "prepare_node", None)
    if prepare is not None and getattr(prepare, "__func__", prepare) is not Op.prepare_node:
        cells: dict[Variable, list[Any]] = {v: [None] for v in (*node.inputs, *node.outputs)}
        computed = {v: [v in node.inputs] for v in cells}
        prepare(node, cells, computed, "py")


def _of_compute(node: Apply) -> Callable[..., Any]:
    if not type(node.op).__module__.startswith("theano."):
        return _of_perform(node)  # casts and checks outputs; tests show our own ops need neither
    run: Callable[..., Any] = node.op.bind(node)
    flat = [isinstance(v.type, TensorType) and v.type.ndim == 0 for v in node.outputs]
    if not any(flat):
        return run
    asarray = np.asarray
    if len(flat) == 1:
        # NumPy returns scalars instead of 0-d arrays
        return lambda *values: asarray(run(*values))
    return lambda *values: [asarray(x) if f else x for x, f in zip(run(*values), flat, strict=True)]


def _of_perform(node: Apply) -> Callable[..., Any]:
    perform, n = perform_of(node.op), len(node.outputs)

    def run(*values: Any) -> Any:
        storage: list[list[Any]] = [[None] for _ in range(n)]
        perform(node, list(values), storage)
        results = [fitted(node, i, cell[0]) for i, cell in enumerate(storage)]
        return results[0] if n == 1 else results

    return run


def _of_c_code(node: Apply) -> Callable[..., Any]:
    call = in_c(node)
    if call is None:
        _prepare(node)
        return _of_perform(node)
    empty = (None,) * len(node.outputs)
    if len(empty) == 1:
        return lambda *values: fitted(node, 0, call(*values, None))

    def run(*values: Any) -> Any:
        return [fitted(node, i, x) for i, x in enumerate(call(*values, *empty))]

    return run


def _of_thunk(node: Apply) -> Callable[..., Any]:
    own: dict[Variable, list[Any]] = {v: [None] for v in (*node.inputs, *node.outputs)}
    computed = {v: [v in node.inputs] for v in own}
    thunk = thunk_of(node.op, node, own, computed)
    ins = [own[v] for v in node.inputs]
    outs = [own[v] for v in node.outputs]
    done = [computed[v] for v in node.outputs]

    def run(*values: Any) -> Any:
        for cell, value in zip(ins, values, strict=True):
            cell[0] = value
        for cell, flag in zip(outs, done, strict=True):
            cell[0], flag[0] = None, False
        thunk()
        results = [fitted(node, i, cell[0]) for i, cell in enumerate(outs)]
        for cell in (*ins, *outs):
            cell[0] = None
        return results[0] if len(results) == 1 else results

    return run


def fitted(node: Apply, i: int, value: Any) -> Any:
    """Convert the value that an op returned as output ``i`` to the type of that output."""
    kind = node.outputs[i].type
    if not isinstance(kind, TensorType) or (
        value.__class__ is np.ndarray
        and value.dtype == kind.numpy_dtype
        and value.ndim == kind.ndim
        and True not in kind.broadcastable
    ):
        return value
    if value is None:
        raise ValueError(f"{node.op} left output {i} empty: perform sets output_storage[{i}][0]")
    try:
        return kind.filter(value)
    except TypeError as e:
        got = type(value).__name__
        if isinstance(value, np.ndarray):
            got = f"an array of {value.dtype} with shape {value.shape}"
        raise TypeError(f"{node.op} gives {kind} as output {i}, got {got} from it") from e
