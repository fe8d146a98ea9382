"""theano.show_versions: describe this installation, for bug reports."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterable
from importlib import metadata
from typing import Any

from theano._src.engines import disk_cache
from theano._src.engines.jax.devices import list_devices
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.processors import processors, threads, visible
from theano._src.ground.version import __version__, language

#: required distributions, and those that are used if they are installed
NEEDED = (
    "numpy",
    "scipy",
    "jax",
    "jaxlib",
    "opt_einsum",
    "filelock",
    "threadpoolctl",
    "safetensors",
)
OPTIONAL = ("rich", "IPython", "matplotlib", "pydot")


@documented_in("theano")
def show_versions(devices: bool | None = None, file: Any = None) -> None:
    """Print versions, platform, devices, changed flags and the cache, for bug reports.

    Parameters
    ----------
    devices : bool, optional
        Whether to list the devices of XLA. True loads jax, which takes about a second; False
        lists none; None lists them if jax is loaded already.
    file : file, optional
        The file to print to; standard output by default.

    Examples
    --------
    >>> import theano
    >>> theano.show_versions()
    theano        1.1.2+xla...
    ...
    """
    for title, lines in (
        ("", _about()),
        ("packages", [f"{name:<14}{_version(name)}" for name in (*NEEDED, *OPTIONAL)]),
        ("devices", about_devices(devices)),
        ("flags", about_flags()),
        ("cache", about_cache()),
    ):
        print_section(title, lines, file)


def print_section(title: str, lines: Iterable[str], file: Any = None) -> None:
    """Print a title, and lines indented below it."""
    if title:
        print(title, file=file)
    for line in lines:
        print(f"  {line}" if title else line, file=file)


def _about() -> list[str]:
    used = processors()
    return [
        f"theano        {__version__}, for programs of Theano {language}",
        f"Python        {platform.python_version()}, {platform.python_implementation()}",
        f"executable    {sys.executable}",
        f"platform      {platform.platform()}",
        f"processors    {used} of {visible()} visible, {threads()} threads",
    ]


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed" + (", needed" if name in NEEDED else "")


def about_devices(load: bool | None = None) -> list[str]:
    """Return lines about ``config.device`` and the devices of XLA.

    >>> about_devices(False)
    ['config.device = cpu', 'those of XLA are not listed: devices=True loads jax and asks it']
    """
    lines = [f"config.device = {config.device}"]
    devices = None
    if load is not False:
        try:
            devices = list_devices(bool(load))
        except Exception as error:
            return [*lines, f"those of XLA cannot be used: {error}"]
    if devices is None:
        lines.append("those of XLA are not listed: devices=True loads jax and asks it")
    return lines + (devices or [])


def about_flags() -> list[str]:
    """Return lines about the flags that differ from their defaults.

    >>> with config.change_flags(traceback__limit=20):
    ...     [line for line in about_flags() if "limit" in line]
    ['traceback.limit = 20']
    """
    results = [f"{name} = {value}" for name, value in config._changed().items()]
    return results or ["all as by default; print(theano.config) lists them"]


def about_cache() -> list[str]:
    """Return lines about the folder of compiled programs, their number and size.

    >>> len(about_cache()) >= 2
    True
    """
    path, complaints = disk_cache.choose()
    lines = [f"not used: {complaint}" for complaint in complaints]
    if path is None:
        return [*lines, "no compiled programs are kept on the disk"]
    result = disk_cache.Entries(path).all()
    lines.append(path)
    lines.append(f"{len(result)} compiled programs, {sum(e.size for e in result) / 1e6:.1f} MB")
    if (folder := _existing(path)) is not None:
        lines.append(f"{shutil.disk_usage(folder).free / 1e9:.1f} GB free there")
    return lines


def _existing(path: str) -> str | None:
    """The innermost folder of a path that exists."""
    while path and not os.path.isdir(path):
        above = os.path.dirname(path)
        path = above if above != path else ""
    return path or None
