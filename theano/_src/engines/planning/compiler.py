"""Compiles programs for chips that are elsewhere, in a process of its own.

The compilers print to stderr, take locks of the machine and read environment variables; nothing of
that reaches this process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from theano._src.engines.jax import elsewhere
from theano._src.engines.planning.dry_call import Traced
from theano._src.ground.config import config
from theano._src.ground.packages import packages_for
from theano._src.types.topology import Topology


class Compiled(NamedTuple):
    """A program that was compiled.

    Attributes
    ----------
    text : str
        XLA's text of it; empty if the compiler refused it.
    memory : dict
        Bytes that each device needs, by purpose.
    executable : bytes
        The compiled program as jax serializes it; empty if it cannot.
    error : str, optional
        Why the compiler refused it.
    """

    text: str
    memory: dict[str, int]
    executable: bytes
    error: str | None


#: for each platform, its name in sentences, modules to look for, and packages that have them
_NEEDED: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "tpu": ("TPUs", ("libtpu",), ("libtpu",)),
    "gpu": (
        "GPUs",
        ("jax_plugins.xla_cuda12", "nvidia.cuda_nvcc"),
        ("jax-cuda12-plugin", "jax-cuda12-pjrt", "nvidia-cuda-nvcc-cu12"),
    ),
}


def check_packages(topology: Topology) -> None:
    """Raise ImportError if the compiler for these chips is not installed."""
    needed = _NEEDED.get(topology.platform)
    if needed is None or config.plan.python:
        return
    whose, modules, packages = needed
    if not all(map(_is_installed, modules)):
        raise ImportError(packages_for(f"planning for {whose}", packages))


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of the package that the module is in
        return False


def compiled_for(
    topology: Topology, axes: dict[str, int] | None, programs: Sequence[Traced]
) -> list[Compiled]:
    """Compile programs for a topology, on a mesh with these axes or for one of its chips.

    Raises
    ------
    RuntimeError
        If the compiler's process fails.
    """
    with tempfile.TemporaryDirectory(prefix="theano-plan-") as name:
        folder = Path(name)
        request = {
            "kind": topology.chip.name,
            "shape": list(topology.shape),
            "axes": axes,
            "programs": [{"donate": p.donate, "options": p.options} for p in programs],
        }
        (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        for number, program in enumerate(programs):
            (folder / f"{number}.bin").write_bytes(program.exported)
        done = subprocess.run(
            [config.plan.python or sys.executable, "-P", elsewhere.__file__, str(folder)],
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
        )
        answer = folder / "answer.json"
        if done.returncode or not answer.exists():
            raise RuntimeError(
                f"the compiler for {topology.name} ended with {done.returncode}:\n"
                f"{done.stderr.strip()[-_SHOWN:]}"
            )
        return [_read(folder, k, a) for k, a in enumerate(json.loads(answer.read_text("utf-8")))]


#: the most characters of the compiler's stderr in an error
_SHOWN = 2000


def _environment() -> dict[str, str]:
    result = dict(os.environ)
    # another Python has packages of its own
    result.pop("PYTHONPATH", None)
    if not config.plan.python:
        result["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    return result


def _read(folder: Path, number: int, answer: dict[str, Any]) -> Compiled:
    error = answer.pop("error", None)
    text, executable = folder / f"{number}.hlo", folder / f"{number}.exe"
    return Compiled(
        "" if error is not None else text.read_text("utf-8"),
        answer,
        executable.read_bytes() if executable.exists() else b"",
        error,
    )
