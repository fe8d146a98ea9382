"""A function of arrays as StableHLO, by jax.export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.engines.jax.settings import for_programs


def symbolic_shapes(shapes: Sequence[Sequence[int | str]], constraints: Sequence[str]) -> list[Any]:
    """Convert shapes of numbers and texts to jax's, with their symbolic lengths in one scope."""
    from jax import export

    texts = [", ".join(map(str, s)) for s in shapes]
    scope = export.SymbolicScope(list(constraints))
    return [export.symbolic_shape(text, scope=scope) if text else () for text in texts]


def exported(
    function: Callable[..., Any],
    params: dict[str, Any],
    shapes: Sequence[Any],
    dtypes: Sequence[Any],
    platforms: Sequence[str] | None,
) -> Any:
    """The result of ``jax.export`` for a function of arrays, and of parameters if there are any."""
    import jax
    from jax import export

    with for_programs():
        like = jax.ShapeDtypeStruct
        held = {name: like(np.shape(x), x.dtype) for name, x in params.items()}
        arrays = [like(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True)]
        given = [held, *arrays] if held else arrays
        return export.export(jax.jit(lambda *args: function(*args)), platforms=platforms)(*given)
