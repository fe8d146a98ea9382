"""Public objects carry the path under which they are documented."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def documented_in(module: str) -> Callable[[T], T]:
    """Give a class or function the module path that users know it by.

    Pickles then name the documented path and survive a move inside ``_src``.

    >>> @documented_in("theano.gof.graph")
    ... class Node: ...
    >>> Node.__module__
    'theano.gof.graph'
    """

    def mark(thing: T) -> T:
        thing.__module__ = module
        return thing

    return mark
