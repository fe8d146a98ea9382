"""``python -m theano plan``: what a function of a program needs on chips that are elsewhere."""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from theano._src.compile.function_object import Function
from theano._src.compile.planning.plan import plan

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        The arguments after ``python -m theano plan``; by default those of this process.

    Returns
    -------
    int
        0 if the function fits on the chips, otherwise 1.

    Examples
    --------
    >>> main(["train.py", "step", "x=64,784", "--on", "v5e:2x4"])  # doctest: +SKIP
    Compiled for v5e:2x4: 8 chips, mesh data=4 x model=2. Nothing has run.
    ...
    0
    """
    parser = argparse.ArgumentParser(
        prog="python -m theano plan",
        description="Compile a function of a program for chips that this machine need not have.",
    )
    parser.add_argument("program", help="a file that makes the function; it is run")
    parser.add_argument("function", help="the name of the function in that file")
    parser.add_argument("shapes", nargs="*", metavar="x=16,2048", help="the shape of each input")
    parser.add_argument("--on", metavar="v5e:16x16", help="the chips, if the mesh has none")
    parser.add_argument("--svg", metavar="FILE", help="write a picture")
    parser.add_argument("--save", metavar="FILE", help="write the report and the programs")
    words = parser.parse_args(sys.argv[1:] if arguments is None else list(arguments))
    try:
        report = plan(_function(words.program, words.function), _shapes(words.shapes), words.on)
    except (ImportError, TypeError, ValueError, OSError) as error:
        print(error)
        return 1
    print(report)
    if words.svg:
        Path(words.svg).write_text(report.svg(), encoding="utf-8")
    if words.save:
        report.save(words.save)
    return 1 if report.fits is False else 0


def _function(path: str, name: str) -> Any:
    # as if it were imported: what a program does under __main__ is not for a plan
    space = runpy.run_path(path, run_name="planned")
    if not isinstance(space.get(name), Function):
        known = [key for key, value in space.items() if isinstance(value, Function)]
        raise ValueError(
            f"plan takes the name of a compiled function of {path}, got {name!r}; "
            f"it has {', '.join(known) or 'none'}"
        )
    return space[name]


def _shapes(words: Sequence[str]) -> dict[str, tuple[int, ...]]:
    result = {}
    for word in words:
        name, _, lengths = word.partition("=")
        try:
            result[name] = tuple(int(n) for n in lengths.split(",") if n)
        except ValueError:
            raise ValueError(f"plan takes shapes as in x=16,2048, got {word!r}") from None
    return result
