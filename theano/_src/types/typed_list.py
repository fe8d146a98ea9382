"""TypedListType: the Type of Python lists with elements of one type; shared lists."""

from __future__ import annotations

import copy
from typing import Any

from theano._src.c_code.object_text import ListInC
from theano._src.graph.graph import Constant, Variable
from theano._src.graph.type import Type
from theano._src.ground.documented import documented_in, short_traceback
from theano._src.types.memory import own_copy
from theano._src.types.shared import SharedVariable
from theano._src.types.shared_constructors import shared_constructor


class _typed_list_py_operators:
    """Methods of typed list variables; the ops layer installs all others."""

    __slots__ = ()

    type: Any

    @property
    def ttype(self) -> Any:
        """The type of the elements."""
        return self.type.ttype

    @property
    def dtype(self) -> Any:
        """The dtype of the elements; for lists of lists, the type of the elements."""
        return self.ttype.dtype if not is_typed_list(self.ttype) else self.ttype

    @property
    def ndim(self) -> int:
        """The number of dimensions of the elements, plus one for each level of lists."""
        inner, depth = self.ttype, 1
        while is_typed_list(inner):
            inner, depth = inner.ttype, depth + 1
        return int(inner.ndim) + depth


@documented_in("theano.typed_list.basic")
class TypedListVariable(_typed_list_py_operators, Variable):
    """A symbolic list with Python's list methods, which return new lists and modify none.

    >>> import theano.tensor as T
    >>> from theano.typed_list import TypedListType
    >>> lists = TypedListType(T.dvector)("lists")
    >>> lists.append([1.0, 2.0])[-1].eval({lists: []})
    array([1., 2.])
    """

    __slots__ = ()


@documented_in("theano.typed_list.basic")
class TypedListConstant(_typed_list_py_operators, Constant):
    """A constant list in a graph.

    >>> import theano.tensor as T
    >>> from theano.typed_list import TypedListType
    >>> from theano.typed_list.basic import TypedListConstant
    >>> TypedListConstant(TypedListType(T.dvector), [[1, 2], [3]])[0].eval()
    array([1., 2.])
    """

    __slots__ = ("_signature",)

    def __init__(self, type: Any, data: Any, name: Any = None) -> None:
        # copied: the caller may modify the elements later
        super().__init__(type, own_copy(data), name)
        self._signature: Any = None

    def signature(self) -> Any:
        if self._signature is None:
            inner = self.type.ttype
            parts = (inner.Constant(inner, x).signature() for x in self.data)
            self._signature = (self.type, *parts)
        return self._signature

    def clone(self) -> TypedListConstant:
        cp = type(self)(self.type, [], self.name)
        cp.data, cp._signature = self.data, self._signature
        if self._tag is not None:
            cp._tag = copy.copy(self._tag)
        return cp

    def __getstate__(self) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        own, slots = super().__getstate__()
        return (own, slots | {"_signature": None})


@documented_in("theano.typed_list.basic")
class TypedListSharedVariable(_typed_list_py_operators, SharedVariable):
    """A shared variable that holds a list; made by ``shared`` with ``type=TypedListType(...)``."""

    __slots__ = ()

    def zero(self, borrow: bool = False) -> None:
        raise TypeError(f"{self} holds a list, which has no zero; set_value([]) makes it empty")


@documented_in("theano.typed_list.type")
class TypedListType(ListInC, Type):
    """Values are Python lists whose elements are all of one type.

    Parameters
    ----------
    ttype : Type
        The type of the elements, which may itself be a TypedListType.
    depth : int
        Number of further levels: values of ``TypedListType(t, 1)`` are lists of lists of ``t``.

    >>> import theano, theano.tensor as T
    >>> from theano.typed_list import TypedListType
    >>> words = TypedListType(T.lvector)("words")
    >>> f = theano.function([words], [words[0], words[-1]])
    >>> f([[1, 2, 3], [4]])
    [array([1, 2, 3]), array([4])]
    """

    holds_values = True
    Variable = TypedListVariable
    Constant = TypedListConstant

    @short_traceback
    def __init__(self, ttype: Any, depth: int = 0) -> None:
        if depth < 0:
            raise ValueError(f"TypedListType takes a depth of 0 or more, got {depth}")
        if not isinstance(ttype, Type):
            raise TypeError(f"TypedListType takes the Type of its elements, got {ttype!r:.80}")
        for _ in range(depth):
            ttype = TypedListType(ttype)
        self.ttype = ttype

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        if isinstance(data, Variable):
            raise TypeError(
                f"{self} takes lists as values, got the symbolic variable {data}; compile a "
                "function of it, or use givens"
            )
        if strict:
            if not isinstance(data, list):
                raise TypeError(f"{self} with strict=True takes a list, got {type(data).__name__}")
            for x in data:
                self.ttype.filter(x, strict=True)
            return data
        try:
            elements = list(data)
        except TypeError:
            raise TypeError(
                f"{self} takes a list, got {type(data).__name__}: {data!r:.80}"
            ) from None
        return [self.ttype.filter(x, allow_downcast=allow_downcast) for x in elements]

    def get_depth(self) -> int:
        """Return the number of further list levels around the innermost elements.

        >>> import theano.tensor as T
        >>> from theano.typed_list import TypedListType
        >>> TypedListType(T.dvector, 3).get_depth()
        3
        """
        number, inner = 0, self.ttype
        while is_typed_list(inner):
            number, inner = number + 1, inner.ttype
        return number

    def values_eq(self, a: Any, b: Any) -> bool:
        return len(a) == len(b) and all(map(self.ttype.values_eq, a, b))

    def values_eq_approx(self, a: Any, b: Any) -> bool:
        return len(a) == len(b) and all(map(self.ttype.values_eq_approx, a, b))

    def may_share_memory(self, a: Any, b: Any) -> bool:
        """Whether changing one value may change the other; each is a list or an element."""
        if a is b:
            return True
        ours = a if isinstance(a, list) else [a]
        theirs = b if isinstance(b, list) else [b]
        return any(self.ttype.may_share_memory(x, y) for x in ours for y in theirs)

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(self) is type(other)
            and isinstance(other, TypedListType)
            and bool(self.ttype == other.ttype)
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self), self.ttype))

    def __str__(self) -> str:
        return f"TypedList <{self.ttype}>"

    __repr__ = __str__


def is_typed_list(type: Any) -> bool:
    """Whether a type is a TypedListType."""
    return isinstance(type, TypedListType)


@documented_in("theano.typed_list.type")
@shared_constructor
def typed_list_constructor(
    value: Any,
    name: Any = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    borrow: bool = False,
    type: Any = None,
) -> SharedVariable:
    """Return a shared variable that holds a list, if ``type`` is a TypedListType.

    Other arguments as for ``shared``, which converts lists to arrays without ``type``.

    >>> import theano, theano.tensor as T
    >>> from theano.typed_list import TypedListType
    >>> seen = theano.shared([], type=TypedListType(T.dvector))
    >>> x = T.dvector("x")
    >>> add = theano.function([x], [], updates=[(seen, seen.append(x))])
    >>> _ = add([1, 2]), add([3])
    >>> seen.get_value()
    [array([1., 2.]), array([3.])]
    """
    if not is_typed_list(type):
        raise TypeError(f"the type of a typed list is needed, got {type!r:.80}")
    variable = TypedListSharedVariable(
        type=type,
        value=value if borrow else own_copy(value),
        name=name,
        strict=strict,
        allow_downcast=allow_downcast,
    )
    variable.container.storage.borrowed = borrow  # type: ignore[attr-defined]
    return variable
