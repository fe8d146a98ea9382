"""NumPy's functions that have no symbolic form, with the reasons for their error messages."""

from __future__ import annotations

_WRITES = "variables never change; use set_subtensor or inc_subtensor and keep what it returns"
_FILES = "only values can be written to a file"
_PRINTS = "only values can be written out; theano.printing shows expressions, and Print values"
_MEMORY = "variables have no memory before they run"
_DATES = "no tensor holds dates"
_DTYPE = "a variable has a dtype and no value yet; ask for its .dtype"
_BITS = "no op splits numbers into bits"
_COUNTS = "only histogram, of one variable, has a symbolic form"
_PYTHON = "it calls a Python function on each slice; theano.scan does that symbolically"
_ROOTS = "no op finds the roots of polynomials or divides them"

_REASONS = {
    _WRITES: "copyto fill_diagonal place put put_along_axis putmask",
    _FILES: "save savetxt savez savez_compressed",
    _PRINTS: "array2string array_repr array_str datetime_as_string",
    _MEMORY: "may_share_memory shares_memory",
    _DATES: "busday_count busday_offset is_busday isnat",
    _DTYPE: "can_cast min_scalar_type real_if_close",
    _BITS: "bitwise_count frexp packbits spacing unpackbits",
    _COUNTS: "histogram2d histogramdd",
    _PYTHON: "apply_along_axis",
    _ROOTS: "poly polydiv roots",
    "it plans a contraction of arrays; einsum plans its own": "einsum_path",
    "no op has common divisors": "gcd lcm",
    "complex numbers have no order here": "sort_complex",
    "whether it broadcasts is known only when it runs; use array_equal": "array_equiv",
}

#: why a NumPy function does not take variables, by its name
REFUSED = {f"numpy.{name}": reason for reason, names in _REASONS.items() for name in names.split()}
