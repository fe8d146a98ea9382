"""Functions as files for programs without Theano."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from theano._src.compile.function_object import Function
from theano._src.graph.graph import Variable
from theano._src.ground.documented import documented_in

_PACKAGE = "theano._src.compile.export"
#: by format: the suffix that stands for it, and the writer
_WRITERS = {
    "numpy": (".py", "export_numpy", "export_numpy"),
    "stablehlo": (".stablehlo", "export_stablehlo", "export_stablehlo"),
    "stablehlo-text": (".mlir", "export_stablehlo", "export_text"),
    "onnx": (".onnx", "export_onnx", "export_onnx"),
}
_SUFFIXES = {suffix: name for name, (suffix, _, _) in _WRITERS.items()}


@documented_in("theano")
def export(f: Any, path: Any, format: str | None = None, **options: Any) -> str | None:
    """Write a function to a file that runs without Theano.

    Parameters
    ----------
    f : compiled function, variable, or list of variables
    path : path
        Its suffix says what is written. None with ``format="stablehlo-text"``, whose text is
        returned.
    format : str, optional
        Instead of the suffix: ``"numpy"`` (``.py``), a module with one function that needs NumPy
        alone, and its arrays beside it, as ``.npz``; ``"stablehlo"`` (``.stablehlo``), for
        ``jax.export.deserialize``; ``"stablehlo-text"`` (``.mlir``), the same as text; ``"onnx"``
        (``.onnx``), for ONNX Runtime and others.
    inputs, givens : optional
        Of expressions, as for ``as_jax``.
    params : bool, or list of shared variables
        The shared variables whose values are the first argument, a dict by name; their present
        values are written beside the file, as ``.npz``. Others are constants of the file. A
        function with updates takes ``params=True``, and gives the outputs and the new values.
    shapes : dict, optional
        For inputs, or their names: lengths as numbers or names, ``{x: ("n", 784)}``. A name holds
        for every length from 1. All that is not given is symbolic, but what the graph fixes.
    constraints : list of str, optional
        Bounds of symbolic lengths, such as ``"n >= 5"``.
    platforms : list of str, optional
        StableHLO: what it is lowered for, such as ``("cpu", "cuda", "tpu")``; the present one else.
    dtype : str, optional
        ONNX: write float64 as ``"float32"``, which more operators of runtimes take.

    Raises
    ------
    NotImplementedError, ValueError
        If the function cannot be written; nothing is written then.

    Notes
    -----
    Files are written whole or not at all, and nothing in them is pickled.

    Examples
    --------
    >>> import runpy, tempfile, numpy as np, theano, theano.tensor as T
    >>> x = T.fmatrix("x")
    >>> f = theano.function([x], x.sum(axis=1))
    >>> path = tempfile.mkdtemp() + "/sums.py"
    >>> theano.export(f, path)
    >>> runpy.run_path(path)["sums"](np.ones((3, 2), "float32")).tolist()
    [2.0, 2.0, 2.0]
    """
    if path is not None:
        path = Path(os.fspath(path))
    chosen = _SUFFIXES.get(path.suffix) if format is None and path is not None else format
    if chosen not in _WRITERS:
        known = ", ".join(f"{name} ({suffix})" for name, (suffix, _, _) in _WRITERS.items())
        raise ValueError(f"export writes {known}; got {path} with format={format!r}")
    if path is None and chosen != "stablehlo-text":
        raise TypeError(f"export with format={chosen!r} takes a path, got None")
    if path is not None and not path.parent.is_dir():
        raise FileNotFoundError(f"export writes {path.name} into {path.parent}, which is no folder")
    outputs = list(f.values()) if isinstance(f, dict) else f
    several = outputs if isinstance(outputs, list | tuple) else [outputs]
    if not isinstance(f, Function) and not all(isinstance(v, Variable) for v in several):
        raise TypeError(f"export takes a compiled function, or variables, got {f!r}")
    _, module, name = _WRITERS[chosen]
    written: str | None = getattr(import_module(f"{_PACKAGE}.{module}"), name)(f, path, **options)
    return written if path is None else None
