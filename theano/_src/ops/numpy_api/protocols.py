"""NumPy's functions on tensor variables: both of its dispatch protocols, and the tables.

``np.exp(x)`` calls ``x.__array_ufunc__`` and ``np.sum(x)`` calls ``x.__array_function__`` (both in
``dispatch``). The symbolic form is looked up by NumPy's name: first in the ``np_*`` modules, which
have NumPy's own signatures, then in the families of ops.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Container, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ground.suggest import instruction
from theano._src.ops.arrays import (
    axes,
    bincount,
    creation,
    cumulative,
    diagonal,
    interpolation,
    nan_reduce,
    padding,
    quantiles,
    select,
    sort,
    split,
    stacking,
    unique,
    windows,
)
from theano._src.ops.elementwise import (
    activations,
    arithmetic,
    bessel,
    compare,
    complex_parts,
    explog,
    logic,
    rounding,
    special,
    trig,
    ufuncs,
)
from theano._src.ops.index import ravel_index
from theano._src.ops.linalg import dot, einsum, factors, inverse, products, solve
from theano._src.ops.nnet.logsumexp import logsumexp
from theano._src.ops.numpy_api import (
    not_values,
    np_analysis,
    np_arrays,
    np_elements,
    np_fourier,
    np_linalg,
    np_refused,
)
from theano._src.ops.reduce import reduce
from theano._src.ops.shape import alloc, dims, join, ranges, shape
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import _tensor_py_operators

#: modules to look up a function in by NumPy's name; forms with NumPy's signature come first
_FAMILIES: dict[str, tuple[tuple[ModuleType, ...], tuple[ModuleType, ...]]] = {
    "numpy": (
        (np_elements, np_arrays, np_analysis),
        (
            ufuncs,
            logic,
            axes,
            creation,
            stacking,
            einsum,
            padding,
            products,
            interpolation,
            quantiles,
            nan_reduce,
            alloc,
            arithmetic,
            compare,
            complex_parts,
            bincount,
            cumulative,
            unique,
            windows,
            diagonal,
            dims,
            dot,
            explog,
            join,
            ranges,
            ravel_index,
            reduce,
            rounding,
            select,
            shape,
            sort,
            bessel,
            special,
            split,
            trig,
        ),
    ),
    "numpy.linalg": ((np_linalg,), (inverse, solve, factors, dot, products)),
    "numpy.fft": ((np_fourier,), ()),
}

#: ufuncs that have another name in a family
_SPELLED: dict[str, Callable[..., Any]] = {
    "absolute": arithmetic.abs_,
    "add": arithmetic.add,
    "conjugate": complex_parts.conj,
    "degrees": trig.rad2deg,
    "divide": arithmetic.true_div,
    "equal": compare.eq,
    "floor_divide": arithmetic.int_div,
    "multiply": arithmetic.mul,
    "negative": arithmetic.neg,
    "not_equal": compare.neq,
    "positive": as_tensor_variable,
    "power": arithmetic.pow,
    "radians": trig.deg2rad,
    "remainder": arithmetic.mod,
    "sign": arithmetic.sgn,
    "square": arithmetic.sqr,
    "subtract": arithmetic.sub,
}

#: NumPy functions whose alias is a separate object, and the name to look up
_ALIASES = {"numpy.amax": "max", "numpy.amin": "min", "numpy.fix": "trunc"}

#: the forms of ``ufunc.reduce`` and ``ufunc.accumulate``, by the name of the ufunc
_REDUCED: dict[str, Callable[..., Any]] = {
    "add": reduce.sum,
    "multiply": reduce.prod,
    "maximum": reduce.max,
    "minimum": reduce.min,
    "logical_and": reduce.all,
    "logical_or": reduce.any,
    "logaddexp": logsumexp,
}
_ACCUMULATED = {"add": cumulative.cumsum, "multiply": cumulative.cumprod}

#: ufuncs that NumPy does not export: ``array.clip(x, y)`` calls them
_OF_METHODS = {"clip": np_elements.clip}

#: SciPy's ufuncs that have another name here
_SCIPY = {"expit": activations.sigmoid, "psi": special.psi}

#: functions that programs call to build a list of variables, not to add dimensions
OF_OBJECTS = (np.atleast_1d, np.atleast_2d, np.atleast_3d)

#: options of every ufunc, with the values that have no effect
_UFUNC_DEFAULTS = {
    "where": True,
    "casting": "same_kind",
    "order": "K",
    "subok": True,
    "dtype": None,
    "signature": None,
    "keepdims": False,
}

_NO_VALUE = np._NoValue


def _documented(thing: object) -> bool:
    path = getattr(thing, "__module__", None) or ""
    return callable(thing) and path.startswith(("theano.tensor", "theano.compile"))


def _lookup(space: str, name: str) -> Any:
    """Return the symbolic form of a NumPy function, or None."""
    forms, families = _FAMILIES[space]
    for module in forms:
        form = vars(module).get(name)
        if getattr(form, "__module__", None) == module.__name__:
            return form
    for module in families:
        thing = vars(module).get(name)
        if _documented(thing):
            return thing
    return None


def _spaces() -> list[tuple[str, Any]]:
    return [("numpy", np), ("numpy.linalg", np.linalg), ("numpy.fft", np.fft)]


@functools.cache
def ufunc_table() -> dict[np.ufunc, Callable[..., Any]]:
    """Return the symbolic form of each NumPy ufunc that has one.

    >>> ufunc_table()[np.subtract] is arithmetic.sub
    True
    """
    table: dict[np.ufunc, Callable[..., Any]] = {}
    for name in np.__all__:
        ufunc = vars(np).get(name)  # getattr would load submodules
        if isinstance(ufunc, np.ufunc):
            form = _SPELLED.get(ufunc.__name__) or _lookup("numpy", ufunc.__name__)
            if form is not None:
                table[ufunc] = form
    return table


@functools.cache
def function_table() -> dict[Any, Callable[..., Any]]:
    """Return the symbolic form, with NumPy's arguments, of each other NumPy function that has one.

    >>> function_table()[np.sum](as_tensor_variable([1, 2]), axis=0).eval()
    array(3)
    """
    table: dict[Any, Callable[..., Any]] = {}
    for space, module in _spaces():
        for name in module.__all__:
            function = vars(module).get(name)
            if not dispatched(function) or function in OF_OBJECTS:
                continue
            if f"{space}.{name}" in np_refused.REFUSED:
                continue
            form = _lookup(space, _ALIASES.get(f"{space}.{name}", name))
            if form is not None and function not in table:
                table[function] = _with_signature(f"{space}.{name}", function, form)
    return table


def dispatched(function: object) -> bool:
    """Whether a NumPy function dispatches to ``__array_function__`` of its arguments.

    >>> dispatched(np.sum), dispatched(np.asarray)
    (True, False)
    """
    return type(function) is type(np.sum)


def _with_signature(
    who: str, function: Callable[..., Any], form: Callable[..., Any]
) -> Callable[..., Any]:
    """Wrap ``form`` so that it is called like ``function``.

    Required arguments are passed by position, options by name. An option that the form does not
    have must be left at NumPy's default.
    """

    @functools.cache  # slow, so only for functions that are used
    def signatures() -> Any:
        try:
            theirs = inspect.signature(function)
        except ValueError:  # a C function whose signature this NumPy does not provide
            theirs = inspect.signature(form)
        # an op takes only its inputs
        ours = {} if hasattr(form, "make_node") else inspect.signature(form).parameters
        return theirs, ours, any(p.kind is p.VAR_KEYWORD for p in ours.values())

    def call(*args: Any, **kwargs: Any) -> Any:
        theirs, ours, free = signatures()
        given = theirs.bind(*args, **kwargs).arguments
        places: list[Any] = []
        names: dict[str, Any] = {}
        for p in theirs.parameters.values():
            value = given.get(p.name, p.default)
            if p.kind is p.VAR_POSITIONAL:
                places.extend(given.get(p.name, ()))
            elif p.kind is p.VAR_KEYWORD:
                for name, option in given.get(p.name, {}).items():
                    if not (free or name in ours):
                        raise _not_taken(who, name, option, theirs, ours)
                    names[name] = option
            elif p.default is p.empty:
                places.append(value)
            elif p.name in ours:
                if value is not _NO_VALUE:
                    names[p.name] = value
            elif not _is_default(value, p.default):
                raise _not_taken(who, p.name, value, theirs, ours)
        return form(*places, **names)

    return call


def _is_default(value: object, default: object) -> bool:
    if value is default or value is None:
        return True
    return isinstance(value, (str, bool, int, float)) and value == default


def _not_taken(
    who: str, name: str, value: object, theirs: inspect.Signature, ours: Container[str]
) -> Exception:
    required = [p.name for p in theirs.parameters.values() if p.default is p.empty]
    takes = [*required, *(n for n in theirs.parameters if n in ours and n not in required)]
    text = f"{who} of symbolic variables takes {', '.join(takes)}, got {name}={value!r:.40}; "
    if name == "out":
        return TypeError(text + "variables never change: keep what it returns instead")
    return TypeError(text + "leave it out, or call NumPy on values, which .eval() gives")


def _no_form(who: str) -> Exception:
    why = np_refused.REFUSED.get(who)
    if why is None:
        why = "theano.tensor has nothing of that meaning"
    return TypeError(
        f"{who} takes arrays, got symbolic variables: {why}. Call it on values, which .eval() "
        "gives, or make an op of it with theano.as_op"
    )


def _by(*instructions: str) -> bool:
    """Whether the caller of NumPy ran one of these bytecode instructions, not a call.

    NumPy dispatches ``array == x`` and ``np.equal(array, x)`` in the same way; only the bytecode
    of the caller distinguishes them.
    """
    # above this function, array_ufunc and the method of variables
    return instruction(sys._getframe(3)) in instructions


def array_ufunc(ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """Apply the symbolic form of a NumPy ufunc, or of its ``reduce``, ``accumulate``, ``outer``."""
    name = ufunc.__name__
    who = f"numpy.{name}" if method == "__call__" else f"numpy.{name}.{method}"
    out = kwargs.pop("out", None)
    if out is not None:
        # `array += x` rebinds the name, as `array = array + x` does
        if not (method == "__call__" and out[0] is inputs[0] and _by("BINARY_OP")):
            raise TypeError(
                f"{who} of symbolic variables takes its operands, got out={type(out[0]).__name__}; "
                "an array cannot hold what is known only when it runs: keep what it returns instead"
            )
        kwargs.pop("axes", None)
    elif (
        name in ("equal", "not_equal")
        and not isinstance(inputs[0], Variable)
        and _by("COMPARE_OP", "CONTAINS_OP")
    ):
        # == compares variables as objects, on either side
        not_values.warn_of_equality(sys._getframe(2))
        return name == "not_equal"
    match method:
        case "__call__":
            _only_defaults(who, kwargs)
            return _ufunc_form(ufunc)(*inputs)
        case "outer":
            _only_defaults(who, kwargs)
            a, b = (as_tensor_variable(v) for v in inputs)
            return _ufunc_form(ufunc)(dims.shape_padright(a, b.ndim), b)
        case "reduce" if name in _REDUCED:
            return _over_axis(who, _REDUCED[name], inputs[0], kwargs)
        case "accumulate" if name in _ACCUMULATED:
            return _over_axis(who, _ACCUMULATED[name], inputs[0], kwargs)
        case "at":
            raise TypeError(
                f"{who} takes arrays, got symbolic variables, which never change; "
                "use inc_subtensor or set_subtensor and keep what it returns"
            )
    raise _no_form(who)


def _ufunc_form(ufunc: np.ufunc) -> Callable[..., Any]:
    form = ufunc_table().get(ufunc)
    if form is not None:
        return form
    name = ufunc.__name__
    if name in _OF_METHODS:
        return _OF_METHODS[name]
    # no import: the caller of a SciPy ufunc has imported SciPy
    scipy_special = sys.modules.get("scipy.special")
    if getattr(scipy_special, name, None) is ufunc:
        form = _SCIPY.get(name) or vars(special).get(name) or vars(bessel).get(name)
        if form is not None and _documented(form):
            return form
        raise _no_form(f"scipy.special.{name}")
    raise _no_form(f"numpy.{name}" if getattr(np, name, None) is ufunc else name)


def _only_defaults(who: str, kwargs: dict[str, Any], takes: str = "its operands") -> None:
    for name, value in kwargs.items():
        if name not in _UFUNC_DEFAULTS or not _is_default(value, _UFUNC_DEFAULTS[name]):
            raise TypeError(
                f"{who} of symbolic variables takes {takes}, got {name}={value!r:.40}; leave it "
                "out: cast says the dtype, switch chooses elements, .dimshuffle places dimensions"
            )


def _over_axis(who: str, form: Callable[..., Any], x: TensorLike, kwargs: dict[str, Any]) -> Any:
    """Apply a reduction or accumulation; the default axis is 0, as in NumPy."""
    takes = inspect.signature(form).parameters
    options = {"axis": kwargs.pop("axis", 0)}
    for name in ("keepdims", "dtype"):
        if name in kwargs and name in takes:
            options[name] = kwargs.pop(name)
    if kwargs.get("initial", _NO_VALUE) is _NO_VALUE:
        kwargs.pop("initial", None)
    _only_defaults(who, kwargs, ", ".join(["array", *options]))
    return form(as_tensor_variable(x), **options)


def array_function(
    function: Callable[..., Any], types: Sequence[type], args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    """Apply the symbolic form of a NumPy function that is not a ufunc."""
    if not all(issubclass(t, (_tensor_py_operators, np.ndarray)) for t in types):
        return NotImplemented
    if _lists_variables(function, args):
        held = [np.asarray(v) if isinstance(v, Variable) else v for v in args]
        return function(*held, **kwargs)
    form = function_table().get(function)
    if form is None:
        raise _no_form(f"{function.__module__}.{function.__name__}")
    return form(*args, **kwargs)


def _lists_variables(function: Callable[..., Any], args: Sequence[Any]) -> bool:
    """Whether to run NumPy itself, to build an object array whose elements are variables.

    An example is ``np.append(many, x)`` where ``many`` is a list of variables.
    """
    if function in OF_OBJECTS:
        return True
    many = args[0] if args and function is np.append else None
    if isinstance(many, np.ndarray):
        return bool(many.dtype == object)
    return isinstance(many, (list, tuple)) and any(isinstance(v, Variable) for v in many)
