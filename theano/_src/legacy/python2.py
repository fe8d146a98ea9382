"""Helpers of programs for both Python 2 and Python 3, here for Python 3 only."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView
from types import TracebackType
from typing import Any, NoReturn

PY2 = False
PY3 = True
string_types = (str,)
text_type = str
binary_type = bytes
integer_types = (int,)
class_types = (type,)


def iterkeys(d: Mapping[Any, Any]) -> Iterator[Any]:
    """Iterate over the keys of a mapping.

    >>> import theano.compat.six as six
    >>> list(six.iterkeys({"a": 1}))
    ['a']
    """
    return iter(d.keys())


def itervalues(d: Mapping[Any, Any]) -> Iterator[Any]:
    """Iterate over the values of a mapping.

    >>> list(itervalues({"a": 1, "b": 2}))
    [1, 2]
    """
    return iter(d.values())


def iteritems(d: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
    """Iterate over the items of a mapping.

    >>> import theano.compat.six as six
    >>> list(six.iteritems({"a": 1}))
    [('a', 1)]
    """
    return iter(d.items())


def viewkeys(d: Mapping[Any, Any]) -> KeysView[Any]:
    """Return ``d.keys()``.

    >>> import theano.compat.six as six
    >>> six.viewkeys({"a": 1})
    dict_keys(['a'])
    """
    return d.keys()


def viewvalues(d: Mapping[Any, Any]) -> ValuesView[Any]:
    """Return ``d.values()``.

    >>> import theano.compat.six as six
    >>> six.viewvalues({"a": 1})
    dict_values([1])
    """
    return d.values()


def viewitems(d: Mapping[Any, Any]) -> ItemsView[Any, Any]:
    """Return ``d.items()``.

    >>> import theano.compat.six as six
    >>> six.viewitems({"a": 1})
    dict_items([('a', 1)])
    """
    return d.items()


def b(text: str) -> bytes:
    """Return a literal as bytes, in Python 2 and 3 alike.

    >>> b("abc")
    b'abc'
    """
    return text.encode("latin-1")


def reraise(
    tp: type[BaseException], value: BaseException | None, tb: TracebackType | None = None
) -> NoReturn:
    """Raise an exception that was caught elsewhere, with its traceback.

    >>> import theano.compat.six as six
    >>> six.reraise(ValueError, ValueError("no such file"))
    Traceback (most recent call last):
    ValueError: no such file
    """
    raise (tp() if value is None else value).with_traceback(tb)


def with_metaclass(meta: type, *bases: type) -> Any:
    """Return a base class that has ``meta`` as its metaclass.

    >>> class Meta(type): ...
    >>> class A(with_metaclass(Meta)): ...
    >>> type(A).__name__
    'Meta'
    """
    return meta("with_metaclass", bases, {})


def add_metaclass(metaclass: type) -> Callable[[type], Any]:
    """Return a decorator that recreates a class with a metaclass.

    >>> import abc, theano.compat.six as six
    >>> @six.add_metaclass(abc.ABCMeta)
    ... class Shape: ...
    ...
    >>> type(Shape).__name__
    'ABCMeta'
    """

    def made_anew(cls: type) -> Any:
        kept = {k: v for k, v in vars(cls).items() if k not in ("__dict__", "__weakref__")}
        return metaclass(cls.__name__, cls.__bases__, kept)

    return made_anew


def cmp(a: Any, b: Any) -> int:
    """Return -1, 0 or 1 if ``a`` is smaller than, equal to or greater than ``b``.

    >>> cmp(3, 5), cmp(5, 5), cmp("b", "a")
    (-1, 0, 1)
    """
    return int(a > b) - int(a < b)


def exc_message(e: BaseException) -> Any:
    """Return the only argument of an exception, or the tuple of all of them.

    >>> exc_message(ValueError("no"))
    'no'
    """
    return e.args[0] if len(e.args) == 1 else e.args


def get_unbound_function(unbound: Any) -> Any:
    """Return the function behind a method looked up on its class: in Python 3, itself.

    >>> import theano.compat
    >>> theano.compat.get_unbound_function(str.upper)("word")
    'WORD'
    """
    return unbound


def decode(x: bytes | str) -> str:
    """Return text: bytes are decoded as UTF-8, text is unchanged.

    >>> import theano.compat
    >>> theano.compat.decode(b"word"), theano.compat.decode("word")
    ('word', 'word')
    """
    return x.decode("utf-8") if isinstance(x, bytes) else x


def decode_iter(itr: Any) -> Iterator[str]:
    """Apply ``decode`` to each item.

    >>> import theano.compat
    >>> list(theano.compat.decode_iter([b"one", "two"]))
    ['one', 'two']
    """
    return map(decode, itr)


def decode_with(x: bytes | str, encoding: str) -> str:
    """Return text: bytes are decoded with ``encoding``, text is unchanged.

    >>> import theano.compat
    >>> theano.compat.decode_with("word".encode("utf-16"), "utf-16")
    'word'
    """
    return x.decode(encoding) if isinstance(x, bytes) else x


class DefaultOrderedDict(OrderedDict[Any, Any]):
    """A dict in order of insertion that creates values for missing keys.

    >>> d = DefaultOrderedDict(list)
    >>> d["a"].append(1)
    >>> d["a"]
    [1]
    """

    def __init__(self, default_factory: Callable[[], Any] | None = None, *args: Any, **kw: Any):
        if default_factory is not None and not callable(default_factory):
            raise TypeError(
                f"DefaultOrderedDict takes a function without arguments first, got "
                f"{default_factory!r}"
            )
        super().__init__(*args, **kw)
        self.default_factory = default_factory

    def __missing__(self, key: Any) -> Any:
        if self.default_factory is None:
            raise KeyError(key)
        self[key] = value = self.default_factory()
        return value

    def __reduce__(self) -> Any:
        return (type(self), (self.default_factory,), None, None, iter(self.items()))

    def copy(self) -> DefaultOrderedDict:
        return type(self)(self.default_factory, self)

    __copy__ = copy
