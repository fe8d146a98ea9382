"""The documented linkers that choose between C and Python; for our ops the engine chooses."""

from __future__ import annotations

from typing import Any

from theano._src.engines.choice.choice import AutoLinker
from theano._src.engines.link import Cells, Job, Linker, Program, ThunkProgram, dead_after
from theano._src.engines.linkers.called_program import as_program
from theano._src.engines.linkers.vm import VM, Stack
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import meaning_of
from theano._src.ground.documented import documented_in
from theano._src.ground.lazy import at_first_use
from theano._src.types.shared import Container

_need_compiler = at_first_use("theano._src.c_code.compiler:need_compiler")


@documented_in("theano.gof.vm")
class VM_Linker(AutoLinker):
    """The linker called ``vm``: accepts the documented arguments, and lets the engine choose.

    Parameters
    ----------
    allow_gc : bool, optional
        Whether values are dropped when nothing needs them any more.
    callback : function, optional
        Called as ``callback(node=, thunk=, storage_map=, compute_map=)`` after each node; the nodes
        then run one by one.
    callback_input : function, optional
        Called as ``callback_input(variable, value)`` for each input before a run.
    schedule : function, optional
        Maps the graph to the list of its nodes in the order in which they run.
    use_cloop, lazy, c_thunks, allow_partial_eval
        Accepted; lazy ops are lazy on every linker here.

    A subclass may override ``make_vm``, which returns the object that runs the thunks.

    >>> import theano
    >>> theano.Mode(linker=theano.gof.vm.VM_Linker(allow_gc=False)).linker.allow_gc
    False
    """

    def __init__(
        self,
        allow_gc: bool | None = None,
        use_cloop: bool = False,
        callback: Any = None,
        callback_input: Any = None,
        lazy: bool | None = None,
        schedule: Any = None,
        c_thunks: bool | None = None,
        allow_partial_eval: bool | None = None,
    ) -> None:
        super().__init__(allow_gc, schedule)
        self.callback = callback
        self.callback_input = callback_input
        self.lazy = lazy
        self.use_cloop = use_cloop
        self.updated_vars: dict[Variable, Variable] = {}

    def accept_var_updates(self, updated_vars: dict[Variable, Variable]) -> None:
        """Tell ``make_vm`` which variables are updated by which."""
        self.updated_vars = updated_vars

    def make_program(self, cells: Cells, order: list[Apply]) -> Program:
        own_vm = type(self).make_vm is not VM_Linker.make_vm
        if self.callback is None and self.callback_input is None and not own_vm:
            return super().make_program(cells, order)
        program = ThunkProgram(Job(self.fgraph, cells, order, self.allow_gc and not own_vm))
        if own_vm:
            return self._by_own_vm(program, cells, order)

        def tell(node: Apply, thunk: Any) -> None:
            self.callback(
                node=node, thunk=thunk, storage_map=cells, compute_map=program.compute_map
            )

        program.after = None if self.callback is None else tell
        program.given = self.callback_input
        return program

    def _by_own_vm(self, thunked: ThunkProgram, cells: Cells, order: list[Apply]) -> Program:
        """The program of the VM that a subclass creates from the thunks of a program."""
        fgraph = self.fgraph
        vm = self.make_vm(
            order,
            thunked.thunks,
            [cells[v] for v in fgraph.inputs],
            [cells[v] for v in fgraph.outputs],
            cells,
            dead_after(fgraph, order, cells) if self.allow_gc else None,
            {v for node in order for v in node.outputs},
            thunked.compute_map,
            self.updated_vars,
        )
        vm.storage_map = cells  # type: ignore[attr-defined]
        ins, outs = ([Container(v, cells[v]) for v in vs] for vs in (fgraph.inputs, fgraph.outputs))
        return as_program(vm, fgraph, ins, outs)

    def make_vm(
        self,
        nodes: list[Apply],
        thunks: list[Any],
        input_storage: list[list[Any]],
        output_storage: list[list[Any]],
        storage_map: Cells,
        post_thunk_clear: list[list[list[Any]]] | None,
        computed: Any,
        compute_map: Cells,
        updated_vars: Any,
    ) -> VM:
        """Return the object that runs the thunks once per call.

        ``post_thunk_clear`` lists for each node the cells to empty after it, or is None.
        """
        # memory that a caller or a state may hold is not overwritten
        clear = [storage_map[v] for v in computed]
        return Stack(
            nodes,
            thunks,
            clear,
            storage_map,
            compute_map,
            self.fgraph,
            self.allow_gc,
            callback=self.callback,
            callback_input=self.callback_input,
        )


@documented_in("theano.gof.cc")
class OpWiseCLinker(AutoLinker):
    """The linker called ``c|py``: runs the C code of users' ops, or ``perform`` without it.

    Without ``fallback_on_perform`` it is like CLinker.
    """

    def __init__(
        self,
        fallback_on_perform: bool = True,
        allow_gc: bool | None = None,
        nice_errors: bool = True,
        schedule: Any = None,
    ) -> None:
        super().__init__(allow_gc, schedule)
        self.fallback_on_perform = fallback_on_perform

    def accept(
        self, fgraph: FunctionGraph, no_recycling: Any = None, profile: Any = None
    ) -> Linker:
        if not self.fallback_on_perform:
            _refuse_python(fgraph)
        return super().accept(fgraph, no_recycling, profile)


@documented_in("theano.gof.cc")
class CLinker(AutoLinker):
    """The linker called ``c``: refuses users' ops that run in Python.

    Ops of the package, and those with ``compute``, run on the engines as with every linker.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> theano.function([x], x * 2, mode=theano.Mode("c"))(3).item()
    6.0
    """

    def __init__(self, schedule: Any = None) -> None:
        super().__init__(None, schedule)

    def accept(
        self, fgraph: FunctionGraph, no_recycling: Any = None, profile: Any = None
    ) -> Linker:
        _refuse_python(fgraph)
        return super().accept(fgraph, no_recycling, profile)


def _refuse_python(fgraph: FunctionGraph) -> None:
    for node in fgraph.toposort():
        op = node.op
        how = meaning_of(op)
        if how == "c_code":
            _need_compiler()(python=True)
        elif how != "compute" and not type(op).__module__.startswith("theano."):
            raise NotImplementedError(
                f"{op} cannot produce C code: the linker 'c' takes ops with c_code; give it one, "
                "or use the linker 'c|py', which falls back on perform"
            )
