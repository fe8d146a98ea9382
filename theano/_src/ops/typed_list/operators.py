"""The methods and operators of typed list variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from theano._src.ops.numpy_api.not_values import truth
from theano._src.ops.typed_list import editing, reading
from theano._src.types.typed_list import _typed_list_py_operators


def _method(op: Any, doc: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return op(self, *args, **kwargs)

    method.__doc__ = doc
    return method


def _no_loop(self: Any) -> NoReturn:
    raise TypeError(
        f"{self} of {self.type} has no elements before it runs: loop over it with theano.scan and "
        "its length, theano.typed_list.length(x)"
    )


# `index` is the position of a variable among the outputs of its node, hence `ind`
# fmt: off
METHODS: dict[str, Callable[..., Any]] = {
    "append":      _method(editing.append,  "The list with one more element at its end."),
    "extend":      _method(editing.extend,  "The list with the elements of another at its end."),
    "insert":      _method(editing.insert,  "The list with one more element before an index."),
    "remove":      _method(editing.remove,  "The list without the first element that equals one."),
    "reverse":     _method(editing.reverse, "The list in the opposite order."),
    "count":       _method(reading.count,   "How many elements equal one."),
    "ind":         _method(reading.index_,  "Where the first element is that equals one."),
    "__getitem__": _method(reading.getitem, "The element at an index, or the part in a slice."),
    "__len__":     _method(reading.length,  "The number of elements, as a variable."),
    "__bool__":    truth,
    "__iter__":    _no_loop,
}
# fmt: on

for name, method in METHODS.items():
    setattr(_typed_list_py_operators, name, method)
