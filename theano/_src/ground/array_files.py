"""Arrays in files: what the format does not have, and files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np


def safetensors_for(what: str, extra: str) -> Any:
    """The library safetensors; ImportError that says what needs it, and the extra that has it."""
    try:
        import safetensors.numpy
    except ImportError as error:
        raise ImportError(
            f"{what} are written by safetensors ({error}): pip install theano-xla[{extra}]"
        ) from None
    return safetensors


def storable(x: np.ndarray) -> np.ndarray:
    """An array as safetensors has it: in C order, complex numbers as pairs of real ones.

    >>> storable(np.array([1 + 2j])).tolist()
    [[1.0, 2.0]]
    """
    held = np.array(x, order="C")
    return held if held.dtype.kind != "c" else held[..., None].view(held.real.dtype)


def restored(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The array of which ``storable`` made ``x``, if it was of ``dtype``.

    >>> restored(np.array([[1.0, 2.0]]), np.dtype("complex128")).tolist()
    [(1+2j)]
    """
    pairs = dtype.kind == "c" and x.shape[-1:] == (2,) and x.dtype.itemsize * 2 == dtype.itemsize
    return x.view(dtype)[..., 0] if pairs else x


@contextlib.contextmanager
def replaced(path: str | os.PathLike[str]) -> Iterator[Any]:
    """A file to write, which takes the place of ``path`` once it is on the disk, whole.

    >>> folder = tempfile.mkdtemp()
    >>> with replaced(os.path.join(folder, "a")) as file:
    ...     _ = file.write(b"all of it")
    >>> os.listdir(folder)
    ['a']
    """
    path = os.path.abspath(os.fspath(path))
    folder, name = os.path.split(path)
    number, other = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
    try:
        with os.fdopen(number, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(other, _mode_of(path))
        os.replace(other, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(other)
        raise
    if os.name == "posix":
        # the name is on the disk once its folder is
        held = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(held)
        finally:
            os.close(held)


def _mode_of(path: str) -> int:
    """Who may read the file: as before, or as any new file."""
    try:
        return os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
