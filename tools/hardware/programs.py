"""Whole programs: the gallery, the pages, those on a mesh, and training steps of old packages."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tools.downstream.environments import Place
from tools.downstream.packages import Script, read_packages
from tools.downstream.scripts import command_of
from tools.hardware import recorder
from tools.hardware.lists import ROOT
from tools.hardware.recorder import Lowered


class Program(NamedTuple):
    """A program whose functions are compiled, each as it is called first.

    >>> str(Program("gallery", "lenet"))
    'gallery::lenet'
    """

    group: str
    name: str
    #: copies of the sources of old packages
    mirrors: Path | None = None

    def __str__(self) -> str:
        return f"{self.group}::{self.name}"

    def lowered(self) -> dict[str, Lowered]:
        """What the program calls, by chip; it runs once."""
        return _lowered(self)


def programs(mirrors: Path | None = None) -> list[Program]:
    """Every program; those of old packages need copies of their sources."""
    return [
        *(Program("gallery", path.stem) for path in sorted(ROOT.glob("examples/*.py"))
          if "__main__" in path.read_text(encoding="utf-8")),
        *(Program("page", name) for name in _pages()),
        *(Program("distributed", name) for name in _distributed()),
        *(Program("downstream", f"{package}, {script.name}", mirrors)
          for package, script in _scripts().values()),
    ]  # fmt: skip


def _pages() -> list[str]:
    paths = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
    return [
        str(p.relative_to(ROOT).with_suffix(""))
        for p in paths
        if ">>> " in p.read_text(encoding="utf-8")
    ]


def _distributed() -> list[str]:
    from tests.distributed.programs import PROGRAMS

    return list(PROGRAMS)


@cache
def _scripts() -> dict[str, tuple[str, Script]]:
    return {
        f"{package.name}, {script.name}": (package.name, script)
        for package in read_packages()
        for script in package.scripts
    }


@cache
def _lowered(program: Program) -> dict[str, Lowered]:
    with tempfile.TemporaryDirectory(prefix="theano-hardware-") as folder:
        out = Path(folder) / "calls"
        if program.group == "downstream":
            _run_script(program, out)
        else:
            text = f"from {recorder.__name__} import main; main{str(out), *program[:2]}"
            _run([sys.executable, "-c", text], ROOT, {**os.environ, "PYTHONPATH": str(ROOT)})
        return recorder.saved(out)


def _run_script(program: Program, out: Path) -> None:
    """Run a program of an old package in the environment that the package has."""
    name, script = _scripts()[program.name]
    (package,) = (p for p in read_packages() if p.name == name)
    home = ROOT / "build" / "downstream"
    place = Place(home, package, ROOT.parent / "shared", program.mirrors).ready()
    _run(
        command_of(place, script),
        place.suite / script.folder,
        place.environment() | {"DOWNSTREAM_RECORD": str(out)},
    )


def _run(command: list[object], folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise RuntimeError(f"it ended with {done.returncode}: {lines[-1]}")
