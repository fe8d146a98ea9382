"""theano.function: find shared variables, apply givens, collect updates, and compile."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from theano._src.compile.function_object import Function
from theano._src.compile.function_warnings import warn_of_lost_updates, warn_of_unused_givens
from theano._src.compile.io import (
    In,
    SymbolicInput,
    SymbolicOutput,
    as_input,
    as_output,
    refuse_shared,
)
from theano._src.compile.mode_and_maker import mode_and_maker
from theano._src.graph.clone import rebuild
from theano._src.graph.graph import Variable
from theano._src.graph.source_line import called_at
from theano._src.graph.walk import ancestors, roots_of
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.lazy import at_first_use
from theano._src.types.dtypes import integer_dtypes
from theano._src.types.shared import SharedVariable
from theano._src.types.shared_constructors import shared

_strip_pickler = at_first_use("theano._src.compile.files.archive:StripPickler")


@documented_in("theano.compile.function")
def function(
    inputs: Sequence[Any],
    outputs: Any = None,
    mode: Any = None,
    updates: Any = None,
    givens: Any = None,
    no_default_updates: Any = False,
    accept_inplace: bool = False,
    name: str | None = None,
    rebuild_strict: bool = True,
    allow_input_downcast: bool | None = None,
    profile: Any = None,
    on_unused_input: str | None = None,
) -> Function:
    """Compile a graph into a callable function.

    Parameters
    ----------
    inputs : list of Variables, In, or tuple shortcuts
    outputs : Variable, Out, list or dict of them, or None
        The function returns one value for one output, a list for a list, a dict for a dict, and
        None for None.
    mode : str or Mode, optional
    updates : list of pairs, or dict
        ``(shared variable, expression)``: the new value is stored after all outputs are computed.
    givens : list of pairs, or dict
        ``(variable, replacement)``: the replacement is used everywhere in this function.
    no_default_updates : bool or list of shared variables
        Which default updates to ignore: all (True), none (False), or those of the list.
    accept_inplace : bool
        Whether the graph may contain ops that overwrite their inputs.
    name : str, optional
        The name in messages; by default the file and line of this call.
    rebuild_strict : bool
        Whether givens must have the types of the variables that they replace.
    allow_input_downcast : bool, optional
        True: arguments may lose precision. None: only Python floats passed for floatX scalars may.
    profile : bool, str or ProfileStats, optional
        Count calls and time in the function's ``profile``. True creates a new ProfileStats, a str
        is its message. None: use ``config.profile``.
    on_unused_input : {'raise', 'warn', 'ignore'}, optional

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> theano.function([x], 2 * x)(4).item()
    8.0
    """
    if not isinstance(inputs, (list, tuple)):
        raise Exception(
            "Input variables of a Theano function should be contained in a list, even when there "
            "is a single input."
        )
    output_keys = None
    if isinstance(outputs, dict):
        if not all(isinstance(k, str) for k in outputs):
            raise TypeError("a dict of outputs has names as keys: all of them must be str")
        output_keys = sorted(outputs)
        outputs = [outputs[k] for k in output_keys]
    return pfunc(
        params=inputs,
        outputs=outputs,
        mode=mode,
        updates=updates,
        givens=givens,
        no_default_updates=no_default_updates,
        accept_inplace=accept_inplace,
        name=name,
        rebuild_strict=rebuild_strict,
        allow_input_downcast=allow_input_downcast,
        profile=profile,
        on_unused_input=on_unused_input,
        output_keys=output_keys,
    )


@documented_in("theano.compile.pfunc")
def pfunc(
    params: Sequence[Any],
    outputs: Any = None,
    mode: Any = None,
    updates: Any = None,
    givens: Any = None,
    no_default_updates: Any = False,
    accept_inplace: bool = False,
    name: str | None = None,
    rebuild_strict: bool = True,
    allow_input_downcast: bool | None = None,
    profile: Any = None,
    on_unused_input: str | None = None,
    output_keys: list[str] | None = None,
) -> Function:
    """Compile a function like ``function`` does, but without a dict of outputs.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> theano.compile.pfunc([x], x + 1)(2).item()
    3.0
    """
    given = [as_input(p, allow_input_downcast) for p in params]
    if not isinstance(no_default_updates, (bool, list, tuple, set)):
        raise TypeError(
            "no_default_updates is True, False or a list of shared variables, got "
            f"{no_default_updates!r}"
        )
    for spec in given:
        refuse_shared(spec.variable)
        if spec.allow_downcast is None:
            spec.allow_downcast = allow_input_downcast
    single = outputs is not None and not isinstance(outputs, (list, tuple))
    outs = [as_output(o) for o in ([outputs] if single else outputs or ())]
    on_unused_input = config.on_unused_input if on_unused_input is None else on_unused_input
    if givens and on_unused_input != "ignore":
        givens, updates = _pairs(givens, "givens"), _pairs(updates, "updates")
        warn_of_unused_givens(given, outs, updates, givens)
    specs, outs = _collect(given, outs, updates, givens, no_default_updates, rebuild_strict)
    made_outputs: Any = outs[0] if single else (None if outputs is None else outs)
    mode, make = mode_and_maker(mode)
    maker = make(
        specs,
        made_outputs,
        mode,
        accept_inplace=accept_inplace,
        function_builder=Function,
        profile=profile,
        on_unused_input=on_unused_input,
        output_keys=output_keys,
        name=called_at() if name is None else name,
    )
    return maker.create()  # type: ignore[no-any-return]


@documented_in("theano.compile.function_module")
def orig_function(
    inputs: Sequence[Any],
    outputs: Any,
    mode: Any = None,
    accept_inplace: bool = False,
    name: str | None = None,
    profile: Any = None,
    on_unused_input: str | None = None,
    output_keys: list[str] | None = None,
) -> Function:
    """Compile a function of a graph without shared variables and givens.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> theano.compile.orig_function([theano.In(x)], [theano.Out(x + 1)])(2)
    [array(3.)]
    """
    mode, make = mode_and_maker(mode)
    maker = make(
        [as_input(i) for i in inputs],
        outputs,
        mode,
        accept_inplace,
        Function,
        profile,
        on_unused_input,
        output_keys=output_keys,
        name=name,
    )
    return maker.create()  # type: ignore[no-any-return]


def _pairs(given: Any, what: str) -> list[tuple[Any, Any]]:
    if given is None:
        return []
    if isinstance(given, Mapping):
        return list(given.items())
    pairs = list(given)
    for pair in pairs:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise TypeError(
                f"{what} takes a dict or a list of pairs, such as [(variable, expression)], got "
                f"{pair!r:.80} in it"
            )
    return [(a, b) for a, b in pairs]


def _collect(
    params: list[In],
    outputs: list[SymbolicOutput],
    updates: Any,
    givens: Any,
    no_default_updates: Any,
    strict: bool,
) -> tuple[list[In], list[SymbolicOutput]]:
    """Apply the givens; return all inputs, including updated shared variables, and the outputs."""
    replace = _replacements(params, givens, strict)
    memo: dict[Variable, Variable] = {s.variable: s.variable for s in params} if replace else {}
    memo.update(_own_values(replace))

    def put_in(variables: Iterable[Variable]) -> list[Variable]:
        result = list(variables)
        return rebuild(result, replace, strict, memo=memo) if replace else result

    new = dict(_explicit_updates(updates))
    outs = [
        SymbolicOutput(v, o.borrow, o.sharding)
        for o, v in zip(outputs, put_in(o.variable for o in outputs), strict=True)
    ]
    for spec in params:
        if spec.update is not None:
            spec.update = put_in([spec.update])[0]
    todo = dict(zip(new, put_in(new.values()), strict=True))
    new = dict(todo)
    known: dict[SharedVariable, None] = dict.fromkeys(todo)
    ins = [s.variable for s in params]
    pending = [o.variable for o in outs] + [s.update for s in params if s.update is not None]
    pending += list(todo.values())
    checked: set[SharedVariable] = set()
    while True:
        for v in roots_of(pending, ins):
            if isinstance(v, SharedVariable) and v not in ins:
                known.setdefault(v)
        pending = []
        for v in list(known):
            if v in checked:
                continue
            checked.add(v)
            if v in new or not _wants_default(v, no_default_updates):
                continue
            value = put_in([_fit_update(v, v.default_update)])[0]
            new[v] = value
            pending.append(value)
        if not pending:
            break
    warn_of_lost_updates(outs, new, todo, no_default_updates)
    specs = list(params)
    for v in known:
        specs.append(
            In(
                v,
                name=v.name,
                value=v.container,
                update=new.get(v),
                mutable=v in new,
                borrow=True,
                implicit=True,
                shared=True,
            )
        )
    return specs, outs


@documented_in("theano.compile.pfunc")
def rebuild_collect_shared(
    outputs: Any,
    inputs: Sequence[Any] | None = None,
    replace: Any = None,
    updates: Any = None,
    rebuild_strict: bool = True,
    copy_inputs_over: bool = True,
    no_default_updates: Any = False,
) -> tuple[list[Any], Any, list[Any]]:
    """Rebuild graphs with replacements, and find the shared variables that they use.

    Parameters
    ----------
    outputs : Variable, Out, list of them, or None
    inputs : list of Variables or In
    replace, updates, rebuild_strict, no_default_updates : as for ``function``
        ``replace`` is what ``function`` calls ``givens``.
    copy_inputs_over : bool
        Whether the new graph uses the same inputs (True) or copies of them.

    Returns
    -------
    The inputs and the outputs of the new graph, and a list of four: a dict from old variables to
    new ones, a dict from shared variables to updates, the same as pairs, and the shared variables.

    >>> import theano, theano.tensor as T
    >>> from theano.compile.pfunc import rebuild_collect_shared
    >>> x, s = T.dscalar("x"), theano.shared(2.0, "s")
    >>> ins, out, (_, _, _, found) = rebuild_collect_shared(x * s, [x], copy_inputs_over=False)
    >>> ins[0] is x, theano.pp(out), found
    (False, '(x * s)', [s])
    """
    given = [as_input(i) for i in inputs or ()]
    new = {s.variable: s.variable if copy_inputs_over else s.variable.clone() for s in given}
    puts = _replacements(given, replace, rebuild_strict)

    def rebuilt(v: Variable) -> Variable:
        return rebuild([v], puts, rebuild_strict, copy_inputs_over, new)[0]

    def output(o: Any) -> Any:
        if isinstance(o, SymbolicOutput):
            return type(o)(rebuilt(o.variable), borrow=o.borrow)
        return rebuilt(o)

    many = isinstance(outputs, (list, tuple))
    results = [] if outputs is None else [output(o) for o in (outputs if many else [outputs])]
    specs = []
    for spec in given:
        result = copy.copy(spec)
        result.variable = new[spec.variable]
        result.update = None if spec.update is None else rebuilt(spec.update)
        specs.append(result)
    changes = {target: rebuilt(value) for target, value in _explicit_updates(updates)}
    shared_inputs: dict[SharedVariable, None] = dict.fromkeys(changes)
    while True:
        more = [v for v in new if isinstance(v, SharedVariable) and v not in shared_inputs]
        if not more:
            break
        shared_inputs.update(dict.fromkeys(more))
        for v in more:
            if v not in puts and _wants_default(v, no_default_updates):
                changes[v] = rebuilt(_fit_update(v, v.default_update))
    ins = [
        result if isinstance(i, SymbolicInput) else result.variable
        for i, result in zip(inputs or (), specs, strict=True)
    ]
    used = [v for v in shared_inputs if v not in puts]
    outs = results if many or outputs is None else results[0]
    return [*ins, *(new.get(v, v) for v in used)], outs, [new, changes, [*changes.items()], used]


def _wants_default(v: SharedVariable, without: Any) -> bool:
    if getattr(v, "default_update", None) is None:
        return False
    if isinstance(without, (list, tuple, set)):
        return v not in without
    return not without


def _replacements(params: list[In], givens: Any, strict: bool) -> dict[Variable, Variable]:
    ins = {s.variable for s in params}
    result: dict[Variable, Variable] = {}
    for old, new in _pairs(givens, "givens"):
        if not isinstance(old, Variable):
            raise TypeError(
                f"givens replaces Variables, got {old!r:.80} of {type(old).__name__}; a variable "
                "itself is the key, not its name"
            )
        if old in result:
            raise ValueError(f"givens replaces {old} twice")
        if old in ins:
            raise RuntimeError(
                f"You are trying to replace variable {old} through the `givens` parameter, but "
                "this variable is an input to your function. Replacing inputs is currently "
                "forbidden because it has no effect. Give the function another input, and the "
                "replacement as an expression of that one; or use theano.clone."
            )
        if not isinstance(new, Variable):
            new = old.type.filter_variable(new)
        if strict and new.type != old.type:
            new = old.type.filter_variable(new)
        result[old] = new
    return result


def _own_values(replace: dict[Variable, Variable]) -> dict[Variable, Variable]:
    """Do not replace a variable inside its own replacement: ``{a: a + 1}`` adds 1 to each ``a``.

    Put a placeholder for each such variable into ``replace``; return ``{placeholder: variable}``.
    """
    result: dict[Variable, Variable] = {}
    for old, new in replace.items():
        if new is not old and old in ancestors([new]):
            alone = old.type()
            (replace[old],) = rebuild([new], {old: alone})
            result[alone] = old
    return result


def _explicit_updates(updates: Any) -> list[tuple[SharedVariable, Variable]]:
    if isinstance(updates, dict) and type(updates) is not dict and not updates:
        updates = None
    result: dict[SharedVariable, Variable] = {}
    for target, value in _pairs(updates, "updates"):
        if not isinstance(target, SharedVariable):
            raise TypeError(
                f"update target must be a SharedVariable, got {target} of {type(target).__name__}; "
                "make what keeps a value between calls with theano.shared(value)"
            )
        if target in result:
            raise ValueError(f"this shared variable already has an update expression: {target}")
        result[target] = _fit_update(target, value)
    return list(result.items())


def _fit_update(target: SharedVariable, value: Any) -> Variable:
    if not isinstance(value, Variable):
        value = shared(value)
    if value.type == target.type:
        fitted: Variable = value
        return fitted
    try:
        variable: Variable = target.type.filter_variable(value, allow_convert=True)
    except TypeError:
        dtype, wanted = getattr(value, "dtype", None), getattr(target, "dtype", None)
        hint = ""
        if dtype is not None and wanted is not None and dtype != wanted:
            hint = f"; cast it with .astype({wanted!r})"
            if wanted in integer_dtypes and dtype not in integer_dtypes:
                hint += (
                    ", which cuts fractions off, or make the shared variable of a float, as "
                    "theano.shared(0.0) is"
                )
        raise TypeError(
            "An update must have the same type as the original shared variable "
            f"(shared_var={target}, shared_var.type={target.type}, update_val={value}, "
            f"update_val.type={value.type}){hint}. If the difference is related to the broadcast "
            "pattern, you can call theano.tensor.unbroadcast(var, axis_to_unbroadcast[, ...])."
        ) from None
    return variable


@documented_in("theano.compile.function")
def function_dump(
    filename: str,
    inputs: Sequence[Any],
    outputs: Any = None,
    mode: Any = None,
    updates: Any = None,
    givens: Any = None,
    no_default_updates: Any = False,
    accept_inplace: bool = False,
    name: str | None = None,
    rebuild_strict: bool = True,
    allow_input_downcast: bool | None = None,
    profile: Any = None,
    on_unused_input: str | None = None,
    extra_tag_to_remove: Any = None,
) -> None:
    """Write the arguments of a call of ``function`` to a file, for a bug report.

    The file has the values of shared variables, but no source lines and no test values.

    Parameters
    ----------
    filename : str
    inputs, outputs, mode, updates, givens, no_default_updates, accept_inplace, name : optional
    rebuild_strict, allow_input_downcast, profile, on_unused_input : as for ``function``
    extra_tag_to_remove : list of str, optional
        Further attributes of ``tag`` to leave out, as in ``theano.misc.pkl_utils.StripPickler``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "call.pkl")
    >>> theano.function_dump(path, [x], x + 1)
    >>> import pickle
    >>> theano.function(**pickle.loads(path.read_bytes()))(2).item()
    3.0
    >>> folder.cleanup()
    """
    arguments = {
        "inputs": inputs,
        "outputs": outputs,
        "mode": mode,
        "updates": updates,
        "givens": givens,
        "no_default_updates": no_default_updates,
        "accept_inplace": accept_inplace,
        "name": name,
        "rebuild_strict": rebuild_strict,
        "allow_input_downcast": allow_input_downcast,
        "profile": profile,
        "on_unused_input": on_unused_input,
    }
    with open(filename, "wb") as file:
        _strip_pickler()(file, -1, extra_tag_to_remove).dump(arguments)
