"""Which engine runs a call: the numpy engine until compiling has paid for itself.

The time of a call is estimated from the shapes of all its values (``estimate``) and measured now
and then; ``policy`` decides when compiling has paid. This module applies both. With
``config.deterministic='more'`` nothing is measured: the same calls make the same choices.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import islice
from math import prod
from operator import le
from time import perf_counter as clock
from typing import Any

from theano._src.engines.blas_threads import blas_threads
from theano._src.engines.choice.background import compile_aside, give_way, is_compiling, running
from theano._src.engines.choice.estimate import CountingProgram, Enough, Model
from theano._src.engines.choice.host import Host
from theano._src.engines.choice.key_record import KeyRecord
from theano._src.engines.choice.policy import CompilePolicy, Decision
from theano._src.engines.choice.report import figures, report, shown
from theano._src.engines.costs import rates
from theano._src.engines.jax.backend import child, missing, ready
from theano._src.engines.link import Cells, Job, Linker, Program
from theano._src.engines.measured_rates import measured_rates
from theano._src.engines.mesh.plan import mesh_of
from theano._src.engines.node_kinds import is_function, takes_none
from theano._src.engines.numpy.engine import NumpyProgram
from theano._src.engines.xla.linker import XlaProgram
from theano._src.engines.xla.program import compiled_so_far
from theano._src.graph.destroy import overwritten_inputs
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply
from theano._src.ground.config import config
from theano._src.ground.function_text import FunctionText
from theano._src.ground.processors import crowding, processors
from theano._src.ops.core.composite import Composite
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.reduce.careduce import CAReduce
from theano._src.types.run_node import has_compiled_form
from theano._src.types.sparse import StoredShape
from theano._src.types.tensor import TensorType

log = logging.getLogger("theano.xla")

#: with this many elements in all inputs, the first call of a key may take longer than compiling
_LARGE = 1 << 18
#: with this many elements, a call takes longer than counting it: the second call is counted
_MIDDLING = 1 << 14
#: with fewer elements, this call is counted: the calls before it took as long as counting does
_SOON = 16
#: a counted call that takes this many seconds is not much slower than others: its time is kept
_COUNTED_LONG = 1e-3
#: machine code takes calls without a choice before them if they take less than this many seconds,
#: and XLA is estimated to take at least this many times as long
_BRIEF, _FAR = 1e-4, 2.0


class AutoLinker(Linker):
    """The linkers called ``vm``, ``cvm`` and ``c|py``: choose the engine call by call."""

    def make_program(self, cells: Cells, order: list[Apply]) -> Program:
        why = ""
        job = self.job(cells, order)
        if mesh_of(self.fgraph, cells) is not None:
            return XlaProgram(job)
        if overwritten_inputs(self.fgraph):
            why = "it overwrites its inputs, which compiled programs do not"
        elif any(takes_none.get(n.op) for n in order):
            why = "an input may be None"
        elif not any(map(has_compiled_form, order)):
            why = "there is nothing in it to compile"
        if why:
            program = NumpyProgram(job)
            program.why = why
            return program
        return AutoProgram(job)


class AutoProgram(Program):
    """Both engines for one graph, and the choice between them for each key.

    A key is the tuple of the input shapes. ``policy`` decides where a call goes. Both engines
    record into ``times``, a NodeTimes.
    """

    def __init__(self, job: Job) -> None:
        fgraph, cells, order, *_ = job
        super().__init__(fgraph, cells, order)
        self.job, self._graph = job, fgraph
        self._cells = [cells[v] for v in fgraph.inputs]
        self.numpy = NumpyProgram(job)
        #: the program that ran last on XLA, and all of them by what they leave to the host
        self.xla: XlaProgram | None = None
        self.programs: dict[tuple[int, ...], XlaProgram] = {}
        blas_threads.keep_to_quota()
        self.measures = config.deterministic != "more"
        if self.measures:
            blas_threads.give_way()
        measured = measured_rates if self.measures else None
        # compiling in a thread costs calls less than its duration: measured times would be too high
        waits = self.measures and processors() < 2
        loading = measured_rates.loading if waits else lambda: rates().loading()
        self.policy = CompilePolicy(
            loading,
            lambda: config.xla.max_keys,
            measured,
            aside=self._in_background,
            early=lambda: config.xla.early,
            hold=lambda: self.measures and self.host.is_coming,
            crowding=lambda: crowding() if self.measures else 1.0,
        )
        self._state = [self._cells[i] for i in (fgraph.update_mapping or {}).values()]
        self._given: list[int] | None = None
        self._model: Model | None = None
        self._counting: CountingProgram | None = None
        self._one_counts = threading.Lock()
        # up to this many elements in each input, NumPy finishes before XLA would have started
        self._most = _elements_never_paying(fgraph, order)
        self._small = [0]  # the number of calls with at most that many
        self.alone = self.numpy.alone
        uses_blas = not all(map(_calls_no_blas, order))
        self.host = Host(job, self.numpy, self._is_small, self.policy.becomes_native, uses_blas)
        #: lets machine code take the calls of a function object
        self.stand_for = self.host.stand_for

    def _is_small(self, lengths: Sequence[int]) -> bool:
        """Whether calls whose inputs have these lengths, one after another, never go to XLA."""
        rest = iter(lengths)
        sizes = [prod(islice(rest, getattr(v.type, "ndim", 0))) for v in self._graph.inputs]
        return self._most > 0 and max(sizes, default=0) <= self._most

    @property
    def source(self) -> str:
        """The Python source of the numpy engine's plan."""
        return self.numpy.source

    @property
    def position_of_error(self) -> int:  # type: ignore[override]
        return self.numpy.position_of_error

    # calls

    def direct(self, given: Sequence[int]) -> Callable[..., Any] | None:
        if self.numpy.direct(given) is None:
            return None
        inputs = self._graph.inputs
        names = [f"a{i}" for i in given]
        values = [f"a{i}" if i in given else f"c{i}[0]" for i in range(len(inputs))]
        space: dict[str, Any] = {f"c{i}": cell for i, cell in enumerate(self._cells)}
        space |= {"small": self._small, "shape": _shape, "blas": blas_threads}
        space |= {"limited": _limited, "compiling": running}
        self.host.share_run(space)
        space |= {"find": self.policy.records.get, "used": self.policy.used}
        some = ", ".join(names)
        # setting the threads of BLAS takes 10 us, longer than some calls
        limits = "blas.limits and uses_blas or compiling"
        on_numpy = f"limited(run, {some}) if {limits} else run({some})"
        text = FunctionText("direct", some, space)
        if self._most > 0:
            sized = [f"{value}.size <= {self._most}" for value in values]
            with text.under(f"if {' and '.join(sized) or 'True'}:"):
                text.add("small[0] += 1", f"return {on_numpy}")
        shapes = [
            f"{x}.shape, " if isinstance(v.type, TensorType) else f"shape({x}), "
            for x, v in zip(values, inputs, strict=True)
        ]
        text.add(f"key = ({''.join(shapes)})", "record = find(key)")
        text.add("if record is None or record.left <= 0: return None")
        self._given = list(given)
        with text.under("if record.on_xla:"):
            text.add("if record.quick is None: return None")
            text.add("record.left -= 1", "used(key)", f"return record.quick({some})")
        text.add("record.left -= 1", f"return {on_numpy}")
        return text.function()

    def __call__(self, n_calls: int = 1) -> list[Any]:
        key = tuple([_shape(c[0]) for c in self._cells])
        sizes = [_elements(shape) for shape in key if shape is not None]
        if self._most > 0 and len(sizes) == len(key) and all(n <= self._most for n in sizes):
            self._small[0] += n_calls
            return self._on_numpy(n_calls)
        match self.policy.decide(key, n_calls, self._count_at(sum(sizes))):
            case Decision.NUMPY:
                return self._on_numpy(n_calls)
            case Decision.COUNT:
                return self._count(key, n_calls)
            case Decision.XLA:
                return self._on_xla(key, n_calls)
            case Decision.TIME_NUMPY:
                return self._timed(key, False, n_calls)
            case Decision.TIME_XLA:
                return self._timed(key, True, n_calls)

    def _on_numpy(self, n_calls: int) -> list[Any]:
        outputs: list[Any] = _limited(self.host, n_calls)
        return outputs

    def _timed(self, key: Any, on_xla: bool, n_calls: int) -> list[Any]:
        """A timed call; on XLA it ends when the state is computed."""
        self._wait_for_state()
        disturbed = is_compiling()
        start = self._clock()
        results = self._on_xla(key, n_calls) if on_xla else self._on_numpy(n_calls)
        self._wait_for_state()
        seconds = (self._clock() - start) / max(1, n_calls)
        if not on_xla and self.host.is_native:
            seconds = min(seconds, self.host.warm_time(seconds))
            seconds = self.policy.record_of(key).at_most(seconds, start, n_calls)
        self.policy.timed(key, on_xla, seconds, disturbed or is_compiling())
        if self.host.is_native and not on_xla and self._needs_no_choice(key, seconds):
            most = [n for shape in key for n in shape or ()]
            self.host.allow(most, lambda lengths: all(map(le, lengths, most)))
        return results

    def _needs_no_choice(self, key: Any, seconds: float) -> bool:
        """Whether XLA cannot beat machine code that takes ``seconds``, nor do so on shorter arrays.

        The choice takes some 10 us, which may be as long as the call.
        """
        estimate = self.policy.record_of(key).estimate
        far = estimate is not None and seconds < _BRIEF and estimate.xla > _FAR * seconds
        return far or seconds <= rates().xla_call

    def _clock(self) -> float:
        """The time without what a profile spends on measuring, which must not change the choice."""
        return clock() if self.job.times is None else clock() - self.job.times.looking

    def _wait_for_state(self) -> None:
        for cell in self._state:
            if hasattr(cell[0], "block_until_ready"):
                ready(cell[0])

    def _count_at(self, elements: int) -> int:
        """The number of the call of a key that is counted."""
        if elements >= _LARGE:
            return 1
        if config.xla.early:
            return 2
        soon = 2 if elements >= _MIDDLING else _SOON
        # building the plan that counts takes as long as tens of calls
        return soon if self._counting is not None else max(soon, len(self.nodes) // 40)

    def _count(self, key: Any, n_calls: int) -> list[Any]:
        """A call on NumPy that estimates its time; started again on XLA if that is too long."""
        if not self._one_counts.acquire(blocking=False):
            return self._on_numpy(n_calls)
        try:
            if self._counting is None or self._model is None:
                plan = self.numpy
                self._model = Model(
                    self._graph, self.storage_map, self.nodes, plan.copied, plan.undone
                )
                self._counting = CountingProgram(self.job)
            model = self._model
            most = None
            if self.alone and model.certain:
                # starting again is safe: the nodes have no side effects
                most = model.compiling() + rates().loading()
            tally = model.tally(key, most)
            start = clock()
            try:
                results = _limited(self._counting.count, tally)
            except Exception:
                self.numpy.position_of_error = self._counting.position_of_error
                raise
            except Enough:
                self.policy.estimated(key, tally.estimate()._replace(host_nodes=()))
                self.policy.promote(key)
            else:
                seconds = clock() - start
                if self.measures and seconds > _COUNTED_LONG:
                    self.policy.timed(key, False, seconds)
                self.policy.estimated(key, tally.estimate())
                return self._on_numpy(n_calls - 1) if n_calls > 1 else results
        finally:
            self._one_counts.release()
        return self._on_xla(key, n_calls)

    def _on_xla(self, key: Any, n_calls: int) -> list[Any]:
        record = self.policy.record_of(key)
        estimate = record.estimate
        program = self._program(() if estimate is None else estimate.host_nodes)
        if record.fresh:
            return self._compile(key, record, program, n_calls)
        before = program.compilations
        results = program(n_calls)
        if program.compilations > before:
            self.policy.compiled(key, program.compilations - before)
        elif record.quick is None and self._given is not None:
            record.quick = self._quick(key, program, self._given)
        return results

    def _quick(
        self, key: Any, program: XlaProgram, given: Sequence[int]
    ) -> Callable[..., Any] | None:
        """A call on XLA by the input values, which tells the policy if it compiles again."""
        run = program.direct(given)
        if run is None or program.settled:
            return run
        known = program.compilations

        def watched(*values: Any) -> Any:
            nonlocal known
            before = compiled_so_far[0]
            results = run(*values)
            if compiled_so_far[0] > before:
                now = program.compilations
                if now > known:
                    self.policy.compiled(key, now - known)
                known = now
            return results

        return watched

    def _compile(self, key: Any, record: KeyRecord, program: XlaProgram, n_calls: int) -> list[Any]:
        """The first call of a key after its move: compile now, or in a thread."""
        if why := missing(to_load=False):
            self.policy.give_up(key, why)
            return self._on_numpy(n_calls)
        self._tell(key, record)
        if self._in_background(record):
            compilation = self.policy.compile_aside(key)

            def done(error: BaseException | None, seconds: float) -> None:
                if error is None:
                    record.took = seconds  # measured while calls went on
                elif not isinstance(error, ImportError):
                    log.warning("key %s stays on NumPy: compiling it failed: %r", shown(key), error)
                compilation.error = error
                compilation.over = True

            estimate = record.estimate
            compile_aside(program, done, estimate.xla / estimate.numpy if estimate else 1.0)
            return self._on_numpy(n_calls)
        begin = clock()
        if why := missing():
            self.policy.give_up(key, why)
            return self._on_numpy(n_calls)
        if self.job.times is not None:
            self.job.times.loaded(begin)
        self.policy.program_is_ready(key)
        start = self._clock()
        results = program(n_calls)
        self.policy.took_to_compile(key, self._clock() - start)
        return results

    @cached_property
    def _only_functions(self) -> bool:
        return all(map(is_function, self.nodes))

    def _in_background(self, record: KeyRecord) -> bool:
        requested = config.xla.background
        if child.forked:
            return False  # after a fork the compile thread is gone, and may have held a lock
        if not self._only_functions:
            return False  # the thread would repeat side effects
        if requested is not None:
            return bool(requested)
        if not self.measures or processors() < 2:
            return False
        # a call that takes longer than compiling waits for XLA
        estimate = None if record.estimate is None else self.policy.corrected(record)
        return estimate is None or estimate.numpy < estimate.compiling + rates().loading()

    def _program(self, host_nodes: tuple[int, ...]) -> XlaProgram:
        program = self.programs.get(host_nodes)
        if program is None:
            program = self.programs[host_nodes] = XlaProgram(self.job, host_nodes)
        self.xla = program
        return program

    def _tell(self, key: Any, record: KeyRecord) -> None:
        if log.isEnabledFor(logging.INFO) and record.estimate is not None:
            log.info("key %s moves to XLA: %s", shown(key), figures(self.policy, record))

    def choice(self) -> str:
        """A text about which keys run where, and why."""
        small = (self._small[0], self._most)
        return report(self.policy, small, self.measures, self.host)


def _shape(value: Any) -> Any:
    return StoredShape.of(value) if hasattr(value, "indptr") else getattr(value, "shape", None)


def _elements(shape: Any) -> int:
    return shape.stored if isinstance(shape, StoredShape) else prod(shape)


def _limited(run: Callable[..., Any], *args: Any) -> Any:
    """A call on NumPy with the best number of BLAS threads, and a pause for the compile thread."""
    start = clock()
    try:
        if not blas_threads.limits:
            return run(*args)
        with blas_threads:
            return run(*args)
    finally:
        give_way(clock() - start)


def _elements_never_paying(fgraph: FunctionGraph, order: list[Apply]) -> int:
    """The number of elements in each input up to which XLA is never faster; or 0."""
    if not all(isinstance(v.type, TensorType) for v in fgraph.inputs):
        return 0
    if not all(map(_makes_nothing_larger, order)):
        return 0
    steps = sum(map(_steps, order))
    here = rates()
    return max(0, int((here.xla_call / max(steps, 1) - here.numpy_node) / here.numpy_slow))


def _calls_no_blas(node: Apply) -> bool:
    return isinstance(node.op, Elemwise | DimShuffle | CAReduce)


def _steps(node: Apply) -> int:
    scalar_op = getattr(node.op, "scalar_op", None)
    return len(scalar_op.steps) if isinstance(scalar_op, Composite) else 1


def _makes_nothing_larger(node: Apply) -> bool:
    """Whether no output can have more elements than the largest input."""
    if isinstance(node.op, Elemwise):
        full = node.outputs[0].type.broadcastable
        return any(v.type.broadcastable == full for v in node.inputs)
    return isinstance(node.op, DimShuffle | CAReduce)
