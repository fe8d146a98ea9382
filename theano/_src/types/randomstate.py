"""RandomStateType: the Type of NumPy's random states; shared random states."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from theano._src.graph.graph import Constant
from theano._src.graph.type import SingletonType
from theano._src.ground.documented import documented_in
from theano._src.types.shared import SharedVariable
from theano._src.types.shared_constructors import shared_constructor


def is_generator(value: Any) -> bool:
    """Whether a value is a ``RandomState``; does not load numpy.random for other values."""
    return type(value).__name__ == "RandomState" and type(value) is np.random.RandomState


class RandomStateConstant(Constant):
    """A constant random state: every draw from it gives the same numbers."""

    __slots__ = ()

    def signature(self) -> Any:
        return (self.type, repr(_facts(self.data)))


@documented_in("theano.tensor.raw_random")
class RandomStateType(SingletonType):
    """Values are ``numpy.random.RandomState``; two are equal if they will draw the same numbers.

    >>> import numpy as np
    >>> from theano.tensor.raw_random import random_state_type
    >>> random_state_type.values_eq(np.random.RandomState(3), np.random.RandomState(3))
    True
    """

    Constant = RandomStateConstant

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        if not is_generator(data):
            hint = "; make it with numpy.random.RandomState(seed)"
            raise TypeError(f"{self} takes a numpy.random.RandomState, got {data!r:.60}{hint}")
        return data

    def values_eq(self, a: Any, b: Any) -> bool:
        return _facts(a) == _facts(b)

    def get_shape_info(self, obj: Any) -> None:
        return None

    def get_size(self, shape_info: Any) -> int:
        """Return the size in bytes: 624 words, the position, and the cached normal draw."""
        return 624 * 4 + 4 + 4 + 8


random_state_type = RandomStateType()


def _facts(state: Any) -> tuple[Any, ...]:
    """Return everything that future draws depend on."""
    result = state.get_state(legacy=False)
    # "gauss" is meaningless unless "has_gauss" is set
    kept = result["gauss"] if result["has_gauss"] else None
    return (result["bit_generator"], _plain(result["state"]), kept)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value


@documented_in("theano.tensor.shared_randomstreams")
class RandomStateSharedVariable(SharedVariable):
    """A shared variable that holds a ``numpy.random.RandomState``; made by ``shared``."""

    __slots__ = ()

    def zero(self, borrow: bool = False) -> None:
        raise TypeError(f"{self} holds the state of a generator, which has no zero; seed it again")


@documented_in("theano.tensor.shared_randomstreams")
@shared_constructor
def randomstate_constructor(
    value: Any,
    name: Any = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    borrow: bool = False,
) -> SharedVariable:
    """Return a shared variable with a ``numpy.random.RandomState``, copied unless ``borrow``.

    Arguments as for ``shared``.

    >>> import numpy as np, theano
    >>> theano.shared(np.random.RandomState(3)).type
    RandomStateType
    """
    if not is_generator(value):
        raise TypeError(f"a numpy.random.RandomState is needed, got {type(value).__name__}")
    variable = RandomStateSharedVariable(
        type=random_state_type,
        value=value if borrow else copy.deepcopy(value),
        name=name,
        strict=strict,
        allow_downcast=allow_downcast,
    )
    variable.container.storage.borrowed = borrow  # type: ignore[attr-defined]
    return variable
