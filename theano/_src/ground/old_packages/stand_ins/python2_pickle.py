"""``cPickle``, and ``pickle`` in Python 2 sources.

Python 2 pickled texts as bytes, and its programs open pickle files in text mode.
"""

from __future__ import annotations

import io
import pickle
from typing import Any


def __getattr__(name: str) -> Any:
    return getattr(pickle, name)


def _bytes_of(file: Any) -> Any:
    return file.buffer if isinstance(file, io.TextIOWrapper) else file


def load(file: Any, **options: Any) -> Any:
    """Read a pickle of Python 2 or 3; arrays of Python 2 need the encoding latin1."""
    return pickle.load(_bytes_of(file), **{"encoding": "latin1", **options})


def loads(data: bytes, **options: Any) -> Any:
    return pickle.loads(data, **{"encoding": "latin1", **options})


def dump(obj: Any, file: Any, protocol: int | None = None, **options: Any) -> None:
    pickle.dump(obj, _bytes_of(file), protocol, **options)
