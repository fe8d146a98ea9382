"""Parameters of flags: one object per flag, with its default and its validation."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from theano._src.ground.documented import documented_in


@documented_in("theano.configparser")
class ConfigParam:
    """A flag: its default, and a filter that converts and validates values.

    Parameters
    ----------
    default
        The value if none is set. A function of no arguments is called when the flag is first read,
        and its result is kept.
    filter
        Called with the given value; returns the converted value, or raises ValueError.
    allow_override
        If False, only THEANO_FLAGS and THEANORC may set the flag, not an assignment.
    derive
        Instead of `default`: a function of the config object, called at each read, for a value that
        depends on other flags.

    >>> param = ConfigParam("a", filter=str.lower)
    >>> param.parse("B")
    'b'
    """

    fullname: str = ""
    doc: str = ""
    in_c_key: bool = True
    takes: str = "any value"
    # the config object that the flag belongs to
    root: Any = None

    def __init__(
        self,
        default: Any,
        filter: Callable[[Any], Any] | None = None,
        allow_override: bool = True,
        *,
        derive: Callable[[Any], Any] | None = None,
        takes: str = "",
    ) -> None:
        self.default = default
        self.filter = filter
        self.allow_override = allow_override
        self.derive = derive
        if takes:
            self.takes = takes

    def parse(self, given: Any) -> Any:
        """Convert `given`, a text from outside or an assigned object, to the value."""
        return given if self.filter is None else self.filter(given)

    def compute(self, config: Any) -> Any:
        """Compute the default value."""
        if self.derive is not None:
            return self.derive(config)
        return self.parse(self.default() if callable(self.default) else self.default)

    # libraries read and set flags through these objects, as descriptors

    def __get__(self, holder: Any, kind: Any = None) -> Any:
        return self if holder is None else self._added_to()._read(self.fullname)

    def __set__(self, holder: Any, value: Any) -> None:
        self._added_to()._assign(self.fullname, value)

    def _added_to(self) -> Any:
        if self.root is None:
            raise AttributeError(f"{self!r} is not a flag yet; add it with AddConfigVar")
        return self.root

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.fullname or '(no name yet)'}: {self.takes}>"


@documented_in("theano.configparser")
class EnumStr(ConfigParam):
    """A flag whose value is one of the given strings; the first is the default.

    >>> EnumStr("low", "high").parse("middle")
    Traceback (most recent call last):
    ...
    ValueError: one of 'low', 'high'
    """

    def __init__(self, default: str, *options: str, allow_override: bool = True) -> None:
        self.all = (default, *(option for option in options if option != default))
        for option in self.all:
            if not isinstance(option, str):
                raise ValueError(f"EnumStr takes words, got {option!r}; quote it")
        super().__init__(default, self._one_of, allow_override)
        self.takes = "one of " + ", ".join(map(repr, self.all))

    def _one_of(self, given: Any) -> str:
        # programs write `optimizer = None` and `dnn.enabled = True` without quotes
        word = str(given) if given is None or isinstance(given, bool) else given
        if not isinstance(word, str) or word not in self.all:
            raise ValueError(self.takes)
        return str(word)


@documented_in("theano.configparser")
class TypedParam(ConfigParam):
    """A flag whose value is converted by `mytype` and checked by `is_valid`.

    >>> TypedParam(3, int, lambda n: n > 0).parse("7")
    7
    """

    def __init__(
        self,
        default: Any,
        mytype: Callable[[Any], Any],
        is_valid: Callable[[Any], object] | None = None,
        allow_override: bool = True,
        *,
        derive: Callable[[Any], Any] | None = None,
        takes: str = "",
    ) -> None:
        self.mytype = mytype
        self.is_valid = is_valid
        takes = takes or f"a value for {getattr(mytype, '__name__', mytype)}"
        super().__init__(default, self._typed, allow_override, derive=derive, takes=takes)

    def _typed(self, given: Any) -> Any:
        try:
            value = self.mytype(given)
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(self.takes) from error
        if self.is_valid is not None and not self.is_valid(value):
            raise ValueError(self.takes)
        return value


def integer(given: Any) -> int:
    """Convert a text or number to an integer; raise ValueError for a fraction."""
    value = int(given)
    if not isinstance(given, str) and value != given:
        raise ValueError("a fraction would be lost")
    return value


def _bool(given: Any) -> bool:
    word = str(given).strip().lower()
    if word in ("true", "1"):
        return True
    if word in ("false", "0"):
        return False
    raise ValueError("True or False")


def _bool_or_none(given: Any) -> bool | None:
    return None if str(given).strip().lower() == "none" else _bool(given)


@documented_in("theano.configparser")
def StrParam(
    default: str | Callable[[], str],
    is_valid: Callable[[str], object] | None = None,
    allow_override: bool = True,
    *,
    takes: str = "a text",
) -> TypedParam:
    """Return a flag whose value is a text.

    >>> StrParam("").parse("-O3")
    '-O3'
    """
    return TypedParam(default, str, is_valid, allow_override, takes=takes)


@documented_in("theano.configparser")
def IntParam(
    default: int | Callable[[], int],
    is_valid: Callable[[int], object] | None = None,
    allow_override: bool = True,
    *,
    takes: str = "an integer",
) -> TypedParam:
    """Return a flag whose value is an integer.

    >>> IntParam(0).parse("12")
    12
    """
    return TypedParam(default, integer, is_valid, allow_override, takes=takes)


@documented_in("theano.configparser")
def FloatParam(
    default: float | Callable[[], float],
    is_valid: Callable[[float], object] | None = None,
    allow_override: bool = True,
    *,
    takes: str = "a number",
) -> TypedParam:
    """Return a flag whose value is a floating-point number.

    >>> FloatParam(0.0).parse("0.5")
    0.5
    """
    return TypedParam(default, float, is_valid, allow_override, takes=takes)


@documented_in("theano.configparser")
def BoolParam(
    default: bool | Callable[[], bool],
    is_valid: Callable[[bool], object] | None = None,
    allow_override: bool = True,
) -> TypedParam:
    """Return a flag that is True or False; also accepts 1, 0 and any case of letters.

    >>> BoolParam(False).parse("true")
    True
    """
    return TypedParam(default, _bool, is_valid, allow_override, takes="True or False")


def maybe_bool_param(default: bool | None) -> TypedParam:
    """Return a flag that is True, False, or None for an automatic choice."""
    return TypedParam(default, _bool_or_none, takes="True, False or None")


def pattern_param(
    default: str, pattern: str, takes: str, allow_override: bool = True
) -> TypedParam:
    """Return a flag whose text must match all of `pattern`."""
    matches = re.compile(pattern).fullmatch
    return TypedParam(default, str, matches, allow_override, takes=takes)


#: functions that return names of modes; the layer that defines modes adds its own
MODE_NAMES: list[Callable[[], list[str]]] = []


class ModeParam(ConfigParam):
    """A flag whose value is the name of a mode, or a mode object."""

    def __init__(self, default: str, *names: str) -> None:
        super().__init__(default, self._mode)
        self._own = [default, *names]

    @property
    def names(self) -> list[str]:
        """The current names of modes; a program may have added some."""
        return list(dict.fromkeys([*self._own, *(n for names in MODE_NAMES for n in names())]))

    @property
    def takes(self) -> str:  # type: ignore[override]
        return "a mode object or one of " + ", ".join(map(repr, self.names))

    def _mode(self, given: Any) -> Any:
        if given in self.names or (not isinstance(given, str) and hasattr(given, "linker")):
            return given
        raise ValueError(self.takes)
