"""The Types of slices and of None in a graph."""

from __future__ import annotations

import operator
from typing import Any

from theano._src.graph.graph import Constant
from theano._src.graph.type import Type
from theano._src.ground.documented import documented_in
from theano._src.types.generic import Generic


@documented_in("theano.tensor.type_other")
class SliceType(Type):
    """Values are Python slices; a variable of this type can be used as an index.

    >>> import theano, theano.tensor as T
    >>> x, s = T.dvector("x"), T.slicetype("s")
    >>> theano.function([x, s], x[s])([1.0, 2.0, 3.0], slice(None, None, -1)).tolist()
    [3.0, 2.0, 1.0]
    """

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        if not isinstance(data, slice):
            raise TypeError(f"{self} takes a slice, got {data!r:.80}")
        return data

    def may_share_memory(self, a: Any, b: Any) -> bool:
        return isinstance(a, slice) and a is b

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __str__(self) -> str:
        return "slice"

    __repr__ = __str__


@documented_in("theano.tensor.type_other")
class SliceConstant(Constant):
    """A slice in a graph."""

    __slots__ = ()

    def __init__(self, type: Any, data: Any, name: Any = None) -> None:
        if isinstance(data, slice):
            # the parts must be hashable, and 0-d arrays are not
            parts = (data.start, data.stop, data.step)
            data = slice(*(None if p is None else operator.index(p) for p in parts))
        super().__init__(type, data, name)

    def signature(self) -> Any:
        return (SliceConstant, self.data.start, self.data.stop, self.data.step)

    def __str__(self) -> str:
        parts = (self.data.start, self.data.stop, self.data.step)
        return f"{type(self).__name__}{{{', '.join(map(str, parts))}}}"


SliceType.Constant = SliceConstant
slicetype = SliceType()


@documented_in("theano.tensor.type_other")
class NoneTypeT(Generic):
    """The only value is None.

    >>> from theano.tensor.type_other import NoneConst, none_type_t
    >>> NoneConst.type == none_type_t
    True
    """

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        if data is not None:
            raise TypeError(f"{self} takes None, got {data!r:.80}")
        return data

    def is_valid_value(self, a: Any) -> bool:
        return a is None

    def may_share_memory(self, a: Any, b: Any) -> bool:
        return False


none_type_t = NoneTypeT()

#: None as a constant; graphs use a copy of it, made by ``clone``
NoneConst = Constant(none_type_t, None, name="NoneConst")


def is_none(x: Any) -> bool:
    """Whether ``x`` is None or a constant that holds None.

    >>> is_none(None), is_none(NoneConst.clone()), is_none(0)
    (True, True, False)
    """
    return x is None or (isinstance(x, Constant) and isinstance(x.type, NoneTypeT))
