"""The documented linkers that chose between C and Python; here the engine chooses."""

from __future__ import annotations

from typing import Any

from theano._src.engines.choice import AutoLinker
from theano._src.ground.documented import documented_in


@documented_in("theano.gof.vm")
class VM_Linker(AutoLinker):
    """The linker called ``vm``: takes the arguments programs give it, and lets the engine choose.

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
        super().__init__(allow_gc)


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
        super().__init__(allow_gc)

    def clone(self, allow_gc: bool | None = None) -> OpWiseCLinker:
        return OpWiseCLinker(allow_gc=self.allow_gc if allow_gc is None else allow_gc)
