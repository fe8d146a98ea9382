"""Names that are imported when they are first used, or given by a layer above."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

#: functions that a layer provides to those below it, which may not import it
ABOVE: dict[str, Callable[..., Any]] = {}


def at_first_use(where: str) -> Callable[[], Any]:
    """A function that returns ``"module:name"`` and imports the module when it is first called.

    Use it at the top of a file, like an import: it may only point to what may be imported there.

    >>> zip_file = at_first_use("zipfile:ZipFile")
    >>> zip_file()
    <class 'zipfile.ZipFile'>
    """
    module, _, name = where.partition(":")
    return cache(lambda: getattr(import_module(module), name))
