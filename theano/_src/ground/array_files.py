"""Arrays in safetensors files, with complex numbers, which the format lacks."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.ground.packages import load_for


def safetensors_for(what: str) -> Any:
    """Return the safetensors library; the ImportError says that ``what`` needs it."""
    load_for(what, "safetensors.numpy")
    return load_for(what, "safetensors")


def storable(x: np.ndarray) -> np.ndarray:
    """Convert an array for safetensors: C order, complex numbers as pairs of real ones.

    >>> storable(np.array([1 + 2j])).tolist()
    [[1.0, 2.0]]
    """
    held = np.array(x, order="C")
    return held if held.dtype.kind != "c" else held[..., None].view(held.real.dtype)


def restored(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return the array of ``dtype`` from which ``storable`` made ``x``.

    >>> restored(np.array([[1.0, 2.0]]), np.dtype("complex128")).tolist()
    [(1+2j)]
    """
    pairs = dtype.kind == "c" and x.shape[-1:] == (2,) and x.dtype.itemsize * 2 == dtype.itemsize
    return x.view(dtype)[..., 0] if pairs else x
