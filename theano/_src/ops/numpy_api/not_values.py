"""Operations that need a value, such as ``int(x)``; their errors suggest alternatives.

``bool(x)`` and ``x == y`` have documented results that are misleading, so they warn. All methods
are installed as entry points (`short_traceback`), so the caller's frame is the second one above.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from numbers import Number
from typing import Any, NoReturn

from theano._src.graph.graph import Variable
from theano._src.ground.documented import short_traceback
from theano._src.ground.suggest import asked_as_written, instruction, nearest
from theano._src.ground.tracebacks import is_ours, warn_user
from theano._src.ops.core import elemwise
from theano._src.ops.core.scalar import LogicalComparison
from theano._src.ops.shape.shape import Shape

_TRUTH = (
    "Variables are true, whatever they will hold: `if x`, `not x` and `x and y` look at no value. "
    "Choose by value with theano.ifelse.ifelse or theano.tensor.switch, combine with & and |, ask "
    "`x is None` whether there is one. To silence this: "
    "warnings.filterwarnings('ignore', 'Variables are true')"
)
_EQUAL = (
    "Variables are compared as objects by == and !=, not by their values: the answer is about "
    "which variable it is. Use theano.tensor.eq or neq for values, `is` for objects, .ndim and "
    ".type for what is known of a shape. To silence this: "
    "warnings.filterwarnings('ignore', 'Variables are compared')"
)
_OBJECTS = (
    "NumPy makes an array of objects of symbolic variables, which holds no numbers. Use "
    "theano.tensor.stack or theano.tensor.as_tensor_variable for a tensor, .eval() or "
    "theano.function for values, .get_value() for that of a shared variable; dtype=object says "
    "that objects are meant"
)


#: NumPy functions that fail on an array of variables with a misleading error
_OF_NUMBERS = {name: f"{name}(theano.tensor.stack([...]))" for name in ("mean", "std", "var")} | {
    "average": "mean(theano.tensor.stack([...]))",
}


class NoLength(TypeError, AttributeError):
    """The error of ``len(x)``: a TypeError that also makes ``hasattr(x, '__len__')`` false."""


# tracebacks show the familiar name TypeError
NoLength.__module__ = "builtins"
NoLength.__name__ = NoLength.__qualname__ = "TypeError"


def truth(self: Variable) -> bool:
    """Return True with a warning, as documented; raise TypeError for a comparison."""
    if elemwise.is_elemwise(self.owner, LogicalComparison):
        raise TypeError(
            f"Variables do not support boolean operations: whether {self} holds is known only when "
            "it has a value. Use switch or ifelse, and & or | for `a < x < b`"
        )
    if not is_ours(sys._getframe(2)):
        warn_user(_TRUTH)
    return True


def equal(self: Variable, other: object) -> bool:
    """Compare by identity, as documented; warn if ``==`` was probably meant to compare values.

    ``x in list`` and ``list.index(x)`` call this too, but they mean objects.
    """
    if self is other:
        return True
    # for arrays, NumPy then calls a ufunc, which warns
    if isinstance(other, Variable | Number | tuple | list):
        warn_of_equality(sys._getframe(2))
    # the reflected method would return the same, and warn again
    return False if type(other).__eq__ is equal else NotImplemented


def warn_of_equality(frame: Any) -> None:
    """Warn if the frame runs ``==`` or ``!=`` explicitly; ``x in list`` means objects."""
    if not is_ours(frame) and instruction(frame) == "COMPARE_OP":
        warn_user(_EQUAL)


class _Length:
    """The ``__len__`` of variables: accessing it raises an error that suggests alternatives."""

    @short_traceback
    def __get__(self, variable: Any, owner: type) -> NoReturn:
        if variable is None:
            raise NoLength("symbolic variables have no length")
        if variable.owner is not None and isinstance(variable.owner.op, Shape):
            raise NoLength(
                f"len({variable.owner.inputs[0]}.shape) has a symbolic variable, which has no "
                f"len(): use .ndim, which is {variable.owner.inputs[0].ndim}; what needs "
                "numbers, as a plot does, takes those of .eval()"
            )
        if variable.type.ndim == 0:
            raise NoLength(f"{variable} of {variable.type} is a scalar, which has no length")
        error = NoLength(f"object of type {type(variable).__name__!r} has no len()")
        # a note, as the text itself is documented
        error.add_note(
            f"The length of {variable} of {variable.type} is known only when it has a value. Use "
            ".shape[0], which is an expression, or len() of its value: .eval() computes one, "
            "get_value() is that of a shared variable"
        )
        raise error


length = _Length()


def no_number(kind: str, instead: str) -> Callable[[Any], Any]:
    """Return a method that refuses the conversion to a Python number."""

    def method(self: Variable) -> Any:
        raise TypeError(
            f"{self} of {self.type} has no value before it runs, so it is no {kind}: {instead}; "
            ".eval() computes a value now, get_value() is that of a shared variable"
        )

    return method


def no_round(self: Variable, digits: object = None) -> NoReturn:
    """Refuse ``round(x)``, which should return an int."""
    raise TypeError(
        f"round() makes an int of a value, got {self} of {self.type}: use theano.tensor.round, and "
        ".astype('int64') for integers"
    )


def no_format(self: Variable, spec: str) -> str:
    """Return the name or expression for an empty format; refuse others, which need a number."""
    if not spec:
        return str(self)
    raise TypeError(
        f"the format {spec!r} is for values, got {self} of {self.type}: format what .eval() or a "
        "function gives, or print values on their way with theano.printing.Print"
    )


def no_contains(self: Variable, value: object) -> NoReturn:
    """Refuse ``value in x``."""
    raise TypeError(
        f"`in` needs values, got {self} of {self.type}: use theano.tensor.any("
        "theano.tensor.eq(x, value)), which is an expression"
    )


#: attributes of arrays of NumPy, JAX and PyTorch and of shared variables, and their alternatives
_METHODS = {
    "add_": "variables never change: use x + y, and keep the result",
    "at": "use theano.tensor.set_subtensor(x[i], y) or inc_subtensor",
    "backward": "use theano.grad(cost, variables), which returns expressions",
    "cpu": "values are given back as NumPy arrays; config.device says where functions run",
    "cuda": "config.device says where functions run",
    "detach": "use theano.gradient.disconnected_grad(x)",
    "expand_dims": "use theano.tensor.expand_dims(x, axis), or .dimshuffle",
    "float": "use .astype('float32') or .astype('float64')",
    "get_value": "only shared variables hold a value; .eval({...}) computes one",
    "grad": "use theano.grad(cost, x)",
    "int": "use .astype('int64')",
    "item": "it has no value before it runs; .eval({...}) computes one",
    "long": "use .astype('int64')",
    "matmul": "use x @ y or theano.tensor.dot",
    "numpy": "it has no value before it runs; .eval({...}) computes one, as a NumPy array",
    "permute": "use .dimshuffle or .transpose",
    "relu": "use theano.tensor.nnet.relu(x)",
    "requires_grad": "every variable can be differentiated by: theano.grad(cost, x)",
    "set_value": "only shared variables hold a value; make it with theano.shared",
    "sigmoid": "use theano.tensor.nnet.sigmoid(x)",
    "softmax": "use theano.tensor.nnet.softmax(x)",
    "to": "use .astype for a dtype; config.device says where functions run",
    "tolist": "it has no value before it runs; .eval({...}) computes one",
    "unsqueeze": "use theano.tensor.expand_dims(x, axis), or .dimshuffle",
    "value": "only shared variables hold a value; .eval({...}) computes one",
    "view": "use .reshape",
}


def no_attribute(self: Any, name: str) -> NoReturn:
    """Raise AttributeError with a suggestion of what to use instead."""
    text = f"{type(self).__name__!r} object has no attribute {name!r}"
    if not name.startswith("_") and asked_as_written(2) and not is_ours(sys._getframe(2)):
        if name in _METHODS:
            text += f": {_METHODS[name]}"
        elif near := nearest(name, (n for n in dir(type(self)) if not n.startswith("_"))):
            text += f"; did you mean .{near}?"
    raise AttributeError(text, name=name)


def no_setitem(self: Variable, key: object, value: object) -> None:
    """Refuse ``x[key] = value``."""
    raise TypeError(
        f"{type(self).__name__!r} object does not support item assignment: variables never "
        "change; use set_subtensor(x[key], value) and keep what it returns"
    )


def warn_of_objects(frame: Any) -> None:
    """Warn if the user's code creates an array of variables; not if NumPy does so internally."""
    requested = None
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("numpy."):
        frame, requested = frame.f_back, frame.f_code.co_name
    if requested in _OF_NUMBERS:
        raise TypeError(
            f"numpy.{requested} computes numbers, got a list of symbolic variables; make one "
            "tensor of "
            f"the list: theano.tensor.{_OF_NUMBERS[requested]}"
        )
    if requested is None and not is_ours(frame):
        warn_user(_OBJECTS)
