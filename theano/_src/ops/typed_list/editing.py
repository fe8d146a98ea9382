"""Ops that create typed lists from variables, or from other lists by adding, removing, reordering.

A result shares the elements of the original list, as ``view_map`` declares; elements that are
added are copied. In place, the list itself is changed.
"""

from __future__ import annotations

from typing import Any

from theano._src.graph.graph import Apply, Variable
from theano._src.ground.documented import documented_in
from theano._src.ops.typed_list.list_op import ListOp, element, position, typed_list
from theano._src.types.convert import as_tensor_variable
from theano._src.types.memory import own_copy
from theano._src.types.typed_list import TypedListType


class _Edit(ListOp):
    """Base class of ops that change a list: a new one that shares its elements, or in place."""

    __props__ = ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace
        if inplace:
            self.destroy_map = {0: [0]}
        else:
            self.view_map = {0: [0]}

    def __str__(self) -> str:
        return f"{type(self).__name__}{{inplace}}" if self.inplace else type(self).__name__

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        x, *others = inputs
        result = x if self.inplace else list(x)
        self.change(node, result, *others)
        output_storage[0][0] = result

    def change(self, node: Apply, results: list[Any], *others: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__}.change")


@documented_in("theano.typed_list.basic")
class Append(_Edit):
    """A list with one more element at its end.

    Parameters
    ----------
    x : typed list
    toAppend : element
        A variable of the type of the elements of ``x``, or a value.

    >>> import theano, theano.tensor as T
    >>> from theano.typed_list import TypedListType, append
    >>> x, v = TypedListType(T.lvector)(), T.lvector()
    >>> theano.function([x, v], append(x, v))([[1, 2], [3]], [4])
    [array([1, 2]), array([3]), array([4])]
    """

    def make_node(self, x: Any, toAppend: Any) -> Apply:
        x = typed_list(self, x)
        return Apply(self, [x, element(self, x, toAppend)], [x.type()])

    def change(self, node: Apply, results: list[Any], *others: Any) -> None:
        results.append(own_copy(others[0]))


@documented_in("theano.typed_list.basic")
class Extend(_Edit):
    """A list with the elements of another at its end.

    Parameters
    ----------
    x : typed list
    toAppend : typed list
        A variable of the type of ``x``, or a Python list of values.

    >>> import theano, theano.tensor as T
    >>> from theano.typed_list import TypedListType, extend
    >>> x, y = TypedListType(T.lvector)(), TypedListType(T.lvector)()
    >>> theano.function([x, y], extend(x, y))([[1, 2]], [[3], [4]])
    [array([1, 2]), array([3]), array([4])]
    """

    def make_node(self, x: Any, toAppend: Any) -> Apply:
        x = typed_list(self, x)
        return Apply(self, [x, x.type.filter_variable(toAppend)], [x.type()])

    def change(self, node: Apply, results: list[Any], *others: Any) -> None:
        results.extend(own_copy(others[0]))


@documented_in("theano.typed_list.basic")
class Insert(_Edit):
    """A list with one more element, before the one that was at ``index``.

    Parameters
    ----------
    x : typed list
    index : int
        A negative index counts from the end; one out of range means that end, as in Python.
    toInsert : element
        A variable of the type of the elements of ``x``, or a value.

    >>> import theano, theano.tensor as T
    >>> from theano.typed_list import TypedListType, insert
    >>> x, v = TypedListType(T.lvector)(), T.lvector()
    >>> theano.function([x, v], insert(x, 1, v))([[1, 2], [3]], [4])
    [array([1, 2]), array([4]), array([3])]
    """

    nondiff_inputs = (1,)

    def make_node(self, x: Any, index: Any, toInsert: Any) -> Apply:
        x = typed_list(self, x)
        return Apply(self, [x, position(self, index), element(self, x, toInsert)], [x.type()])

    def change(self, node: Apply, results: list[Any], *others: Any) -> None:
        index, new = others
        results.insert(int(index), own_copy(new))


@documented_in("theano.typed_list.basic")
class Remove(_Edit):
    """A list without its first element equal to ``toRemove``; unchanged if there is none.

    Parameters
    ----------
    x : typed list
    toRemove : element
        A variable of the type of the elements of ``x``, or a value. Arrays are equal if all of
        their elements are.

    >>> import theano, theano.tensor as T
    >>> from theano.typed_list import TypedListType, remove
    >>> x, v = TypedListType(T.lvector)(), T.lvector()
    >>> theano.function([x, v], remove(x, v))([[1, 2], [3], [1, 2]], [1, 2])
    [array([3]), array([1, 2])]
    """

    def make_node(self, x: Any, toRemove: Any) -> Apply:
        x = typed_list(self, x)
        return Apply(self, [x, element(self, x, toRemove)], [x.type()])

    def change(self, node: Apply, results: list[Any], *others: Any) -> None:
        is_equal = node.inputs[0].type.ttype.values_eq
        for i, x in enumerate(results):
            if is_equal(x, others[0]):
                del results[i]
                return


@documented_in("theano.typed_list.basic")
class Reverse(_Edit):
    """A list with its elements in the opposite order.

    Parameters
    ----------
    x : typed list

    >>> import theano, theano.tensor as T
    >>> from theano.typed_list import TypedListType, reverse
    >>> x = TypedListType(T.lvector)()
    >>> theano.function([x], reverse(x))([[1, 2], [3]])
    [array([3]), array([1, 2])]
    """

    def make_node(self, x: Any) -> Apply:
        x = typed_list(self, x)
        return Apply(self, [x], [x.type()])

    def change(self, node: Apply, results: list[Any], *others: Any) -> None:
        results.reverse()


@documented_in("theano.typed_list.basic")
class MakeList(ListOp):
    """A list of variables that all have the same type.

    Parameters
    ----------
    a : tuple or list of variables
        Numbers and arrays become constants.

    >>> import theano, theano.tensor as T
    >>> from theano.typed_list import make_list
    >>> x, y = T.lvectors("xy")
    >>> theano.function([x, y], make_list([x, y]))([1, 2], [3])
    [array([1, 2]), array([3])]
    """

    def make_node(self, *a: Any) -> Apply:
        # code that rebuilds a node passes its inputs as separate arguments
        if len(a) == 1 and isinstance(a[0], tuple | list):
            a = tuple(a[0])
        elements = [x if isinstance(x, Variable) else as_tensor_variable(x) for x in a]
        if not elements:
            raise ValueError(
                "MakeList takes one variable or more, for their type, got none; "
                "TypedListType(type).Constant(TypedListType(type), []) is an empty list"
            )
        kinds = list(dict.fromkeys(x.type for x in elements))
        if len(kinds) > 1:
            raise TypeError(
                f"MakeList takes variables of one type, got {', '.join(map(str, kinds))}"
            )
        return Apply(self, elements, [TypedListType(kinds[0])()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = [own_copy(x) for x in inputs]


append = Append()
extend = Extend()
insert = Insert()
remove = Remove()
reverse = Reverse()
make_list = MakeList()
