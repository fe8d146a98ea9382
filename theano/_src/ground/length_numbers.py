"""Lengths while a graph is exported for every length: not all of them are numbers then."""

from __future__ import annotations

from typing import Any

import numpy as np


def are_numbers(*lengths: Any) -> bool:
    """Whether lengths are numbers; those that jax calls symbolic cannot be compared.

    >>> are_numbers(3, 4), are_numbers(3, "n")
    (True, False)
    """
    return all(isinstance(n, int | np.integer) for n in lengths)
