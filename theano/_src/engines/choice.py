"""Which engine runs a call: the numpy engine until compiling has paid for itself.

Decisions use estimates and counts, never clocks: the same calls make the same choices. What a call
takes is estimated from the shapes of all its values (``estimate``), and when it has paid is said by
``policy``; here the two are put to work.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from itertools import islice
from math import prod
from typing import Any

from theano._src.engines.background import compile_aside
from theano._src.engines.compile_policy import NEVER, CompilePolicy, Decision, KeyRecord
from theano._src.engines.costs import rates
from theano._src.engines.estimate import CountingProgram, Enough, Estimate, Model
from theano._src.engines.link import Cells, Linker, Program, compile_source
from theano._src.engines.numpy_engine import NumpyProgram
from theano._src.engines.xla.backend import missing
from theano._src.engines.xla.linker import XlaProgram
from theano._src.graph.destroy import overwritten_inputs
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply
from theano._src.ground.config import config
from theano._src.ops.core.composite import Composite
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.reduce.careduce import CAReduce
from theano._src.types.run_node import has_compiled_form
from theano._src.types.tensor import TensorType

log = logging.getLogger("theano.xla")

#: elements in all inputs from which a first call may take longer than compiling
_LARGE = 1 << 18
#: elements from which a second call takes longer than counting it
_MIDDLING = 1 << 14
#: calls that take longer than counting one, however short they are
_SOON = 16
#: keys that are told of
_SHOWN = 20


class AutoLinker(Linker):
    """Lets the engine be chosen call by call: the linkers called ``vm``, ``cvm`` and ``c|py``."""

    def make_program(self, cells: Cells, order: list[Apply]) -> Program:
        # compiled programs do not write into their arguments, and keys are of arrays
        off = overwritten_inputs(self.fgraph) or any(getattr(n.op, "takes_none", ()) for n in order)
        if off or not any(map(has_compiled_form, order)):
            return NumpyProgram(self.fgraph, cells, order, self.allow_gc)
        return AutoProgram(self.fgraph, cells, order, self.allow_gc)


class AutoProgram(Program):
    """Both engines over one graph, and the choice between them, for each key.

    A key is the shapes of the inputs. ``policy`` says where a call goes.
    """

    def __init__(self, fgraph: FunctionGraph, cells: Cells, order: list[Apply], gc: bool) -> None:
        super().__init__(fgraph, cells, order)
        self._graph = fgraph
        self._gc = gc
        self.numpy = NumpyProgram(fgraph, cells, order, gc)
        #: the program that ran last on XLA, and all of them by what they leave to the host
        self.xla: XlaProgram | None = None
        self.programs: dict[tuple[int, ...], XlaProgram] = {}
        self.policy = CompilePolicy(lambda: rates().loading(), lambda: config.xla.max_keys)
        self._cells = [cells[v] for v in fgraph.inputs]
        self._given: list[int] | None = None
        self._model: Model | None = None
        self._counting: CountingProgram | None = None
        self._one_counts = threading.Lock()
        # elements in each input up to which NumPy is through before XLA would have started
        self._most = _elements_never_paying(fgraph, order)
        self._small = [0]  # how many calls had no more
        self.alone = self.numpy.alone

    @property
    def source(self) -> str:
        """The plan of the numpy engine, as Python."""
        return self.numpy.source

    @property
    def position_of_error(self) -> int:  # type: ignore[override]
        return self.numpy.position_of_error

    # calls

    def direct(self, given: Sequence[int]) -> Callable[..., Any] | None:
        run = self.numpy.direct(given)
        if run is None:
            return None
        inputs = self._graph.inputs
        names = [f"a{i}" for i in given]
        values = [f"a{i}" if i in given else f"c{i}[0]" for i in range(len(inputs))]
        space: dict[str, Any] = {f"c{i}": cell for i, cell in enumerate(self._cells)}
        space |= {"run": run, "small": self._small, "shape": _shape}
        space |= {"find": self.policy.records.get, "used": self.policy.held.move_to_end}
        text = [f"def direct({', '.join(names)}):"]
        if self._most > 0:
            sized = [f"{value}.size <= {self._most}" for value in values]
            text.append(f"    if {' and '.join(sized) or 'True'}:")
            text.append("        small[0] += 1")
            text.append(f"        return run({', '.join(names)})")
        shapes = [
            f"{x}.shape, " if isinstance(v.type, TensorType) else f"shape({x}), "
            for x, v in zip(values, inputs, strict=True)
        ]
        text.append(f"    key = ({''.join(shapes)})")
        text.append("    record = find(key)")
        text.append("    if record is None or record.left <= 0:")
        if not self.alone:
            # calls are made one after another then: nobody else looks a program up
            self._given = list(given)
            text.append("        if record is not None and record.quick and record.on_xla:")
            text.append("            record.ran += 1")
            text.append("            used(key)")
            text.append(f"            return record.quick({', '.join(names)})")
        text.append("        return None")
        text.append("    record.left -= 1")
        text.append(f"    return run({', '.join(names)})")
        return compile_source("direct", "\n".join(text), space)

    def __call__(self, n_calls: int = 1) -> list[Any]:
        key = tuple([_shape(c[0]) for c in self._cells])
        sizes = [prod(shape) for shape in key if shape is not None]
        if self._most > 0 and len(sizes) == len(key) and all(n <= self._most for n in sizes):
            self._small[0] += n_calls
            return self.numpy(n_calls)
        match self.policy.decide(key, n_calls, self._count_at(sum(sizes))):
            case Decision.NUMPY:
                return self.numpy(n_calls)
            case Decision.COUNT:
                return self._count(key, n_calls)
            case Decision.XLA:
                return self._on_xla(key, n_calls)

    def _count_at(self, elements: int) -> int:
        """At which call of a key it is worth while to find out what a call takes."""
        if elements >= _LARGE:
            return 1
        soon = 2 if elements >= _MIDDLING else _SOON
        # the plan that counts takes as long to make as tens of calls
        return soon if self._counting is not None else max(soon, len(self.nodes) // 40)

    def _count(self, key: Any, n_calls: int) -> list[Any]:
        """A call on NumPy that finds out what it takes, or the same on XLA if that is too much."""
        if not self._one_counts.acquire(blocking=False):
            return self.numpy(n_calls)
        try:
            if self._counting is None or self._model is None:
                self._model = Model(self._graph, self.storage_map, self.nodes)
                self._counting = CountingProgram(
                    self._graph, self.storage_map, self.nodes, self._gc
                )
            model = self._model
            most = None
            if self.alone and model.certain:
                # nothing that was done is done twice
                most = model.compiling() + rates().loading()
            tally = model.tally(key, most)
            try:
                results = self._counting.count(tally)
            except Exception:
                self.numpy.position_of_error = self._counting.position_of_error
                raise
            except Enough:
                seconds = tally.estimate()
                self.policy.estimated(key, seconds._replace(apart=()))
                self.policy.promote(key)
            else:
                self.policy.estimated(key, tally.estimate())
                return self.numpy(n_calls - 1) if n_calls > 1 else results
        finally:
            self._one_counts.release()
        return self._on_xla(key, n_calls)

    def _on_xla(self, key: Any, n_calls: int) -> list[Any]:
        if why := missing():
            self.policy.give_up(key, why)
            return self.numpy(n_calls)
        record = self.policy.records[key]
        estimate = record.estimate
        program = self._program(() if estimate is None else estimate.apart)
        if record.fresh:
            record.fresh = False
            self._tell(key, record)
            if config.xla.background and self._aside(key, record, program):
                return self.numpy(n_calls)
            return program(n_calls)
        before = program.compilations
        results = program(n_calls)
        if program.compilations > before:
            self.policy.compiled(key, program.compilations - before)
        elif record.quick is None and self._given is not None and program.settled:
            record.quick = program.direct(self._given)
        return results

    def _program(self, apart: tuple[int, ...]) -> XlaProgram:
        found = self.programs.get(apart)
        if found is None:
            found = self.programs[apart] = XlaProgram(
                self._graph, self.storage_map, self.nodes, self._gc, apart=apart
            )
        self.xla = found
        return found

    def _aside(self, key: Any, record: KeyRecord, program: XlaProgram) -> bool:
        """Compile a key in a thread, if that can be done; calls stay on NumPy meanwhile."""

        def done(error: BaseException | None) -> None:
            if error is not None:
                log.warning("key %s stays on NumPy: compiling it failed: %r", shown(key), error)
                self.policy.give_up(key, f"compiling it failed: {error!r}")
            elif key in self.policy.held:
                record.on_xla, record.why = True, "was compiled meanwhile"
                record.set_budget(0)

        # before the thread begins: it may be done at once
        record.on_xla, record.why = False, "is being compiled"
        record.set_budget(NEVER)
        if compile_aside(program, done):
            return True
        record.on_xla, record.why = True, "has paid for compiling"
        record.set_budget(0)
        return False

    def _tell(self, key: Any, record: KeyRecord) -> None:
        estimate = record.estimate
        if log.isEnabledFor(logging.INFO) and estimate is not None:
            log.info("key %s moves to XLA: %s", shown(key), _figures(record, estimate))

    # telling

    def choice(self) -> str:
        """What runs where, and why: a line for each key, those on XLA and the dearest first."""
        records = self.policy.records
        calls = sum(a.calls for a in records.values()) + self._small[0]
        on_xla = sum(a.on_xla for a in records.values())
        lines = [f"{on_xla} of {len(records)} keys run on XLA; {calls} calls ran on NumPy"]
        if self._small[0]:
            lines.append(f"  {self._small[0]} calls of at most {self._most} elements: on NumPy")
        dearest = sorted(records.items(), key=lambda item: _weight(item[1]), reverse=True)
        for key, record in islice(dearest, _SHOWN):
            where = "on XLA" if record.on_xla else "on NumPy"
            text = f"  {shown(key)}: {where}, {record.why}"
            estimate = record.estimate
            lines.append(text if estimate is None else f"{text}; {_figures(record, estimate)}")
        if len(records) > _SHOWN:
            lines.append(f"  and {len(records) - _SHOWN} further keys")
        return "\n".join(lines)


def _figures(record: KeyRecord, estimate: Estimate) -> str:
    spent = record.calls * estimate.numpy
    text = (
        f"a call takes {_time(estimate.numpy)} on NumPy, {_time(estimate.xla)} on XLA, "
        f"{_time(estimate.compiling)} to compile; "
        f"{record.calls} calls took {_time(spent)} on NumPy"
    )
    if estimate.apart:
        text += f"; nodes {', '.join(map(str, estimate.apart))} on the host"
    return text


def _weight(record: KeyRecord) -> Any:
    seconds = 0.0 if record.estimate is None else record.calls * record.estimate.numpy
    return record.on_xla, seconds, record.calls


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def shown(key: Any) -> str:
    """A key as text."""
    return " ".join("?" if shape is None else str(shape) for shape in key) or "()"


def _shape(value: Any) -> Any:
    return getattr(value, "shape", None)


def _elements_never_paying(fgraph: FunctionGraph, order: list[Apply]) -> int:
    """Up to how many elements in each input no compiled program would be quicker; or 0."""
    if not all(isinstance(v.type, TensorType) for v in fgraph.inputs):
        return 0
    if not all(map(_makes_nothing_larger, order)):
        return 0
    steps = sum(map(_steps, order))
    here = rates()
    return max(0, int((here.xla_call / max(steps, 1) - here.numpy_node) / here.numpy_slow))


def _steps(node: Apply) -> int:
    scalar_op = getattr(node.op, "scalar_op", None)
    return len(scalar_op.steps) if isinstance(scalar_op, Composite) else 1


def _makes_nothing_larger(node: Apply) -> bool:
    """Whether no output can have more elements than the largest input."""
    if isinstance(node.op, Elemwise):
        full = node.outputs[0].type.broadcastable
        return any(v.type.broadcastable == full for v in node.inputs)
    return isinstance(node.op, DimShuffle | CAReduce)
