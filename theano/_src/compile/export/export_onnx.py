"""Export a compiled function as an ONNX model, which other runtimes load without Python."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from theano._src.compile.export.onnx_ops.context import Export, line_of
from theano._src.compile.export.onnx_ops.table import form_of, names
from theano._src.compile.export.onnx_ops.writer import Value
from theano._src.compile.files.loaded_function import LoadedFunction
from theano._src.compile.function import function
from theano._src.compile.function_object import Function
from theano._src.compile.maker import std_fgraph
from theano._src.compile.mode import Mode
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.walk import roots_of
from theano._src.ground.atomic_files import write_all
from theano._src.ground.packages import load_for
from theano._src.ground.version import release
from theano._src.rewrite.database import Query
from theano._src.rules.ifelse.branches import lazy_branches
from theano._src.rules.pipeline import rewrite
from theano._src.types.scalar import Scalar
from theano._src.types.shared import SharedVariable
from theano._src.types.tensor import TensorType

#: versions of 2022 and 2023, which runtimes have had time to implement
OPSET, IR_VERSION = 18, 8
#: the size limit of protobuf files
_MOST_BYTES = 2**31 - 1
#: rewrites that keep the user's ops, in numerically stable forms
_QUERY = Query(
    ["merge", "canonicalize", "stabilize", "inline_ofg_expansion"],
    exclude=[
        # ONNX has no erfc, and runtimes recognize 1 + erf(x) as a part of GELU
        *("one_minus_erf", "one_plus_erf", "erf_minus_one", "erf_less_one"),
        # two slices are simpler than one with the bounds of both
        "local_subtensor_merge",
    ],
)

#: lengths of the dimensions of an input: a number, or a name
Lengths = Sequence[int | str]


def export_onnx(
    f: Any,
    path: str | os.PathLike[str],
    *,
    inputs: Sequence[Variable] | None = None,
    givens: Any = None,
    shapes: Mapping[Any, Lengths] | None = None,
    dtype: str | None = None,
) -> None:
    """Write a function as an ONNX model, which runtimes load without Python.

    Parameters
    ----------
    f : compiled function, variable, or list of variables
        Without updates: a model has no state.
    path : path
        The file; it is written atomically.
    inputs, givens : optional
        For expressions, as in ``as_jax``.
    shapes : dict, optional
        For inputs or their names: lengths as numbers or names, ``{x: ("n", 784)}``. Other
        dimensions may have any length, and are named after the input: ``x_0``.
    dtype : {'float32', 'float16'}, optional
        Write float64 as this dtype: few operators of ONNX Runtime support float64, and
        convolution does not.

    Raises
    ------
    NotImplementedError
        If an op has no ONNX form. The message lists each such op with its source line, and all
        supported ops.
    ValueError
        If the function updates shared variables.
    ImportError
        If the package ``onnx`` is not installed.

    Notes
    -----
    Shared variables become initializers with their names and current values. Filters of
    convolutions are flipped, since Conv does not flip them, and are named ``w_flipped``.
    Checks (``Assert``, lengths that must agree) are left out. Sums of float32 are computed in
    float32. How extremes and sorting treat NaN depends on the runtime.

    Examples
    --------
    >>> import os, tempfile, onnx, numpy as np, theano, theano.tensor as T
    >>> from theano._src.compile.export.export_onnx import export_onnx
    >>> x = T.fmatrix("x")
    >>> w = theano.shared(np.float32([[1], [2]]), "w")
    >>> path = os.path.join(tempfile.mkdtemp(), "f.onnx")
    >>> export_onnx(theano.function([x], T.tanh(T.dot(x, w))), path)
    >>> [node.op_type for node in onnx.load(path).graph.node]
    ['MatMul', 'Tanh']
    """
    if dtype not in (None, "float32", "float16"):
        raise ValueError(f"export_onnx takes 'float32' or 'float16' as dtype, got {dtype!r}")
    _onnx()
    compiled = _compiled(f, inputs, givens)
    _refuse_updates(compiled)
    model = _model(compiled, shapes or {}, {} if dtype is None else {"float64": dtype})
    _checked(model)
    write_all({Path(path): model.SerializeToString()})


def _compiled(f: Any, inputs: Sequence[Variable] | None, givens: Any) -> Function:
    f = f.compiled if isinstance(f, LoadedFunction) else f
    if isinstance(f, Function):
        if inputs is not None or givens is not None:
            raise TypeError("export_onnx of a compiled function has its inputs: leave inputs out")
        return f
    every = f if isinstance(f, list | tuple) else [f]
    if not all(isinstance(v, Variable) for v in every):
        raise TypeError(f"export_onnx takes a compiled function or variables, got {f!r}")
    if inputs is None:
        roots = roots_of(every)
        inputs = [v for v in roots if not isinstance(v, SharedVariable | Constant)]
    result: Function = function(
        list(inputs), f, givens=givens, on_unused_input="ignore", mode=Mode("py", None)
    )
    return result


def _onnx() -> Any:
    return load_for("theano.export of an ONNX model", "onnx")


def _refuse_updates(f: Function) -> None:
    updated = [spec.variable for spec in f.maker.inputs if spec.update is not None]
    if updated:
        raise ValueError(
            f"export_onnx takes a function without updates, got one that updates "
            f"{', '.join(map(str, updated))}: an ONNX model has no state. Compile a function of "
            "the outputs alone, or with the new values among its outputs"
        )


def _graph(f: Function) -> FunctionGraph:
    """The user's graph, rewritten to simple and exact forms, without engine-specific ops."""
    specs, results, accept_inplace, _ = f.maker.origin
    fgraph, _ = std_fgraph(specs, results, accept_inplace)
    rewrite(fgraph, _QUERY)
    lazy_branches(fgraph)
    return fgraph


def _model(f: Function, shapes: Mapping[Any, Lengths], dtypes: Mapping[str, str]) -> Any:
    helper = _onnx().helper
    graph = _graph(f)
    to = Export(form_of, dtypes)
    infos = _inputs(f, graph, to, _by_position(f, shapes))
    outputs = list(graph.outputs[: len(f.maker.outputs)])
    wanted = [
        to.info(to.to.name(name), v) for name, v in zip(_output_names(f), outputs, strict=True)
    ]
    result = to.run(graph.toposort(), outputs)
    _refuse(to.refused)
    # the default name of a function is the path and line of its compilation
    name = os.path.basename(f.name or "theano")
    model = helper.make_model(
        to.to.closed(name, infos, result, wanted).proto,
        producer_name="theano-xla",
        producer_version=release,
        ir_version=IR_VERSION,
        opset_imports=[helper.make_opsetid("", OPSET)],
    )
    _name_lengths(model, outputs)
    return model


def _name_lengths(model: Any, outputs: Sequence[Variable]) -> None:
    """Set the lengths of outputs that ONNX infers from the inputs, and name the others."""
    known = {d.dim_param for info in model.graph.input for d in info.type.tensor_type.shape.dim}
    inferred = _onnx().shape_inference.infer_shapes(model, data_prop=True).graph.output
    for info, result, v in zip(model.graph.output, inferred, outputs, strict=True):
        own = _lengths(info.name, v, None)
        for dim, better, name in zip(
            info.type.tensor_type.shape.dim, result.type.tensor_type.shape.dim, own, strict=True
        ):
            if better.dim_value or better.dim_param in known - {""}:
                dim.CopyFrom(better)
            elif isinstance(name, int):
                dim.dim_value = name
            else:
                dim.dim_param = name


def _by_position(f: Function, shapes: Mapping[Any, Lengths]) -> dict[int, Lengths]:
    """The given lengths of inputs, by position of the input."""
    free = [(i, spec) for i, spec in enumerate(f.maker.inputs) if not spec.shared]
    result: dict[int, Lengths] = {}
    for key, lengths in shapes.items():
        at = [
            i for i, spec in free if key is spec.variable or key in (spec.name, spec.variable.name)
        ]
        if not at:
            takes = ", ".join(str(spec.variable) for _, spec in free)
            raise ValueError(f"shapes has {key}, and the inputs are {takes}")
        result[at[0]] = lengths
    return result


def _inputs(
    f: Function, graph: FunctionGraph, to: Export, shapes: Mapping[int, Lengths]
) -> list[Any]:
    """Declare inputs and initializers; an input with a default value has an initializer too."""
    infos = []
    for i, (spec, container, v) in enumerate(
        zip(f.maker.inputs, f.input_storage, graph.inputs, strict=True)
    ):
        name = spec.name or v.name or (f"shared_{i}" if spec.shared else f"input_{i}")
        if not isinstance(v.type, TensorType | Scalar) or v.type.dtype.startswith("complex"):
            raise NotImplementedError(
                "export_onnx takes inputs and shared variables that are tensors of real numbers, "
                f"got {name} of {v.type}"
            )
        value = container.value
        if spec.shared:
            to.set(v, to.to.initializer(name, np.asarray(value, to.dtype(v))))
            continue
        own = Value(to.to, to.to.name(name), to.dtype(v))
        infos.append(to.info(own.name, v, _lengths(own.name, v, shapes.get(i))))
        to.set(v, own)
        if value is not None:
            to.to.initializers[own.name] = np.asarray(value, to.dtype(v))
    return infos


def _lengths(name: str, v: Variable, given: Lengths | None) -> list[int | str]:
    """The lengths of an input or output: the given ones, or 1 if broadcastable, or a name."""
    ones = v.type.broadcastable if isinstance(v.type, TensorType) else ()
    if given is not None and len(given) != len(ones):
        raise ValueError(
            f"shapes takes {len(ones)} lengths for {name}, as numbers or names, got {given!r}"
        )
    own = [1 if one else f"{name}_{i}" for i, one in enumerate(ones)]
    return own if given is None else list(given)


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
