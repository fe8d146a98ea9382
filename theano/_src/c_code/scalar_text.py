"""Scalars in C: the names of their types, and the C code of the Type Scalar."""

from __future__ import annotations

from typing import Any

__all__ = ["HEADERS", "ScalarInC", "c_type", "complex_support", "typenum"]

#: headers for C code that uses NumPy values
HEADERS = ["numpy/arrayobject.h", "numpy/arrayscalars.h"]


def c_type(dtype: str) -> str:
    """Return the C type of an element.

    >>> c_type("float32"), c_type("complex64")
    ('npy_float32', 'theano_complex64')
    """
    return f"theano_{dtype}" if dtype.startswith("complex") else f"npy_{dtype}"


def typenum(dtype: str) -> str:
    """Return NumPy's C constant for a dtype.

    >>> typenum("int8")
    'NPY_INT8'
    """
    return f"NPY_{dtype.upper()}"


# in C++, npy_complex128 is a struct without arithmetic
_COMPLEX = """
#ifndef THEANO_COMPLEX
#define THEANO_COMPLEX
template <typename T> struct theano_complex_of {
    T real, imag;
    theano_complex_of(T re = 0, T im = 0) : real(re), imag(im) {}
    template <typename S> theano_complex_of(const theano_complex_of<S>& z)
        : real((T)z.real), imag((T)z.imag) {}
    typedef theano_complex_of<T> Z;
    friend Z operator+(Z a, Z b) { return Z(a.real + b.real, a.imag + b.imag); }
    friend Z operator-(Z a, Z b) { return Z(a.real - b.real, a.imag - b.imag); }
    friend Z operator-(Z a) { return Z(-a.real, -a.imag); }
    friend Z operator*(Z a, Z b) {
        return Z(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real);
    }
    friend Z operator/(Z a, Z b) {
        T n = b.real * b.real + b.imag * b.imag;
        return Z((a.real * b.real + a.imag * b.imag) / n, (a.imag * b.real - a.real * b.imag) / n);
    }
    friend bool operator==(Z a, Z b) { return a.real == b.real && a.imag == b.imag; }
    friend bool operator!=(Z a, Z b) { return !(a == b); }
    Z& operator+=(Z b) { return *this = *this + b; }
    Z& operator-=(Z b) { return *this = *this - b; }
    Z& operator*=(Z b) { return *this = *this * b; }
    Z& operator/=(Z b) { return *this = *this / b; }
};
typedef theano_complex_of<npy_float32> theano_complex64;
typedef theano_complex_of<npy_float64> theano_complex128;
#endif
"""


def complex_support(dtype: str) -> str:
    """Return complex types with arithmetic; "" for other dtypes."""
    return _COMPLEX if dtype.startswith("complex") else ""


_SCALARS = """
#ifndef THEANO_NUMBER
#define THEANO_NUMBER
// a number of NumPy, or an array without dimensions; 0 if it is one of the right type
static int theano_number(PyObject* given, int typenum, void* result) {
    PyArray_Descr* descr = NULL;
    if (PyArray_IsScalar(given, Generic)) {
        descr = PyArray_DescrFromScalar(given);
    } else if (PyArray_Check(given) && PyArray_NDIM((PyArrayObject*)given) == 0) {
        descr = PyArray_DESCR((PyArrayObject*)given);
        Py_INCREF(descr);
    }
    if (descr == NULL || !PyArray_EquivTypenums(descr->type_num, typenum)) {
        PyArray_Descr* wanted = PyArray_DescrFromType(typenum);
        PyErr_Format(PyExc_TypeError, "a number of %R is needed, got %R of %s", wanted, given,
                     Py_TYPE(given)->tp_name);
        Py_XDECREF(wanted);
        Py_XDECREF(descr);
        return -1;
    }
    if (PyArray_Check(given)) {
        PyArrayObject* array = (PyArrayObject*)given;
        PyObject* number = PyArray_ToScalar(PyArray_DATA(array), array);
        PyArray_ScalarAsCtype(number, result);
        Py_XDECREF(number);
    } else {
        PyArray_ScalarAsCtype(given, result);
    }
    Py_DECREF(descr);
    return 0;
}
#endif
"""


def _float(value: float) -> str:
    """A float as C text."""
    text = repr(float(value))
    return {"nan": "NAN", "inf": "INFINITY", "-inf": "-INFINITY"}.get(text, text)


class ScalarInC:
    """The C code of a scalar Type with a ``dtype``: values are variables of its C type."""

    dtype: str

    def dtype_specs(self) -> tuple[Any, str, str]:
        """Return the NumPy class, the C type and NumPy's C constant of the numbers."""
        import numpy as np

        return np.dtype(self.dtype).type, c_type(self.dtype), typenum(self.dtype)

    def c_element_type(self) -> str:
        return c_type(self.dtype)

    def c_is_simple(self) -> bool:
        return True

    def c_literal(self, data: Any) -> str:
        if self.dtype.startswith("complex"):
            return f"{c_type(self.dtype)}({_float(data.real)}, {_float(data.imag)})"
        return _float(data) if "float" in self.dtype else repr(int(data))

    def c_declare(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        kind = c_type(self.dtype)
        return f"{kind} {name};\ntypedef {kind} dtype_{name};\n"

    def c_init(self, name: str, sub: dict[str, str]) -> str:
        return f"{name} = 0;\n"

    def c_extract(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        call = f"theano_number(py_{name}, {typenum(self.dtype)}, &{name})"
        return f"if ({call}) {{\n{sub['fail']}\n}}\n"

    def c_sync(self, name: str, sub: dict[str, str]) -> str:
        return (
            f"Py_XDECREF(py_{name});\n{{\n"
            f"PyArray_Descr* descr = PyArray_DescrFromType({typenum(self.dtype)});\n"
            f"py_{name} = PyArray_Scalar(&{name}, descr, NULL);\n"
            f"Py_DECREF(descr);\n}}\n"
            f"if (!py_{name}) {{ Py_INCREF(Py_None); py_{name} = Py_None; {sub['fail']} }}\n"
        )

    def c_cleanup(self, name: str, sub: dict[str, str]) -> str:
        return ""

    def c_headers(self) -> list[str]:
        return list(HEADERS)

    def c_support_code(self) -> str:
        return complex_support(self.dtype) + _SCALARS

    def c_init_code(self) -> list[str]:
        return ["import_array();"]

    def c_code_cache_version(self) -> tuple[Any, ...]:
        return (1,)
