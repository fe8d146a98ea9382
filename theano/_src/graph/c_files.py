"""COp and OpenMPOp: ops with C code in files or with several threads."""

from __future__ import annotations

import inspect
import os
import re
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.lazy import at_first_use
from theano._src.ground.utils import MethodNotDefined

_library = at_first_use("theano._src.c_code.library_cache:library")
_options = at_first_use("theano._src.c_code.compiler:Options")
_compile_error = at_first_use("theano._src.c_code.compiler:CompileError")

_SECTION = re.compile(r"^#section ([a-zA-Z0-9_]+)$", re.MULTILINE)
#: markers in older files, which have no section lines, and their sections
_OLD = {
    "THEANO_APPLY_CODE_SECTION": "support_code_apply",
    "THEANO_SUPPORT_CODE_SECTION": "support_code",
}


@documented_in("theano.gof.op")
class COp(Op):
    """An op whose C code is read from files.

    Lines ``#section NAME`` divide a file; ``c_NAME`` returns the text of a section. Sections with
    the same name are joined in the order of the files.

    Parameters
    ----------
    func_files : str or list of str
        Paths; relative paths are relative to the folder of the file that defines the class.
    func_name : str, optional
        A C function that computes a node: it takes the inputs, then pointers to the outputs, then
        the parameters (``PARAMS_TYPE*``) if there are any. It returns 0, or another number with a
        Python exception set. Without ``func_name``, the section ``code`` is required.

    Examples
    --------
    >>> import tempfile, theano, theano.tensor as T
    >>> path = tempfile.mkstemp(".c")[1]
    >>> with open(path, "w") as file:
    ...     _ = file.write('''#section support_code_apply
    ... int APPLY_SPECIFIC(twice)(PyArrayObject* x, PyArrayObject** y) {
    ...     Py_XDECREF(*y);
    ...     *y = (PyArrayObject*)PyArray_NewCopy(x, NPY_ANYORDER);
    ...     if (!*y) return 1;
    ...     for (npy_intp i = 0; i < PyArray_SIZE(x); i++)
    ...         ((DTYPE_OUTPUT_0*)PyArray_DATA(*y))[i] *= 2;
    ...     return 0;
    ... }
    ... ''')
    >>> class Twice(theano.gof.COp):
    ...     __props__ = ()
    ...     def __init__(self):
    ...         super().__init__(path, "APPLY_SPECIFIC(twice)")
    ...     def make_node(self, x):
    ...         return theano.Apply(self, [x], [x.type()])
    >>> x = T.dvector("x")
    >>> theano.function([x], Twice()(x))([1, 2]).tolist()
    [2.0, 4.0]
    """

    SECTIONS: ClassVar[frozenset[str]] = frozenset(
        {
            "init_code", "init_code_apply", "init_code_struct", "support_code",
            "support_code_apply", "support_code_struct", "cleanup_code_struct", "code",
            "code_cleanup",
        }
    )  # fmt: skip

    func_files: list[str]
    func_name: str | None

    @classmethod
    def get_path(cls, f: str) -> str:
        """Return the path of a file, relative to the folder of the file that defines the class."""
        if os.path.isabs(f):
            return f
        try:
            folder = os.path.dirname(inspect.getfile(cls))
        except (TypeError, OSError):  # typed into an interpreter
            folder = os.getcwd()
        return os.path.realpath(os.path.join(folder, f))

    def __init__(self, func_files: str | Sequence[str], func_name: str | None = None) -> None:
        files = [func_files] if isinstance(func_files, str) else list(func_files)
        self.func_files = [self.get_path(f) for f in files]
        self.func_name = func_name
        self.func_codes = [_read(path) for path in self.func_files]
        self.code_sections: dict[str, str] = {}
        for path, text in zip(self.func_files, self.func_codes, strict=True):
            for name, part in self._sections(path, text):
                self.code_sections[name] = self.code_sections.get(name, "") + part
        if func_name is not None and "code" in self.code_sections:
            raise ValueError(
                f"{type(self).__name__} takes func_name or a section code, got both: "
                f"func_name {func_name!r} and #section code"
            )

    def _sections(self, path: str, text: str) -> Iterable[tuple[str, str]]:
        for old, new in _OLD.items():
            text = re.sub(rf"^.*\b{old}\b.*$", f"#section {new}", text, flags=re.MULTILINE)
        parts = _SECTION.split(text)
        if parts[0].strip():
            raise ValueError(
                f"{path} has C code before its first section; begin with a line #section NAME, "
                f"with one of {', '.join(sorted(self.SECTIONS))}"
            )
        for name, part in zip(parts[1::2], parts[2::2], strict=True):
            if name not in self.SECTIONS:
                raise ValueError(
                    f"{path} has the section {name!r}; sections are "
                    f"{', '.join(sorted(self.SECTIONS))}"
                )
            yield name, part

    def c_code_cache_version(self) -> tuple[Any, ...]:
        # the key of a library contains the text of the code, and nothing else matters
        return (1,)

    def c_init_code(self) -> list[str]:
        return [self._section("init_code")]

    def c_support_code(self) -> str:
        return self._section("support_code")

    def c_init_code_apply(self, node: Apply, name: str) -> str:
        return self._with_macros("init_code_apply", self._of_node(node, name))

    def c_support_code_apply(self, node: Apply, name: str) -> str:
        return self._with_macros("support_code_apply", self._of_node(node, name))

    def c_support_code_struct(self, node: Apply, name: str) -> str:
        return self._with_macros("support_code_struct", self._of_node(node, name))

    def c_cleanup_code_struct(self, node: Apply, name: str) -> str:
        return self._with_macros("cleanup_code_struct", self._of_node(node, name))

    def c_init_code_struct(self, node: Apply, name: str, sub: dict[str, str]) -> str:
        macros = {**self._of_node(node, name), **self._of_call(sub)}
        return self._with_macros("init_code_struct", macros)

    def c_code_cleanup(
        self, node: Apply, name: str, inputs: Any, outputs: Any, sub: dict[str, str]
    ) -> str:
        macros = {**self._of_node(node, name), **self._of_call(sub, inputs, outputs)}
        return self._with_macros("code_cleanup", macros)

    def c_code(self, node: Apply, name: str, inputs: Any, outputs: Any, sub: dict[str, str]) -> str:
        macros = {**self._of_node(node, name), **self._of_call(sub, inputs, outputs)}
        if self.func_name is None:
            if "code" not in self.code_sections:
                raise MethodNotDefined("c_code", type(self), type(self).__name__)
            return self._with_macros("code", macros)
        args = [*inputs, *(f"&{out}" for out in outputs)]
        if "params" in sub:
            args.append(sub["params"])
        call = f"if ({self.func_name}({', '.join(args)}) != 0) {{\n{sub['fail']}\n}}\n"
        return _defined(macros, call)

    # sections and macros

    def _section(self, section: str) -> str:
        if section not in self.code_sections:
            raise MethodNotDefined(f"c_{section}", type(self), type(self).__name__)
        return self.code_sections[section]

    def _with_macros(self, section: str, macros: dict[str, str]) -> str:
        return _defined(macros, self._section(section))

    def _of_node(self, node: Apply, name: str) -> dict[str, str]:
        """Return the macros that depend only on the types of a node."""
        macros = {"APPLY_SPECIFIC(str)": f"str##_{name}"}
        if not getattr(self, "check_input", True):
            return macros
        for kind, variables in (("INPUT", node.inputs), ("OUTPUT", node.outputs)):
            for i, v in enumerate(variables):
                specs = getattr(v.type, "dtype_specs", None)
                if specs is None:
                    continue
                python, c, number = specs()
                macros[f"DTYPE_{kind}_{i}"] = c
                macros[f"TYPENUM_{kind}_{i}"] = number
                macros[f"ITEMSIZE_{kind}_{i}"] = str(python().itemsize)
        params = self.params_type
        if hasattr(params, "fields"):
            macros["PARAMS_TYPE"] = params.name
            for field, field_type in zip(params.fields, params.types, strict=True):
                element = getattr(field_type, "c_element_type", None)
                if element is not None:
                    macros[f"DTYPE_PARAM_{field}"] = element()
        return macros

    def _of_call(
        self, sub: dict[str, str], inputs: Sequence[str] = (), outputs: Sequence[str] = ()
    ) -> dict[str, str]:
        """Return the macros for one section: names of variables, and the code to fail."""
        macros = {"FAIL": sub["fail"]}
        if "params" in sub:
            macros |= {"PARAMS": sub["params"], "CONTEXT": sub["params"]}
        macros |= {f"INPUT_{i}": name for i, name in enumerate(inputs)}
        macros |= {f"OUTPUT_{i}": name for i, name in enumerate(outputs)}
        return macros


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def _defined(macros: dict[str, str], text: str) -> str:
    """Return a text with macros defined before it and undefined after it."""
    before = "".join(f"#define {name} {value}\n" for name, value in macros.items())
    after = "".join(f"#undef {name.partition('(')[0]}\n" for name in macros)
    return f"{before}{text}\n{after}"


_PROBE = """
#include <omp.h>
extern "C" int theano_threads(void) { return omp_get_max_threads(); }
"""


@documented_in("theano.gof.op")
class OpenMPOp(Op):
    """An op whose C code may use OpenMP: it is compiled with OpenMP if ``self.openmp``.

    Parameters
    ----------
    openmp : bool, optional
        The default is ``config.openmp``. It becomes False, with one warning, if the compiler has
        no OpenMP.
    """

    #: whether the compiler supports OpenMP; None if not yet tested
    gxx_support_openmp: ClassVar[bool | None] = None

    def __init__(self, openmp: bool | None = None) -> None:
        self.openmp = bool(config.openmp) if openmp is None else openmp

    def c_compile_args(self) -> list[str]:
        self.update_self_openmp()
        return ["-fopenmp"] if self.openmp else []

    def c_headers(self) -> list[str]:
        self.update_self_openmp()
        return ["omp.h"] if self.openmp else []

    @staticmethod
    def test_gxx_support() -> bool:
        """Whether the compiler supports OpenMP."""
        try:
            _library()(_PROBE, _options()(args=("-fopenmp",)))
        except _compile_error():
            return False
        return True

    def update_self_openmp(self) -> None:
        """Set ``self.openmp`` to False if the compiler does not support OpenMP."""
        if not self.openmp:
            return
        if OpenMPOp.gxx_support_openmp is None:
            OpenMPOp.gxx_support_openmp = self.test_gxx_support()
            if not OpenMPOp.gxx_support_openmp:
                warnings.warn(
                    "the C++ compiler has no OpenMP: ops run in one thread. Set openmp=False to "
                    "be silent about it",
                    RuntimeWarning,
                    stacklevel=2,
                )
        self.openmp = bool(OpenMPOp.gxx_support_openmp)

    def prepare_node(self, node: Apply, storage_map: Any, compute_map: Any, impl: Any) -> None:
        if impl == "c":
            self.update_self_openmp()
