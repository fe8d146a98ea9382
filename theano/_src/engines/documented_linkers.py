"""The documented linkers that chose between C and Python; here the engine chooses."""

from __future__ import annotations

from typing import Any

from theano._src.engines.choice import AutoLinker
from theano._src.engines.link import Cells, Program, ThunkProgram
from theano._src.graph.graph import Apply
from theano._src.ground.documented import documented_in


@documented_in("theano.gof.vm")
class VM_Linker(AutoLinker):
    """The linker called ``vm``: takes the arguments programs give it, and lets the engine choose.

    With ``callback`` each node runs by itself, and ``callback(node=, thunk=, storage_map=,
    compute_map=)`` is called after it. ``schedule`` gives the order of nodes.

    >>> import theano
    >>> theano.Mode(linker=theano.gof.vm.VM_Linker(allow_gc=False)).linker.allow_gc
    False
    """

    def __init__(
        self,
        allow_gc: bool | None = None,
        use_cloop: bool = False,
        callback: Any = None,
        lazy: bool | None = None,
        schedule: Any = None,
        c_thunks: bool | None = None,
        allow_partial_eval: bool | None = None,
    ) -> None:
        super().__init__(allow_gc, schedule)
        self.callback = callback

    def make_program(self, cells: Cells, order: list[Apply]) -> Program:
        if self.callback is None:
            return super().make_program(cells, order)
        program = ThunkProgram(self.fgraph, cells, order, self.allow_gc)

        def tell(node: Apply, thunk: Any) -> None:
            self.callback(
                node=node, thunk=thunk, storage_map=cells, compute_map=program.compute_map
            )

        program.after = tell
        return program


@documented_in("theano.gof.cc")
class OpWiseCLinker(AutoLinker):
    """The linker called ``c|py``."""

    def __init__(
        self,
        fallback_on_perform: bool = True,
        allow_gc: bool | None = None,
        nice_errors: bool = True,
        schedule: Any = None,
    ) -> None:
        super().__init__(allow_gc, schedule)
