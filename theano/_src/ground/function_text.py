"""Functions that are generated: the text, the values that it names, and the function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import CodeType
from typing import Any

from theano._src.ground.tracebacks import GENERATED

#: the code of texts up to this many characters is kept: many functions have the same text
_SHORT = 4_000


class FunctionText:
    """The text of a function, line by line; ``space`` has the values that it names.

    ``title`` names the file that tracebacks show.

    >>> text = FunctionText("halved", "x", {"two": 2})
    >>> with text.under("if x is None:"):
    ...     text.add("return None")
    >>> text.add("return x / two")
    >>> print(text.source, end="")
    def halved(x):
        if x is None:
            return None
        return x / two
    >>> text.function()(3)
    1.5
    """

    def __init__(self, name: str, params: str, space: dict[str, Any], title: str = "") -> None:
        self.name, self.space, self.title = name, space, title or name
        self.lines = [f"def {name}({params}):"]
        self.depth = 1

    def add(self, *lines: str) -> None:
        room = "    " * self.depth
        self.lines += [room + line for line in lines]

    @contextmanager
    def under(self, head: str) -> Iterator[None]:
        """Add ``head``; lines that are added meanwhile belong to it."""
        self.add(head)
        self.depth += 1
        yield
        self.depth -= 1

    @property
    def source(self) -> str:
        return "\n".join(self.lines) + "\n"

    def function(self, space: dict[str, Any] | None = None) -> Callable[..., Any]:
        """Compile the text, with ``space`` or other values as its globals."""
        space = self.space if space is None else space
        source, file = self.source, f"{GENERATED}{self.title}>"
        code = _kept_code(source, file) if len(source) <= _SHORT else _code(source, file)
        exec(code, space)
        function: Callable[..., Any] = space[self.name]
        # Python caches what it learns about globals in the code object: each space has its own
        function.__code__ = function.__code__.replace()
        return function


def _code(source: str, file: str) -> CodeType:
    return compile(source, file, "exec")


_kept_code = lru_cache(maxsize=512)(_code)
