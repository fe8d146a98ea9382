"""Lengths of arrays, which may be symbolic while a graph is exported for all lengths."""

from __future__ import annotations

from typing import Any

import numpy as np


def are_numbers(*lengths: Any) -> bool:
    """Whether all lengths are numbers; the symbolic ones of jax cannot be compared.

    >>> are_numbers(3, 4), are_numbers(3, "n")
    (True, False)
    """
    return all(isinstance(n, int | np.integer) for n in lengths)
