"""Native code of a function as a pointer, which other native code calls without the interpreter."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theano._src.compile.export.lowered import Exported, Lowered, name_of
from theano._src.engines.native.functions import FunctionsAlone
from theano._src.engines.native.inline import TYPES
from theano._src.engines.native.ir import ZERO, Function as Code, Number, Operand, integer
from theano._src.engines.native.loops import check_layouts
from theano._src.engines.native.printers import c99, llvm
from theano._src.engines.native.printers.pointers import C_TYPES
from theano._src.engines.native.standalone.lowering import Member, Refused, StandaloneParts
from theano._src.ground.packages import load_for

#: signatures of callbacks of SciPy, and the types of their parameters and results
CALLBACKS: dict[str, tuple[list[tuple[str, str]], str]] = {
    "double (double)": ([("x", "f64")], "f64"),
    "double (double, void *)": ([("x", "f64"), ("user", "p")], "f64"),
    "double (int, double *)": ([("n", "i32"), ("x", "p")], "f64"),
    "double (int, double *, void *)": ([("n", "i32"), ("x", "p"), ("user", "p")], "f64"),
    "int (double *, intptr_t, double *, void *)": (
        [("x", "p"), ("n", "i64"), ("result", "p"), ("user", "p")],
        "i32",
    ),
}


class State:
    """The shared variables of a native function, as arrays by their names."""

    def __init__(self, members: Sequence[Member]) -> None:
        for member in members:
            setattr(self, member.name, member.value)


class NativePointer:
    """The native code of a function.

    ``address`` is that of a C function with the ``signature``; ``sizes_address`` that of one with
    the ``sizes_signature``, which stores the bytes of scratch memory that a call needs, and the
    lengths of its outputs. They are those that ``theano.export`` writes as C, but they compute the
    digits of NumPy. They are valid for as long as this object lives, and threads may call them
    without the interpreter lock.

    ``state`` has the shared variables: copies of the values that they had, which functions with
    updates change. Calling this object gives another one, with lengths of inputs fixed.

    Examples
    --------
    >>> import numpy as np, theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> f = theano.function([x], T.exp(-x * x), name="bell")
    >>> f.native.signature
    'int bell(double x, double *out0, void *scratch)'
    >>> from scipy.integrate import quad
    >>> value, error = quad(f.native.low_level_callable(), -np.inf, np.inf)
    >>> bool(abs(value - np.sqrt(np.pi)) < error)
    True
    """

    def __init__(
        self, f: Any, shapes: Mapping[Any, Sequence[int | str | None]] | None = None
    ) -> None:
        check_layouts()
        if not llvm.has_llvm() and (why := c99.why_not()):
            raise Refused(f"f.native takes llvmlite, or a C compiler: {why}")
        self._f = f
        self._lowered = Lowered(
            {name_of(f) or "function": f}, StandaloneParts(FunctionsAlone), shapes, in_c=False
        )
        (self._exported,) = self._lowered.exported
        self._callbacks: dict[str, Any] = {}
        self._code = self._compile([], [self.name, f"{self.name}_sizes"])
        self.address, self.sizes_address = self._code[self.name], self._code[f"{self.name}_sizes"]
        self.state = State(self._lowered.members)

    def __call__(self, shapes: Mapping[Any, Sequence[int | str | None]]) -> NativePointer:
        return NativePointer(self._f, shapes)

    def __repr__(self) -> str:
        return f"<native {self.signature} at {self.address:#x}>"

    @property
    def name(self) -> str:
        return self._exported.name

    @property
    def signature(self) -> str:
        """The declaration of the function in C."""
        outputs = [f"{_c_type(a.dtype)} *{a.name}" for a in self._exported.outputs]
        return f"int {self.name}({', '.join([*self._inputs(), *outputs, 'void *scratch'])})"

    @property
    def sizes_signature(self) -> str:
        """The declaration of the function of sizes."""
        return f"int {self.name}_sizes({', '.join([*self._inputs(), 'int64_t *sizes'])})"

    def _inputs(self) -> list[str]:
        result = []
        for a in self._exported.inputs:
            kind = _c_type(a.dtype)
            result.append(f"{kind} {a.name}" if a.is_number else f"const {kind} *{a.name}")
            result += [f"int64_t {n}" for n in a.lengths]
        return result

    # compiling

    def _compile(self, more: list[Code], names: list[str]) -> dict[str, int]:
        """The addresses of functions, compiled with all that they call."""
        functions = [*self._lowered.functions, *more]
        values = self._lowered.parts.addresses.values
        if llvm.has_llvm():
            text = llvm.module_text(functions, len(values), set(names))
            module: llvm.Module | c99.Module = llvm.Module(text, 2, set(names))
        else:
            module = c99.Module(c99.module_text(functions, len(values), set(names)))
        table = (ctypes.c_uint64 * max(1, len(values))).from_address(module.table)
        for i, value in enumerate(values):
            table[i] = value
        self.__dict__.setdefault("_modules", []).append(module)
        return {name: module.address(name) for name in names}

    # views

    @property
    def ctypes(self) -> Any:
        """The function for ctypes, which releases the interpreter lock while it runs."""
        kinds: list[Any] = []
        for a in self._exported.inputs:
            kinds.append(np.ctypeslib.as_ctypes_type(a.dtype) if a.is_number else ctypes.c_void_p)
            kinds += [ctypes.c_int64] * len(a.lengths)
        kinds += [ctypes.c_void_p] * (len(self._exported.outputs) + 1)
        function: Any = ctypes.CFUNCTYPE(ctypes.c_int, *kinds)(self.address)
        function.owner = self
        return function

    def cffi(self, ffi: Any = None) -> Any:
        """The function for cffi: a pointer of a new ``cffi.FFI()``, or of the one that is given."""
        ffi = load_for("f.native.cffi", "cffi").FFI() if ffi is None else ffi
        kinds = [p.rsplit(" ", 1)[0] + (" *" if "*" in p else "") for p in self._inputs()]
        kinds += [f"{_c_type(a.dtype)} *" for a in self._exported.outputs]
        return ffi.cast(f"int(*)({', '.join([*kinds, 'void *'])})", self.address)

    def low_level_callable(self, signature: str | None = None) -> Any:
        """Return the function as ``scipy.LowLevelCallable``, for ``quad`` or ``ndimage``.

        Parameters
        ----------
        signature : str, optional
            One of SciPy's: ``double (double)``, ``double (double, void *)``,
            ``double (int, double *)``, ``double (int, double *, void *)``, or
            ``int (double *, intptr_t, double *, void *)`` of ``ndimage.generic_filter``. By
            default the first for a function of one number, and the third for one of several
            numbers or a vector.

        Notes
        -----
        The function takes float64 numbers or one vector of them, and returns a number. Where a
        check fails the result is NaN. A function that needs scratch memory takes fixed lengths:
        ``f.native(shapes={x: (9,)}).low_level_callable()``.
        """
        from scipy import LowLevelCallable

        e = self._exported
        is_vector = len(e.inputs) == 1 and not e.inputs[0].is_number
        if signature is None:
            signature = "double (double)" if len(e.inputs) == 1 else "double (int, double *)"
            signature = "double (int, double *)" if is_vector else signature
        if signature not in CALLBACKS:
            known = ", ".join(map(repr, CALLBACKS))
            raise ValueError(f"low_level_callable takes {known}, got {signature!r}")
        if signature not in self._callbacks:
            code = _callback(e, signature, is_vector, f"callback{len(self._callbacks)}")
            self._callbacks[signature] = self._compile([code], [code.name])[code.name]
        params, result = CALLBACKS[signature]
        doubles = ctypes.POINTER(ctypes.c_double)
        of: dict[str, Any] = {
            "f64": ctypes.c_double, "i32": ctypes.c_int, "i64": ctypes.c_ssize_t,
            "x": doubles, "result": doubles, "user": ctypes.c_void_p,
        }  # fmt: skip
        kinds = [of[name if kind == "p" else kind] for name, kind in params]
        function: Any = ctypes.CFUNCTYPE(of[result], *kinds)(self._callbacks[signature])
        function.owner = self
        return LowLevelCallable(function)


def _callback(e: Exported, signature: str, is_vector: bool, name: str) -> Code:
    """A function with a signature of SciPy's that calls a function."""
    arrays = [a for a in (*e.inputs, *e.outputs) if a.dtype != np.float64]
    matrices = len(e.inputs) > 1 and not all(a.is_number for a in e.inputs)
    if arrays or matrices or len(e.outputs) != 1 or any(e.outputs[0].shape) or not e.inputs:
        raise Refused(f"{e.name} takes or returns more than float64 numbers, or one vector of them")
    scratch = _scratch(e)
    params, result = CALLBACKS[signature]
    f = Code(name, params, result)
    given = {p.name: p for p in f.params}
    out, room = f.room(8), f.room(max(16, scratch))
    count: Operand = integer(len(e.inputs))
    if "n" in given:
        count = f.cast("i64", given["n"])
    arguments: list[Operand] = []
    wrong: Operand = Number("bool", False)
    if is_vector:
        (a,) = e.inputs
        arguments.append(given["x"])
        if a.lengths:
            arguments.append(count)
        else:
            wrong = f.compare("ne", count, integer(int(a.shape[0])))
    elif given["x"].type == "f64":
        arguments.append(given["x"])
    else:
        wrong = f.compare("ne", count, integer(len(e.inputs)))
        with f.when(wrong):
            f.give(_failed(f, given, result))
        arguments += [f.load("f64", given["x"], integer(i)) for i in range(len(e.inputs))]
    if is_vector and given["x"].type == "f64":
        raise Refused(f"{e.name} takes a vector: give the signature 'double (int, double *)'")
    with f.when(wrong):
        f.give(_failed(f, given, result))
    code = f.call(e.name, "i64", [*arguments, out, room])
    with f.when(f.compare("ne", code, ZERO)):
        f.give(_failed(f, given, result))
    value = f.load("f64", out)
    if "result" in given:
        f.store(given["result"], ZERO, value)
        f.give(Number("i32", 1))
    else:
        f.give(value)
    return f


def _failed(f: Code, given: Mapping[str, Any], result: str) -> Operand:
    """The result if a check fails: NaN, or 0 for an error."""
    if result == "f64":
        return Number("f64", float("nan"))
    return Number("i32", 0)


def _scratch(e: Exported) -> int:
    known = e.known_sizes
    if known is None:
        raise Refused(
            f"{e.name} needs scratch memory of a size that depends on the lengths of its inputs: "
            f"fix them, f.native(shapes={{{e.inputs[0].name!r}: (...,)}})"
        )
    return known[0]


def _c_type(dtype: Any) -> str:
    return C_TYPES[TYPES[np.dtype(dtype)]]
