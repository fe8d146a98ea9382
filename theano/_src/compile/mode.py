"""Mode: the rewrites and the linker that a function is compiled with."""

from __future__ import annotations

from typing import Any

from theano._src.compile.named_modes import NAMED
from theano._src.engines.choice.choice import AutoLinker
from theano._src.engines.link import Linker, PerformLinker
from theano._src.engines.linkers.documented import CLinker, OpWiseCLinker
from theano._src.engines.native.linker import NativeLinker
from theano._src.engines.numpy.engine import NumpyLinker
from theano._src.engines.xla.linker import XlaLinker
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in, short_traceback
from theano._src.ground.lazy import at_first_use
from theano._src.ground.params import MODE_NAMES
from theano._src.rewrite.database import Query
from theano._src.rewrite.passes import Optimizer
from theano._src.rewrite.sequence import SeqOptimizer
from theano._src.show.debugprint import debugprint

_optdb = at_first_use("theano._src.rules.pipeline:optdb")

# the documented names; where Theano chose between C and Python, the engine is chosen here
predefined_linkers: dict[str | None, Linker] = {
    "py": PerformLinker(),
    "numpy": NumpyLinker(),
    "native": NativeLinker(),
    "xla": XlaLinker(),
    "vm": AutoLinker(),
    "cvm": AutoLinker(),
    "c": CLinker(),
    "c|py": OpWiseCLinker(),
    "vm_nogc": AutoLinker(allow_gc=False),
    "cvm_nogc": AutoLinker(allow_gc=False),
    "c|py_nogc": AutoLinker(allow_gc=False),
}

OPT_FAST_RUN = Query(include=["fast_run"])
OPT_FAST_RUN_STABLE = OPT_FAST_RUN.requiring("stable")
OPT_FAST_COMPILE = Query(include=["fast_compile"])
OPT_STABILIZE = Query(include=["fast_compile", "stabilize"])
OPT_NONE = Query(include=[])
OPT_MERGE = Query(include=["merge"])
OPT_O2 = OPT_FAST_COMPILE.including("fusion")
OPT_O3 = OPT_FAST_RUN.excluding("inplace")
OPT_UNSAFE = OPT_O3.including("unsafe")

predefined_optimizers: dict[str | None, Query] = {
    None: OPT_NONE,
    "None": OPT_NONE,
    "merge": OPT_MERGE,
    "fast_run": OPT_FAST_RUN,
    "fast_run_stable": OPT_FAST_RUN_STABLE,
    "fast_compile": OPT_FAST_COMPILE,
    "stabilize": OPT_STABILIZE,
    "o0": OPT_NONE,
    "o1": OPT_FAST_COMPILE,
    "o2": OPT_O2,
    "o3": OPT_O3,
    "o4": OPT_FAST_RUN,
    "unsafe": OPT_UNSAFE,
}


@documented_in("theano.compile.mode")
def register_linker(name: str, linker: Linker) -> None:
    """Register a linker under a name, for use in a Mode or in ``config.linker``.

    >>> import theano
    >>> theano.compile.register_linker("one_by_one", theano.gof.PerformLinker())
    >>> x = theano.tensor.dscalar("x")
    >>> theano.function([x], x + 1, mode=theano.Mode(linker="one_by_one"))(2).item()
    3.0
    >>> del theano.compile.predefined_linkers["one_by_one"]
    """
    if name in predefined_linkers:
        raise ValueError(f"Linker name already taken: {name}")
    predefined_linkers[name] = linker


@documented_in("theano.compile.mode")
def register_optimizer(name: str, opt: Query) -> None:
    """Register a query of rewrites under a name.

    >>> import theano
    >>> theano.compile.register_optimizer("canonical", theano.gof.Query(include=["canonicalize"]))
    >>> theano.compile.predefined_optimizers.pop("canonical").include
    frozenset({'canonicalize'})
    """
    if name in predefined_optimizers:
        raise ValueError(f"Optimizer name already taken: {name}")
    predefined_optimizers[name] = opt


@documented_in("theano.compile.mode")
class Mode:
    """A linker and a selection of rewrites: how functions are compiled.

    Parameters
    ----------
    linker : str, Linker or None
        None means ``config.linker``.
    optimizer : str, Query, Optimizer or None
        ``'default'`` means ``config.optimizer``; None rewrites nothing.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar()
    >>> theano.function([x], x + 1, mode=theano.Mode(linker="py", optimizer=None))(2).item()
    3.0
    """

    @short_traceback
    def __init__(self, linker: Any = None, optimizer: Any = "default") -> None:
        if linker is None:
            linker = config.linker
        if isinstance(optimizer, str) and optimizer == "default":
            optimizer = config.optimizer
        self.__setstate__((linker, optimizer))

    def __getstate__(self) -> tuple[Any, Any]:
        return (self.provided_linker, self.provided_optimizer)

    def __setstate__(self, state: tuple[Any, Any]) -> None:
        linker, optimizer = state
        self.provided_linker = linker
        self.provided_optimizer = optimizer
        if isinstance(linker, str) or linker is None:
            if linker not in predefined_linkers:
                raise ValueError(
                    f"Mode takes a Linker or one of {', '.join(map(str, predefined_linkers))} as "
                    f"linker, got {linker!r}"
                )
            linker = predefined_linkers[linker]
        self.linker: Linker = linker
        if isinstance(optimizer, str) or optimizer is None:
            if optimizer not in predefined_optimizers:
                raise ValueError(
                    "Mode takes a Query or one of "
                    f"{', '.join(map(str, predefined_optimizers))} as optimizer, got {optimizer!r}"
                )
            optimizer = predefined_optimizers[optimizer]
        if not isinstance(optimizer, (Query, Optimizer)):
            raise TypeError(
                f"Mode takes a name, a Query or an Optimizer as optimizer, got {optimizer!r}"
            )
        self._optimizer: Any = optimizer

    @property
    def optimizer(self) -> SeqOptimizer:
        """The rewrites of this mode, in their order."""
        if isinstance(self._optimizer, SeqOptimizer):
            return self._optimizer
        if isinstance(self._optimizer, Optimizer):
            return SeqOptimizer(self._optimizer)
        leave = getattr(self.linker, "leaves_out", ())
        result: SeqOptimizer = _optdb().query(
            self._optimizer.excluding(*leave) if leave else self._optimizer
        )
        return result

    def _with(self, query: Query) -> Mode:
        return self.clone(optimizer=query)

    def including(self, *tags: str) -> Mode:
        """Return a mode that also has the rewrites with any of ``tags``."""
        return self._with(self._optimizer.including(*tags))

    def excluding(self, *tags: str) -> Mode:
        """Return a mode without the rewrites that have any of ``tags``."""
        return self._with(self._optimizer.excluding(*tags))

    def requiring(self, *tags: str) -> Mode:
        """Return a mode with only the rewrites that have all of ``tags``."""
        return self._with(self._optimizer.requiring(*tags))

    def register(self, *optimizations: tuple[Any, float]) -> Mode:
        """Return a mode that also runs the given passes: pairs of a pass and its position.

        >>> import theano, theano.tensor as T
        >>> to_sin = theano.gof.TopoOptimizer(theano.gof.OpSub(T.cos, T.sin))
        >>> x = T.dscalar("x")
        >>> mode = theano.Mode("py", "fast_compile").register((to_sin, 10))
        >>> theano.function([x], T.cos(x), mode=mode)(0).item()
        0.0
        """
        return self._with(self._optimizer.register(*optimizations))

    def get_linker_optimizer(self, linker: Any, optimizer: Any) -> tuple[Linker, Any]:
        """Look up a linker and a query by name; other objects are returned unchanged."""
        if isinstance(linker, str) or linker is None:
            linker = predefined_linkers[linker]
        if isinstance(optimizer, str) or optimizer is None:
            optimizer = predefined_optimizers[optimizer]
        return linker, optimizer

    def clone(self, link_kwargs: Any = None, optimizer: Any = "", **kwargs: Any) -> Mode:
        """Return a copy, optionally with another selection of rewrites or another linker.

        ``link_kwargs`` are arguments of the linker's ``clone``, such as ``allow_gc``.
        """
        linker = kwargs.pop("linker", self.provided_linker)
        if link_kwargs:
            linker = self.linker.clone(**link_kwargs)
        return Mode(linker, self.provided_optimizer if optimizer == "" else optimizer)

    def __str__(self) -> str:
        return f"Mode(linker = {self.provided_linker}, optimizer = {self.provided_optimizer})"


@documented_in("theano.compile.mode")
class PrintCurrentFunctionGraph(Optimizer):
    """A pass that prints a header and the current graph.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> g = theano.gof.FunctionGraph([x], [T.exp(x)])
    >>> theano.compile.mode.PrintCurrentFunctionGraph("at first").optimize(g)
    PrintCurrentFunctionGraph: at first
    Elemwise{exp,no_inplace} [@A] ''   0
     |x [@B]
    """

    def __init__(self, header: str) -> None:
        self.header = header

    def apply(self, fgraph: Any, *args: Any, **kwargs: Any) -> None:
        print(f"PrintCurrentFunctionGraph: {self.header}")
        debugprint(fgraph)


FAST_COMPILE = Mode("py", "fast_compile")
FAST_RUN = Mode("cvm", "fast_run")


class Modes(dict[str, Mode]):
    """Modes by name; those in ``NAMED`` are created on access."""

    def __missing__(self, name: str) -> Mode:
        if name not in NAMED:
            raise KeyError(name)
        mode: Mode = NAMED[name]()()
        return mode

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in NAMED

    def names(self) -> list[str]:
        """All mode names, including those whose mode is not created yet."""
        return list(dict.fromkeys([*self, *NAMED]))


predefined_modes: Modes = Modes(FAST_COMPILE=FAST_COMPILE, FAST_RUN=FAST_RUN)


@documented_in("theano.compile.mode")
def register_mode(name: str, mode: Mode) -> None:
    """Register a mode under a name, for use in ``function`` and in ``config.mode``.

    >>> import theano
    >>> theano.compile.register_mode("CAREFUL", theano.Mode(linker="py"))
    >>> x = theano.tensor.dscalar("x")
    >>> theano.function([x], x + 1, mode="CAREFUL")(2).item()
    3.0
    >>> with theano.config.change_flags(mode="CAREFUL"):
    ...     print(theano.function([x], x + 1).maker.mode.linker.__class__.__name__)
    PerformLinker
    >>> del theano.compile.predefined_modes["CAREFUL"]
    """
    if name in predefined_modes:
        raise ValueError(f"Mode name already taken: {name}")
    predefined_modes[name] = mode


@documented_in("theano.compile.mode")
def get_mode(orig_string: Any) -> Mode:
    """Return the mode with a name; for None, the mode of ``config.mode``.

    >>> import theano
    >>> print(theano.compile.get_mode("FAST_RUN"))
    Mode(linker = cvm, optimizer = fast_run)
    """
    if isinstance(orig_string, Mode):
        return orig_string
    given = config.mode if orig_string is None else orig_string
    name = str(given)
    if isinstance(given, Mode):
        mode = given
    elif name == "Mode":
        mode = Mode(config.linker, config.optimizer)
    elif name in predefined_modes:
        mode = predefined_modes[name]
    else:
        raise ValueError(
            f"mode is one of {', '.join(['Mode', *predefined_modes.names()])} or a Mode, "
            f"got {name!r}"
        )
    if orig_string is None:
        mode = _with_flags(mode)
    return mode


#: `config.mode` accepts the names of all modes that exist when it is set
MODE_NAMES.append(predefined_modes.names)


def _with_flags(mode: Mode) -> Mode:
    """Apply the flags that add and drop rewrites; they act on the default mode only."""
    for flag, method in (
        (config.optimizer_including, "including"),
        (config.optimizer_excluding, "excluding"),
        (config.optimizer_requiring, "requiring"),
    ):
        if flag:
            mode = getattr(mode, method)(*flag.split(":"))
    return mode


@documented_in("theano.compile.mode")
def get_default_mode() -> Mode:
    """Return the mode for functions compiled without one.

    >>> import theano
    >>> isinstance(theano.compile.get_default_mode(), theano.Mode)
    True
    """
    return get_mode(None)
