"""Declarations of the inputs and outputs of a function."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from theano._src.graph.graph import Constant, Variable
from theano._src.ground.documented import documented_in, short_traceback
from theano._src.ground.tracebacks import warn_user
from theano._src.types.sharding import Sharding
from theano._src.types.shared import Container, SharedVariable
from theano._src.types.updates import OrderedUpdates


@documented_in("theano.compile.io")
class SymbolicInput:
    """One input of a function, without storage of its own.

    Parameters
    ----------
    variable : Variable
    name : optional
        Any hashable object; with a str, the input can be passed by keyword.
    update : Variable, optional
        The expression whose value replaces the input's value after each call.
    mutable : bool, optional
        Whether the function may change the argument in place.
    strict : bool
        Whether to accept only values of exactly the right type.
    allow_downcast : bool, optional
        Whether arguments may lose precision when they are converted.
    autoname : bool
        Whether to use the variable's name if ``name`` is None.
    implicit : bool, optional
        True: callers cannot pass a value.
    """

    @short_traceback
    def __init__(
        self,
        variable: Variable,
        name: Any = None,
        update: Any = None,
        mutable: bool | None = None,
        strict: bool = False,
        allow_downcast: bool | None = None,
        autoname: bool = True,
        implicit: bool | None = False,
    ) -> None:
        if not isinstance(variable, Variable):
            raise TypeError(f"In takes a Variable, got {variable!r} of {type(variable).__name__}")
        if isinstance(variable, Constant):
            raise TypeError(
                f"Constant not legal input to function: {variable}; its value is known already"
            )
        try:
            hash(name)
        except TypeError:
            raise TypeError(f"In takes a str as name, got {name!r}") from None
        self.variable = variable
        self.name = variable.name if name is None and autoname else name
        self.autoname = autoname
        self.update = update
        if update is not None and update.type != variable.type:
            self.update = variable.type.filter_variable(update)
        self.mutable = mutable if mutable is not None else update is not None
        self.strict = strict
        self.allow_downcast = allow_downcast
        self.implicit = implicit
        self.shared = False

    def __str__(self) -> str:
        if self.update is not None:
            return f"In({self.variable} -> {self.update})"
        return f"In({self.variable})"

    __repr__ = __str__


@documented_in("theano.compile.io")
class In(SymbolicInput):
    """An input of a function, with an optional default value, name and update.

    Parameters
    ----------
    variable : Variable
    name : optional
        For keyword calls and ``fn[name]``; the variable's own name by default.
    value : optional
        Default value, or its holder: the Container of another function, or a shared variable.
    update : Variable, optional
        The new stored value after each call. An argument replaces the stored value.
    mutable, strict, allow_downcast, autoname : see SymbolicInput
    implicit : bool, optional
        True: callers cannot pass a value. None: True if ``value`` is a Container.
    borrow : bool, optional
        Whether the function may use the argument itself instead of a copy.
    sharding : Sharding, optional
        How the value is split over a mesh of devices. With several processes, each passes its own
        part.

    >>> import theano, theano.tensor as T
    >>> x, y = T.dscalars("xy")
    >>> f = theano.function([x, theano.In(y, value=10)], x + y)
    >>> f(1).item(), f(1, 2).item(), f(1, y=3).item()
    (11.0, 3.0, 4.0)
    """

    #: for inputs that were pickled before this attribute existed
    sharding: Sharding | None = None

    @short_traceback
    def __init__(
        self,
        variable: Variable,
        name: Any = None,
        value: Any = None,
        update: Any = None,
        mutable: bool | None = None,
        strict: bool = False,
        allow_downcast: bool | None = None,
        autoname: bool = True,
        implicit: bool | None = None,
        borrow: bool | None = None,
        shared: bool = False,
        sharding: Sharding | None = None,
    ) -> None:
        if sharding is not None:
            sharding.check(getattr(variable.type, "ndim", None), variable)
        self.sharding = sharding
        if borrow is False and mutable:
            raise AssertionError("In with mutable=True lets the value be changed: borrow is True")
        if isinstance(value, SharedVariable):
            value = value.container
        if implicit is None:
            implicit = isinstance(value, Container)
        if implicit and value is None:
            raise TypeError("An implicit input must be given a default value")
        super().__init__(
            variable, name, update, mutable, strict, allow_downcast, autoname, implicit
        )
        self.borrow = bool(mutable) if borrow is None else borrow
        self.value = value
        self.shared = shared


@documented_in("theano.compile.io")
class SymbolicOutput:
    """One output of a function.

    Parameters
    ----------
    variable : Variable
    borrow : bool
        Whether the result may share memory with other values of the function.
    sharding : Sharding, optional
        How the value is split over a mesh of devices. With several processes, each gets its own
        part.
    """

    #: for outputs that were pickled before this attribute existed
    sharding: Sharding | None = None

    @short_traceback
    def __init__(
        self, variable: Any, borrow: bool = False, sharding: Sharding | None = None
    ) -> None:
        if sharding is not None:
            sharding.check(getattr(variable.type, "ndim", None), variable)
        self.variable = variable
        self.borrow = borrow
        self.sharding = sharding

    def __str__(self) -> str:
        return f"Out({self.variable},{self.borrow})"

    __repr__ = __str__


Out = SymbolicOutput


@documented_in("theano.compile.pfunc")
class Param(In):
    """An input with a default; the older form of In.

    >>> import theano, theano.tensor as T
    >>> x, y = T.dscalars("xy")
    >>> theano.function([x, theano.Param(y, default=1)], x + y)(33).item()
    34.0
    """

    @short_traceback
    def __init__(
        self,
        variable: Variable,
        default: Any = None,
        name: Any = None,
        mutable: bool = False,
        strict: bool = False,
        allow_downcast: bool | None = None,
        implicit: bool | None = None,
        borrow: bool | None = None,
    ) -> None:
        super().__init__(
            variable,
            name=name,
            value=default,
            mutable=mutable,
            strict=strict,
            allow_downcast=allow_downcast,
            implicit=implicit,
            borrow=borrow,
        )

    @property
    def default(self) -> Any:
        return self.value


def refuse_shared(given: Any) -> None:
    """Raise TypeError if an explicit input of a function is a shared variable."""
    if isinstance(given, SharedVariable):
        raise TypeError(
            f"Cannot use a shared variable ({given}) as explicit input: functions find shared "
            "variables by themselves; to use another value for one call, put it out with givens"
        )


def as_input(given: Any, allow_downcast: bool | None = None) -> In:
    """Convert a variable, an In, or one of the documented tuple shortcuts to an In."""
    if isinstance(given, In):
        return given
    if isinstance(given, SymbolicInput):
        return In(
            given.variable,
            name=given.name,
            update=given.update,
            mutable=given.mutable,
            strict=given.strict,
            allow_downcast=given.allow_downcast,
            implicit=given.implicit,
        )
    refuse_shared(given)
    if isinstance(given, Constant):
        raise TypeError(f"Constant not legal input to function: {given}")
    if isinstance(given, Variable):
        return In(given, allow_downcast=allow_downcast)
    if isinstance(given, (list, tuple)) and given:
        return _from_tuple(tuple(given))
    raise TypeError(
        f"inputs of a function are Variables or In instances, got {given!r} of type "
        f"{type(given).__name__}"
    )


def _from_tuple(given: tuple[Any, ...]) -> In:
    """Convert ``(r, val)``, ``(name, r)`` or ``(name, r, val)``; ``r`` may be ``(r, update)``."""
    name, rest = (given[0], given[1:]) if isinstance(given[0], str) else (None, given)
    if 1 <= len(rest) <= 2:
        target, update = rest[0], None
        if isinstance(target, (list, tuple)) and len(target) == 2:
            target, update = target
        if isinstance(target, Variable):
            value = rest[1] if len(rest) == 2 else None
            return In(target, name=name, value=value, update=update)
    raise TypeError(
        "an input given as a tuple is (variable, value), (name, variable), (name, variable, "
        f"value) or one of these with (variable, update) for variable, got {given!r}"
    )


def as_output(given: Any) -> SymbolicOutput:
    """Convert a variable or an Out to an Out."""
    if isinstance(given, SymbolicOutput):
        return given
    if isinstance(given, Variable):
        return SymbolicOutput(given)
    raise TypeError(
        "Outputs must be theano Variable or Out instances. Received "
        f"{given!r:.80} of type {type(given).__name__}; {_what_to_give(given)}"
    )


def _what_to_give(given: Any) -> str:
    if isinstance(given, OrderedUpdates):
        return (
            "scan returns outputs and updates: write `outputs, updates = theano.scan(...)`, then "
            "theano.function(inputs, outputs, updates=updates)"
        )
    if isinstance(given, list | tuple):
        return "several outputs are one list of variables, without lists in it"
    if isinstance(given, Iterable) and not isinstance(given, str | np.ndarray):
        return f"make a list of it: list({type(given).__name__}(...))"
    if callable(given):
        return "it is a function: call it with the inputs, and give what it returns"
    return "build them from the inputs, and make variables of values with theano.tensor.constant"


def warn_unused(text: str, how: str, error: type[Exception]) -> None:
    """Raise, warn or do nothing about an unused input, according to ``on_unused_input``."""
    match how:
        case "raise":
            raise error(text)
        case "warn":
            warn_user(text)
        case "ignore":
            pass
        case _:
            raise ValueError(f"on_unused_input is one of 'raise', 'warn', 'ignore', got {how!r}")
