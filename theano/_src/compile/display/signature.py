"""The signature and help text of a compiled function."""

from __future__ import annotations

import inspect
from typing import Any


def signature_of(function: Any) -> inspect.Signature:
    """Return the signature of a compiled function, with types as annotations and defaults.

    An input without a name is positional-only, and so are those before it. Inputs without a
    default that follow one with a default are keyword-only: if the latter is omitted, they can
    only be passed by name. ``inspect.signature(f)`` returns this.

    Parameters
    ----------
    function : Function

    Returns
    -------
    inspect.Signature

    Examples
    --------
    >>> import theano, theano.tensor as T
    >>> x, y = T.dvector("x"), T.dscalar("y")
    >>> f = theano.function([x, theano.In(y, value=2.0)], x * y)
    >>> print(inspect.signature(f))
    (x: TensorType(float64, vector), y: TensorType(float64, scalar) = array(2.))
    -> TensorType(float64, vector)
    """
    inputs = [(function._specs[i], *function.defaults[i]) for i in function._given]
    names = [_name(spec, k) for k, (spec, *_) in enumerate(inputs)]
    unnamed = [k for k, name in enumerate(names) if name is None or names.count(name) > 1]
    last = max(unnamed, default=-1)
    taken = {str(name) for k, name in enumerate(names) if k not in unnamed}
    first_default = next((k for k, (_, required, *_) in enumerate(inputs) if not required), last)
    parameters: list[inspect.Parameter] = []
    for k, (spec, required, _, value) in enumerate(inputs):
        name = names[k] if k not in unnamed else _free(f"input{k}", taken)
        kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
        if k <= last:
            # Python allows no default before a positional-only parameter without one
            kind, required = inspect.Parameter.POSITIONAL_ONLY, True
        elif required and k > first_default > last:
            kind = inspect.Parameter.KEYWORD_ONLY
        parameters.append(
            inspect.Parameter(
                str(name),
                kind,
                default=inspect.Parameter.empty if required else _shown(value),
                annotation=_Type(spec.variable.type),
            )
        )
    order = sorted(parameters, key=lambda p: p.kind)
    return inspect.Signature(order, return_annotation=_returned(function))


def _name(spec: Any, k: int) -> str | None:
    name = spec.name
    return name if isinstance(name, str) and name.isidentifier() else None


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


class _Type:
    """An annotation whose repr is the str of a type."""

    def __init__(self, type_: Any) -> None:
        self.type = type_

    def __repr__(self) -> str:
        return str(self.type)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Type) and bool(self.type == other.type)

    def __hash__(self) -> int:
        return hash(self.type)


def _shown(value: Any) -> Any:
    """A default value; for a Container, the value in it."""
    return getattr(value, "value", value) if type(value).__name__ == "Container" else value


def _returned(function: Any) -> Any:
    if function.return_none:
        return None
    kinds = [_Type(o.variable.type) for o in function.maker.outputs]
    if function.unpack_single:
        return kinds[0]
    if function.output_keys is not None:
        return dict(zip(function.output_keys, kinds, strict=True))
    return kinds


def help_of(function: Any) -> str:
    """Return the text of ``help(f)``: inputs, outputs, state and how to call the function.

    >>> import theano, theano.tensor as T
    >>> x, n = T.dvector("x"), theano.shared(0, "n")
    >>> f = theano.function([x], 2 * x, updates=[(n, n + 1)], name="double")
    >>> print(help_of(f))
    double(x: TensorType(float64, vector)) -> TensorType(float64, vector)
    <BLANKLINE>
    A compiled theano function. ...
    <BLANKLINE>
    Inputs
        x : TensorType(float64, vector)
    Outputs
        TensorType(float64, vector)
    Shared variables
        n : TensorType(int64, scalar), updated by each call
    ...
    """
    name = function.name if str(function.name).isidentifier() else "f"
    lines = [
        f"{name}{signature_of(function)}",
        "",
        "A compiled theano function. Call it with values for its inputs, by position or by name.",
        "",
        "Inputs",
    ]
    for i in function._given:
        spec, (required, _, value) = function._specs[i], function.defaults[i]
        what = f"    {spec.name or '(no name)'} : {spec.variable.type}"
        if not required:
            what += f", {_shown(value)!r:.60} if not given"
        if spec.update is not None:
            what += ", kept from call to call"
        lines.append(what)
    if not function._given:
        lines.append("    none")
    lines.append("Outputs")
    keys = function.output_keys or [None] * len(function.maker.outputs)
    for key, out in zip(keys, function.maker.outputs, strict=True):
        label = key or out.variable.name
        lines.append(f"    {label + ' : ' if label else ''}{out.variable.type}")
    if function.return_none:
        lines.append("    none")
    state = [spec for spec in function._specs if spec.shared]
    if state:
        lines.append("Shared variables")
    for spec in state:
        updated = ", updated by each call" if spec.update is not None else ""
        lines.append(f"    {spec.variable} : {spec.variable.type}{updated}")
    lines += [
        "",
        "theano.printing.debugprint(f) shows its graph, theano.printing.explain(f) how it runs.",
    ]
    return "\n".join(lines)
