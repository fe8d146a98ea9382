"""Call the C code methods of ops and types, which may be missing or take fewer arguments.

An attribute may replace a method. Older code has ``c_declare(self, name, sub)`` without
``check_input``, and methods that do not take the compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

from theano._src.ground.utils import MethodNotDefined

__all__ = ["call_method", "asked_list", "asked_text"]


def call_method(thing: Any, method: str, *args: Any) -> Any:
    """Call a method with as many of the arguments as it takes, and return its result."""
    result = getattr(thing, method, None)
    if result is None:
        raise MethodNotDefined(method, type(thing), type(thing).__name__)
    if not callable(result):
        return result
    return result(*args[: _taken(result, len(args))])


def asked_text(thing: Any, method: str, *args: Any) -> str:
    """Return the text of an optional method; "" if it is not defined."""
    try:
        return str(call_method(thing, method, *args) or "")
    except MethodNotDefined:
        return ""


def asked_list(thing: Any, method: str) -> list[str]:
    """Return the list of an optional method, which may return one text or take the compiler."""
    try:
        result = call_method(thing, method, None)
    except MethodNotDefined:
        return []
    return [result] if isinstance(result, str) else list(result or ())


def _taken(function: Callable[..., Any], most: int) -> int:
    """Return how many positional arguments a function takes, at most ``most``."""
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):
        return most
    if any(p.kind is Parameter.VAR_POSITIONAL for p in parameters):
        return most
    plain = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return min(most, sum(p.kind in plain for p in parameters))
