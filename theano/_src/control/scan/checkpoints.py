"""scan_checkpoints: a long loop in blocks, whose gradient keeps one state per block."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from theano._src.control.scan.api import Loop
from theano._src.control.scan.args import as_list
from theano._src.ground.documented import documented_in
from theano._src.ops.elementwise.arithmetic import minimum
from theano._src.ops.shape.alloc import zeros
from theano._src.ops.shape.join import concatenate
from theano._src.ops.shape.ranges import arange
from theano._src.ops.shape.shape import reshape
from theano._src.types.convert import as_tensor_variable
from theano._src.types.updates import OrderedUpdates


@documented_in("theano.scan_module.scan_checkpoints")
def scan_checkpoints(
    fn: Callable[..., Any],
    sequences: Any = None,
    outputs_info: Any = None,
    non_sequences: Any = None,
    name: str | None = "checkpointscan_fn",
    n_steps: Any = None,
    save_every_N: int = 10,
    padding: bool = True,
) -> tuple[Any, OrderedUpdates]:
    """``scan`` that keeps every ``save_every_N``-th step; its gradient recomputes the others.

    The memory for gradients grows with the number of blocks plus the length of a block, not with
    the number of steps; each step is computed twice.

    Parameters
    ----------
    fn : function
        As for ``scan``; every output feeds back, and nothing else is returned.
    sequences, outputs_info, non_sequences : as for ``scan``, without taps
    name : str, optional
    n_steps : int or scalar Variable, optional
    save_every_N : int
        The number of steps in a block.
    padding : bool
        Whether to pad sequences to whole blocks. False saves a copy; the number of steps must
        then be a multiple of ``save_every_N``.

    Returns
    -------
    outputs : Variable or list of Variables
        Each output after every block of steps; the last row is the value after the last step.
    updates : OrderedUpdates

    >>> import theano, theano.tensor as T
    >>> x = T.dvector("x")
    >>> sums, _ = theano.scan_checkpoints(lambda x, s: s + x, sequences=x,
    ...     outputs_info=T.constant(0, dtype="float64"), save_every_N=4)
    >>> sums.eval({x: range(10)}).tolist()
    [6.0, 28.0, 45.0]
    """
    xs = [as_tensor_variable(x) for x in as_list(sequences)]
    first = [as_tensor_variable(_initial(s)) for s in as_list(outputs_info)]
    non_sequences = as_list(non_sequences)
    if not xs and n_steps is None:
        raise ValueError("scan_checkpoints takes n_steps, or sequences; got neither")
    if not first:
        raise ValueError("scan_checkpoints takes an initial state in outputs_info, got none")
    n = as_tensor_variable(n_steps) if n_steps is not None else xs[0].shape[0]
    if n_steps is None:
        for x in xs[1:]:
            n = minimum(n, x.shape[0])
    size = int(save_every_N)
    blocks = (n + (size - 1)) // size
    rows = [_in_blocks(x[:n], blocks, size, padding) for x in xs]

    def block(i: Any, *args: Any) -> Any:
        here, rest = list(args[: len(xs)]), list(args[len(xs) :])
        inner = Loop(fn, here, rest[: len(first)], rest[len(first) :], size, name=name)
        outputs, updates = inner.run(within=1 if size == 1 else minimum(n - i * size, size))
        return outputs, updates

    outer = Loop(block, [arange(blocks), *rows], first, non_sequences, name=name)
    outputs, updates = outer.run(recompute=True)
    return (outputs[0] if len(outputs) == 1 else outputs), updates


def _initial(info: Any) -> Any:
    if not isinstance(info, Mapping):
        return info
    if info.get("taps") is not None:
        raise RuntimeError(
            f"scan_checkpoints doesn't work with taps, got {info}; use scan, or carry earlier "
            "values as states of their own"
        )
    return info["initial"]


def _in_blocks(x: Any, blocks: Any, size: int, padding: bool) -> Any:
    if padding:
        missing = blocks * size - x.shape[0]
        row = [x.shape[i] for i in range(1, x.ndim)]
        x = concatenate([x, zeros((missing, *row), dtype=x.dtype)])
    return reshape(x, [blocks, size, *[x.shape[i] for i in range(1, x.ndim)]], ndim=x.ndim + 1)
