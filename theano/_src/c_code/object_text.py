"""Other values in C: Python objects, opaque pointers, enumerations and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.c_code.asking import asked_list, asked_text, call_method

__all__ = ["EnumInC", "ListInC", "ObjectInC", "ParamsInC", "PointerInC"]


class ObjectInC:
    """The C code of a Type of Python objects: a ``PyObject*``."""

    def c_declare(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        return f"PyObject* {name};\n"

    def c_init(self, name: str, sub: dict[str, str]) -> str:
        return f"{name} = NULL;\n"

    def c_extract(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        return f"{name} = py_{name};\nPy_INCREF({name});\n"

    def c_sync(self, name: str, sub: dict[str, str]) -> str:
        return (
            f"Py_XDECREF(py_{name});\npy_{name} = {name} ? {name} : Py_None;\n"
            f"Py_INCREF(py_{name});\n"
        )

    def c_cleanup(self, name: str, sub: dict[str, str]) -> str:
        return f"Py_XDECREF({name});\n"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        return (1,)


class ListInC(ObjectInC):
    """The C code of a Type of lists: a ``PyListObject*``."""

    def c_declare(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        return f"PyListObject* {name};\n"

    def c_extract(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        check = (
            f"if (!PyList_Check(py_{name})) {{\n"
            f'PyErr_SetString(PyExc_TypeError, "a list is needed");\n{sub["fail"]}\n}}\n'
        )
        return (
            f"{check if check_input else ''}"
            f"{name} = (PyListObject*)py_{name};\nPy_INCREF({name});\n"
        )

    def c_sync(self, name: str, sub: dict[str, str]) -> str:
        return (
            f"Py_XDECREF(py_{name});\npy_{name} = {name} ? (PyObject*){name} : Py_None;\n"
            f"Py_INCREF(py_{name});\n"
        )


class PointerInC:
    """The C code of a Type of opaque pointers with a ``ctype``; in Python they are capsules."""

    ctype: str
    freefunc: str | None

    def c_declare(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        return f"{self.ctype} {name};\n"

    def c_init(self, name: str, sub: dict[str, str]) -> str:
        return f"{name} = NULL;\n"

    def c_extract(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        return (
            f"{name} = ({self.ctype})PyCapsule_GetPointer(py_{name}, NULL);\n"
            f"if ({name} == NULL) {{\n{sub['fail']}\n}}\n"
        )

    def c_support_code(self) -> str:
        # the op may define its free function after this
        return """
#ifndef THEANO_CAPSULE
#define THEANO_CAPSULE
static void theano_free_in_capsule(PyObject* capsule) {
    void (*function)(void*) = (void (*)(void*))PyCapsule_GetContext(capsule);
    if (function) function(PyCapsule_GetPointer(capsule, NULL));
}
#endif
"""

    def c_sync(self, name: str, sub: dict[str, str]) -> str:
        free = self.freefunc or "NULL"
        return (
            f"Py_XDECREF(py_{name});\n"
            f"if ({name} == NULL) {{ py_{name} = Py_None; Py_INCREF(Py_None); }}\n"
            f"else {{ py_{name} = PyCapsule_New((void*){name}, NULL, theano_free_in_capsule);\n"
            f"if (!py_{name}) {{ py_{name} = Py_None; Py_INCREF(Py_None); {sub['fail']} }}\n"
            f"PyCapsule_SetContext(py_{name}, (void*){free}); }}\n"
        )

    def c_cleanup(self, name: str, sub: dict[str, str]) -> str:
        return ""

    def c_code_cache_version(self) -> tuple[Any, ...]:
        return (1,)


class EnumInC:
    """The C code of an enumeration: a number of its ``ctype``, and a macro for each name."""

    ctype: str
    cname: str

    def _numbers(self) -> dict[str, Any]:
        """Return the numbers by name that C does not define itself."""
        raise NotImplementedError(f"{type(self).__name__}._numbers")

    def c_support_code(self) -> str:
        defined = [
            f"#ifndef {name}\n#define {name} ({number!r})\n#endif\n"
            for name, number in sorted(self._numbers().items())
        ]
        return "".join(defined)

    def c_to_string(self) -> str:
        """Return C code of ``theano_enum_to_string_<cname>``: a number's name as a Python str."""
        names = sorted(self._names())
        text = "".join(f'if (value == {n}) return PyUnicode_FromString("{n}");\n' for n in names)
        return (
            f"static PyObject* theano_enum_to_string_{self.cname}({self.ctype} value) {{\n{text}"
            'PyErr_SetString(PyExc_ValueError, "no name of the enumeration has this number");\n'
            "return NULL;\n}\n"
        )

    def _names(self) -> Sequence[str]:
        return list(self._numbers())

    def c_declare(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        return f"{self.ctype} {name};\n"

    def c_init(self, name: str, sub: dict[str, str]) -> str:
        return f"{name} = ({self.ctype})0;\n"

    def c_extract(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        return (
            f"if (!PyNumber_Check(py_{name}) || PyUnicode_Check(py_{name})) {{\n"
            f'PyErr_SetString(PyExc_TypeError, "a number of an enumeration is needed");\n'
            f"{sub['fail']}\n}}\n"
            f"{name} = PyLong_Check(py_{name}) ? ({self.ctype})PyLong_AsLongLong(py_{name})\n"
            f"    : ({self.ctype})PyFloat_AsDouble(py_{name});\n"
            f"if (PyErr_Occurred()) {{\n{sub['fail']}\n}}\n"
        )

    def c_sync(self, name: str, sub: dict[str, str]) -> str:
        return f"Py_XDECREF(py_{name});\npy_{name} = PyFloat_FromDouble((double){name});\n"

    def c_cleanup(self, name: str, sub: dict[str, str]) -> str:
        return ""

    def c_code_cache_version(self) -> tuple[Any, ...]:
        return (1,)


class NamesOfC(EnumInC):
    """An enumeration whose names C defines: in Python, the numbers are positions in a list."""

    def c_support_code(self) -> str:
        listed = ", ".join(f"({self.ctype}){name}" for name in self._names())
        return f"static {self.ctype} theano_values_of_{self.cname}(int i) {{\n" + (
            f"static {self.ctype} values[] = {{{listed}}};\nreturn values[i];\n}}\n"
        )

    def c_extract(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        return (
            f"{{ long position = PyLong_AsLong(py_{name});\n"
            f"if (PyErr_Occurred()) {{\n{sub['fail']}\n}}\n"
            f"if (position < 0 || position >= {len(self._names())}) {{\n"
            f'PyErr_SetString(PyExc_ValueError, "no name of the enumeration has this number");\n'
            f"{sub['fail']}\n}}\n"
            f"{name} = theano_values_of_{self.cname}((int)position); }}\n"
        )


class ParamsInC:
    """The C code of parameters with several fields: a pointer to a struct of those fields."""

    name: Any
    fields: tuple[str, ...]
    types: tuple[Any, ...]

    def c_support_code(self) -> str:
        fail = {"fail": "{ return -1; }"}
        parts = [asked_text(kind, "c_support_code") for kind in self.types]
        # the types of two fields may define the same helpers
        parts = list(dict.fromkeys(parts))
        parts.append(
            f"#ifndef THEANO{self.name}\n#define THEANO{self.name}\nstruct {self.name} {{\n"
        )
        parts += [f"PyObject* py_{field};\n" for field in self.fields]
        for field, kind in zip(self.fields, self.types, strict=True):
            parts.append(call_method(kind, "c_declare", field, fail))
        parts.append(f"{self.name}() {{\n")
        for field, kind in zip(self.fields, self.types, strict=True):
            parts.append(f"py_{field} = NULL;\n{call_method(kind, 'c_init', field, fail)}")
        parts.append(f"}}\n~{self.name}() {{\n")
        for field, kind in zip(self.fields, self.types, strict=True):
            parts.append(f"{call_method(kind, 'c_cleanup', field, fail)}Py_XDECREF(py_{field});\n")
        parts.append("}\n")
        for field, kind in zip(self.fields, self.types, strict=True):
            extract = call_method(kind, "c_extract", field, fail)
            parts.append(
                f"int extract_{field}(PyObject* params) {{\n"
                f'py_{field} = PyObject_GetAttrString(params, "{field}");\n'
                f"if (!py_{field}) return -1;\n{extract}\nreturn 0;\n}}\n"
            )
        every = " || ".join(f"extract_{field}(params)" for field in self.fields)
        parts.append(f"int extract(PyObject* params) {{ return {every}; }}\n}};\n#endif\n")
        return "".join(parts)

    def c_declare(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        return f"{self.name}* {name};\n"

    def c_init(self, name: str, sub: dict[str, str]) -> str:
        return f"{name} = NULL;\n"

    def c_extract(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        return (
            f"{name} = new {self.name}();\nif ({name}->extract(py_{name})) {{\n{sub['fail']}\n}}\n"
        )

    def c_sync(self, name: str, sub: dict[str, str]) -> str:
        # parameters are inputs only
        return ""

    def c_cleanup(self, name: str, sub: dict[str, str]) -> str:
        return f"delete {name};\n{name} = NULL;\n"

    def c_headers(self) -> list[str]:
        return self._of_fields("c_headers")

    def c_header_dirs(self) -> list[str]:
        return self._of_fields("c_header_dirs")

    def c_libraries(self) -> list[str]:
        return self._of_fields("c_libraries")

    def c_lib_dirs(self) -> list[str]:
        return self._of_fields("c_lib_dirs")

    def c_compile_args(self) -> list[str]:
        return self._of_fields("c_compile_args")

    def c_no_compile_args(self) -> list[str]:
        return self._of_fields("c_no_compile_args")

    def c_init_code(self) -> list[str]:
        return self._of_fields("c_init_code")

    def _of_fields(self, method: str) -> list[str]:
        return list(dict.fromkeys(x for kind in self.types for x in asked_list(kind, method)))

    def c_code_cache_version(self) -> tuple[Any, ...]:
        return (1, tuple(kind.c_code_cache_version() for kind in self.types))
