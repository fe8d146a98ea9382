"""The files next to an exported C module: a program, a CMake file, a loader for Python."""

from __future__ import annotations

from typing import Any

from theano._src.engines.native.standalone.names import Names

#: for kinds of numbers: a function that reads one, its type, and how one is read and printed
_READERS = {
    "f": ("real", "double", '"%lf"', '"%s%.17g"', "double"),
    "i": ("integer", "int64_t", '"%" SCNd64', '"%s%" PRId64', "int64_t"),
    "u": ("natural", "uint64_t", '"%" SCNu64', '"%s%" PRIu64', "uint64_t"),
    "b": ("natural", "uint64_t", '"%" SCNu64', '"%s%" PRIu64', "uint64_t"),
}
_READER = """static {type} {name}(void)
{{
  {type} x;
  if (scanf({format}, &x) != 1) {{
    fprintf(stderr, "a number is missing\\n");
    exit(2);
  }}
  return x;
}}
"""
_ROOM = """static void *room(int64_t bytes)
{
  void *memory = malloc((size_t)(bytes > 0 ? bytes : 1));
  if (memory == NULL) {
    fprintf(stderr, "no memory\\n");
    exit(2);
  }
  return memory;
}
"""


def main_text(module: Any) -> str:
    """A program that reads the inputs of a function from standard input and prints its outputs."""
    e = module.exported[0]
    name = module.name
    own = "real integer natural room sizes code i scratch malloc free scanf printf fprintf exit "
    own += f"stderr stdin stdout size_t {e.name} {e.name}_sizes {name}_init {name}_message"
    names = Names([*own.split(), f"{name}_state", "state"])
    lengths = {n: names.new(n) for a in e.inputs for n in a.lengths}
    inputs = [names.new(a.name, "_count") for a in e.inputs]
    outputs = [names.new(a.name, "_count") for a in e.outputs]
    arguments: list[str] = []
    body: list[str] = []
    readers = {}
    for a, x in zip(e.inputs, inputs, strict=True):
        kind, reader = module.c_type(a.dtype), _READERS[a.dtype.kind]
        readers[reader[0]] = reader
        if a.lengths:
            readers["integer"] = _READERS["i"]
        if a.is_number:
            body.append(f"  const {kind} {x} = {_cast(kind, reader)};")
            arguments.append(x)
            continue
        body += [f"  const int64_t {lengths[n]} = integer();" for n in a.lengths]
        body += [
            f"  const int64_t {x}_count = {' * '.join(lengths.get(n, n) for n in a.shape)};",
            f"  {kind} *{x} = ({kind} *)room({x}_count * (int64_t)sizeof({kind}));",
            f"  for (int64_t i = 0; i < {x}_count; i++) {{",
            f"    {x}[i] = {_cast(kind, reader)};",
            "  }",
        ]
        arguments += [x, *(lengths[n] for n in a.lengths)]
    body += [f"  int64_t sizes[{e.name.upper()}_SIZES];"]
    body.append(f"  {e.name}_sizes({', '.join([*arguments, 'sizes'])});")
    body.append("  void *scratch = room(sizes[0]);")
    place = 1
    for a, x in zip(e.outputs, outputs, strict=True):
        factors = [f"sizes[{place + k}]" for k in range(sum(bool(n) for n in a.shape))]
        place += len(factors)
        kind = module.c_type(a.dtype)
        body.append(f"  const int64_t {x}_count = {' * '.join(factors) or '1'};")
        body.append(f"  {kind} *{x} = ({kind} *)room({x}_count * (int64_t)sizeof({kind}));")
    calls = [*arguments, *outputs]
    if e.has_state:
        body.append(f"  {name}_state *state = ({name}_state *)room(sizeof({name}_state));")
        body.append(f"  {name}_init(state);")
        calls.append("state")
    body += [
        f"  const int code = {e.name}({', '.join([*calls, 'scratch'])});",
        "  if (code != 0) {",
        f'    fprintf(stderr, "%s\\n", {name}_message(code));',
        "  }",
    ]
    for a, x in zip(e.outputs, outputs, strict=True):
        _, _, _, format, kind = _READERS[a.dtype.kind]
        body += [
            f"  for (int64_t i = 0; code == 0 && i < {x}_count; i++) {{",
            f'    printf({format}, i ? " " : "", ({kind}){x}[i]);',
            "  }",
        ]
        body += ["  if (code == 0) {", '    printf("\\n");', "  }"]
    arrays = [x for a, x in zip(e.inputs, inputs, strict=True) if not a.is_number]
    owned = [*arrays, *outputs, "scratch", *(["state"] if e.has_state else [])]
    body += [f"  free({x});" for x in owned]
    lines = [
        f"/* Reads the inputs of {e.name} from standard input, numbers in text: for each array its",
        " * lengths first, those that the header names. Prints each output on a line. */",
        f'#include "{module.file}.h"',
        "",
        "#include <inttypes.h>",
        "#include <stdio.h>",
        "#include <stdlib.h>",
        "",
    ]
    lines += [_READER.format(name=r[0], type=r[1], format=r[2]) for r in readers.values()]
    return "\n".join([*lines, _ROOM, "int main(void)", "{", *body, "  return code != 0;", "}", ""])


def _cast(kind: str, reader: tuple[str, ...]) -> str:
    """A number that is read, as another type."""
    name, type, *_ = reader
    return f"{name}()" if type == kind else f"({kind}){name}()"


def cmake_text(module: Any, source: str, has_main: bool) -> str:
    """A CMake file that builds a library of the module, and its program if there is one."""
    name = module.name
    libraries = "m" + (" cblas" if module.cblas else "")
    lines = [
        "cmake_minimum_required(VERSION 3.10)",
        f"project({name} C)",
        "set(CMAKE_C_STANDARD 99)",
        f"add_library({name} {source})",
        f"target_include_directories({name} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})",
        "if(NOT MSVC)",
        f"  target_compile_options({name} PRIVATE -O2 -ffp-contract=off)",
        f"  target_link_libraries({name} PUBLIC {libraries})",
        "endif()",
    ]
    if has_main:
        lines += [
            f"add_executable({name}_main {module.file}_main.c)",
            f"target_link_libraries({name}_main PRIVATE {name})",
        ]
    return "\n".join([*lines, ""])


def loader_text(module: Any) -> str:
    """A module of Python that calls the functions by ctypes; it needs NumPy alone."""
    table = []
    for e in module.exported:
        inputs = [
            (a.name, a.dtype.name, None if a.is_number else tuple(a.shape), tuple(a.lengths))
            for a in e.inputs
        ]
        outputs = [(a.name, a.dtype.name, tuple(bool(n) for n in a.shape)) for a in e.outputs]
        table.append(f"    {e.name!r}: (")
        table.append(f"        {inputs!r},")
        table.append(f"        {outputs!r},")
        table.append(f"        {e.has_state!r},")
        patterns = {
            a.name: (len(a.pattern.indptr), len(a.pattern.indices))
            for a in e.outputs
            if a.pattern is not None
        }
        table.append(f"        {patterns!r},")
        table.append("    ),")
    members = [(m.name, m.value.dtype.name, m.value.shape) for m in module.members]
    single = "True" if module.doubles == "float" else "False"
    return _LOADER.format(name=module.name, table="\n".join(table), members=members, single=single)


_LOADER = '''"""Calls the functions of {name}.c by ctypes: ``load("lib{name}.so")``."""

import ctypes

import numpy as np

FUNCTIONS = {{
{table}
}}
MEMBERS = {members!r}
SINGLE = {single}


def dtype_of(name):
    return np.dtype("float32" if SINGLE and name == "float64" else name)


class Error(ValueError):
    """A function has stopped."""


class State:
    """The shared variables, as attributes: arrays in the memory of the state."""

    def __init__(self, library):
        parts, size = [], 0
        for name, kind, shape in MEMBERS:
            dtype, count = dtype_of(kind), max(1, int(np.prod(shape)))
            size = -(-size // dtype.itemsize) * dtype.itemsize
            parts.append((name, dtype, shape, size))
            size += dtype.itemsize * count
        self._memory = np.zeros(-(-max(size, 8) // 8), "int64")
        for name, dtype, shape, start in parts:
            count = int(np.prod(shape))
            part = self._memory.view("uint8")[start : start + dtype.itemsize * count]
            setattr(self, name, part.view(dtype).reshape(shape))
        getattr(library, "{name}_init")(self._memory.ctypes.data_as(ctypes.c_void_p))


class Function:
    """A function of the library: a call takes numbers and arrays, and returns the outputs.

    Of a sparse output these are the stored elements; its indptr and indices are in ``patterns``.
    """

    def __init__(self, library, name, state):
        self.inputs, self.outputs, self.has_state, patterns = FUNCTIONS[name]
        self.patterns = {{
            output: tuple(
                np.array((ctypes.c_int32 * n).in_dll(library, f"{{name}}_{{output}}_{{part}}"))
                for part, n in zip(("indptr", "indices"), lengths)
            )
            for output, lengths in patterns.items()
        }}
        self.state = state if self.has_state else None
        self.run, self.sizes = getattr(library, name), getattr(library, name + "_sizes")
        self.message = getattr(library, "{name}_message")
        self.message.restype = ctypes.c_char_p
        number = {{
            np.dtype(k).name: np.ctypeslib.as_ctypes_type(np.dtype(k))
            for k in "f8 f4 i8 i4 i2 i1 u8 u4 u2 u1".split()
        }}
        number["bool"] = ctypes.c_uint8
        kinds = []
        for _, kind, shape, lengths in self.inputs:
            kinds.append(number[dtype_of(kind).name] if shape is None else ctypes.c_void_p)
            kinds += [ctypes.c_int64] * len(lengths)
        more = len(self.outputs) + self.has_state + 1
        self.sizes.argtypes = kinds + [ctypes.c_void_p]
        self.run.argtypes = kinds + [ctypes.c_void_p] * more

    def __call__(self, *values):
        if len(values) != len(self.inputs):
            raise TypeError(f"takes {{len(self.inputs)}} arguments, got {{len(values)}}")
        given, kept, lengths = [], [], {{}}
        for (name, kind, shape, new), value in zip(self.inputs, values):
            array = np.ascontiguousarray(value, dtype_of(kind))
            if shape is None:
                if array.size != 1:
                    raise ValueError(f"{{name}} is a number, got an array of shape {{array.shape}}")
                given.append(array.item())
                continue
            if np.ndim(value) != len(shape):
                raise ValueError(f"{{name}} has {{len(shape)}} dimensions, got {{np.ndim(value)}}")
            for n, text in zip(array.shape, shape):
                wanted = int(text) if text.isdigit() else lengths.setdefault(text, n)
                if n != wanted:
                    raise ValueError(f"{{name}} has a length of {{wanted}}, got {{n}}")
            kept.append(array)
            given += [array.ctypes.data, *(lengths[n] for n in new)]
        count = 1 + sum(sum(shape) for _, _, shape in self.outputs)
        sizes = np.zeros(count, "int64")
        self.sizes(*given, sizes.ctypes.data)
        left = iter(sizes[1:].tolist())
        outputs = [
            np.empty([max(0, next(left)) if is_open else 1 for is_open in shape], dtype_of(kind))
            for _, kind, shape in self.outputs
        ]
        scratch = np.empty(int(sizes[0]) // 16 * 2 + 4, "int64")
        start = -scratch.ctypes.data % 16
        memory = [self.state._memory.ctypes.data] if self.has_state else []
        code = self.run(
            *given, *(x.ctypes.data for x in outputs), *memory, scratch.ctypes.data + start
        )
        if code:
            raise Error(self.message(code).decode())
        return outputs[0] if len(outputs) == 1 else outputs


def load(path):
    """Return an object with the functions of a library as attributes, and its ``state``."""
    library = ctypes.CDLL(path)

    class Module:
        pass

    module = Module()
    module.state = State(library) if MEMBERS else None
    for name in FUNCTIONS:
        setattr(module, name, Function(library, name, module.state))
    return module
'''
