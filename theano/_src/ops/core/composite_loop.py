"""Run the steps of a composite on NumPy arrays: at once, or piece by piece."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from operator import methodcaller
from typing import Any, NamedTuple

import numpy as np

from theano._src.graph.op_table import OpTable
from theano._src.ground.function_text import FunctionText
from theano._src.ground.xp import numpy_xp
from theano._src.ops.core.scalar import ScalarOp, brought_to
from theano._src.types.dtypes import NUMPY_DTYPES

#: elements per piece: a few arrays of that length stay in a core's own cache
_PIECE = 1 << 13

# an op, and the positions of its inputs in the list of values: the inputs, then one per step
Step = tuple[ScalarOp, tuple[int, ...]]


def _cast(op: Any, dtypes: tuple[Any, ...]) -> Callable[..., Any] | None:
    target = op.o_type.dtype
    lossless = np.can_cast(dtypes[0], target, "safe") and target != "bool"
    return methodcaller("astype", target) if lossless else None


def _switch(op: Any, dtypes: tuple[Any, ...]) -> Callable[..., Any] | None:
    _, (out,) = op.plan(dtypes)
    return np.where if np.result_type(*dtypes[1:]) == out else None


#: NumPy functions other than ufuncs that compute a scalar op into a new array. An entry takes the
#: op and the input dtypes and returns the function, or None.
plain_calls: OpTable[Callable[..., Callable[..., Any] | None]] = OpTable(
    {"theano.scalar.basic.Cast": _cast, "theano.scalar.basic.Switch": _switch}, by_meaning=True
)


def _plain_call(op: ScalarOp, dtypes: tuple[Any, ...]) -> Callable[..., Any] | None:
    """Return a NumPy function that computes the op for these dtypes into a new array, or None."""
    row = plain_calls.get(op)
    if row is not None:
        return row(op, dtypes)
    if len(dtypes) < 3 or len(set(dtypes)) > 1 or not op.associative:
        return None
    ufunc = op.ufunc_for(dtypes[:2])
    return None if ufunc is None else lambda *inputs: reduce(ufunc, inputs)


class _Call(NamedTuple):
    """A step on NumPy: whether it takes ``out``, and whether its result is certainly new."""

    run: Callable[..., Any]
    takes_out: bool
    is_new: bool
    args: tuple[int, ...]
    at: int


class CompositeLoop:
    """A composite on NumPy: short arrays at once, long ones piece by piece, with few temporaries.

    Contiguous arrays are flattened and cut into pieces; others are cut along the first dimension.
    """

    def __init__(self, nin: int, steps: Sequence[Step], out: int, dtypes: Sequence[str]) -> None:
        self.nin, self.out = nin, out
        self.dtypes = [NUMPY_DTYPES[d] for d in dtypes]
        self.calls: list[_Call] = []
        for at, (step, args) in enumerate(steps, nin):
            ins = tuple(self.dtypes[a] for a in args)
            ufunc = step.ufunc_for(ins)
            plain = _plain_call(step, ins) if ufunc is None else ufunc
            run = _cast_and_compute(step, self.dtypes, args, at) if plain is None else plain
            self.calls.append(_Call(run, ufunc is not None, plain is not None, args, at))
        #: whether the result is certainly a new array, never one of the inputs
        self.ends_anew = any(call.is_new for call in self.calls if call.at == self.out)
        self.buffer_of, self.buffers = self._plan()
        self.at_once = self._line()

    def _plan(self) -> tuple[dict[int, int], list[Any]]:
        """Assign a buffer to each step; a buffer is free again after its last reader."""
        last = {a: call.at for call in self.calls for a in call.args}
        held: dict[int, int] = {}
        buffers: list[Any] = []
        free: list[int] = []
        for _, takes_out, _, args, at in self.calls:
            if takes_out and at != self.out:
                fit = [b for b in free if buffers[b] == self.dtypes[at]]
                if fit:
                    held[at] = fit[0]
                    free.remove(fit[0])
                else:
                    held[at] = len(buffers)
                    buffers.append(self.dtypes[at])
            # freed only now: the step must not write into the buffer of its own input
            free += [held[a] for a in set(args) if a in held and last[a] == at]
        return held, buffers

    def _line(self) -> Callable[..., Any]:
        """Return one Python function that runs all steps on whole arrays."""
        names = ", ".join(f"v{i}" for i in range(self.nin))
        text = FunctionText("line", names, {"array": np.array})
        for run, _, _, args, at in self.calls:
            if not args:
                text.space[f"v{at}"] = run()  # a constant
                continue
            text.space[f"f{at}"] = run
            text.add(f"v{at} = f{at}({', '.join(f'v{a}' for a in args)})")
        computed = any(call.at == self.out and call.args for call in self.calls)
        text.add(f"return v{self.out}" if computed else f"return array(v{self.out})")
        return text.function()

    @staticmethod
    def _is_short(inputs: Sequence[Any]) -> bool:
        if max([x.size for x in inputs]) > 2 * _PIECE:
            return False
        shapes = {x.shape for x in inputs if x.size > 1}
        # a short row and a short column may broadcast to a long array
        return len(shapes) < 2 or math.prod(np.broadcast_shapes(*shapes)) <= 2 * _PIECE

    def __call__(self, *inputs: np.ndarray, out: np.ndarray | None = None) -> Any:
        """Return the result, which is written into ``out`` if it is long."""
        if self._is_short(inputs):
            result = self.at_once(*inputs)
            if out is None or self.ends_anew:
                return result
            out[...] = result
            return out
        shape = np.broadcast_shapes(*[x.shape for x in inputs])
        size = math.prod(shape)
        if out is None:
            out = np.empty(shape, self.dtypes[self.out])
        if out.flags.c_contiguous and all(
            x.size == 1 or (x.shape == shape and x.flags.c_contiguous) for x in inputs
        ):
            flat = [x.reshape(()) if x.size == 1 else x.reshape(-1) for x in inputs]
            self._in_pieces(flat, out.reshape(-1), _PIECE)
        else:
            ndim = len(shape)
            full = [x.reshape((1,) * (ndim - x.ndim) + x.shape) for x in inputs]
            self._in_pieces(full, out, max(1, _PIECE * shape[0] // max(size, 1)))
        return out

    def _in_pieces(self, inputs: Sequence[np.ndarray], out: np.ndarray, step: int) -> None:
        n = out.shape[0]
        buffers = [np.empty((step, *out.shape[1:]), d) for d in self.buffers]
        moving = [x.ndim > 0 and x.shape[0] == n for x in inputs]
        for begin in range(0, n, step):
            end = min(begin + step, n)
            values = [x[begin:end] if m else x for x, m in zip(inputs, moving, strict=True)]
            room = buffers if end - begin == step else [b[: end - begin] for b in buffers]
            here = out[begin:end]
            for run, takes_out, _, args, at in self.calls:
                ins = [values[a] for a in args]
                if not takes_out:
                    values.append(run(*ins))
                elif at == self.out:
                    values.append(run(*ins, out=here))
                else:
                    values.append(run(*ins, out=room[self.buffer_of[at]]))
            if values[self.out] is not here:
                here[...] = values[self.out]


def _cast_and_compute(
    step: ScalarOp, dtypes: Sequence[Any], args: Sequence[int], at: int
) -> Callable[..., Any]:
    loops, _ = step.plan(tuple(dtypes[a] for a in args))
    result, compute = dtypes[at], step.compute

    def run(*ins: Any) -> Any:
        out = compute(numpy_xp, *[np.asarray(x, d) for x, d in zip(ins, loops, strict=True)])
        return brought_to(numpy_xp, np.asarray(out), result)

    return run
