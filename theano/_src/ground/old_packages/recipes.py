"""The command ``python -m theano recipe``: how to install and run a package written for Theano."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import TypedDict

__all__ = ["Recipe", "print_recipe", "recipes"]


class Recipe(TypedDict):
    """The commands to install and run a package, and how it differs from the published one."""

    title: str
    commands: list[str]
    corrected: list[str]
    edited: list[str]


@cache
def recipes() -> dict[str, Recipe]:
    """Return the table, which ``tools/downstream`` generates from the tests of packages."""
    text = files("theano._src.ground.old_packages").joinpath("recipes.json").read_text("utf-8")
    table: dict[str, Recipe] = json.loads(text)
    return table


def print_recipe(words: Sequence[str]) -> int:
    """Print the commands for a package, or the list of packages; return an exit code."""
    table = recipes()
    if not words:
        width = max(map(len, table))
        for name, recipe in table.items():
            print(f"{name:<{width}}  {recipe['title']}")
        print("\npython -m theano recipe NAME prints the commands of one")
        return 0
    requested = " ".join(words).lower().replace("==", "-").replace(" ", "-")
    if requested not in table:
        print(_unknown(" ".join(words), requested, list(table)), file=sys.stderr)
        return 1
    print(_text(table[requested]))
    return 0


def _unknown(written: str, text: str, names: list[str]) -> str:
    near = [name for name in names if text in name] or get_close_matches(text, names, 5, 0.5)
    if not near:
        return f"no recipe for {written!r}; there are: {', '.join(names)}"
    return f"no recipe is called {written!r}; did you mean {', '.join(near)}?"


def _text(recipe: Recipe) -> str:
    lines = [f"# {recipe['title']}", *recipe["commands"]]
    lines += ["# in a notebook, before other imports: import theano.old_packages"]
    for kind, reasons in (("corrected", recipe["corrected"]), ("edited", recipe["edited"])):
        if reasons:
            text = {
                "corrected": "lines exchanged in memory when they are imported:",
                "edited": "the sources were edited before the tests ran, and need this still:",
            }
            lines += [f"# {text[kind]}", *(f"#   {reason}" for reason in reasons)]
    return "\n".join(lines)
