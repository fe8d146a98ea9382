"""Tensors in C: the C code of TensorType, whose values are NumPy arrays."""

from __future__ import annotations

from typing import Any

from theano._src.c_code.scalar_text import HEADERS, c_type, complex_support, typenum

__all__ = ["TensorInC"]

_CHECK = """
if (!PyArray_Check(py_{name})) {{
    PyErr_Format(PyExc_TypeError, "an array is needed, got %s", Py_TYPE(py_{name})->tp_name);
    {fail}
}}
if (!PyArray_EquivTypenums(PyArray_TYPE((PyArrayObject*)py_{name}), {typenum})) {{
    PyErr_Format(PyExc_TypeError, "an array of {dtype} is needed, got one of %R",
                 (PyObject*)PyArray_DESCR((PyArrayObject*)py_{name}));
    {fail}
}}
if (!PyArray_ISBEHAVED_RO((PyArrayObject*)py_{name})) {{
    PyErr_SetString(PyExc_NotImplementedError,
                    "an aligned array in the byte order of the machine is needed");
    {fail}
}}
"""

_SYNC = """
if ((PyObject*){name} != py_{name}) {{
    Py_XDECREF(py_{name});
    py_{name} = {name} ? (PyObject*){name} : Py_None;
    Py_INCREF(py_{name});
}}
"""


class TensorInC:
    """The C code of a Type of arrays with a ``dtype``: a ``PyArrayObject*``, or NULL if unset."""

    dtype: str
    ndim: int

    def dtype_specs(self) -> tuple[Any, str, str]:
        """Return the NumPy class, the C type and NumPy's C constant of the elements."""
        import numpy as np

        return np.dtype(self.dtype).type, c_type(self.dtype), typenum(self.dtype)

    def c_element_type(self) -> str:
        return c_type(self.dtype)

    def c_is_simple(self) -> bool:
        return False

    def c_declare(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        return f"PyArrayObject* {name};\ntypedef {c_type(self.dtype)} dtype_{name};\n"

    def c_init(self, name: str, sub: dict[str, str]) -> str:
        return f"{name} = NULL;\n"

    def c_extract(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        check = ""
        if check_input:
            kind = typenum(self.dtype)
            check = _CHECK.format(name=name, fail=sub["fail"], typenum=kind, dtype=self.dtype)
        return f"{name} = NULL;\n{check}{name} = (PyArrayObject*)py_{name};\nPy_INCREF({name});\n"

    def c_extract_out(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        kept = self.c_extract(name, sub, check_input)
        return f"if (py_{name} == Py_None) {{\n{name} = NULL;\n}} else {{\n{kept}}}\n"

    def c_sync(self, name: str, sub: dict[str, str]) -> str:
        return _SYNC.format(name=name)

    def c_cleanup(self, name: str, sub: dict[str, str]) -> str:
        return f"Py_XDECREF({name});\n"

    def c_headers(self) -> list[str]:
        return list(HEADERS)

    def c_support_code(self) -> str:
        return complex_support(self.dtype)

    def c_init_code(self) -> list[str]:
        return ["import_array();"]

    def c_code_cache_version(self) -> tuple[Any, ...]:
        return (1,)
