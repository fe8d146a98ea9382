"""Error messages for missing methods of random streams that suggest the right name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from theano._src.ground.documented import documented_in, short_traceback, short_tracebacks
from theano._src.ground.suggest import nearest

Class = TypeVar("Class", bound=type)

#: names of distributions in NumPy, PyTorch and JAX, and their names here
_DRAWS = {
    "bernoulli": "binomial(n=1, p=...)",
    "gaussian": "normal",
    "integers": "random_integers",
    "rand": "uniform",
    "randn": "normal",
    "random": "uniform",
    "shuffle": "permutation",
    "standard_normal": "normal",
}


def streams_in(module: str) -> Callable[[Class], Class]:
    """Make a class of streams public: `documented_in`, `short_tracebacks`, and suggested names."""

    def mark(streams: Class) -> Class:
        setattr(streams, "__getattr__", _no_such_draw)  # noqa: B010  # types see no such method
        short_tracebacks(streams)
        return documented_in(module)(streams)

    return mark


@short_traceback
def _no_such_draw(self: Any, name: str) -> NoReturn:
    text = f"{type(self).__name__!r} object has no attribute {name!r}"
    if not name.startswith("_"):
        own = [n for n in dir(type(self)) if not n.startswith("_")]
        near = _DRAWS.get(name) or nearest(name, own) or ""
        known = near.partition("(")[0] in own
        text += f"; use .{near}" if known else f"; it has {', '.join(own)}"
    raise AttributeError(text, name=name)
