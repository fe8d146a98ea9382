"""Composite: several elementwise ops fused into one, run over an array piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.walk import nodes_of
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import Cast, convert_to_float32
from theano._src.ops.core.composite_loop import CompositeLoop, Step
from theano._src.ops.core.elemwise import Elemwise, zero_gradient
from theano._src.ops.core.scalar import ScalarOp, brought_to
from theano._src.types.aliases import TensorLike, Vars
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import NUMPY_DTYPES
from theano._src.types.scalar import as_scalar, get_scalar_type
from theano._src.types.tensor import TensorType


@documented_in("theano.scalar.basic")
class Composite(ScalarOp):
    """A function of numbers, composed of scalar ops.

    Parameters
    ----------
    inputs, outputs : lists of scalar variables
        Constants in the graph between them become part of the op.

    >>> import theano
    >>> from theano.scalar import Composite, float64
    >>> x, y = float64("x"), float64("y")
    >>> print(Composite([x, y], [x * y + 1]))
    Composite{((i0 * i1) + 1)}
    """

    def __init__(self, inputs: Vars, outputs: Vars) -> None:
        places: dict[Variable, int] = {v: i for i, v in enumerate(inputs)}
        steps: list[Step] = []

        def place(v: Variable) -> int:
            if v not in places and isinstance(v, Constant):
                steps.append((_Number(v.data.item(), v.type.dtype), ()))
                places[v] = len(inputs) + len(steps) - 1
            return places[v]

        for node in nodes_of(outputs, inputs):
            if len(node.outputs) != 1:
                raise TypeError(f"Composite takes ops of one output, got {node}")
            args = tuple(place(v) for v in node.inputs)
            steps.append((node.op, args))
            places[node.outputs[0]] = len(inputs) + len(steps) - 1
        outs = tuple(place(v) for v in outputs)  # may append constants to the steps
        result = tuple(steps), outs
        # with several outputs, an inner composite may also have several: not opened
        parts = _opened(len(inputs), *result) if len(result[1]) == 1 else result
        self._set(tuple(v.type.dtype for v in inputs), *parts)

    @classmethod
    def of(cls, dtypes: Sequence[str], steps: Sequence[Step], outs: Sequence[int]) -> Composite:
        """Return the composite of a list of steps; steps that are composites are inlined."""
        composite = cls.__new__(cls)
        composite._set(tuple(dtypes), *_opened(len(dtypes), steps, outs))
        return composite

    def _set(self, dtypes: tuple[str, ...], steps: tuple[Step, ...], outs: tuple[int, ...]) -> None:
        ScalarOp.__init__(self)
        self.dtypes, self.steps, self.outs = dtypes, steps, outs
        self.nin, self.nout = len(dtypes), len(outs)
        self.runs_on = (  # type: ignore[misc]
            "any" if all(op.runs_on == "any" and op.has_compute for op, _ in steps) else "host"
        )
        results = [*dtypes]
        for op, args in steps:
            results.append(op.output_dtypes([results[a] for a in args])[0])
        self._dtypes = tuple(results)
        self._hash = hash((Composite, dtypes, steps, outs))
        self._fgraph: FunctionGraph | None = None

    def compiles_for(self, dtypes: Sequence[str]) -> bool:
        here = self.for_dtypes(dtypes)
        return all(op.compiles_for([here._dtypes[a] for a in args]) for op, args in here.steps)

    @property
    def fgraph(self) -> FunctionGraph:
        """Its steps as a graph of single numbers."""
        if self._fgraph is None:
            values: list[Any] = [get_scalar_type(d)() for d in self.dtypes]
            for op, args in self.steps:
                if isinstance(op, _Number):
                    values.append(op.constant())
                else:
                    values.append(op(*[values[a] for a in args]))
            ins, outs = values[: self.nin], [values[o] for o in self.outs]
            self._fgraph = FunctionGraph(ins, outs, clone=False)
        return self._fgraph

    @property
    def inputs(self) -> list[Any]:
        """The inputs of its graph."""
        return list(self.fgraph.inputs)

    @property
    def outputs(self) -> list[Any]:
        """The outputs of its graph."""
        return list(self.fgraph.outputs)

    def clone_float32(self) -> Composite:
        """Return the same function, with float32 in place of float16."""

        def wider(op: ScalarOp) -> ScalarOp:
            if isinstance(op, Composite):
                return op.clone_float32()
            if isinstance(op, _Number) and op.dtype == "float16":
                return _Number(op.number, "float32")
            narrow = isinstance(op, Cast) and op.o_type.dtype == "float16"
            return convert_to_float32 if narrow else op

        dtypes = ["float32" if d == "float16" else d for d in self.dtypes]
        return Composite.of(dtypes, [(wider(op), args) for op, args in self.steps], self.outs)

    def make_node(self, *inputs: TensorLike) -> Apply:
        if len(inputs) != self.nin:
            raise TypeError(f"{self} takes {self.nin} inputs, got {len(inputs)}")
        ins = [as_scalar(x) for x in inputs]
        op = self.for_dtypes([x.type.dtype for x in ins])
        return Apply(op, ins, [get_scalar_type(op._dtypes[o])() for o in op.outs])

    def for_dtypes(self, dtypes: Sequence[str]) -> Composite:
        have = tuple(dtypes)
        if have == self.dtypes:
            return self
        plans = self._known_plans()
        composite = plans.get(("for", have))
        if composite is None:
            composite = plans[("for", have)] = Composite.of(have, self.steps, self.outs)
        return composite

    def output_types(self, types: Sequence[Any]) -> list[Any]:
        op = self.for_dtypes([t.dtype for t in types])
        return [get_scalar_type(op._dtypes[o]) for o in op.outs]

    def loop_dtypes(self, dtypes: Sequence[str], outs: Sequence[str]) -> Sequence[str]:
        return dtypes

    def compute(self, xp: ArrayNamespace, *inputs: Array) -> Any:
        return self._run(xp, inputs, lambda op, args: op.compute(xp, *args))

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        return self._run(xp, inputs, lambda op, args: op.lower_xla(xp, (), *args))

    def _run(self, xp: ArrayNamespace, inputs: Sequence[Any], call: Callable[..., Any]) -> Any:
        values = list(inputs)
        for at, (op, args) in enumerate(self.steps, len(inputs)):
            ins = [values[a] for a in args]
            loops, _ = op.plan(tuple(NUMPY_DTYPES[self._dtypes[a]] for a in args))
            result = call(op, [xp.astype(x, d) for x, d in zip(ins, loops, strict=True)])
            values.append(brought_to(xp, result, NUMPY_DTYPES[self._dtypes[at]]))
        outs = [values[o] for o in self.outs]
        return outs[0] if len(outs) == 1 else tuple(outs)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        from_last: dict[int, Any] = {}
        for o, g in zip(self.outs, output_grads, strict=True):
            from_last[o] = from_last[o] + g if o in from_last else g
        values = list(inputs)
        for op, args in self.steps:
            if isinstance(op, _Number):
                values.append(op.number)
            else:
                values.append(_tensor_form(op)(*[values[a] for a in args]))
        for at in range(len(values) - 1, len(inputs) - 1, -1):
            g = from_last.pop(at, None)
            op, args = self.steps[at - len(inputs)]
            if g is None or not args:
                continue
            ins = [as_tensor_variable(values[a]) for a in args]
            slopes = _tensor_form(op)._each(ins, [values[at]], [g])
            for a, slope in zip(args, slopes, strict=True):
                if isinstance(slope.type, TensorType):
                    from_last[a] = from_last[a] + slope if a in from_last else slope
        return [from_last[i] if i in from_last else zero_gradient(x) for i, x in enumerate(inputs)]

    def loop(self, node: Apply) -> Callable[..., Any] | None:
        """How NumPy runs it on the arrays of a node; gives ``f(*arrays, out=None)``."""
        if self.nout != 1 or not all(op.has_compute for op, _ in self.steps):
            return None
        return CompositeLoop(self.nin, self.steps, self.outs[0], self._dtypes)

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Composite)
            and self._hash == other._hash
            and (self.dtypes, self.steps, self.outs) == (other.dtypes, other.steps, other.outs)
        )

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_fgraph": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        # hashes of strings differ between processes
        self._hash = hash((Composite, self.dtypes, self.steps, self.outs))

    def __str__(self) -> str:
        return f"Composite{{{', '.join(self._texts())}}}"

    def _texts(self) -> list[str]:
        """Return the outputs as formulas; a value used twice is written once, with a mark."""
        uses = [0] * len(self._dtypes)
        for _, args in self.steps:
            for a in args:
                uses[a] += 1
        texts = [f"i{i}" for i in range(self.nin)]
        marks: dict[int, str] = {}  # for values used twice, once they have been written out
        for at, (op, args) in enumerate(self.steps, self.nin):
            shown = []
            for a in args:
                shown.append(texts[a])
                texts[a] = marks.get(a, texts[a])
            text = _written(op, shown)
            if uses[at] > 1 and args:
                marks[at] = f"*{len(marks) + 1}"
                text = f"{marks[at]} -> {text}"
            texts.append(text)
        return [texts[o] for o in self.outs]


class _Number(ScalarOp):
    """A constant inside a composite."""

    __props__ = ("number", "dtype")
    nin = 0

    def __init__(self, number: complex, dtype: str) -> None:
        super().__init__()
        self.number, self.dtype = number, dtype

    def output_types(self, types: Sequence[Any]) -> list[Any]:
        return [get_scalar_type(self.dtype)]

    def loop_dtypes(self, dtypes: Sequence[str], outs: Sequence[str]) -> Sequence[str]:
        return ()

    def compute(self, xp: ArrayNamespace, *inputs: Array) -> Any:
        return xp.asarray(self.number, dtype=self.dtype)

    def constant(self) -> Any:
        """Return the number as a constant of a scalar graph."""
        return as_scalar(NUMPY_DTYPES[self.dtype].type(self.number))

    def __str__(self) -> str:
        return str(self.number)


_tensor_form = cache(Elemwise)


def _opened(
    n: int, steps: Sequence[Step], outs: Sequence[int]
) -> tuple[tuple[Step, ...], tuple[int, ...]]:
    result: list[Step] = []
    where = list(range(n))  # new position of each old value
    for op, args in steps:
        ins = [where[a] for a in args]
        if not isinstance(op, Composite):
            result.append((op, tuple(ins)))
            where.append(n + len(result) - 1)
            continue
        inner = list(ins)
        for sub, sub_args in op.steps:
            result.append((sub, tuple(inner[a] for a in sub_args)))
            inner.append(n + len(result) - 1)
        where.append(inner[op.outs[0]])
    return tuple(result), tuple(where[o] for o in outs)


def _written(op: ScalarOp, args: list[str]) -> str:
    if op.operator and len(args) > 1:
        return f"({f' {op.operator} '.join(args)})"
    if op.operator and len(args) == 1:
        return f"({op.operator}{args[0]})"
    return f"{op}({', '.join(args)})" if args else str(op)
