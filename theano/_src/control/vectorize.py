"""vectorize: apply a graph, or a function that builds one, over leading batch dimensions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from theano._src.control.batching import batched
from theano._src.graph.clone import rebuild
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.dimshuffle import pad_left
from theano._src.ops.shape.alloc import alloc
from theano._src.ops.shape.dims import patternbroadcast
from theano._src.ops.shape.shape import reshape, shape_i
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import TensorType, tensor_type


@documented_in("theano")
def vectorize(outputs: Any, replace: Mapping[Variable, Any]) -> Any:
    """Turn a graph for single values of some variables into a graph for batches of values.

    Parameters
    ----------
    outputs : Variable, or list or tuple of them
    replace : dict
        ``{variable: its values}``: tensors of the variable's dtype with additional leading
        dimensions, equally many and of the same lengths for all variables. A value without
        additional dimensions simply replaces its variable in the whole batch.

    Returns
    -------
    The outputs for each batch element, stacked, in the same structure as ``outputs``. Each has the
    additional leading dimensions. Variables that are not replaced are shared by the whole batch.

    >>> import theano, theano.tensor as T
    >>> x, w = T.dvectors("xw")
    >>> xs = T.dmatrix("xs")
    >>> many = theano.vectorize(T.dot(x, w) ** 2, {x: xs})
    >>> many.eval({xs: [[1, 2], [3, 4]], w: [1, 1]}).tolist()
    [9.0, 49.0]
    """
    many = isinstance(outputs, (list, tuple))
    outs = list(outputs) if many else [outputs]
    for v in (*outs, *replace):
        if not isinstance(v, Variable):
            raise TypeError(f"vectorize takes Variables as outputs and replaced, got {v!r}")
    batched_inputs: dict[Variable, Any] = {}
    plain: dict[Variable, Any] = {}
    for v, value in replace.items():
        x, new = _as_values(v, value)
        (batched_inputs if new else plain)[v] = x if new else v.type.filter_variable(x)
    result = {v: x.ndim - v.type.ndim for v, x in batched_inputs.items()}
    if len(set(result.values())) != 1:
        text = ", ".join(f"{n} for {v}" for v, n in result.items()) or "none"
        raise ValueError(
            f"vectorize takes equally many further dimensions for all variables, got {text}; "
            "pad with dimshuffle and stretch with alloc"
        )
    out = _over(outs, batched_inputs, plain, next(iter(result.values())))
    return (tuple(out) if isinstance(outputs, tuple) else out) if many else out[0]


def _as_values(v: Variable, value: Any) -> tuple[Any, int]:
    """Return values as a tensor, and the number of dimensions they have in addition to ``v``."""
    if not isinstance(v.type, TensorType):
        raise TypeError(f"vectorize replaces tensors, got {v} of {v.type}")
    x = as_tensor_variable(value)
    if x.dtype != v.type.dtype or x.ndim < v.type.ndim:
        raise TypeError(
            f"vectorize takes a {v.type.dtype} tensor of at least {v.type.ndim} dimensions in "
            f"place of {v}, got {x} of {x.type}; cast or pad it"
        )
    return x, x.ndim - v.type.ndim


def _over(
    outs: Sequence[Any],
    batched_inputs: Mapping[Variable, Any],
    plain: Mapping[Variable, Any],
    new: int,
) -> list[Any]:
    """Return ``outs`` over ``new`` leading dimensions, which are flattened into one."""
    values = list(batched_inputs.values())
    if len(values) > 1:
        # not broadcastable, or a length 1 would be broadcast against a longer one
        lead = (False,) * new
        values = [patternbroadcast(x, (*lead, *x.broadcastable[new:])) for x in values]
        values = SameRows(new, len(values))(*values, return_list=True)
    if new == 1:
        return batched(outs, dict(zip(batched_inputs, values, strict=True)), plain)
    lengths = [shape_i(values[0], i) for i in range(new)]
    flat = []
    for x in values:
        row = [shape_i(x, i) for i in range(new, x.ndim)]
        rows = reshape(x, [_product(lengths), *row], ndim=1 + len(row))
        flat.append(patternbroadcast(rows, (False, *x.broadcastable[new:])))
    done = []
    for out in batched(outs, dict(zip(batched_inputs, flat, strict=True)), plain):
        row = [shape_i(out, i) for i in range(1, out.ndim)]
        whole = reshape(out, [*lengths, *row], ndim=new + len(row))
        done.append(patternbroadcast(whole, ((False,) * new) + out.broadcastable[1:]))
    return done


def _product(lengths: Sequence[Any]) -> Any:
    total = lengths[0]
    for n in lengths[1:]:
        total = total * n
    return total


class SameRows(Op):
    """Identity on its inputs; checks that their first ``ndim`` dimensions have the same lengths."""

    __props__ = ("ndim",)

    def __init__(self, ndim: int, nin: int) -> None:
        self.ndim = ndim
        self.view_map = {i: [i] for i in range(nin)}

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, inputs, [x.type() for x in inputs])

    def compute(self, xp: ArrayNamespace, *inputs: Array) -> Any:
        results = [x.shape[: self.ndim] for x in inputs]
        if any(lengths != results[0] for lengths in results):
            raise ValueError(
                "vectorize takes replacements with the same lengths in their leading "
                f"dimensions, got {', '.join(map(str, results))}"
            )
        return inputs if len(inputs) > 1 else inputs[0]

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        lead = shapes[0][: self.ndim]
        return [(*lead, *shape[self.ndim :]) for shape in shapes]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        many = range(len(node.inputs))
        return [[i == j for j in many] for i in many]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return output_grads

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return eval_points


_CORE = re.compile(r"\(\s*(?:\w+\s*(?:,\s*\w+\s*)*)?\)")


def _core_dims(text: str, signature: str) -> list[list[str]]:
    """Return the dimension names in each pair of parentheses of one side of a signature."""
    result = _CORE.findall(text)
    if re.sub(r"\s", "", text) != ",".join(re.sub(r"\s", "", one) for one in result):
        raise ValueError(f"vectorize takes a signature such as '(n,k),(k)->(n)', got {signature!r}")
    return [re.findall(r"\w+", one) for one in result]


@documented_in("theano.tensor")
def vectorize_function(
    function: Callable[..., Any], signature: str | None = None
) -> Callable[..., Any]:
    """Return a function that broadcasts ``function`` over leading dimensions, as in NumPy.

    Parameters
    ----------
    function : callable
        Takes variables with the dimensions in the signature, and returns one or several.
    signature : str, optional
        The dimensions of one call, such as ``'(n,k),(k)->(n)'``; scalars by default.

    Returns
    -------
    callable
        Takes tensors with any number of additional leading dimensions. They broadcast against each
        other as in NumPy, but their types determine which dimensions are broadcast.

    >>> import theano.tensor as T
    >>> x, y = T.dmatrix("x"), T.dvector("y")
    >>> cosine = T.vectorize(lambda a, b: T.dot(a, b) / (a.norm(2) * b.norm(2)), "(n),(n)->()")
    >>> cosine(x, y).eval({x: [[0, 2], [3, 0]], y: [0, 5]}).tolist()
    [1.0, 0.0]
    """
    ins: list[list[str]] | None = None
    outs: list[list[str]] = []
    if signature is not None:
        left, arrow, right = signature.partition("->")
        if not arrow:
            raise ValueError(f"vectorize takes a signature with '->', got {signature!r}")
        ins, outs = _core_dims(left, signature), _core_dims(right, signature)

    def vectorized(*args: Any) -> Any:
        if ins is not None and len(args) != len(ins):
            raise TypeError(f"{signature!r} takes {len(ins)} arguments, got {len(args)}")
        xs = [as_tensor_variable(a) for a in args]
        cores = [len(names) for names in ins] if ins is not None else [0] * len(xs)
        for x, core in zip(xs, cores, strict=True):
            if x.ndim < core:
                raise ValueError(
                    f"{signature!r} takes at least {core} dimensions here, got {x} of {x.type}"
                )
        vs = [
            tensor_type(x.dtype, x.broadcastable[x.ndim - core :])()
            for x, core in zip(xs, cores, strict=True)
        ]
        result = function(*vs)
        many = isinstance(result, (list, tuple))
        results = [as_tensor_variable(m) for m in (result if many else [result])]
        if signature is not None and [m.ndim for m in results] != [len(names) for names in outs]:
            raise ValueError(
                f"the function gives outputs as {signature!r} says, got "
                f"{[m.ndim for m in results]} dimensions"
            )
        done = _stretched(results, vs, xs, cores)
        return type(result)(done) if many else done[0]

    return vectorized


def _stretched(
    results: list[Any], vs: Sequence[Any], xs: Sequence[Any], cores: Sequence[int]
) -> list[Any]:
    """Return ``results``, functions of ``vs``, over the broadcast leading dimensions of ``xs``."""
    new = max((x.ndim - core for x, core in zip(xs, cores, strict=True)), default=0)
    plain: dict[Variable, Any] = {}
    batched_inputs: dict[Variable, Any] = {}
    for v, x, core in zip(vs, xs, cores, strict=True):
        (plain if x.ndim == core else batched_inputs)[v] = (
            x if x.ndim == core else pad_left(x, core + new)
        )
    if not new:
        return rebuild(results, plain)
    leads: list[Any] = [1] * new
    for x in reversed(list(batched_inputs.values())):
        leads = [n if x.broadcastable[i] else shape_i(x, i) for i, n in enumerate(leads)]
    stretches = [all(x.broadcastable[i] for x in batched_inputs.values()) for i in range(new)]
    for v, x in batched_inputs.items():
        if any(x.broadcastable[i] and not stretches[i] for i in range(new)):
            lead = [n if x.broadcastable[i] else shape_i(x, i) for i, n in enumerate(leads)]
            row = [shape_i(x, i) for i in range(new, x.ndim)]
            pattern = (*[False] * new, *x.broadcastable[new:])
            batched_inputs[v] = patternbroadcast(alloc(x, *lead, *row), pattern)
    result = _over(results, batched_inputs, plain, new)
    return [patternbroadcast(m, (*stretches, *m.broadcastable[new:])) for m in result]
