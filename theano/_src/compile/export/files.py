"""theano.export: write a function to a file that runs without Theano."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from theano._src.compile.function_object import Function
from theano._src.graph.graph import Variable
from theano._src.ground.documented import documented_in

_PACKAGE = "theano._src.compile.export"
#: for each format, its suffix, and the module and name of the writer
_WRITERS = {
    "numpy": (".py", "export_numpy", "export_numpy"),
    "stablehlo": (".stablehlo", "export_stablehlo", "export_stablehlo"),
    "stablehlo-text": (".mlir", "export_stablehlo", "export_text"),
    "onnx": (".onnx", "export_onnx", "export_onnx"),
    "c": (".c", "export_c", "export_c"),
}
_SUFFIXES = {suffix: name for name, (suffix, _, _) in _WRITERS.items()}


@documented_in("theano")
def export(f: Any, path: Any, format: str | None = None, **options: Any) -> str | None:
    """Write a function to a file that runs without Theano.

    Parameters
    ----------
    f : compiled function, variable, or list of variables
    path : path
        Its suffix chooses the format. May be None with ``format="stablehlo-text"``, which then
        returns the text.
    format : str, optional
        Overrides the suffix. ``"numpy"`` (``.py``): a module with one function that needs only
        NumPy, with its arrays in an ``.npz`` file next to it. ``"stablehlo"`` (``.stablehlo``): for
        ``jax.export.deserialize``. ``"stablehlo-text"`` (``.mlir``): the same as text. ``"onnx"``
        (``.onnx``): for ONNX Runtime and others. ``"c"`` (``.c``): C99 with a header, which needs
        libm alone. It also takes a list or a dict of compiled functions.
    inputs, givens : optional
        For expressions, as in ``as_jax``.
    params : bool, or list of shared variables
        The shared variables that become the first argument, a dict of values by name. Their
        current values are written next to the file, as ``.npz``. Other shared variables become
        constants. A function with updates needs ``params=True``; the exported function returns
        the outputs and the new values.
    shapes : dict, optional
        For inputs or their names: lengths as numbers or names, ``{x: ("n", 784)}``. A name stands
        for any length of at least 1. Other lengths are symbolic, unless the graph fixes them.
    constraints : list of str, optional
        Bounds of symbolic lengths, such as ``"n >= 5"``.
    platforms : list of str, optional
        StableHLO: the platforms to lower for, such as ``("cpu", "cuda", "tpu")``; by default the
        current one.
    dtype : str, optional
        ONNX and C: write float64 as ``"float32"``.
    cblas, main, cmake, ctypes : bool, optional
        C: let CBLAS multiply matrices; also write a program, a CMake file, or a loader for
        ``ctypes``.

    Raises
    ------
    NotImplementedError, ValueError
        If the function cannot be exported; then nothing is written.

    Notes
    -----
    Files are written atomically, and contain no pickles.

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
    kinds = (Variable, Function) if chosen == "c" else Variable
    if not isinstance(f, Function) and not all(isinstance(v, kinds) for v in several):
        raise TypeError(f"export takes a compiled function, or variables, got {f!r}")
    _, module, name = _WRITERS[chosen]
    written: str | None = getattr(import_module(f"{_PACKAGE}.{module}"), name)(f, path, **options)
    return written if path is None else None
