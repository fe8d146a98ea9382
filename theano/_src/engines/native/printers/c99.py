"""Prints functions as C99, and compiles that by the C compiler of the machine."""

from __future__ import annotations

import ctypes
import math
import os
import shutil
import tempfile
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from theano._src.engines.native import ir
from theano._src.engines.native.printers.pointers import walk
from theano._src.ground.lazy import at_first_use

_opened = at_first_use("theano._src.c_code.library_cache:opened")
_options = at_first_use("theano._src.c_code.compiler:Options")
_why_no_compiler = at_first_use("theano._src.c_code.compiler:why_no_compiler")

#: as LLVM has it: integers wrap, and memory has no type
_ARGUMENTS = ("-x", "c", "-std=gnu99", "-fwrapv", "-fno-strict-aliasing", "-fno-trapping-math")

_TYPES = {
    "f64": "double", "f32": "float", "bool": "uint8_t", "p": "char*",
    "i64": "int64_t", "i32": "int32_t", "i16": "int16_t", "i8": "int8_t",
    "u64": "uint64_t", "u32": "uint32_t", "u16": "uint16_t", "u8": "uint8_t",
}  # fmt: skip
_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "and": "&", "or": "|", "xor": "^",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip
_HEAD = "#include <math.h>\n#include <stdint.h>\n"


def module_text(
    functions: Sequence[ir.Function],
    table: int,
    exported: Collection[str],
    elsewhere: Mapping[str, int] | None = None,
) -> str:
    """A file of C99 with these functions and a table ``T`` of addresses: as `llvm.module_text`.

    It takes a compiler that contracts no products, and lets signed integers wrap and pointers of
    different types overlap.
    """
    heads = [_head(f, f.name in exported) for f in functions]
    bodies = [
        f"{head} {{\n{_Printer(f, elsewhere or {}).text}}}\n"
        for f, head in zip(functions, heads, strict=True)
    ]
    declared = [f"{head};" for head in heads]
    return "\n".join([_HEAD, f"void* T[{max(1, table)}];", *declared, "", *bodies])


def _head(f: ir.Function, exported: bool) -> str:
    params = ", ".join(
        f"{_TYPES[p.type]}{' restrict' if p.name in f.alone else ''} {p.name}" for p in f.params
    )
    return f"{'' if exported else 'static '}{_TYPES[f.result]} {f.name}({params or 'void'})"


class _Printer:
    def __init__(self, f: ir.Function, elsewhere: Mapping[str, int]) -> None:
        self._name, self._elsewhere = f.name, elsewhere
        # rooms last as long as the call, not as long as the block where they are used first
        self._lines = [
            f"  char {i.out.name}[{i.size}] __attribute__((aligned(64)));"
            for i in walk(f.body)
            if isinstance(i, ir.Room)
        ]
        self._body(f.body, 1)
        self.text = "\n".join(self._lines) + "\n"

    def _text(self, v: ir.Operand) -> str:
        if isinstance(v, ir.Value):
            return v.name
        if v.type in ir.FLOATS:
            value = float(v.value)
            if math.isnan(value):
                return "NAN"
            if math.isinf(value):
                return "INFINITY" if value > 0 else "(-INFINITY)"
            return f"({value.hex()}{'f' if v.type == 'f32' else ''})"
        if v.type == "p":
            return "(char*)0"
        value = int(v.value)
        if v.type in ir.UNSIGNED:
            return f"{value}u" if v.type != "u64" else f"{value}ull"
        # the smallest number has no literal
        return f"({value + 1}ll - 1)" if value == -(2**63) else f"{value}ll"

    def _body(self, body: Sequence[ir.Instruction], depth: int) -> None:
        space = "  " * depth
        for ins in body:
            match ins:
                case ir.Loop(index, count, inner):
                    i = index.name
                    self._lines.append(
                        f"{space}for (int64_t {i} = 0; {i} < {self._text(count)}; {i}++) {{"
                    )
                    self._body(inner, depth + 1)
                    self._lines.append(f"{space}}}")
                case ir.If(condition, inner):
                    self._lines.append(f"{space}if ({self._text(condition)}) {{")
                    self._body(inner, depth + 1)
                    self._lines.append(f"{space}}}")
                case ir.Note() | ir.Room():
                    pass
                case _:
                    self._lines.append(f"{space}{self._statement(ins)};")

    def _statement(self, ins: Any) -> str:
        text = self._text
        match ins:
            case ir.Store(pointer, index, value):
                return f"(({_TYPES[value.type]}*){text(pointer)})[{text(index)}] = {text(value)}"
            case ir.Declare(variable, value):
                return f"{_TYPES[variable.type]} {variable.name} = {text(value)}"
            case ir.Put(variable, value):
                return f"{variable.name} = {text(value)}"
            case ir.Return(value):
                return f"return {text(value)}"
            case ir.Call(out, target, args):
                call = f"{self._target(out, target, args)}({', '.join(map(text, args))})"
                return call if out is None else f"{_TYPES[out.type]} {out.name} = {call}"
        return f"{_TYPES[ins.out.type]} {ins.out.name} = {self._value(ins)}"

    def _target(self, out: ir.Value | None, target: str | ir.Value, args: Any) -> str:
        if isinstance(target, str) and target not in self._elsewhere:
            return self._name if target == "self" else target
        place = f"T[{self._elsewhere[target]}]" if isinstance(target, str) else target.name
        result = "void" if out is None else _TYPES[out.type]
        return f"(({result} (*)({', '.join(_TYPES[a.type] for a in args)})){place})"

    def _value(self, ins: Any) -> str:
        text = self._text
        match ins:
            case ir.Load(out, pointer, index):
                return f"(({_TYPES[out.type]}*){text(pointer)})[{text(index)}]"
            case ir.Offset(_, pointer, index, size):
                return f"{text(pointer)} + {text(index)} * {size}"
            case ir.Address(_, at):
                return f"(char*)T[{at}]"
            case ir.Get(_, variable):
                return variable.name
        return self._computed(ins)

    def _computed(self, ins: ir.Compute) -> str:
        out, op, args = ins
        a, *rest = map(self._text, args)
        is_float = args[0].type in ir.FLOATS
        if op in ("min", "max"):
            first = f"{a} {'<' if op == 'min' else '>'} {rest[0]}"
            return f"({first}{f' || {a} != {a}' if is_float else ''}) ? {a} : {rest[0]}"
        if op in _OPERATORS:
            return f"{a} {_OPERATORS[op]} {rest[0]}"
        if op == "select":
            return f"{a} ? {rest[0]} : {rest[1]}"
        if op == "cast":
            return f"{a} != 0" if out.type == "bool" else f"({_TYPES[out.type]}){a}"
        if op == "neg":
            return f"-{a}"
        if op == "not":
            return f"!{a}" if out.type == "bool" else f"~{a}"
        name = "fabs" if op == "abs" else op
        return f"{name}{'f' if args[0].type == 'f32' else ''}({a})"


def why_not() -> str | None:
    """Why there is no C compiler; None if there is one."""
    why: str | None = _why_no_compiler()()
    return why


def _own_library(path: str) -> ctypes.CDLL:
    """A library from a copy of its file: two programs of the same text have two tables."""
    with tempfile.TemporaryDirectory() as folder:
        own = os.path.join(folder, "library.so")
        shutil.copyfile(path, own)
        return ctypes.CDLL(own)


class Module:
    """Machine code of a file of C, kept with the libraries of C code: as `llvm.Module`."""

    level = 2

    def __init__(self, text: str) -> None:
        self._library: ctypes.CDLL = _opened()(text, _own_library, _options()(args=_ARGUMENTS))

    def address(self, name: str) -> int:
        function = getattr(self._library, name)
        return ctypes.cast(function, ctypes.c_void_p).value or 0

    @property
    def table(self) -> int:
        return ctypes.addressof(ctypes.c_void_p.in_dll(self._library, "T"))
