"""Export a function as StableHLO, serialized by jax.export (ADR 21)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from theano._src.compile.export.export_shapes import OpenShapes, Shapes, open_shapes
from theano._src.compile.function_object import Function
from theano._src.compile.jax.as_jax import JaxFunction, as_jax
from theano._src.engines.export import exporting
from theano._src.engines.jax.backend import needs_jax
from theano._src.engines.xla.as_jax import LengthOfValue
from theano._src.ground.atomic_files import write_all
from theano._src.ground.packages import load_for
from theano._src.types.shared import SharedVariable
from theano._src.types.tensor import TensorType


def export_stablehlo(
    f: Any,
    path: Path,
    *,
    inputs: Any = None,
    givens: Any = None,
    params: bool | Sequence[SharedVariable] = False,
    shapes: Shapes | None = None,
    constraints: Sequence[str] = (),
    platforms: Sequence[str] | None = None,
) -> None:
    """Write a file for ``jax.export.deserialize``, and an npz file of the parameters next to it."""
    needs_jax("export to StableHLO")
    load_for("theano.export of a StableHLO file", "flatbuffers")
    function = as_function(f, inputs, givens, params)
    result = exported(function, shapes, constraints, platforms)
    arrays = {path.with_suffix(".npz"): npz(function.params)} if function.params else {}
    write_all({**arrays, path: bytes(result.serialize())})


def export_text(f: Any, path: Path | None, **options: Any) -> str:
    """Return the StableHLO of a function as MLIR text; write it to ``path`` if that is not None."""
    needs_jax("export to StableHLO")
    split = {k: options.pop(k, None) for k in ("inputs", "givens", "params")}
    function = as_function(f, split["inputs"], split["givens"], split["params"] or False)
    text: str = exported(function, **options).mlir_module()
    if path is not None:
        write_all({path: text.encode()})
    return text


def as_function(
    f: Any, inputs: Any, givens: Any, params: bool | Sequence[SharedVariable]
) -> JaxFunction:
    """Convert a compiled function, or expressions, to a function for jax without state."""
    if isinstance(f, Function) and f.maker.fgraph.update_mapping and not params:
        fgraph = f.maker.fgraph
        held = ", ".join(str(f.maker.inputs[i].variable) for i in fgraph.update_mapping.values())
        raise ValueError(
            f"export of what updates shared variables ({held}) takes params=True, and gives the "
            "outputs and the new values of all: a file has no state. Without the updates, export "
            "a function of the outputs alone"
        )
    function = as_jax(f, inputs, params=params, givens=givens)
    for v in function.fgraph.inputs:
        if not isinstance(v.type, TensorType):
            raise NotImplementedError(
                f"export takes arrays, and {v} is a {v.type}; use MRG streams for random draws"
            )
    return function


def exported(
    function: JaxFunction,
    shapes: Shapes | None = None,
    constraints: Sequence[str] = (),
    platforms: Sequence[str] | None = None,
) -> Any:
    """Export a function with jax.export; lengths that are not given are symbolic."""
    result = open_shapes(function, shapes)
    try:
        return exporting.exported(
            function,
            function.params,
            exporting.symbolic_shapes(result.shapes, constraints),
            [v.type.numpy_dtype for v in function.inputs],
            platforms,
        )
    except Exception as error:
        text = refused(error, result, function)
        if text is error:
            raise
        raise text from error


def refused(error: Exception, shapes: OpenShapes, function: JaxFunction) -> Exception:
    """An error that explains what cannot be exported, why, and what to do."""
    if isinstance(error, LengthOfValue):
        return NotImplementedError(
            f"export: lengths depend on the value of {error.variable}, which a file cannot know: "
            "export expressions with a constant for it, export(outputs, path, inputs=..., "
            f"givens={{{error.variable}: ...}})"
        )
    if isinstance(error, NotImplementedError) or not shapes.names:
        return error
    where = next((n for n in getattr(error, "__notes__", ()) if "raised this" in n), "")
    op = re.match(r"[\w<>]*", where)[0]  # type: ignore[index]
    text = str(error).strip().split("\n")[0]
    now = ", ".join(
        f"{v}: {shape}" for v, shape in zip(function.inputs, shapes.shapes, strict=True)
    )
    names = ", ".join(shapes.names)
    requested = next((n for n in shapes.names if re.search(rf"\b{n}\b", text)), shapes.names[0])
    result = ValueError(
        f"export: {op or 'the function'} cannot be written for every length {names} "
        f"({type(error).__name__}: {text}). It was tried with shapes={{{now}}}: give numbers for "
        f"some, or bounds such as constraints=['{requested} >= 8']"
    )
    if where:
        result.add_note(where.partition("\n")[2])
    return result


def npz(arrays: dict[str, Any]) -> bytes:
    """The content of an npz file with arrays by name; never pickled."""
    memory = BytesIO()
    np.savez(memory, allow_pickle=False, **{k: np.asarray(x) for k, x in arrays.items()})
    return memory.getvalue()
