"""Parse the arguments of scan and the results of its step, in all documented forms."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from theano._src.graph import testvalue
from theano._src.graph.graph import Variable
from theano._src.ground.documented import documented_in, short_traceback
from theano._src.ops.core.cast import cast
from theano._src.ops.shape.dims import patternbroadcast
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import upcast
from theano._src.types.shared import SharedVariable
from theano._src.types.tensor import TensorType, tensor_type
from theano._src.types.updates import OrderedUpdates


@documented_in("theano.scan_module.scan_utils")
class until:
    """A condition that ends a loop; the step returns it last.

    Parameters
    ----------
    condition : scalar Variable
        The loop stops after the step in which it becomes true.

    >>> import theano, theano.tensor as T
    >>> def double(x):
    ...     return x * 2, theano.scan_module.until(x * 2 > 40)
    >>> powers, _ = theano.scan(double, outputs_info=T.constant(1, dtype="int64"), n_steps=100)
    >>> powers.eval().tolist()
    [2, 4, 8, 16, 32, 64]
    """

    @short_traceback
    def __init__(self, condition: Any) -> None:
        self.condition = as_tensor_variable(condition)
        if self.condition.ndim != 0:
            raise TypeError(f"until takes a scalar condition, got {condition} of {condition.type}")


def refuse_step(fn: Any, args: Sequence[Any] | None = None) -> None:
    """Raise if the step is not a function or does not take the arguments of scan."""
    order = "slices of the sequences, outputs of steps before, then non_sequences"
    if not callable(fn):
        raise TypeError(
            f"scan takes a function as fn, which is called with {order}, got {fn!r:.80}; the "
            "sequences come second: scan(fn, sequences=...)"
        )
    if args is None:
        return
    try:
        wanted = inspect.signature(fn)
    except (TypeError, ValueError):  # written in C
        return
    try:
        wanted.bind(*args)
    except TypeError as error:
        raise TypeError(
            f"scan calls its step with {len(args)} arguments, {order}, which "
            f"{getattr(fn, '__name__', fn)}{wanted} does not take: {error}"
        ) from None


def step_arguments(fn: Any, args: Sequence[Any]) -> dict[Any, str]:
    """Return the parameter names of a step for its unnamed arguments."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):  # written in C
        return {}
    single = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p.name for p in parameters if p.kind in single]
    return {v: name for v, name in zip(args, names, strict=False) if v.name is None}


class Sequence_(NamedTuple):
    """A sequence of scan, and its taps: the offsets from each step."""

    input: Any
    taps: list[int]

    @property
    def before(self) -> int:
        return max(0, *(-k for k in self.taps))

    @property
    def after(self) -> int:
        return max(0, *self.taps)


class Output(NamedTuple):
    """An output of scan: its values before the first step, and its taps."""

    initial: Any
    taps: list[int]

    @property
    def depth(self) -> int:
        return max((-k for k in self.taps), default=0)


class Returned(NamedTuple):
    """The results of a step."""

    outputs: list[Any]
    updates: OrderedUpdates
    condition: Any


def as_list(things: Any) -> list[Any]:
    """Return None as an empty list, a list or tuple as a list, anything else in a list."""
    if things is None:
        return []
    return list(things) if isinstance(things, (list, tuple)) else [things]


def first_value(info: Output, d: int) -> Any:
    """Return the value of an output ``d`` steps before the first step."""
    if info.taps == [-1]:
        return info.initial
    row = info.initial[info.depth - d]
    row.tag.steps_back = info.depth  # for the error if there are fewer rows
    return row


def as_sequence(given: Any) -> Sequence_:
    if isinstance(given, Mapping):
        if "input" not in given:
            raise ValueError(f"scan takes a sequence as a dict with its input, got {given}")
        x, taps = given["input"], given.get("taps")
    else:
        x, taps = given, None
    x = as_tensor_variable(x)
    if x.ndim == 0:
        raise TypeError(f"scan goes along the first dimension of a sequence, got {x} of {x.type}")
    return Sequence_(x, [0] if taps is None else [int(k) for k in as_list(taps)])


def as_output(given: Any) -> Output:
    if given is None:
        return Output(None, [])
    if not isinstance(given, Mapping):
        return Output(_initial(given), [-1])
    initial, taps = given.get("initial"), given.get("taps", [-1])
    if initial is None:
        if given.get("taps") is not None:
            raise ValueError(f"scan takes an initial state for an output with taps, got {given}")
        return Output(None, [])
    taps = [int(k) for k in as_list(taps)]
    if not taps:
        return Output(None, [])  # does not feed back
    if any(k >= 0 for k in taps):
        raise ValueError(f"scan takes taps of an output below 0, got {taps}")
    if len(set(taps)) < len(taps):
        raise ValueError(f"scan takes each tap of an output once, got {taps}")
    output = Output(_initial(initial), taps)
    if taps != [-1] and output.initial.ndim == 0:
        raise TypeError(
            f"scan takes an initial state with {output.depth} rows for taps {taps}, got {initial}"
        )
    return output


def _initial(value: Any) -> Any:
    return value if isinstance(value, Variable) else as_tensor_variable(value)


def placeholder(x: Any, k: int, row: bool) -> Any:
    """Return a variable for the value of ``x`` at tap ``k``; ``row``: for one of its rows."""
    kind = x.type
    if row:
        kind = tensor_type(kind.dtype, kind.broadcastable[1:])
    name = f"{x.name}[t{k:+d}]" if k else f"{x.name}[t]"
    result = kind(name=name if x.name else None)
    if testvalue.policy() != "off":
        with suppress(AttributeError):  # a missing value is reported where it is needed
            value = testvalue.get_test_value(x)
            if not row or len(value):
                result.tag.test_value = value[0] if row else value
    return result


def read_returned(fn: Any, returned: Any) -> Returned:
    """Sort the results of a step into outputs, updates and the condition."""
    condition = None
    parts: Any = returned
    if isinstance(returned, until):
        parts, condition = [], returned.condition
    elif isinstance(parts, (list, tuple)) and parts and isinstance(parts[-1], until):
        condition = parts[-1].condition
        parts = parts[:-1]
        if len(parts) == 1:
            parts = parts[0]
    outputs: Any = parts
    updates: Any = {}
    if _are_updates(parts):
        outputs, updates = [], parts
    elif isinstance(parts, (list, tuple)) and len(parts) == 2:
        a, b = parts
        if _are_updates(b) and not (_are_updates(a) and a):
            outputs, updates = a, b
        elif _are_updates(a):
            outputs, updates = b, a
    try:
        if outputs is None:
            raise TypeError("is a return missing?")
        outs = [v if isinstance(v, Variable) else as_tensor_variable(v) for v in as_list(outputs)]
    except (TypeError, ValueError) as e:
        raise ValueError(
            f"scan takes a step that returns outputs, updates, or both, and until(condition) as "
            f"the last of them; got {returned!r} from {fn}: {e}"
        ) from e
    result = OrderedUpdates()
    result.update(updates)
    return Returned(outs, result, condition)


def _are_updates(things: Any) -> bool:
    if isinstance(things, Mapping):
        return True
    if not isinstance(things, (list, tuple)):
        return False
    return all(
        isinstance(p, (list, tuple)) and len(p) == 2 and isinstance(p[0], SharedVariable)
        for p in things
    )


def as_state(out: Any, earlier: Any, info: Output, read: bool = True) -> Any:
    """Convert an output to the type of its state; leave its dtype if no step will ``read`` it."""
    kind = earlier.type
    if not isinstance(kind, TensorType):
        return kind.filter_variable(out)
    if out.ndim != kind.ndim:
        raise ValueError(
            f"scan takes an initial state of as many dimensions as the output has, got {kind.ndim} "
            f"in {info.initial} for an output of {out.ndim}"
        )
    if out.dtype != kind.dtype:
        if upcast(out.dtype, kind.dtype) != kind.dtype:
            if not read:
                return out
            raise ValueError(
                f"scan takes an initial state whose dtype holds the output, got {kind.dtype} in "
                f"{info.initial} for an output of {out.dtype}; cast the initial state"
            )
        out = cast(out, kind.dtype)
    if any(one and not b for one, b in zip(kind.broadcastable, out.broadcastable, strict=True)):
        raise TypeError(
            f"scan takes an initial state that is not declared to have length 1 where the output "
            f"is not, got {info.initial} of {info.initial.type} for an output of {out.type}; "
            "declare it with unbroadcast"
        )
    return patternbroadcast(out, kind.broadcastable)


def as_type(v: Any, new: Any) -> Any:
    new = new if isinstance(new, Variable) else as_tensor_variable(new)
    return v.type.filter_variable(new)
