"""Nodes that run on the host between compiled programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply


def on_copies(node: Apply, run: Callable[..., Any]) -> Callable[..., Any]:
    """``run``, on copies of the inputs that the node overwrites: a program may read them later."""
    destroyed = (getattr(node.op, "destroy_map", None) or {}).values()
    positions = {i for item in destroyed for i in item}
    if not positions:
        return run

    def copying(*values: Any) -> Any:
        return run(
            *[
                np.array(x) if i in positions and isinstance(x, np.ndarray) else x
                for i, x in enumerate(values)
            ]
        )

    return copying
