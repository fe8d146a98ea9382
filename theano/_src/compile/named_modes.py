"""Modes that are made when their name is first used; files above ``mode`` say which."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: by name, what gives the function that gives the mode
NAMED: dict[str, Callable[[], Callable[[], Any]]] = {}


def name_mode(mode: Callable[[], Callable[[], Any]], *names: str) -> None:
    """Let ``get_mode`` find what ``mode()()`` gives under ``names``."""
    NAMED.update(dict.fromkeys(names, mode))
