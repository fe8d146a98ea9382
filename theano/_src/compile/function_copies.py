"""Copies of functions: by ``copy``, ``copy.deepcopy`` and ``pickle``.

A copy has its own declarations of inputs and outputs, so it can be copied, pickled, saved and
exported like any compiled function. It uses the rewritten graph of the original where that is
still correct.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from theano._src.compile.io import In, SymbolicOutput
from theano._src.graph.clone import clone_get_equiv, rebuild
from theano._src.graph.destroy import DestroyHandler, Supervisor, overwritten_inputs
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Variable
from theano._src.ground.config import config
from theano._src.types.memory import own_copy
from theano._src.types.shared import Container, SharedVariable, on_host


def copied(f: Any, swap: Any, delete_updates: bool, name: str | None, profile: Any) -> Any:
    """Implement ``Function.copy``."""
    maker = f.maker
    swaps = _checked(maker.inputs, swap)
    specs, outputs = _declared(maker, swaps, delete_updates)
    values = [
        own_copy(value.value if isinstance(value, Container) else value) for value in held_values(f)
    ]
    deleted = False
    for i, (spec, first) in enumerate(zip(specs, maker.inputs, strict=True)):
        other = swaps.get(first.variable)
        if other is not None:
            spec.value, spec.name = other.container, other.name
        if first.update is not None and spec.update is None:
            deleted = True
            if spec.value is not None and not isinstance(spec.value, Container):
                # the value becomes a default
                spec.value, values[i] = values[i], None
    # rewrite again if nodes may overwrite a value that is no longer updated, or inputs share a cell
    again = deleted or (bool(swaps) and (_shares_cells(maker.inputs) or _shares_cells(specs)))
    if name is None and f.name:
        name = f"{f.name} copy"
    merged = _merged(specs, values) if swaps else (specs, values)
    graph = None if again else _same_graph(maker, swaps)
    return _compile(maker, *merged, outputs, graph, name, profile)


def deep_copied(f: Any, memo: dict[int, Any]) -> Any:
    """Implement ``copy.deepcopy``: return a function with its own variables and values."""
    maker = f.maker
    own = {spec.variable: copy.deepcopy(spec.variable, memo) for spec in maker.inputs}
    specs, outputs = _declared(maker, own)
    for spec in specs:
        spec.value = copy.deepcopy(spec.value, memo)
    values = copy.deepcopy(held_values(f), memo)
    result = _compile(maker, specs, values, outputs, _same_graph(maker, own), f.name, f.profile)
    result.trust_input = f.trust_input
    # other objects in this deepcopy that hold its containers get the new ones
    for mine, its in zip(f.input_storage, result.input_storage, strict=True):
        memo.setdefault(id(mine), its)
    return result


def pickled(f: Any) -> tuple[Any, ...]:
    """The arguments of ``remade``: the declaration of a function, and the values it holds."""
    maker = f.maker
    options = {
        "mode": maker.mode,
        "accept_inplace": maker.accept_inplace,
        "output_keys": maker.output_keys,
        "name": f.name,
        "profile": None if f.profile is None else True,
        "trust_input": f.trust_input,
    }
    if not config.reoptimize_unpickled_function:
        options["rewritten"] = _as_rewritten(maker.fgraph)
    return type(maker), maker.inputs, maker.as_given(maker.outputs), options, held_values(f)


def unpickled(builder: Any, make: Any, inputs: Any, outputs: Any, options: Any, values: Any) -> Any:
    """Rebuild a function from the result of ``pickled``; rewrite and link it again."""
    options = dict(options)
    trust_input = options.pop("trust_input", False)
    rewritten = options.pop("rewritten", None)
    if rewritten is not None and not config.reoptimize_unpickled_function:
        options["fgraph"] = _graph(*rewritten)
    maker = make(inputs, outputs, function_builder=builder, on_unused_input="ignore", **options)
    result = _created(maker, values)
    result.trust_input = trust_input
    return result


def _checked(specs: Sequence[In], swap: Any) -> dict[Variable, SharedVariable]:
    swaps: dict[Variable, SharedVariable] = dict(swap or {})
    for old, new in swaps.items():
        for v in (old, new):
            if not isinstance(v, SharedVariable):
                raise TypeError(f"swap takes shared variables, got {v} of {type(v).__name__}")
        if new.type != old.type:
            raise TypeError(
                f"swap takes shared variables of one type, got {old.type} and {new.type}"
            )
    unknown = swaps.keys() - {spec.variable for spec in specs if spec.shared}
    if unknown:
        raise ValueError(f"swap takes shared variables that the function uses, got {[*unknown]}")
    return swaps


def _shares_cells(specs: Sequence[In]) -> bool:
    cells = [id(spec.value.storage) for spec in specs if isinstance(spec.value, Container)]
    return len(set(cells)) < len(cells)


def _declared(
    maker: Any, replace: Mapping[Variable, Variable], delete_updates: bool = False
) -> tuple[list[In], list[SymbolicOutput]]:
    """The inputs and outputs of a function, with some of its variables replaced."""
    # NOTE: an input may be an expression of another input; it is still an input
    memo = {spec.variable: replace.get(spec.variable, spec.variable) for spec in maker.inputs}
    updates = [None if delete_updates else spec.update for spec in maker.inputs]
    rebuild(
        [out.variable for out in maker.outputs] + [u for u in updates if u is not None],
        {},
        memo=memo,
    )
    specs = [copy.copy(spec) for spec in maker.inputs]
    for spec, update in zip(specs, updates, strict=True):
        spec.variable = memo[spec.variable]
        if update is not None:
            spec.update = memo[update]
        elif spec.update is not None:
            # a value that is not updated must not be overwritten
            spec.update, spec.mutable = None, False
    outputs = [copy.copy(out) for out in maker.outputs]
    for out in outputs:
        out.variable = memo[out.variable]
    return specs, outputs


def _merged(specs: list[In], values: list[Any]) -> tuple[list[In], list[Any]]:
    """The inputs, each variable once: a swap may have made two of them the same variable."""
    one: dict[Variable, tuple[In, Any]] = {}
    for spec, value in zip(specs, values, strict=True):
        first, _ = one.setdefault(spec.variable, (spec, value))
        if first is spec or spec.update is None:
            continue
        if first.update is not None:
            raise ValueError(
                f"swap lets {spec.variable} stand for two variables that the function updates; "
                "one variable has one update"
            )
        first.update, first.mutable = spec.update, spec.mutable
    return [spec for spec, _ in one.values()], [value for _, value in one.values()]


def held_values(f: Any) -> list[Any]:
    """The values that a copy must take over, one for each input.

    The value is the Container of an input with an update, since other functions may share it. None
    means that the declaration of the input has the value.
    """
    values: list[Any] = []
    for spec, container, (_, _, default) in zip(
        f.maker.inputs, f.input_storage, f.defaults, strict=True
    ):
        if isinstance(spec.value, Container):
            values.append(None)
        elif spec.update is not None:
            values.append(container)
        else:
            held = container.value
            values.append(None if held is default else on_host(held))
    return values


def _compile(
    maker: Any,
    specs: list[In],
    values: list[Any],
    outputs: list[SymbolicOutput],
    fgraph: FunctionGraph | None,
    name: str | None,
    profile: Any,
) -> Any:
    result = type(maker)(
        specs,
        maker.as_given(outputs),
        mode=maker.mode,
        accept_inplace=maker.accept_inplace,
        function_builder=maker.function_builder,
        profile=profile,
        on_unused_input="ignore",
        fgraph=fgraph,
        output_keys=maker.output_keys,
        name=name,
    )
    return _created(result, values)


def _created(maker: Any, values: Sequence[Any]) -> Any:
    result = maker.create(
        [
            value if isinstance(value, Container) else spec.value
            for spec, value in zip(maker.inputs, values, strict=True)
        ]
    )
    for container, value in zip(result.input_storage, values, strict=True):
        if value is not None and not isinstance(value, Container):
            container.storage[0] = value
    return result


# rewritten graphs


def _same_graph(maker: Any, replace: Mapping[Variable, Variable]) -> FunctionGraph:
    """A copy of a rewritten graph, with some of its inputs replaced."""
    fgraph = maker.fgraph
    memo: dict[Any, Any] = {
        v: replace[spec.variable].clone()
        for spec, v in zip(maker.inputs, fgraph.inputs, strict=True)
        if spec.variable in replace
    }
    clone_get_equiv(fgraph.inputs, fgraph.outputs, memo=memo)
    inputs, outputs, updates, overwritten = _as_rewritten(fgraph)
    return _graph([memo[v] for v in inputs], [memo[v] for v in outputs], updates, overwritten)


def _as_rewritten(fgraph: FunctionGraph) -> tuple[Any, ...]:
    """A rewritten graph for pickling: inputs, outputs, updates, positions of overwritten inputs."""
    overwritten = set(overwritten_inputs(fgraph))
    places = [i for i, v in enumerate(fgraph.inputs) if v in overwritten]
    return list(fgraph.inputs), list(fgraph.outputs), fgraph.update_mapping, places


def _graph(
    inputs: list[Variable], outputs: list[Variable], updates: Any, overwritten: list[int]
) -> FunctionGraph:
    fgraph = FunctionGraph(inputs, outputs, clone=False, update_mapping=updates)
    fgraph.attach_feature(Supervisor((), [inputs[i] for i in overwritten]))
    # orders the nodes that read a value before the node that overwrites it
    fgraph.attach_feature(DestroyHandler())
    return fgraph
