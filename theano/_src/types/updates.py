"""OrderedUpdates: new values for shared variables, in order and checked on insertion."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any, Self

from theano._src.ground.documented import documented_in
from theano._src.types.shared import SharedVariable


@documented_in("theano.updates")
class OrderedUpdates(OrderedDict[Any, Any]):
    """A dict of updates, whose keys are shared variables.

    ``updates[v] = x`` replaces an earlier value. ``update`` and ``+`` merge two sets of updates,
    and raise KeyError if they have different values for one variable.

    >>> import theano
    >>> a, b = theano.shared(1.0, "a"), theano.shared(2.0, "b")
    >>> list((theano.OrderedUpdates([(a, 5)]) + theano.OrderedUpdates([(b, 6)])).items())
    [(a, 5), (b, 6)]
    """

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(key, SharedVariable):
            raise TypeError(f"OrderedUpdates takes shared variables as keys, got {key!r}")
        super().__setitem__(key, value)

    def update(self, other: Any = None) -> None:  # type: ignore[override]
        """Add a dict or pairs; raise KeyError if a variable already has another value."""
        if other is None:
            return
        pairs: Iterable[Any] = other.items() if isinstance(other, Mapping) else other
        for key, value in pairs:
            if key in self and self[key] is not value and not _same_number(self[key], value):
                raise KeyError(
                    f"OrderedUpdates takes one new value for each shared variable, got two for "
                    f"{key}; assign updates[{key}] to replace the first"
                )
            self[key] = value

    def __add__(self, other: Any) -> Self:
        result = type(self)(self)
        result.update(other)
        return result

    def __radd__(self, other: Any) -> Self:
        result = type(self)(self)
        result.update(other)
        return result


def _same_number(a: Any, b: Any) -> bool:
    # `==` of variables builds a graph
    return type(a) is type(b) and isinstance(a, (bool, int, float)) and a == b
