"""Ops that read typed lists: elements and slices, positions, counts and lengths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ops.index.slice_values import make_slice
from theano._src.ops.typed_list.list_op import ListOp, element, position, typed_list
from theano._src.types.other import SliceConstant, SliceType, slicetype
from theano._src.types.tensor import tensor_type


@documented_in("theano.typed_list.basic")
class GetItem(ListOp):
    """An element or a slice of a list.

    Parameters
    ----------
    x : typed list
    index : int or slice
        Or a variable of either kind. A negative integer counts from the end; one out of range
        raises IndexError at run time.

    >>> import theano, theano.tensor as T
    >>> from theano.typed_list import TypedListType, getitem
    >>> x, i = TypedListType(T.lvector)(), T.lscalar()
    >>> f = theano.function([x, i], [getitem(x, i), getitem(x, slice(1, None))])
    >>> f([[1, 2], [3], [4]], 0)
    [array([1, 2]), [array([3]), array([4])]]
    """

    view_map = {0: [0]}
    nondiff_inputs = (1,)

    def make_node(self, x: Any, index: Any) -> Apply:
        x = typed_list(self, x)
        if isinstance(index, slice):
            parts = (index.start, index.stop, index.step)
            if any(isinstance(p, Variable) for p in parts):
                index = make_slice(index)
            else:
                index = SliceConstant(slicetype, index)
        if isinstance(index, Variable) and isinstance(index.type, SliceType):
            return Apply(self, [x, index], [x.type()])
        return Apply(self, [x, position(self, index)], [x.type.ttype()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        x, index = inputs
        if isinstance(index, slice):
            output_storage[0][0] = x[index]
            return
        i = int(index)
        if not -len(x) <= i < len(x):
            raise IndexError(f"GetItem takes an index into a list of {len(x)} elements, got {i}")
        output_storage[0][0] = x[i]


class _Number(ListOp):
    """Base class of ops that return a number, which is piecewise constant in the elements."""

    nondiff_inputs = (0, 1)

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        result = self.number(node, *inputs)
        output_storage[0][0] = np.asarray(result, node.outputs[0].type.numpy_dtype)

    def number(self, node: Apply, x: list[Any], *others: Any) -> int:
        raise NotImplementedError(f"{type(self).__name__}.number")

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [()]


@documented_in("theano.typed_list.basic")
class Index(_Number):
    """The position of the first element of a list that equals ``elem``, as a floatX scalar.

    It raises ValueError at run time if there is none.

    Parameters
    ----------
    x : typed list
    elem : element
        A variable of the type of the elements of ``x``, or a value. Arrays are equal if all of
        their elements are.

    >>> import theano, theano.tensor as T
    >>> from theano.typed_list.basic import TypedListType, index_
    >>> x, v = TypedListType(T.lvector)(), T.lvector()
    >>> theano.function([x, v], index_(x, v))([[1, 2], [3], [3]], [3])
    array(1.)
    """

    def make_node(self, x: Any, elem: Any) -> Apply:
        x = typed_list(self, x)
        return Apply(self, [x, element(self, x, elem)], [tensor_type(config.floatX, ())()])

    def number(self, node: Apply, x: list[Any], *others: Any) -> int:
        is_equal = node.inputs[0].type.ttype.values_eq
        for i, one in enumerate(x):
            if is_equal(one, others[0]):
                return i
        raise ValueError(
            f"Index takes an element of the list, got {others[0]!r:.80}, which none of its "
            f"{len(x)} elements equals"
        )


@documented_in("theano.typed_list.basic")
class Count(_Number):
    """The number of elements of a list that equal ``elem``, as a floatX scalar.

    Parameters
    ----------
    x : typed list
    elem : element
        A variable of the type of the elements of ``x``, or a value. Arrays are equal if all of
        their elements are.

    >>> import theano, theano.tensor as T
    >>> from theano.typed_list import TypedListType, count
    >>> x, v = TypedListType(T.lvector)(), T.lvector()
    >>> theano.function([x, v], count(x, v))([[1, 2], [3], [3]], [3])
    array(2.)
    """

    def make_node(self, x: Any, elem: Any) -> Apply:
        x = typed_list(self, x)
        return Apply(self, [x, element(self, x, elem)], [tensor_type(config.floatX, ())()])

    def number(self, node: Apply, x: list[Any], *others: Any) -> int:
        is_equal = node.inputs[0].type.ttype.values_eq
        return sum(is_equal(one, others[0]) for one in x)


@documented_in("theano.typed_list.basic")
class Length(_Number):
    """The number of elements of a list, as an int64 scalar.

    Parameters
    ----------
    x : typed list

    >>> import theano, theano.tensor as T
    >>> from theano.typed_list import TypedListType, length
    >>> x = TypedListType(T.lvector)()
    >>> theano.function([x], length(x))([[1, 2], [3]])
    array(2)
    """

    def make_node(self, x: Any) -> Apply:
        x = typed_list(self, x)
        return Apply(self, [x], [tensor_type("int64", ())()])

    def number(self, node: Apply, x: list[Any], *others: Any) -> int:
        return len(x)


getitem = GetItem()
index_ = Index()
count = Count()
length = Length()
