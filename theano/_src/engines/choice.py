"""Which engine runs a call: the numpy engine until compiling has paid for itself.

Decisions use estimates and counts, never clocks: the same calls make the same choices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from theano._src.engines.costs import rates
from theano._src.engines.link import Cells, Linker, Program, written
from theano._src.engines.numpy_engine import NumpyProgram
from theano._src.engines.xla.linker import XlaProgram
from theano._src.engines.xla.staging import runs_on_host_only
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.node import Apply
from theano._src.ground.config import config
from theano._src.ops.careduce import CAReduce
from theano._src.ops.composite import Composite
from theano._src.ops.elemwise import DimShuffle, Elemwise
from theano._src.types.tensor import TensorType

#: keys whose calls are counted; of more, the first are forgotten
_MOST_SEEN = 1024


class AutoLinker(Linker):
    """Lets the engine be chosen call by call: the linkers called ``vm``, ``cvm`` and ``c|py``."""

    def __init__(self, allow_gc: bool | None = None, schedule: Any = None) -> None:
        self.allow_gc = bool(config.allow_gc) if allow_gc is None else allow_gc
        self.fgraph = None  # type: ignore[assignment]

    def make_program(self, cells: Cells, order: list[Apply]) -> Program:
        if all(map(runs_on_host_only, order)) or _only_lapack(order):
            return NumpyProgram(self.fgraph, cells, order, self.allow_gc)
        return AutoProgram(self.fgraph, cells, order, self.allow_gc)


def _only_lapack(order: list[Apply]) -> bool:
    """Whether nothing but views stands beside LAPACK's work on single matrices.

    XLA calls the same routines on the CPU, more slowly; stacks it takes in parallel.
    """
    works = [node for node in order if not node.op.view_map]
    single = (getattr(n.op, "by_lapack", False) and n.inputs[0].type.ndim == 2 for n in works)
    return bool(works) and all(single)


class AutoProgram(Program):
    """Both engines over one graph, and the choice between them.

    A key (the shapes of the inputs) goes to XLA once it has come twice and the NumPy time spent
    since the last compilation, as estimated, exceeds the time that compiling takes: never much
    worse than the better of the two.
    """

    def __init__(self, fgraph: FunctionGraph, cells: Cells, order: list[Apply], gc: bool) -> None:
        super().__init__(fgraph, cells, order)
        self._graph = fgraph
        self._gc = gc
        self.numpy = NumpyProgram(fgraph, cells, order, gc)
        self.xla: XlaProgram | None = None
        self._cells = [cells[v] for v in fgraph.inputs]
        self._seen: dict[Any, int] = {}
        self._compiled: dict[Any, None] = {}  # the latest last
        self._steps = sum(map(_steps, order))
        self._spent = 0.0
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

    def choice(self) -> str:
        """What runs where so far, and what has been counted."""
        calls = sum(self._seen.values()) + self._small[0]
        return (
            f"{len(self._compiled)} of {len(self._seen)} keys run on XLA; {calls} calls ran on "
            f"NumPy: {self._spent:.3g} s, as estimated, not yet spent on compiling"
        )

    def direct(self, given: Sequence[int]) -> Callable[..., Any] | None:
        run = self.numpy.direct(given)
        if run is None:
            return None
        inputs = self._graph.inputs
        names = [f"a{i}" for i in given]
        values = [f"a{i}" if i in given else f"c{i}[0]" for i in range(len(inputs))]
        space: dict[str, Any] = {f"c{i}": cell for i, cell in enumerate(self._cells)}
        space |= {"run": run, "small": self._small, "turns": self._turns, "shape": _shape}
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
        text.append(f"    if turns(({''.join(shapes)})):")
        text.append("        return None")
        text.append(f"    return run({', '.join(names)})")
        return written("direct", "\n".join(text), space)

    def _turns(self, key: Any) -> bool:
        """Count a call with this key, and say whether it goes to XLA."""
        return key in self._compiled or self._pays(key, 1)

    def __call__(self, n_calls: int = 1) -> list[Any]:
        key = tuple([_shape(c[0]) for c in self._cells])
        if key in self._compiled or self._pays(key, n_calls):
            if self.xla is None:
                self.xla = XlaProgram(self._graph, self.storage_map, self.nodes, self._gc)
            return self.xla(n_calls)
        return self.numpy(n_calls)

    def _pays(self, key: Any, n_calls: int) -> bool:
        if self._most > 0 and all(shape is not None and prod(shape) <= self._most for shape in key):
            self._small[0] += n_calls
            return False
        times = self._seen[key] = self._seen.get(key, 0) + 1
        if len(self._seen) > _MOST_SEEN:
            del self._seen[next(iter(self._seen))]
        seconds = self._on_numpy(key)
        self._spent += n_calls * seconds
        cost = rates().compiling(len(self.nodes))
        # what is quicker on NumPy stays there, whatever other keys have spent
        if times < 2 or self._spent <= cost or seconds <= rates().xla_call:
            return False
        self._spent -= cost
        self._compiled[key] = None
        if len(self._compiled) > config.xla.max_keys:
            # its program is given up too: the key must pay again
            del self._compiled[next(iter(self._compiled))]
        return True

    def _on_numpy(self, key: Any) -> float:
        """An estimate of a call's time on NumPy, from the largest input."""
        largest = max((prod(s) for s in key if s is not None), default=1)
        here = rates()
        return len(self.nodes) * here.numpy_call + self._steps * here.numpy_element * largest


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
    return max(0, int((here.xla_call / max(steps, 1) - here.numpy_call) / here.numpy_slow))


def _steps(node: Apply) -> int:
    scalar_op = getattr(node.op, "scalar_op", None)
    return len(scalar_op.steps) if isinstance(scalar_op, Composite) else 1


def _makes_nothing_larger(node: Apply) -> bool:
    """Whether no output can have more elements than the largest input."""
    if isinstance(node.op, Elemwise):
        full = node.outputs[0].type.broadcastable
        return any(v.type.broadcastable == full for v in node.inputs)
    return isinstance(node.op, DimShuffle | CAReduce)
