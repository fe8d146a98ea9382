"""NanGuardMode: stop at the first node that computes a NaN, an infinity or a too large number."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from theano._src.compile.mode import Mode, predefined_linkers
from theano._src.engines.choice.choice import AutoLinker
from theano._src.engines.link import Linker, PerformLinker
from theano._src.engines.linkers.wrap import WrapLinker
from theano._src.engines.numpy.engine import NumpyLinker
from theano._src.engines.value_guard import Guard
from theano._src.engines.xla.linker import XlaLinker
from theano._src.graph.graph import Apply
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in, short_traceback
from theano._src.types.shared import on_host

#: rewrites that would hide which op computed the value, or overwrite its inputs
_LEFT_OUT = ("fusion", "inplace")


@documented_in("theano.compile.nanguardmode")
class NanGuardMode(Mode):
    """A mode that raises AssertionError at a NaN, an infinity or a big number.

    The error names the op, the source line that created it, and its inputs. Arguments and shared
    variables are checked too. On NumPy each value is checked as soon as it is computed. A compiled
    program returns one flag for all values; if it reports a bad value, the nodes run again one by
    one. Shared variables keep their values after an error. ``config.NanGuardMode.action`` chooses
    between raising, warning and opening the debugger; the latter two run on NumPy.

    Parameters
    ----------
    nan_is_error, inf_is_error, big_is_error : bool, optional
        Whether NaN, infinity, or absolute values beyond 1e10 are errors. The defaults are the
        flags ``config.NanGuardMode.*``, which are True.
    optimizer : str, Query or Optimizer
        Fusion and in-place ops are always excluded.
    linker : str or Linker, optional

    A variable whose ``tag.nan_guard_mode_check`` is False is not checked.

    >>> import theano, theano.tensor as T
    >>> x = T.dvector("x")
    >>> f = theano.function([x], T.log(x) * 2, mode=theano.compile.NanGuardMode())
    >>> f([1.0]).tolist()
    [0.0]
    >>> f([-1.0])
    Traceback (most recent call last):
    AssertionError: NanGuardMode found NaN in output 0 of Elemwise{log,no_inplace}: ...
    """

    @short_traceback
    def __init__(
        self,
        nan_is_error: bool | None = None,
        inf_is_error: bool | None = None,
        big_is_error: bool | None = None,
        optimizer: Any = "default",
        linker: Any = None,
    ) -> None:
        flags = config.NanGuardMode
        self.nan_is_error = bool(flags.nan_is_error if nan_is_error is None else nan_is_error)
        self.inf_is_error = bool(flags.inf_is_error if inf_is_error is None else inf_is_error)
        self.big_is_error = bool(flags.big_is_error if big_is_error is None else big_is_error)
        if not (self.nan_is_error or self.inf_is_error or self.big_is_error):
            raise ValueError(
                "NanGuardMode takes at least one of nan_is_error, inf_is_error and big_is_error "
                "as True, got False for all"
            )
        if isinstance(optimizer, str) and optimizer == "default":
            optimizer = config.optimizer
        self._inner = config.linker if linker is None else linker
        guard = Guard(self.nan_is_error, self.inf_is_error, self.big_is_error)
        super().__init__(guarded_linker(self._inner, guard), optimizer)

    def clone(self, link_kwargs: Any = None, optimizer: Any = "", **kwargs: Any) -> NanGuardMode:
        """Return a copy, optionally with other rewrites, checks or another linker."""
        linker = kwargs.pop("linker", self._inner)
        if link_kwargs:
            linker = _linker_of(linker).clone(**link_kwargs)
        return NanGuardMode(
            kwargs.pop("nan_is_error", self.nan_is_error),
            kwargs.pop("inf_is_error", self.inf_is_error),
            kwargs.pop("big_is_error", self.big_is_error),
            self.provided_optimizer if optimizer == "" else optimizer,
            linker,
        )

    def __reduce__(self) -> Any:
        return NanGuardMode, (
            self.nan_is_error,
            self.inf_is_error,
            self.big_is_error,
            self.provided_optimizer,
            self._inner,
        )

    def __str__(self) -> str:
        return f"NanGuardMode(linker = {self._inner}, optimizer = {self.provided_optimizer})"


def _linker_of(linker: Any) -> Linker:
    if isinstance(linker, str):
        if linker not in predefined_linkers:
            raise ValueError(
                f"NanGuardMode takes a Linker or one of {', '.join(map(str, predefined_linkers))} "
                f"as linker, got {linker!r}"
            )
        return predefined_linkers[linker]
    result: Linker = linker
    return result


def guarded_linker(linker: Any, guard: Guard) -> Linker:
    """Return a copy of a linker whose programs check every value with ``guard``."""
    inner = _linker_of(linker)
    if config.NanGuardMode.action != "raise" and isinstance(inner, XlaLinker | AutoLinker):
        inner = NumpyLinker(inner.allow_gc)  # a compiled program cannot stop in the middle
    if isinstance(inner, WrapLinker) or not isinstance(
        inner, XlaLinker | AutoLinker | NumpyLinker | PerformLinker
    ):
        # a linker of the user: call its thunks one by one
        result: Linker = _Watched([inner], guard)
    else:
        result = copy.copy(inner)
        result.guard = guard
        result.leaves_out = (*inner.leaves_out, *_LEFT_OUT)
    return result


class _Watched(WrapLinker):
    """A linker that checks the outputs of each thunk of another linker."""

    def __init__(self, linkers: list[Linker], guard: Guard) -> None:
        super().__init__(linkers, self._run)
        self.guard = guard

    def _run(self, i: int, node: Apply, thunk: Any) -> None:
        assert self.guard is not None
        for v, cell in zip(node.inputs, thunk.inputs, strict=True):
            if v.owner is None and self.guard.watches(v):
                self.guard.check_input(v, node, cell[0])
        thunk()
        self.guard.check_all(node, [cell[0] for cell in thunk.outputs])


@documented_in("theano.compile.nanguardmode")
def contains_nan(arr: Any, node: Any = None, var: Any = None) -> bool:
    """Whether an array contains a NaN; False for values that are not numeric arrays.

    >>> from theano.compile.nanguardmode import contains_nan
    >>> contains_nan(np.array([1.0, np.nan])), contains_nan(np.array([1, 2]))
    (True, False)
    """
    value = _floats(arr)
    return value is not None and bool(np.isnan(value).any())


@documented_in("theano.compile.nanguardmode")
def contains_inf(arr: Any, node: Any = None, var: Any = None) -> bool:
    """Whether an array contains an infinity; False for values that are not numeric arrays.

    >>> from theano.compile.nanguardmode import contains_inf
    >>> contains_inf(np.array([1.0, -np.inf])), contains_inf(np.array([np.nan]))
    (True, False)
    """
    value = _floats(arr)
    return value is not None and bool(np.isinf(value).any())


@documented_in("theano.compile.nanguardmode")
def flatten(l: Any) -> list[Any]:
    """Flatten nested lists, tuples and dicts into one list of values.

    >>> from theano.compile.nanguardmode import flatten
    >>> flatten([1, (2, [3]), {"a": 4}])
    [1, 2, 3, 4]
    """
    if isinstance(l, list | tuple):
        return [x for each in l for x in flatten(each)]
    if isinstance(l, dict):
        return [x for each in l.values() for x in flatten(each)]
    return [l]


def _floats(arr: Any) -> Any:
    value = on_host(arr)
    if isinstance(value, float | complex):
        value = np.asarray(value)
    if not isinstance(value, np.ndarray | np.generic) or value.dtype.kind not in "fc":
        return None
    return value
