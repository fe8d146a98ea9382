"""Export a function as a Python file for NumPy, and an npz file of its arrays (ADR 21)."""

from __future__ import annotations

import inspect
import keyword
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from theano._src.compile.export.export_shapes import OpenShapes, Shapes, open_shapes
from theano._src.compile.export.export_stablehlo import as_function, npz, refused
from theano._src.compile.jax.as_jax import JaxFunction
from theano._src.engines.export import exported_helpers
from theano._src.engines.export.exporting import symbolic_shapes
from theano._src.engines.export.recording import RecordedGraph
from theano._src.engines.export.source_array import Recorded
from theano._src.engines.export.source_text import Recorder, Use
from theano._src.engines.export.source_xp import SourceXp
from theano._src.ground.atomic_files import write_all
from theano._src.ground.version import __version__
from theano._src.types.shared import SharedVariable

_HELPERS = [n for n, f in vars(exported_helpers).items() if inspect.isfunction(f)]
_TAKEN = ("np", "scipy", "Path", "floordiv", "mod", "params", "parameters", *_HELPERS)


def export_numpy(
    f: Any,
    path: Path,
    *,
    inputs: Any = None,
    givens: Any = None,
    params: bool | Sequence[SharedVariable] = False,
    shapes: Shapes | None = None,
    constraints: Sequence[str] = (),
) -> None:
    """Write a module with one function that needs only NumPy, and its arrays next to it."""
    function = as_function(f, inputs, givens, params)
    result = open_shapes(function, shapes)
    try:
        text, arrays = Module(function, result, constraints, path).write()
    except Exception as error:
        message = refused(error, result, function)
        if message is error:
            raise
        raise message from error
    beside = {path.with_suffix(".npz"): npz(arrays)} if arrays else {}
    write_all({**beside, path: text.encode()})


class Module:
    """The builder of the text of an exported file."""

    def __init__(
        self, function: JaxFunction, shapes: OpenShapes, constraints: Sequence[str], path: Path
    ) -> None:
        self.function, self.open_shapes, self.constraints, self.path = (
            function,
            shapes,
            constraints,
            path,
        )
        stem = path.stem
        self.name = stem if stem.isidentifier() and not keyword.iskeyword(stem) else "call"
        self.recorder = Recorder((*_TAKEN, self.name, *shapes.names))
        self.xp = SourceXp(self.recorder)
        self.head: list[str] = []
        self.lengths: list[str] = []

    def write(self) -> tuple[str, dict[str, Any]]:
        """Return the text of the module, and the arrays of the npz file."""
        function = self.function
        graph = RecordedGraph(function.fgraph, self.xp)
        held = self._held()
        lengths = symbolic_shapes(self.open_shapes.shapes, self.constraints)
        places = [i for i in range(len(function.fgraph.inputs)) if i not in held]
        names = {
            i: v.name or f"in{n}"
            for n, (i, v) in enumerate(zip(places, function.inputs, strict=True))
        }
        result = graph.record(held, names, dict(zip(places, lengths, strict=True)))
        args = [str(ref.written) for ref in graph.arguments]
        self._take(args)
        self.recorder.where = None
        self._return(result)
        body = self._without_unread([*self.head, *self.recorder.write()])
        arrays = dict(self.xp.arrays)
        if function.names:
            arrays |= function.params
        return self._file(args, body), arrays

    def _without_unread(self, lines: list[str]) -> list[str]:
        """Drop the lines that define a length which no other line reads."""
        text = "\n".join(lines)
        unread = {n for n in self.lengths if len(re.findall(rf"\b{n}\b", text)) == 1}
        return [line for line in lines if line.strip().partition(" = ")[0] not in unread]

    def _held(self) -> dict[int, Recorded]:
        """Constants and parameters, by position in the graph."""
        result = {}
        for i, value in self.function.held_values().items():
            v = self.function.fgraph.inputs[i]
            name = self.function.names.get(i)
            if name is None:
                result[i] = self.xp.held(v.name or "shared", value)
                continue
            ref = self.recorder.given(name)
            kind = v.type.numpy_dtype.name
            self.head.append(
                f"    {ref.written} = given({name!r}, params[{name!r}], {kind!r}, {value.shape})"
            )
            self.xp.helpers["given"] = None
            result[i] = Recorded(self.xp, ref, value)
        return result

    def _take(self, args: Sequence[str]) -> None:
        """Write the lines that check the arguments and define their symbolic lengths."""
        self.xp.helpers["given"] = None
        named: set[str] = set()
        for arg, v, shape in zip(args, self.function.inputs, self.open_shapes.shapes, strict=True):
            new: dict[str, int] = {}
            texts = []
            for axis, n in enumerate(shape):
                symbols = set(re.findall(r"[A-Za-z_]\w*", str(n))) & set(self.open_shapes.names)
                if symbols <= named:
                    texts.append(str(n))
                elif n in symbols and n not in new:
                    new[str(n)] = axis
                    texts.append("None")
                else:
                    raise ValueError(f"export: no input before {v} has a length {n} of its own")
            comma = "," if len(texts) == 1 else ""
            kind = v.type.numpy_dtype.name
            self.head.append(
                f"    {arg} = given({arg!r}, {arg}, {kind!r}, ({', '.join(texts)}{comma}))"
            )
            for n, axis in new.items():
                self.head.append(f"    {n} = {arg}.shape[{axis}]")
                self.lengths.append(n)
            named |= set(new)
        for text in self.constraints:
            self.head.append(f"    if not {text}:")
            self.head.append(f"        raise ValueError({f'lengths must be such that {text}'!r})")

    def _return(self, results: Sequence[Any]) -> None:
        """Write the return statement: the outputs, and the new parameters if there are updates."""
        function, xp = self.function, self.xp
        n = function.output_count
        dtypes = [v.type.numpy_dtype.name for v in function.fgraph.outputs]
        outs = [
            ["np.asarray(", *xp.text(x), f", {d!r})"]
            for x, d in zip(results[:n], dtypes, strict=False)
        ]
        comma = ", " if n <= 3 else ",\n        "
        parts: list[str | Use] = []
        if function.keys is not None:
            for key, out in zip(function.keys, outs, strict=True):
                parts += [comma if parts else "{", f"{key!r}: ", *out]
            parts.append("}")
        elif function.single:
            parts += outs[0]
        else:
            for out in outs:
                parts += [comma if parts else "[", *out]
            parts += ["]"] if outs else ["[]"]
        if function.updates:
            parts += [", {**params"]
            for o, i in function.updates.items():
                new = [*xp.text(results[o]), f", {dtypes[o]!r})"]
                parts += [f", {function.names[i]!r}: np.asarray(", *new]
            parts.append("}")
        self.recorder.do(["return ", *parts])

    def _file(self, args: Sequence[str], body: Sequence[str]) -> str:
        function = self.function
        takes = ["params", *args] if function.names else list(args)
        modules = ["import numpy as np", *(f"import {m}" for m in self.xp.modules)]
        used = "\n".join(body)
        needed = [n for n in ("floordiv", "mod") if re.search(rf"\b{n}\(", used)]
        lines = [f'"""{self.name}({", ".join(takes)}), written by theano {__version__}.', ""]
        kinds = zip(args, function.inputs, self.open_shapes.shapes, strict=True)
        for arg, v, shape in kinds:
            lines.append(f"{arg} : {v.type.dtype}, shape ({', '.join(map(str, shape))})")
        needs = "NumPy and SciPy" if self.xp.modules else "NumPy"
        lines += ["", f"This file needs {needs} alone.", '"""', ""]
        if needed:
            lines += [f"from operator import {', '.join(needed)}"]
        if self.xp.arrays or function.names:
            lines += ["from pathlib import Path"]
        lines += (
            ["", *modules, ""] if needed or self.xp.arrays or function.names else [*modules, ""]
        )
        lines += self._loads()
        for name in self._helpers():
            text = inspect.getsource(getattr(exported_helpers, name))
            lines += ["", re.sub(r": Any\b| -> Any\b", "", text).rstrip(), ""]
        lines += ["", '@np.errstate(all="ignore")', f"def {self.name}({', '.join(takes)}):", *body]
        return "\n".join(lines) + "\n"

    def _loads(self) -> list[str]:
        lines = []
        if self.xp.arrays:
            lines = ['with np.load(Path(__file__).with_suffix(".npz")) as _arrays:']
            lines += [f"    {name} = _arrays[{name!r}]" for name in self.xp.arrays]
            lines += [""]
        if self.function.names:
            lines += ["", "def parameters():", '    """The parameters that were written."""']
            lines += ['    with np.load(Path(__file__).with_suffix(".npz")) as arrays:']
            kept = ", ".join(map(repr, self.function.names.values()))
            lines += [f"        return {{name: arrays[name] for name in [{kept}]}}", ""]
        return lines

    def _helpers(self) -> list[str]:
        result = set(self.xp.helpers)
        for name in list(result):
            result |= set(exported_helpers.NEEDS.get(name, ()))
        return [name for name in _HELPERS if name in result]
