"""OpTable: properties of ops for one layer, looked up by class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar, overload
from weakref import WeakKeyDictionary

Row = TypeVar("Row")
Other = TypeVar("Other")

#: the methods that define how an op is computed
MEANINGS = ("compute", "impl", "perform", "make_thunk")

_MISSING: Any = object()


class OpTable(Generic[Row]):
    """Rows by op class; a class without a row inherits that of its nearest base.

    The layer that reads a table owns it. Classes of this package are named by strings
    ``"module.Class"``, with the ``__module__`` of the class, so a table imports none of them.
    Authors of ops add a row for a class: ``table[MyOp] = row``.

    In a table with ``by_meaning``, a class that overrides ``compute``, ``impl``, ``perform`` or
    ``make_thunk`` does not inherit the rows of its bases. A class without a row has that of the
    table ``base``, if one is given.

    >>> table = OpTable({"builtins.int": "a number", "numbers.Number": "any"})
    >>> table[True], table.get("text", "nothing")
    ('a number', 'nothing')
    >>> table[str] = "text"
    >>> table["some"]
    'text'
    """

    def __init__(
        self,
        rows: Mapping[str, Row],
        *,
        by_meaning: bool = False,
        base: OpTable[Row] | None = None,
    ) -> None:
        self._by_name = dict(rows)
        self._by_class: WeakKeyDictionary[type, Row] = WeakKeyDictionary()
        self._nearest: WeakKeyDictionary[type, Row] = WeakKeyDictionary()
        self._by_meaning, self._base = by_meaning, base

    def __setitem__(self, cls: type, row: Row) -> None:
        self._by_class[cls] = row
        self._nearest.clear()

    def __getitem__(self, op: Any) -> Row:
        row = self.get(op, _MISSING)
        if row is _MISSING:
            raise KeyError(f"{type(op).__module__}.{type(op).__qualname__}")
        return row

    def __contains__(self, op: Any) -> bool:
        return self.get(op, _MISSING) is not _MISSING

    @overload
    def get(self, op: Any) -> Row | None: ...
    @overload
    def get(self, op: Any, default: Other) -> Row | Other: ...
    def get(self, op: Any, default: Any = None) -> Any:
        """Return the row of the class of ``op``, or ``default``."""
        return self.of_class(type(op), default)

    @overload
    def of_class(self, cls: type) -> Row | None: ...
    @overload
    def of_class(self, cls: type, default: Other) -> Row | Other: ...
    def of_class(self, cls: type, default: Any = None) -> Any:
        """Return the row of a class, or ``default``."""
        row = self._nearest.get(cls, None)
        if row is None:
            row = self._nearest[cls] = self._find(cls)
        if row is not _MISSING:
            return row
        return default if self._base is None else self._base.of_class(cls, default)

    def _find(self, cls: type) -> Any:
        for base in cls.__mro__:
            if base in self._by_class:
                return self._by_class[base]
            row = self._by_name.get(f"{base.__module__}.{base.__qualname__}", _MISSING)
            if row is not _MISSING:
                return row
            if self._by_meaning and not base.__dict__.keys().isdisjoint(MEANINGS):
                return _MISSING
        return _MISSING

    def names(self) -> Iterator[str]:
        """Return the names of the classes of this package that have a row."""
        return iter(self._by_name)
