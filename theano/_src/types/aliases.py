"""Type aliases for common parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from theano._src.graph.graph import Variable

if TYPE_CHECKING:
    import numpy.typing as npt

    #: anything that NumPy converts to a dtype; None to infer it from the data
    DTypeLike: TypeAlias = npt.DTypeLike | None
else:  # numpy.typing is slow to load, and annotations are not evaluated
    DTypeLike = Any

__all__ = ["Axis", "DTypeLike", "IntLike", "ShapeLike", "TensorLike", "Vars"]

#: any argument of ``as_tensor_variable``: a variable, or anything that NumPy converts to an array
TensorLike: TypeAlias = object
#: a dimension, several, or None for all
Axis: TypeAlias = int | Sequence[int] | None
#: a number, or an integer scalar variable
IntLike: TypeAlias = Variable | int
#: lengths, each a number or a scalar variable, or one variable for all; None if unspecified
ShapeLike: TypeAlias = Variable | int | Sequence[Any] | None
Vars: TypeAlias = Sequence[Variable]
