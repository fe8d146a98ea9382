"""Modes that are created when their name is first used; modules above ``mode`` register them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: for each name, a function that returns a function that returns the mode
NAMED: dict[str, Callable[[], Callable[[], Any]]] = {}


def name_mode(mode: Callable[[], Callable[[], Any]], *names: str) -> None:
    """Register ``mode()()`` under ``names``, for ``get_mode``."""
    NAMED.update(dict.fromkeys(names, mode))
