"""MonitorMode: call functions of the user before and after each node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from theano._src.compile.mode import Mode, predefined_linkers
from theano._src.engines.linkers.wrap import WrapLinker
from theano._src.graph.graph import Apply
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in, short_traceback
from theano._src.show.debugprint import debugprint

#: called with the position of a node, the node and its thunk
Hook = Callable[[int, Apply, Any], Any]


@documented_in("theano.compile.monitormode")
class MonitorMode(Mode):
    """A mode that runs node by node, and calls a function before and after each node.

    Both functions get the position of the node, the node, and its thunk ``fn``. ``fn.inputs`` and
    ``fn.outputs`` are lists of cells, which are lists of one value; later nodes read what a
    function stores in a cell. Flags that add or drop rewrites do not act on this mode;
    ``including`` and ``excluding`` do.

    Parameters
    ----------
    pre_func, post_func : function, optional
        ``pre_func(i, node, fn)`` is called before the node runs, ``post_func(i, node, fn)`` after.
    optimizer : str, Query or Optimizer
        The rewrites; ``config.optimizer`` by default.
    linker : str or Linker, optional
        The linker that makes the thunks; ``config.linker`` by default. With ``'xla'`` each node is
        compiled separately.

    >>> import theano, theano.tensor as T
    >>> def show(i, node, fn):
    ...     print(i, node.op, [float(cell[0]) for cell in fn.outputs])
    >>> x = T.dscalar("x")
    >>> mode = theano.compile.MonitorMode(post_func=show).excluding("fusion", "inplace")
    >>> theano.function([x], T.log(x) * x, mode=mode)(1).item()
    0 Elemwise{log,no_inplace} [0.0]
    1 Elemwise{mul,no_inplace} [0.0]
    0.0
    """

    @short_traceback
    def __init__(
        self,
        pre_func: Hook | None = None,
        post_func: Hook | None = None,
        optimizer: Any = "default",
        linker: Any = None,
    ) -> None:
        for name, hook in (("pre_func", pre_func), ("post_func", post_func)):
            if hook is not None and not callable(hook):
                raise TypeError(
                    f"MonitorMode takes a function of (i, node, fn) as {name}, got {hook!r}"
                )
        self.pre_func, self.post_func = pre_func, post_func
        if isinstance(optimizer, str) and optimizer == "default":
            optimizer = config.optimizer
        linker = config.linker if linker is None else linker
        self._inner = linker
        if isinstance(linker, str):
            if linker not in predefined_linkers:
                raise ValueError(
                    "MonitorMode takes a Linker or one of "
                    f"{', '.join(map(str, predefined_linkers))} as linker, got {linker!r}"
                )
            linker = predefined_linkers[linker]
        if isinstance(linker, WrapLinker):
            raise TypeError(
                "MonitorMode wraps a linker, got one that wraps itself; give the linkers inside"
            )
        super().__init__(WrapLinker([linker], self.eval), optimizer)

    def eval(self, i: int, node: Apply, fn: Any) -> None:
        """Run one node, and the functions before and after it."""
        if self.pre_func is not None:
            self.pre_func(i, node, fn)
        fn()
        if self.post_func is not None:
            self.post_func(i, node, fn)

    def clone(self, link_kwargs: Any = None, optimizer: Any = "", **kwargs: Any) -> MonitorMode:
        """Return a copy, optionally with other rewrites, functions or linker options."""
        linker = kwargs.pop("linker", self._inner)
        if link_kwargs:
            linker = self.linker.linkers[0].clone(**link_kwargs)  # type: ignore[attr-defined]
        return MonitorMode(
            kwargs.pop("pre_func", self.pre_func),
            kwargs.pop("post_func", self.post_func),
            self.provided_optimizer if optimizer == "" else optimizer,
            linker,
        )

    def __reduce__(self) -> Any:
        return MonitorMode, (self.pre_func, self.post_func, self.provided_optimizer, self._inner)


@documented_in("theano.compile.monitormode")
def detect_nan(i: int, node: Apply, fn: Any) -> None:
    """Print a node that computed a NaN, with its values; a ``post_func`` for ``MonitorMode``.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> mode = theano.compile.MonitorMode(post_func=theano.compile.monitormode.detect_nan)
    >>> f = theano.function([x], T.log(x) * x, mode=mode)
    >>> f(0).item()
    *** NaN detected ***
    Elemwise{Composite{(log(i0) * i0)}} [@A] ''
     |x [@B]
    Inputs : [array(0.)]
    Outputs: [array(nan)]
    nan
    """
    if any(_has_nan(cell[0]) for cell in fn.outputs):
        print("*** NaN detected ***")
        debugprint(node)
        print(f"Inputs : {[cell[0] for cell in fn.inputs]}")
        print(f"Outputs: {[cell[0] for cell in fn.outputs]}")


def _has_nan(value: Any) -> bool:
    result = value if isinstance(value, np.ndarray | np.generic) else getattr(value, "data", None)
    if not isinstance(result, np.ndarray | np.generic) or result.dtype.kind not in "fc":
        return False
    return bool(np.isnan(result).any())
