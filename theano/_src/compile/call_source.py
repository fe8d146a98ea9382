"""Generate the call path of a compiled function as one Python function."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np

from theano._src.ground.function_text import FunctionText
from theano._src.ground.tracebacks import shorten
from theano._src.types.tensor import TensorType


class _Absent:
    """The type of ``_absent``, the default of each argument."""


_absent = _Absent()


class PerInstanceCall(property):
    """A ``__call__`` that is the attribute ``_call`` of each instance.

    A method would have to forward its arguments, which takes longer than many of the calls.
    """

    def __init__(self, doc: str) -> None:
        super().__init__(attrgetter("_call"))
        self.__doc__ = doc

    def __call__(self, owner: Any, *args: Any, **kwargs: Any) -> Any:
        return owner._call(*args, **kwargs)


def write_call(function: Any, run: Callable[..., Any], alone: bool) -> Callable[..., Any]:
    """Generate the call of ``function``, where ``run`` takes the values of the inputs.

    Arrays of the right type are recognized inline; other arguments go through ``_filtered``.
    Calls with keywords, defaults, or too few or too many arguments go through ``_general``, and so
    do calls for which ``run`` returns None.
    """
    space: dict[str, Any] = {
        "TooFew": _TooFew,
        "absent": _absent,
        "general": function._general,
        "ndarray": np.ndarray,
        "own": function.__dict__,
        "present": _present,
        "run": run,
        "shorten": shorten,
        "keys": function.output_keys,
        "outer": function._outer,
    }
    names = [f"a{k}" for k in range(len(function._given))]
    given = ", ".join(names)
    some = f"{given}," if names else ""
    positional = ["/"] if names else []
    params = ", ".join([*[f"{n}=absent" for n in names], *positional, "*more", "**named"])
    text = FunctionText("call", params, space)
    with text.under("try:"):
        text.add(f"if more or named: return general(present({given}) + more, named)")
        if not function.trust_input:
            for k, name in enumerate(names):
                i = function._given[k]
                _check(text, k, name, function.input_storage[i], function._specs[i])
                space[f"filtered{k}"] = _filter(function, i, k)
        elif names:  # positional: if any is missing, the last one is
            text.add(f"if {names[-1]} is absent: return general(present({given}), named)")
        if function._overwritten and names:
            space["apart"] = function._kept_apart
            text.add(f"{some} = apart({given})")
        if alone:
            text.add(f"made = run({given})")
        else:
            held = "group.lock" if function._outer is None else "outer, group.lock"
            with text.under("while True:"):
                text.add("group = own['_group']")
                with text.under(f"with {held}:"), text.under("if group.parent is None:"):
                    text.add(f"made = run({given})", "break")
                # the group was merged into another meanwhile
                text.add("own['_group'] = group.root")
        text.add(f"if made is None: return general(({some}), named, True)")
        text.add(f"return {_result(function)}")
    # free unless something is raised; a bare raise does not add this frame
    raised = ("except Exception as error:", "    shorten(error)", "    raise")
    text.add("except TooFew: pass", *raised)
    text.add("try:", f"    return general(present({given}), named)", *raised)
    return text.function()


class _TooFew(Exception):
    """A call leaves out an argument."""


def _present(*args: Any) -> tuple[Any, ...]:
    return tuple([a for a in args if a is not _absent])


def _check(text: FunctionText, k: int, name: str, container: Any, spec: Any) -> None:
    kind = container.type
    filtered = f"{name} = filtered{k}({name})"
    if not is_plain(kind) or spec.mutable:
        return text.add(filtered)
    text.space[f"d{k}"] = kind.numpy_dtype
    tests = [f"{name}.__class__ is not ndarray", f"{name}.dtype is not d{k}"]
    tests.append(f"{name}.ndim != {kind.ndim}")
    tests += [f"{name}.shape[{i}] != 1" for i, b in enumerate(kind.broadcastable) if b]
    text.add(f"if {' or '.join(tests)}: {filtered}")


def is_plain(kind: Any) -> bool:
    """Whether a type accepts every array of its dtype, ndim and broadcast pattern unchanged."""
    return type(kind) is TensorType and not kind.filter_checks_isfinite


def _filter(function: Any, i: int, k: int) -> Callable[[Any], Any]:
    container, spec = function.input_storage[i], function._specs[i]

    def filtered(value: Any) -> Any:
        if value is _absent:
            raise _TooFew
        return function._filtered(container, spec, k, value)

    return filtered


def _result(function: Any) -> str:
    if function.return_none:
        return "None"
    if function.unpack_single:
        return "made[0]"
    return "made" if function.output_keys is None else "dict(zip(keys, made))"
