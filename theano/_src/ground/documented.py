"""Public objects carry the path under which they are documented."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

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


class OfInstance:
    """What each instance has of its own where its class has another, or none.

    Written as ``__doc__ = OfInstance(make, __doc__)`` in a class, it lets ``help`` of an instance
    speak of that instance.

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
