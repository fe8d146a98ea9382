"""DebugMode itself: its checks, and the flags that select them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from theano._src.compile.debug.debugmode.history import RewriteHistory, check_same
from theano._src.compile.debug.debugmode.program import DebugLinker
from theano._src.compile.maker import FunctionMaker
from theano._src.compile.mode import Mode
from theano._src.graph.fg import FunctionGraph
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in, short_traceback
from theano._src.rewrite.sequence import SeqOptimizer

#: the kinds of memory that ``check_preallocated_output`` may name
KINDS = ("initial", "previous", "c_contiguous", "f_contiguous", "strided", "wrong_size")


class _FromFlag:
    """An attribute whose default is a flag; the instance or the class may override it."""

    def __init__(self, flag: str, function: Callable[[Any], Any] = lambda value: value) -> None:
        self.flag, self.make = flag, function

    def __get__(self, instance: Any, owner: type) -> Any:
        return self.make(getattr(config.DebugMode, self.flag))


def kinds_of(given: str | Sequence[str]) -> list[str]:
    """Return the kinds of memory that a flag or a list names; ``ALL`` means all of them.

    >>> kinds_of("previous:strided")
    ['previous', 'strided']
    """
    names = [n for n in given.split(":") if n] if isinstance(given, str) else list(given)
    for name in names:
        if name not in KINDS and name != "ALL":
            raise ValueError(
                f"check_preallocated_output takes names out of {', '.join(KINDS)} and ALL, "
                f"got {name!r}"
            )
    return list(KINDS) if "ALL" in names else names


class DebugMaker(FunctionMaker):
    """A FunctionMaker that records rewriting, and repeats it to compare."""

    def make_graph(self, rewrites: SeqOptimizer) -> FunctionGraph:
        first = RewriteHistory()
        fgraph = self._rewritten(rewrites, first)
        for time in range(2, int(self.mode.stability_patience) + 1):  # type: ignore[attr-defined]
            again = RewriteHistory(keep_graphs=False)
            self._rewritten(rewrites, again)
            check_same(first, again, time)
        return fgraph


@documented_in("theano.compile.debugmode")
class DebugMode(Mode):
    """A mode that looks for defects in ops and rewrites; much slower than the others.

    At each call every node runs separately, on copies of its inputs; so do the nodes that rewrites
    have replaced. A defect raises a ``DebugModeError``: an undeclared change of an input
    (``BadDestroyMap``), undeclared sharing of memory (``BadViewMap``), a value that does not
    fit its type or is not finite (``InvalidValueError``), two computations of a node that differ
    (``BadThunkOutput``), a rewrite that changes a value (``BadOptimization``), or rewrites that
    make different changes when they are repeated (``StochasticOrder``).

    Parameters
    ----------
    optimizer : str, Query or Optimizer
    stability_patience : int, optional
        How many times to rewrite the graph, to compare the changes.
    check_c_code : bool, optional
        Whether to compute nodes on XLA too, and compare them with NumPy.
    check_py_code : bool, optional
        Whether to compute nodes with ``perform`` even if XLA can compute them.
    check_isfinite : bool, optional
        Whether NaN and infinity are errors.
    check_preallocated_output : list of str, optional
        Kinds of memory to put into the output storage of ``perform``.
    require_matching_strides : {0, 1, 2}, optional
        Whether the strides of the two engines may differ: 0 allows it, 1 warns, 2 raises.
    linker : optional
        Ignored; accepted for the same signature as other modes.

    The flags ``config.DebugMode.*`` are the defaults.

    >>> import theano, theano.tensor as T
    >>> x = T.dvector("x")
    >>> f = theano.function([x], T.log(x), mode=theano.compile.DebugMode(check_c_code=False))
    >>> f([1.0]).tolist()
    [0.0]
    >>> f([-1.0])
    Traceback (most recent call last):
    theano.compile.debugmode.InvalidValueError: InvalidValueError: Elemwise{log,...
    """

    stability_patience: Any = _FromFlag("patience")
    check_c_code: Any = _FromFlag("check_c")
    check_py_code: Any = _FromFlag("check_py")
    check_isfinite: Any = _FromFlag("check_finite")
    check_preallocated_output: Any = _FromFlag("check_preallocated_output", kinds_of)
    require_matching_strides: Any = _FromFlag("check_strides")

    @short_traceback
    def __init__(
        self,
        optimizer: Any = "fast_run",
        stability_patience: int | None = None,
        check_c_code: bool | None = None,
        check_py_code: bool | None = None,
        check_isfinite: bool | None = None,
        check_preallocated_output: str | Sequence[str] | None = None,
        require_matching_strides: int | None = None,
        linker: Any = None,
    ) -> None:
        given = {
            "stability_patience": stability_patience,
            "check_c_code": check_c_code,
            "check_py_code": check_py_code,
            "check_isfinite": check_isfinite,
            "require_matching_strides": require_matching_strides,
        }
        self.__dict__.update({name: value for name, value in given.items() if value is not None})
        if check_preallocated_output is not None:
            self.check_preallocated_output = kinds_of(check_preallocated_output)
        if not (self.check_c_code or self.check_py_code):
            raise ValueError(
                "DebugMode takes at least one of check_c_code and check_py_code as True, got "
                "False for both"
            )
        super().__init__(DebugLinker(self), optimizer)

    def function_maker(self, *args: Any, **kwargs: Any) -> DebugMaker:
        """Return the FunctionMaker that ``theano.function`` uses in this mode."""
        return DebugMaker(*args, **kwargs)

    def clone(self, link_kwargs: Any = None, optimizer: Any = "", **kwargs: Any) -> DebugMode:
        """Return a copy, optionally with other rewrites or checks."""
        kwargs.pop("linker", None)
        chosen = self.provided_optimizer if optimizer == "" else optimizer
        return type(self)(chosen, **{**self._given(), **kwargs})

    def _given(self) -> dict[str, Any]:
        """The checks that were set on this instance, not by flags."""
        return {name: self.__dict__[name] for name in _CHECKS if name in self.__dict__}

    def __reduce__(self) -> Any:
        return _restored, (type(self), self.provided_optimizer, self._given())

    def __str__(self) -> str:
        return f"DebugMode(optimizer = {self.provided_optimizer})"


@cache
def named_debug_mode() -> DebugMode:
    """The mode named ``DebugMode``: a single instance, whose checks a program may change."""
    return DebugMode()


_CHECKS = tuple(name for name, of in vars(DebugMode).items() if isinstance(of, _FromFlag))


def _restored(kind: type[DebugMode], optimizer: Any, given: dict[str, Any]) -> DebugMode:
    return kind(optimizer, **given)
