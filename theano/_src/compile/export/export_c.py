"""Export functions as C99: a source file and a header that need libm alone (ADR 30)."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from theano._src.compile.export import c_files
from theano._src.compile.export.lowered import Exported, Lowered, all_instructions, name_of
from theano._src.compile.function import function
from theano._src.compile.function_object import Function
from theano._src.engines.native import ir
from theano._src.engines.native.inline import TYPES
from theano._src.engines.native.printers.c_source import Source, comment, number_text
from theano._src.engines.native.printers.pointers import C_TYPES, Struct
from theano._src.engines.native.standalone import c_library
from theano._src.engines.native.standalone.c_functions import CFunctions
from theano._src.engines.native.standalone.lowering import Argument, StandaloneParts, where
from theano._src.engines.native.standalone.names import Names
from theano._src.ground.atomic_files import write_all
from theano._src.ground.version import __version__


def export_c(
    f: Any,
    path: Path,
    *,
    inputs: Any = None,
    givens: Any = None,
    shapes: Mapping[Any, Sequence[int | str]] | None = None,
    dtype: str = "float64",
    cblas: bool = False,
    main: bool = False,
    cmake: bool = False,
    ctypes: bool = False,
) -> None:
    """Write functions as ``path`` and a header next to it, and the requested files."""
    module = CModule(_functions(f, path, inputs, givens), path.stem, shapes, dtype, cblas)
    files = {path: module.source(), path.with_suffix(".h"): module.header()}
    if main:
        files[path.with_name(f"{path.stem}_main.c")] = c_files.main_text(module)
    if cmake:
        files[path.with_name("CMakeLists.txt")] = c_files.cmake_text(module, path.name, main)
    if ctypes:
        files[path.with_suffix(".py")] = c_files.loader_text(module)
    write_all({p: text.encode() for p, text in files.items()})


def _functions(f: Any, path: Path, inputs: Any, givens: Any) -> dict[str, Function]:
    """The compiled functions by their names in C."""
    module = Names().new(path.stem)
    names = Names(["state", *(f"{module}_{each}" for each in ("init", "message", "state"))])

    def new(name: str) -> str:
        return names.new(name, "_sizes")

    if isinstance(f, dict) and all(isinstance(g, Function) for g in f.values()):
        return {new(str(name)): g for name, g in f.items()}
    several = list(f) if isinstance(f, list | tuple) else [f]
    if several and all(isinstance(g, Function) for g in several):
        if inputs is not None or givens is not None:
            raise TypeError("export of compiled functions has their inputs: leave inputs out")
        if len(several) == 1:
            return {new(path.stem): several[0]}
        return {new(name_of(g) or f"{path.stem}_{i}"): g for i, g in enumerate(several)}
    if inputs is None:
        raise TypeError("export of variables to C takes inputs=[...], the arguments in order")
    compiled = function(list(inputs), f, givens=givens, on_unused_input="ignore", profile=False)
    return {new(path.stem): compiled}


class CModule(Lowered):
    """The text of a source file and a header.

    Parameters
    ----------
    functions : dict
        Compiled functions by their names.
    name : str
        The beginning of names that all functions share.
    shapes : dict, optional
        Lengths of inputs, by variables or their names: numbers, or names.
    dtype : str
        What float64 is in C: ``"float64"`` or ``"float32"``.
    cblas : bool
        Whether products call CBLAS.
    """

    def __init__(
        self,
        functions: Mapping[str, Function],
        name: str,
        shapes: Mapping[Any, Sequence[int | str]] | None = None,
        dtype: str = "float64",
        cblas: bool = False,
    ) -> None:
        if dtype not in ("float64", "float32"):
            raise ValueError(f"export to C takes dtype='float64' or 'float32', got {dtype!r}")
        self.name, self.cblas, self.file = Names().new(name), cblas, name
        self._own_names = [f"{self.name}_{each}" for each in ("init", "message", "state")]
        self.doubles = "float" if dtype == "float32" else "double"
        parts = StandaloneParts(partial(CFunctions, singles=dtype == "float32"))
        super().__init__(functions, parts, shapes)
        self._arrange()

    # the parts of the text

    def _arrange(self) -> None:
        """Name what the functions share, and find the types of their pointers."""
        self._structs = {low.main.name: _struct_of(low) for low in self.parts.inner}
        for low in self.parts.inner:
            self._structs[f"{low.main.name}_sizes"] = self._structs[low.main.name]
        self._name_addresses()
        self._source = Source(
            self.functions,
            {n: s for n, s in self._structs.items() if n in {f.name for f in self.functions}},
            self._addresses,
            lambda at: at not in self.parts.members,
            self.doubles,
            self.succeed - {f.name for e in self.exported for f in (e.sizes, e.low.main)},
        )

    def _name_addresses(self) -> None:
        """The arrays that the code reads by the table of addresses: constants and the state."""
        self._addresses: dict[int, tuple[str, str]] = {}
        self._constants: list[tuple[str, np.ndarray]] = []
        used = {
            i.at
            for f in self.functions
            for i in all_instructions(f.body)
            if isinstance(i, ir.Address)
        }
        names = Names(n for f in self.functions for n in f.names.values())
        known: dict[Any, str] = {}
        for at in sorted(used):
            member = self.parts.members.get(at)
            data = self.parts.addresses.thing(at)
            kind = TYPES[data.dtype]
            if member is not None:
                text = f"state->{member.name}"
                self._addresses[at] = (text if data.ndim else f"&{text}", kind)
                continue
            key = (data.dtype.str, data.tobytes())
            if key not in known:
                known[key] = names.new(f"{self.name}_c{len(known)}")
                self._constants.append((known[key], data))
            self._addresses[at] = known[key], kind

    def c_type(self, dtype: Any) -> str:
        name = C_TYPES[TYPES[np.dtype(dtype)]]
        return self.doubles if name == "double" else name

    def params(self, e: Exported) -> list[str]:
        """The inputs of a function as C declares them."""
        result = []
        for a in e.inputs:
            kind = self.c_type(a.dtype)
            result.append(f"{kind} {a.name}" if a.is_number else f"const {kind} *{a.name}")
            result += [f"int64_t {n}" for n in a.lengths]
        return result

    def signature(self, e: Exported) -> str:
        params = self.params(e) + [f"{self.c_type(a.dtype)} *{a.name}" for a in e.outputs]
        if e.has_state:
            const = "" if e.changes_state else "const "
            params.append(f"{const}{self.name}_state *state")
        return f"int {e.name}({', '.join([*params, 'void *scratch'])})"

    def sizes_signature(self, e: Exported) -> str:
        return f"int {e.name}_sizes({', '.join([*self.params(e), 'int64_t *sizes'])})"

    def message(self, code: int) -> str:
        """Describe an error code of a function."""
        reason = self.parts.reasons[code - 1]
        at = where(reason.node)
        return f"{_named(reason.node.op)} stops: its lengths or indices do not fit" + (
            f" ({at})" if at else ""
        )

    # files

    def header(self) -> str:
        guard = f"{self.name.upper()}_H"
        lines = [
            f"/* Written by theano {__version__}. {self.file}.c says how to compile it. */",
            f"#ifndef {guard}",
            f"#define {guard}",
            "",
            "#include <stdint.h>",
            "",
            "#ifdef __cplusplus",
            'extern "C" {',
            "#endif",
            "",
        ]
        if self._members:
            lines += ["/* The shared variables. */", "typedef struct {"]
            for member in self.members:
                size = f"[{max(1, member.value.size)}]" if member.value.ndim else ""
                shape = f" /* {_shape(member.value.shape)} */" if member.value.ndim else ""
                lines.append(f"  {self.c_type(member.value.dtype)} {member.name}{size};{shape}")
            lines += [f"}} {self.name}_state;", ""]
            lines += [
                "/* Fill the state with the values that the variables had. */",
                f"void {self.name}_init({self.name}_state *state);",
                "",
            ]
        for e in self.exported:
            lines += self._declared(e)
            for a in e.outputs:
                lines += self._positions_declared(e, a)
        lines += [
            "/* What a code other than 0 means. */",
            f"const char *{self.name}_message(int code);",
            "",
            "#ifdef __cplusplus",
            "}",
            "#endif",
            "",
            "#endif",
            "",
        ]
        return "\n".join(lines)

    def _declared(self, e: Exported) -> list[str]:
        """The declarations of a function, with a comment on its arguments."""
        lines = ["/*"]
        for a in e.inputs:
            what = "number" if a.is_number else _shape(a.shape)
            lines.append(f" * {a.name}: {what}")
        texts = []
        place = 1
        for a in e.outputs:
            shape = []
            for n in a.shape:
                shape.append(f"sizes[{place}]" if n else "1")
                place += bool(n)
            known = e.known_sizes
            if known is not None:
                shape = [str(known[int(s[6:-1])]) if s.startswith("sizes") else s for s in shape]
            what = _shape(shape) if a.pattern is None else f"{a.pattern}, its elements"
            texts.append(f" * {a.name}: {what}, output")
        lines += texts
        upper = e.name.upper()
        known = e.known_sizes
        lines += [
            " * scratch: memory for intermediate results, aligned to 16 bytes"
            if known is None or known[0]
            else " * scratch: not used, may be NULL",
            f" * Returns 0, or a code for {self.name}_message; outputs are not complete then.",
            " */",
            f"{_wrapped(self.signature(e))};",
            "",
            "/* sizes[0]: bytes of scratch; then the lengths of the outputs that are not known. */",
            f"#define {upper}_SIZES {e.size_count}",
        ]
        if known is not None:
            lines.append(f"#define {upper}_SCRATCH {known[0]}")
        lines += [f"{_wrapped(self.sizes_signature(e))};", ""]
        return lines

    def _positions(self, e: Exported, a: Argument) -> list[tuple[str, np.ndarray]]:
        """The names and values of the arrays that say where elements of a sparse output are."""
        if a.pattern is None:
            return []
        name = f"{e.name}_{a.name}"
        return [(f"{name}_indptr", a.pattern.indptr), (f"{name}_indices", a.pattern.indices)]

    def _positions_declared(self, e: Exported, a: Argument) -> list[str]:
        positions = self._positions(e, a)
        if a.pattern is None:
            return []
        row, column = ("row", "column") if a.pattern.format == "csr" else ("column", "row")
        (indptr, _), (indices, _) = positions
        return [
            f"/* Elements {indptr}[i] to {indptr}[i + 1] - 1 of {a.name} are in {row} i,",
            f" * element k in {column} {indices}[k]; both count from 0. */",
            *(f"extern const int32_t {n}[{max(1, x.size)}];" for n, x in positions),
            "",
        ]

    def source(self) -> str:
        head = [
            f"/* {', '.join(e.name for e in self.exported)}: written by theano {__version__}.",
            " *",
            f" *     cc -O2 -ffp-contract=off -c {self.file}.c",
            " *",
            " * C99, no allocation, no variables of the file that change: threads may call it.",
            " */",
            f'#include "{self.file}.h"',
            "",
            "#include <math.h>",
            "#include <stddef.h>",
        ]
        if self.cblas:
            head.append("#include <cblas.h>")
        head += ["", "#ifdef __cplusplus", "#define restrict", "#endif"]
        head += ["#ifdef __clang__", "#pragma STDC FP_CONTRACT OFF", "#endif", ""]
        parts = [*head, *self._helpers(), *self._constant_texts()]
        source, exported = self._source, {e.name for e in self.exported}
        for name in self._structs:
            if name in source.structs and not name.endswith("_sizes"):
                parts += [f"/* What goes into {name} and comes out of it. */"]
                parts += [source.struct_text(name), ""]
        for f in self.functions:
            if f.name not in exported and f.name not in {e.sizes.name for e in self.exported}:
                parts.append(source.function_text(f, _wrapped(source.head(f))))
        for e in self.exported:
            sizes = _wrapped(self.sizes_signature(e))
            parts.append(source.function_text(e.sizes, sizes))
            signature = self.signature(e)
            for a in e.outputs:
                signature = signature.replace(f" *{a.name},", f" *restrict {a.name},")
            parts.append(source.function_text(e.low.main, _wrapped(signature)))
        if self._members:
            parts += [self._init_text()]
        parts += [self._message_text()]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(parts))

    def _helpers(self) -> list[str]:
        """The functions of our own that the code calls, in an order in which they are known."""
        called = {
            i.target
            for f in self.functions
            for i in all_instructions(f.body)
            if isinstance(i, ir.Call) and isinstance(i.target, str)
        }
        functions: Any = self.parts.functions
        stems: list[str] = []
        for name in sorted(called & set(functions.needs)):
            for stem in functions.needs[name]:
                if stem not in stems:
                    stems.append(stem)
        texts = [c_library.source(stem) for stem in stems]
        for name in sorted(name for name in called if c_library.pointers_of(name)):
            c_type = self.doubles if name.endswith("f64") else "float"
            texts += c_library.array_sources(name, c_type, self.cblas)
        return [text.strip() + "\n" for text in dict.fromkeys(texts)]

    def _constant_texts(self) -> list[str]:
        lines = []
        positions = [p for e in self.exported for a in e.outputs for p in self._positions(e, a)]
        for i, (name, data) in enumerate([*positions, *self._constants]):
            kind = self.c_type(data.dtype)
            static = "" if i < len(positions) else "static "
            lines.append(f"{static}const {kind} {name}[{max(1, data.size)}] = {{")
            lines += [*self._rows(data), "};", ""]
        return lines

    def _rows(self, data: np.ndarray) -> list[str]:
        kind = TYPES[data.dtype]
        texts = [number_text(ir.Number(kind, x), self.doubles) for x in data.reshape(-1).tolist()]
        texts = texts or ["0"]
        return textwrap.wrap(
            ", ".join(texts) + ",", 98, initial_indent="  ", subsequent_indent="  "
        )

    def _init_text(self) -> str:
        lines = [f"void {self.name}_init({self.name}_state *state)", "{"]
        for i, member in enumerate(self.members):
            kind, data = self.c_type(member.value.dtype), member.value
            if not data.ndim:
                text = number_text(ir.Number(TYPES[data.dtype], data.item()), self.doubles)
                lines.append(f"  state->{member.name} = {text};")
                continue
            count = max(1, data.size)
            if not np.any(data):
                values = "0"
            else:
                lines.append(f"  static const {kind} v{i}[{count}] = {{")
                lines += [f"  {row}" for row in self._rows(data)]
                lines.append("  };")
                values = f"v{i}[i]"
            lines.append(f"  for (int64_t i = 0; i < {count}; i++) {{")
            lines += [f"    state->{member.name}[i] = {values};", "  }"]
        return "\n".join([*lines, "}", ""])

    def _message_text(self) -> str:
        lines = [f"const char *{self.name}_message(int code)", "{"]
        codes = range(1, len(self.parts.reasons) + 1)
        if codes:
            lines.append("  static const char *const messages[] = {")
            for code in codes:
                lines.append(f"    {_quoted(self.message(code))},")
            lines += ["  };", f"  if (code > 0 && code <= {len(codes)}) {{"]
            lines += ["    return messages[code - 1];", "  }"]
        lines += ['  return code == 0 ? "it has run" : "a code of another module";', "}", ""]
        return "\n".join(lines)


def _struct_of(low: Any) -> Struct:
    """The context of an inner function, with names of its inputs and outputs."""
    names = Names()
    fields = {0: (names.new("scratch"), "p"), 2: (names.new("used"), "i64")}
    for k, (v, at) in enumerate(zip(low.fgraph.inputs, low.input_words, strict=True)):
        name = names.new(v.name or f"in{k}")
        fields[at] = (name, "p")
        for i in range(v.type.ndim):
            fields[at + 1 + i] = (names.new(f"{name}_n{i}"), "i64")
            fields[at + 1 + v.type.ndim + i] = (names.new(f"{name}_s{i}"), "i64")
    for k, (v, at) in enumerate(zip(low.fgraph.outputs, low.output_words, strict=True)):
        name = names.new(v.name or f"out{k}")
        fields[at + 1] = (name, "p")
        for i in range(v.type.ndim):
            fields[at + 2 + i] = (names.new(f"{name}_n{i}"), "i64")
    return Struct(f"{low.main.name}_data", fields)


def _shape(lengths: Sequence[Any]) -> str:
    return " x ".join(map(str, lengths)) or "one number"


def _named(op: Any) -> str:
    return re.sub(r"\{.*", "", str(op))


def _quoted(text: str) -> str:
    plain = comment(text).replace('"', "'")
    return '"' + "".join(c if 32 <= ord(c) < 127 else "?" for c in plain) + '"'


def _wrapped(text: str, width: int = 100) -> str:
    """A declaration on several lines."""
    if len(text) <= width:
        return text
    at = text.index("(") + 1
    lines, line = [], text[:at]
    for i, part in enumerate(text[at:].split(", ")):
        piece = part if i == 0 else f" {part}"
        if len(line) + len(piece) + 1 > width:
            lines.append(line + ("," if i and not line.endswith(",") else ""))
            line = " " * 4 + part
        else:
            line += ("," if i else "") + piece
    return "\n".join([*lines, line])
