"""Names for the types of parameters that many functions take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from theano._src.graph.graph import Variable

if TYPE_CHECKING:
    import numpy.typing as npt

    #: what NumPy makes a dtype of; None for the one that follows from the data
    DTypeLike: TypeAlias = npt.DTypeLike | None
else:  # loading numpy.typing takes longer than it is worth: annotations are not evaluated
    DTypeLike = Any

__all__ = ["Axis", "DTypeLike", "IntLike", "ShapeLike", "TensorLike", "Vars"]

#: what ``as_tensor_variable`` takes: a variable, or anything of which NumPy makes an array
TensorLike: TypeAlias = object
#: a dimension, some of them, or None for all
Axis: TypeAlias = int | Sequence[int] | None
#: a number, or an integer scalar variable
IntLike: TypeAlias = Variable | int
#: lengths, each a number or a scalar variable, or all of them as one variable; None leaves it open
ShapeLike: TypeAlias = Variable | int | Sequence[Any] | None
Vars: TypeAlias = Sequence[Variable]
