"""Names that are imported at first use, or provided by a higher layer."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

#: functions that a layer provides to lower layers, which may not import it
ABOVE: dict[str, Callable[..., Any]] = {}


def at_first_use(where: str) -> Callable[[], Any]:
    """Return a function that returns ``"module:name"``, and imports it at the first call.

    Use it at the top of a file, like an import: the same layering rules apply.

    >>> zip_file = at_first_use("zipfile:ZipFile")
    >>> zip_file()
    <class 'zipfile.ZipFile'>
    """
    module, _, name = where.partition(":")
    return cache(lambda: getattr(import_module(module), name))
