"""Nodes without a native form: the program calls the numpy engine's own function for them.

It takes as long as the node's line in the plan of the numpy engine. Arguments are arrays without
memory of their own, which cannot be written to; what a node overwrites is a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from operator import methodcaller
from typing import Any

import numpy as np

from theano._src.engines.error_report import host_call
from theano._src.engines.errstate import quiet
from theano._src.engines.native.ir import NULL, ONE, Number, Operand, integer
from theano._src.engines.native.loops import TUPLE_ITEMS, ArrayFields, NotNative
from theano._src.engines.native.nests import Array
from theano._src.engines.node_kinds import is_function
from theano._src.graph.graph import Apply
from theano._src.types.tensor import TensorType


def call_back(low: Any, node: Apply) -> None:
    """Write a call of a node's own function into main, and read what it returns."""
    for v in (*node.inputs, *node.outputs):
        if not isinstance(v.type, TensorType) and not low.is_object(v):
            raise NotNative(f"{node.op} takes or gives a {v.type}")
    if not is_function(node):
        raise NotNative(f"{node.op} may do more than give values for values")
    low.lets_go(runs_python=True)
    objects = {i: low.object(v) for i, v in enumerate(node.inputs) if low.is_object(v)}
    arrays = {i: low.array(v) for i, v in enumerate(node.inputs) if i not in objects}
    pointers = {i: low.memory(a) for i, a in arrays.items()}
    level = max([a.level for a in arrays.values()] + [at for _, at in objects.values()] + [0])
    m = low.main
    with low.at(level):
        arguments = m.room(8 * max(1, len(node.inputs)))
        wrapped = []
        for i in range(len(node.inputs)):
            if i in objects:
                m.store(arguments, integer(i), objects[i][0])
                continue
            wrapped.append(_wrapped(low, arrays[i], pointers[i]))
            m.store(arguments, integer(i), wrapped[-1])
        call = _as_tuple(host_call(node), node, _copies(low, node))
        function = m.address(low.addresses.of_object(("callback", id(node)), call))
        count = integer(len(node.inputs))
        result = m.call(
            low.function("PyObject_Vectorcall"), "p", [function, arguments, count, NULL]
        )
        for each in wrapped:
            m.call(low.function("Py_DecRef"), None, [each])
        low.keep(result)
        with m.when(m.compare("eq", result, NULL)):
            m.call(low.function("PyErr_Clear"), None, [])
            m.give(integer(low.stop_code()))
    ordered = all(a.ordered for a in arrays.values())
    for k, v in enumerate(node.outputs):
        with low.at(level):
            item = m.load("p", result, integer(TUPLE_ITEMS // 8 + k))
        if low.is_object(v):
            low.objects_at[v] = item, level
            continue
        low.set(v, _read(low, item, v.type, level, ordered))


def _wrapped(low: Any, array: Array, pointer: Operand) -> Operand:
    """An array of Python's on memory of the program, which it cannot write to."""
    m, ndim = low.main, len(array.lengths)
    lengths, strides = m.room(8 * max(1, ndim)), m.room(8 * max(1, ndim))
    for i, (n, s) in enumerate(zip(array.lengths, array.strides, strict=True)):
        m.store(lengths, integer(i), low.length(n))
        m.store(strides, integer(i), m.mul(s, integer(array.dtype.itemsize)))
    result: Operand = m.call(
        low.function("PyArray_New"),
        "p",
        [
            m.address(low.addresses.of_object("ndarray", np.ndarray)),
            Number("i32", ndim),
            lengths,
            Number("i32", array.dtype.num),
            strides,
            pointer,
            Number("i32", 0),
            Number("i32", 0),
            NULL,
        ],
    )
    return result


def _copies(low: Any, node: Apply) -> dict[int, Callable[[Any], Any]]:
    """How inputs that a node overwrites are copied: arrays as they lie in memory.

    The order of nodes is another here, so that objects are copied if others read them too.
    """
    written = {i for all_ in (getattr(node.op, "destroy_map", None) or {}).values() for i in all_}
    copies: dict[int, Callable[[Any], Any]] = {}
    for i in written:
        if not low.is_object(node.inputs[i]):
            copies[i] = methodcaller("copy", "K")
        elif not low.is_read_once(node.inputs[i]):
            copies[i] = deepcopy
    return copies


def _as_tuple(
    run: Callable[..., Any], node: Apply, copies: Mapping[int, Callable[[Any], Any]]
) -> Callable[..., tuple[Any, ...]]:
    """The results of a node's function as a tuple, with NumPy's warnings off.

    Those of tensors are arrays. Some inputs are copied.
    """
    n = len(node.outputs)
    gives = [np.asarray if isinstance(v.type, TensorType) else _itself for v in node.outputs]
    current, usual, state, within, enter, leave = quiet()

    def call(*inputs: Any) -> tuple[Any, ...]:
        if copies:
            inputs = tuple([copies[i](x) if i in copies else x for i, x in enumerate(inputs)])
        token = enter(state if current() is usual else within())
        try:
            results = run(*inputs)
        finally:
            leave(token)
        return tuple([give(x) for give, x in zip(gives, results if n > 1 else (results,))])

    return call


def _itself(x: Any) -> Any:
    return x


def _read(low: Any, item: Operand, kind: TensorType, level: int, ordered: bool) -> Array:
    """An array that a node's function has returned; main stops where it is not of its type."""
    m, fields = low.main, ArrayFields
    dtype = kind.numpy_dtype
    with low.at(level):
        expected = m.address(low.addresses.of_object(("dtype", dtype.name), dtype))
        low.stop_if(m.compare("ne", m.load("p", item, integer(fields.dtype // 8)), expected))
        ndim = m.load("i32", item, integer(fields.ndim // 4))
        low.stop_if(m.compare("ne", ndim, Number("i32", kind.ndim)))
        flags = m.load("i32", item, integer(fields.flags // 4))
        needed = Number("i32", fields.plain if ordered else fields.plain & ~1)
        low.stop_if(m.compare("ne", m.binary("and", flags, needed), needed))
        pointer = m.load("p", item, integer(fields.data // 8))
        at = m.load("p", item, integer(fields.lengths // 8))
        lengths: list[Operand] = []
        for i, is_one in enumerate(kind.broadcastable):
            n = m.load("i64", at, integer(i))
            if is_one:
                low.stop_if(m.compare("ne", n, ONE))
            else:
                low.known_at(n, level)
            lengths.append(ONE if is_one else n)
        if ordered:
            result: Array = low.whole(dtype, pointer, lengths, level)
            return result
        at = m.load("p", item, integer(fields.strides // 8))
        size = integer(dtype.itemsize)
        strides = [m.binary("div", m.load("i64", at, integer(i)), size) for i in range(kind.ndim)]
    return Array(dtype, lengths, strides, pointer, level=level, flat=False, ordered=False)
