"""The command ``python -m theano``: versions, devices, flags, cache, self-test and more."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable, Sequence

from theano._src.compile.commands import cache_command, example_programs, plan_command, versions
from theano._src.compile.debug.engine_check import with_progress
from theano._src.compile.debug.self_test import STEPS
from theano._src.compile.files.file_contents import file_contents
from theano._src.ground.config import config
from theano._src.ground.errors import GraphFileError
from theano._src.ground.old_packages.program import run_program
from theano._src.ground.old_packages.recipes import print_recipe

__all__ = ["main"]

_HELP = """\
python -m theano                print versions, devices, flags and cache, and run the self-test
python -m theano versions       print versions and platform: theano.show_versions()
python -m theano devices        print the devices
python -m theano config         print all flags: their meaning and value
python -m theano cache ...      the same as theano-cache ...: list, clear, purge, ...
python -m theano test           run the self-test: small programs on each engine
python -m theano check          compare many calls of many formulas on XLA with NumPy
python -m theano check quick    the same in less than a minute
python -m theano examples       list the example programs
python -m theano examples NAME  write one, and what it imports, into the current folder
python -m theano plan ...       say what a function needs on TPUs and GPUs: plan --help
python -m theano show FILE ...  print what is in files that theano.save wrote
python -m theano run PROGRAM    run a program of old packages, also one in Python 2
python -m theano recipe [NAME]  print the commands that install an old package
python -m theano help           print this help"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        The arguments after ``python -m theano``; by default those of this process.

    Returns
    -------
    int
        0, or 1 on failure or for an unknown command.

    Examples
    --------
    >>> main(["help"])
    python -m theano ...
    0
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["cache"]:
        return cache_command.main(words[1:])
    if words[:1] == ["check"]:
        return cache_command.main(words)
    if words[:1] == ["examples"]:
        return example_programs.main(words[1:])
    if words[:1] == ["plan"]:
        return plan_command.main(words[1:])
    if words[:1] == ["show"] and len(words) > 1:
        return _show(words[1:])
    if words[:1] == ["run"]:
        return run_program(words[1:])
    if words[:1] == ["recipe"]:
        return print_recipe(words[1:])
    command = _COMMANDS.get(tuple(words))
    if command is None:
        print(f"python -m theano takes one of the commands below, got {' '.join(words)!r}")
        print(_HELP)
        return 1
    return 0 if command() else 1


def _show(paths: Sequence[str]) -> int:
    """Print the contents of graph files; return 1 if one of them cannot be read."""
    failed = 0
    for path in paths:
        try:
            print(file_contents(path))
        except (GraphFileError, OSError) as error:
            print(error)
            failed = 1
    return failed


def _all() -> bool:
    versions.show_versions(devices=True)
    print("self-test")
    return _test()


def _versions() -> bool:
    versions.show_versions(devices=False)
    return True


def _devices() -> bool:
    versions.print_section("devices", versions.about_devices(True))
    return True


def _config() -> bool:
    print(config)
    return True


def _help() -> bool:
    print(_HELP)
    return True


def _test() -> bool:
    failed = 0
    started = time.perf_counter()
    for step in with_progress(STEPS, "self-test"):
        try:
            step()
        except Exception:
            failed += 1
            print(f"  failed: {_words(step)}")
            print(traceback.format_exc())
        else:
            print(f"  ok: {_words(step)}")
    took = time.perf_counter() - started
    print(f"{len(STEPS)} programs in {took:.1f} s: {failed or 'none'} failed")
    return not failed


def _words(step: Callable[[], None]) -> str:
    return (step.__doc__ or step.__name__).strip().rstrip(".")


_COMMANDS: dict[tuple[str, ...], Callable[[], bool]] = {
    (): _all,
    ("versions",): _versions,
    ("devices",): _devices,
    ("config",): _config,
    ("test",): _test,
    ("help",): _help,
    ("-h",): _help,
    ("--help",): _help,
}
