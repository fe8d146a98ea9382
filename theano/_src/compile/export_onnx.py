"""A compiled function as an ONNX model, which other runtimes load without Python."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theano._src.compile.function_object import Function
from theano._src.compile.maker import std_fgraph
from theano._src.compile.onnx_ops.context import Export, line_of
from theano._src.compile.onnx_ops.table import form_of, names
from theano._src.compile.onnx_ops.writer import Value
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply
from theano._src.ground.version import release
from theano._src.rewrite.database import Query
from theano._src.rules.ifelse.branches import lazy_branches
from theano._src.rules.pipeline import rewrite
from theano._src.types.scalar import Scalar
from theano._src.types.tensor import TensorType

#: of 2022 and 2023: what runtimes have had time to implement
OPSET, IR_VERSION = 18, 8
#: what a file of protobuf can hold
_MOST_BYTES = 2**31 - 1
#: rewrites after which ops are still those of the user, in forms that keep their digits
_QUERY = Query(
    ["merge", "canonicalize", "stabilize", "inline_ofg_expansion"], exclude=["fusion", "inplace"]
)

#: lengths of the dimensions of an input: a number, a name, or None for a name of its own
Dims = Sequence[int | str | None]


def export_onnx(
    f: Function,
    path: str | os.PathLike[str],
    *,
    dims: Mapping[str, Dims] | None = None,
    dtype: str | None = None,
) -> str:
    """Write a compiled function as an ONNX model.

    Parameters
    ----------
    f : compiled function
        Without updates: a model has no state.
    path : str or path
        The file to write; it is there whole, or as it was.
    dims : dict, optional
        By name of an input, a number or a name for each of its dimensions. Others are named after
        the input, and may have any length: ``x_0``. Dimensions of one name have one length.
    dtype : {'float32', 'float16'}, optional
        Write float64 as this dtype: few operators of ONNX Runtime take float64, convolution not.

    Returns
    -------
    str
        The path.

    Raises
    ------
    NotImplementedError
        If an op has no form in ONNX; the text has each, with the user's line, and what there is.
    ValueError
        If the function updates shared variables.
    ImportError
        If the package ``onnx`` is not installed.

    Notes
    -----
    Shared variables are initializers of their names, with the values that they have now; filters
    of convolutions are flipped, since Conv does not flip them, and are called ``w_flipped``.
    Checks (``Assert``, lengths that must agree) are left out, as are views for gradients. Sums of
    float32 are computed in float32.

    Examples
    --------
    >>> import numpy as np, theano, theano.tensor as T
    >>> from theano._src.compile.export_onnx import export_onnx
    >>> x = T.fmatrix("x")
    >>> w = theano.shared(np.float32([[1], [2]]), "w")
    >>> f = theano.function([x], T.tanh(T.dot(x, w)))
    >>> import os, tempfile
    >>> path = export_onnx(f, os.path.join(tempfile.mkdtemp(), "f.onnx"))
    >>> import onnx
    >>> [node.op_type for node in onnx.load(path).graph.node]
    ['MatMul', 'Tanh']
    """
    if not isinstance(f, Function):
        raise TypeError(f"export_onnx takes a compiled function, got {f!r}; compile it first")
    if dtype not in (None, "float32", "float16"):
        raise ValueError(f"export_onnx takes 'float32' or 'float16' as dtype, got {dtype!r}")
    _refuse_updates(f)
    model = _model(f, dims or {}, {} if dtype is None else {"float64": dtype})
    _checked(model)
    _written(model.SerializeToString(), path)
    return str(os.fspath(path))


def _onnx() -> Any:
    try:
        import onnx
    except ImportError as error:
        raise ImportError(
            "writing an ONNX model takes the package onnx: pip install theano-xla[onnx]"
        ) from error
    return onnx


def _refuse_updates(f: Function) -> None:
    updated = [spec.variable for spec in f.maker.inputs if spec.update is not None]
    if updated:
        raise ValueError(
            f"export_onnx takes a function without updates, got one that updates "
            f"{', '.join(map(str, updated))}: an ONNX model has no state. Compile a function of "
            "the outputs alone, or with the new values among its outputs"
        )


def _graph(f: Function) -> FunctionGraph:
    """The user's graph, rewritten to what is simple and exact, and to nothing of an engine."""
    origin = f.maker.origin
    if origin is None:
        made: FunctionGraph = f.maker.fgraph.clone()
    else:
        specs, results, accept_inplace, _ = origin
        made, _ = std_fgraph(specs, results, accept_inplace)
    rewrite(made, _QUERY)
    lazy_branches(made)
    return made


def _model(f: Function, dims: Mapping[str, Dims], dtypes: Mapping[str, str]) -> Any:
    helper = _onnx().helper
    graph = _graph(f)
    to = Export(form_of, dtypes)
    inputs = _inputs(f, graph, to, dims)
    outputs = list(graph.outputs[: len(f.maker.outputs)])
    wanted = [
        to.info(to.to.name(name), v, _lengths(name, v, None))
        for name, v in zip(_output_names(f), outputs, strict=True)
    ]
    made = to.run(graph.toposort(), outputs)
    _refuse(to.refused)
    # a function that was given no name is called by the file and line of its making
    name = os.path.basename(f.name or "theano")
    body = to.to.closed(name, inputs, made, wanted).proto
    return helper.make_model(
        body,
        producer_name="theano-xla",
        producer_version=release,
        ir_version=IR_VERSION,
        opset_imports=[helper.make_opsetid("", OPSET)],
    )


def _inputs(f: Function, graph: FunctionGraph, to: Export, dims: Mapping[str, Dims]) -> list[Any]:
    """Declare inputs and numbers; an input that has a default value has an initializer too."""
    infos = []
    unknown = set(dims)
    for i, (spec, container, v) in enumerate(
        zip(f.maker.inputs, f.input_storage, graph.inputs, strict=True)
    ):
        name = spec.name or v.name or (f"shared_{i}" if spec.shared else f"input_{i}")
        if not isinstance(v.type, TensorType | Scalar):
            raise NotImplementedError(
                f"export_onnx takes inputs and shared variables that are tensors, got {name} of "
                f"{v.type}"
            )
        value = container.value
        if spec.shared:
            to.set(v, to.to.initializer(name, np.asarray(value, to.dtype(v))))
            continue
        own = to.to.name(name)
        infos.append(to.info(own, v, _lengths(own, v, dims.get(name))))
        unknown.discard(name)
        to.set(v, Value(to.to, own, to.dtype(v)))
        if value is not None:
            to.to.initializers[own] = np.asarray(value, to.dtype(v))
    if unknown:
        raise ValueError(
            f"dims has {', '.join(sorted(unknown))}, which the function does not take; its inputs "
            f"are {', '.join(info.name for info in infos)}"
        )
    return infos


def _lengths(name: str, v: Any, given: Dims | None) -> list[int | str]:
    """What is said of the dimensions of an input or output: 1, what is given, or a name."""
    ones = v.type.broadcastable if isinstance(v.type, TensorType) else ()
    if given is not None and len(given) != len(ones):
        raise ValueError(f"{name} has {len(ones)} dimensions, got {len(given)} in dims: {given}")
    return [
        1 if one else d if d is not None else f"{name}_{i}"
        for i, (one, d) in enumerate(zip(ones, given or [None] * len(ones), strict=True))
    ]


def _output_names(f: Function) -> list[str]:
    keys = f.maker.output_keys
    if keys is not None:
        return [str(k) for k in keys]
    return [o.variable.name or f"output_{i}" for i, o in enumerate(f.maker.outputs)]


def _refuse(refused: Sequence[tuple[Apply, str]]) -> None:
    if not refused:
        return
    lines = []
    for node, why in refused:
        at = line_of(node)
        lines.append(
            f"  {node.op} ({type(node.op).__name__})"
            + (f", made at {at}" if at else "")
            + (f": {why}" if why else "")
        )
    raise NotImplementedError(
        "export_onnx has no form in ONNX for\n"
        + "\n".join(dict.fromkeys(lines))
        + f"\nNothing was written. There are forms for {', '.join(names())}, and for elementwise "
        "ops whose formula is made of elementwise operators of ONNX"
    )


def _checked(model: Any) -> None:
    onnx = _onnx()
    size = model.ByteSize()
    if size > _MOST_BYTES:
        raise ValueError(
            f"an ONNX model is a file of at most 2 GiB, got {size} bytes: its shared variables are "
            "part of it. Export parts of the function, or float64 as dtype='float32'"
        )
    onnx.checker.check_model(model, full_check=True)


def _written(data: bytes, path: str | os.PathLike[str]) -> None:
    """Beside the file first, and then in its place."""
    path = os.fspath(path)
    folder = os.path.dirname(os.path.abspath(path))
    handle, temporary = tempfile.mkstemp(".onnx", ".part-", folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
