"""Decorators for public objects: their documented path, and short tracebacks."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

from theano._src.ground.lazy import at_first_use
from theano._src.ground.tracebacks import shorten

_explain_call = at_first_use("theano._src.ground.suggest:explain_call")

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def documented_in(module: str) -> Callable[[T], T]:
    """Set the ``__module__`` of a class or function to its documented module.

    Pickles then contain the documented path and survive a move inside ``_src``. A function becomes
    an entry point: see `short_traceback`.

    >>> @documented_in("theano.gof.graph")
    ... class Node: ...
    >>> Node.__module__
    'theano.gof.graph'
    """

    def mark(thing: Any) -> Any:
        thing.__module__ = module
        return short_traceback(thing) if type(thing) is FunctionType else thing

    return mark


def short_traceback(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function an entry point: its errors do not show frames of this package.

    >>> @short_traceback
    ... def double(x):
    ...     return 2 * x
    >>> double(2)
    4
    """
    if is_entry_point(function):
        return function

    @wraps(function)
    def entered(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if isinstance(error, TypeError) and _of_the_call(error):
                _explain_call()(error, function, kwargs)
            shorten(error)
            raise

    return entered


def _of_the_call(error: TypeError) -> bool:
    """Whether the function was not entered: the arguments do not match its signature."""
    return error.__traceback__ is not None and error.__traceback__.tb_next is None


def is_entry_point(thing: object) -> bool:
    """Whether ``thing`` was wrapped by `short_traceback`."""
    code = getattr(thing, "__code__", None)
    return code is not None and code in short_traceback.__code__.co_consts


def short_tracebacks(thing: type[T]) -> type[T]:
    """Make ``__init__`` and the public methods of a class entry points.

    >>> @short_tracebacks
    ... class Counter:
    ...     def __init__(self, start): self.start = start
    >>> Counter(2).start
    2
    """
    for name, method in list(vars(thing).items()):
        if type(method) is FunctionType and (name == "__init__" or not name.startswith("_")):
            setattr(thing, name, short_traceback(method))
    return thing


class OfInstance:
    """An attribute that is computed for instances, and has another value, or none, on the class.

    With ``__doc__ = OfInstance(make, __doc__)`` in a class, ``help`` of an instance describes that
    instance.

    >>> class Planet:
    ...     "A planet."
    ...     __doc__ = OfInstance(lambda self: "The planet " + self.name, __doc__)
    >>> mars = Planet()
    >>> mars.name = "Mars"
    >>> Planet.__doc__, mars.__doc__
    ('A planet.', 'The planet Mars')
    """

    def __init__(self, make: Callable[[Any], Any], of_class: Any = None) -> None:
        self.make, self.of_class = make, of_class

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is not None:
            return self.make(instance)
        if self.of_class is None:
            raise AttributeError("only instances have it")
        return self.of_class
