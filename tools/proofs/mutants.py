"""Rules that are broken on purpose, and which layer of the proofs sees it.

A mutant has one mistake: another sign, op or constant, swapped arguments, a dropped condition, an
index that is off by one. Mutants of functions are made of their source text. One that changes
nothing on the graphs that we have, or raises, or does not end, is left out; so is one that is
right, as its results are proved to be those of the graph and are the same on floats.
"""

from __future__ import annotations

import ast
import inspect
import random
import signal
import sys
import textwrap
import time
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import cache, partial
from types import FunctionType
from typing import Any

import numpy as np

from tests.rules.examples import example_of
from tests.rules.mutants import is_wrong, mutants as mutants_of_equation
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.walk import nodes_of
from theano._src.rewrite.driver import Rewriter
from theano._src.rewrite.rule import FunctionRule, Rule, untracked
from theano._src.rules.pipeline import RULES, restore_type
from theano._src.rules.shape import attach_shapes
from theano._src.testing.evaluate import evaluate
from theano._src.testing.proofs.bounded import assignments, prove_on
from theano._src.testing.proofs.equations import prove_equation
from theano._src.testing.proofs.floats import Sides, numbers, pairs
from tools.proofs.record import equations, functions, save, when

#: names of ops, and of those that are written by mistake
MISTAKES = {"add": "sub", "sub": "add", "mul": "true_div", "true_div": "mul", "exp": "expm1",
            "log": "log1p", "log1p": "log", "sqrt": "sqr", "sqr": "sqrt", "eq": "neq",
            "maximum": "minimum", "minimum": "maximum", "and_": "or_", "or_": "and_"}  # fmt: skip
FLIPS = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
         ast.GtE: ast.Gt, ast.In: ast.NotIn, ast.NotIn: ast.In}  # fmt: skip


class TooLong(Exception):
    """A mutant does not end."""


# mutants of functions


def mistakes(tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield copies of a tree with one mistake each, and what the mistake is."""
    places = list(ast.walk(tree))
    for k, place in enumerate(places):
        for what, change in _changes(place):
            copied = deepcopy(tree)
            at = list(ast.walk(copied))[k]
            change(at)
            line = getattr(place, "lineno", 0)
            yield f"{what}, line {line}", ast.fix_missing_locations(copied)


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[Any], None]]]:
    match node:
        case ast.Compare(ops=[op]) if type(op) in FLIPS:
            yield "comparison", lambda n: setattr(n, "ops", [FLIPS[type(n.ops[0])]()])
        case ast.Constant(value=bool()):
            yield "constant", lambda n: setattr(n, "value", not n.value)
        case ast.Constant(value=int() | float()):
            yield "constant", lambda n: setattr(n, "value", n.value + 1)
        case ast.If(body=[ast.Return(value=None | ast.Constant()) | ast.Continue()], orelse=[]):
            yield "condition", lambda n: setattr(n, "test", ast.Constant(False))
        case ast.IfExp(orelse=ast.Constant(value=None)):
            yield "condition", lambda n: setattr(n, "test", ast.Constant(True))
        case ast.BoolOp(values=values):
            for i in range(len(values)):
                yield "condition", lambda n, i=i: n.values.__setitem__(i, n.values[i - 1])
        case ast.Call(func=ast.Name(id="neg"), args=[_]):
            yield "sign", lambda n: setattr(n, "func", ast.Name("abs_neg_", ast.Load()))
        case ast.Call(func=ast.Name(), args=[first, second, *_]) if not isinstance(
            first, ast.Starred
        ) and not isinstance(second, ast.Starred):
            yield "swapped", lambda n: n.args.__setitem__(slice(0, 2), n.args[1::-1])
    if isinstance(node, ast.Name) and node.id in MISTAKES:
        yield "op", lambda n: setattr(n, "id", MISTAKES[n.id])


def mutants_of_function(rule: FunctionRule) -> Iterator[tuple[str, FunctionRule]]:
    """Yield rules whose function, or a function that it calls, has one mistake."""
    module = sys.modules[rule.fn.__module__]
    own = {n: f for n, f in vars(module).items()
           if isinstance(f, FunctionType) and f.__module__ == module.__name__}  # fmt: skip
    for name in _called(rule.fn, own):
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(own[name])))
        except (OSError, SyntaxError):
            continue
        for k, (what, changed) in enumerate(mistakes(tree.body[0])):
            space = dict(vars(module))
            space["abs_neg_"] = lambda x: x
            for op in MISTAKES.values():
                space.setdefault(op, _op(op))
            for other, f in own.items():
                space[other] = _bound(f, space)
            body = ast.Module([changed], [])
            changed.decorator_list = []  # type: ignore[attr-defined]
            exec(compile(body, f"<{name}>", "exec"), space)
            fn = space[name] if rule.fn is own[name] else _bound(rule.fn, space)
            mutant = FunctionRule(fn, rule.name, rule.group, rule.tracks, depth=rule.depth)
            mutant._with_graph = rule._with_graph
            mutant.hazard = rule.hazard
            yield f"{name}: {what} ({k})", mutant


def _op(name: str) -> Any:
    import theano.tensor as T

    return getattr(T, name)


def _bound(f: FunctionType, space: dict[str, Any]) -> FunctionType:
    result = FunctionType(f.__code__, space, f.__name__, f.__defaults__, f.__closure__)
    result.__kwdefaults__, result.__doc__ = f.__kwdefaults__, f.__doc__
    return result


def _called(fn: Any, own: dict[str, FunctionType]) -> list[str]:
    """Return the names of functions of a module that a function calls, itself first."""
    todo = [n for n, f in own.items() if f is fn] or [n for n in _names(fn.__code__) if n in own]
    known: dict[str, None] = {}
    while todo and len(known) < 4:
        name = todo.pop(0)
        if name not in known:
            known[name] = None
            todo += [n for n in _names(own[name].__code__) if n in own]
    return list(known)


def _names(code: Any) -> list[str]:
    inner = [c for c in code.co_consts if hasattr(c, "co_names")]
    return [*code.co_names, *(n for c in inner for n in _names(c))]


# what a mutant does to graphs


@cache
def graphs_for(name: str, most: int = 3) -> list[Any]:
    """Return the example of a rule, and examples of others that have ops which it tracks."""
    rule = RULES[name]
    others = [example_of(r) for r in functions() if r.name != name]
    return [example_of(rule), *[g for g in others if _reaches(rule, g)][:most]]


def _text(inputs: Any, outputs: Any) -> Any:
    """Return a graph as a value that is equal for equal graphs."""
    known = {v: ("input", i) for i, v in enumerate(inputs)}
    rows = []
    for k, node in enumerate(nodes_of(outputs, known)):
        rows.append((repr(node.op), *(str(known.get(v) or _leaf(v)) for v in node.inputs)))
        known.update((v, (k, j)) for j, v in enumerate(node.outputs))
    return rows, [str(known.get(v) or _leaf(v)) for v in outputs]


def _leaf(v: Any) -> str:
    return repr(getattr(v, "data", v))


def _raise(where: str, rule: Any, node: Any, error: Exception) -> None:
    raise error


def applied(rule: Any, inputs: Any, outputs: Any) -> Any:
    """Return the graph that a rule leaves, as text."""
    graph = FunctionGraph(list(inputs), list(outputs))
    attach_shapes(graph, None)
    Rewriter([rule], restore=restore_type, on_failure=_raise).rewrite(graph)
    return _text(graph.inputs, graph.outputs)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    def over(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


_rights: dict[Any, Any] = {}


def _right(name: str, inputs: Any, outputs: Any) -> Any:
    """Return what the rule itself leaves."""
    key = name, tuple(outputs)
    if key not in _rights:
        _rights[key] = applied(RULES[name], inputs, outputs)
    return _rights[key]


def layer_of_function(rule: FunctionRule, mutant: FunctionRule) -> str:
    """Return which layer sees a mutant, or why it is left out."""
    try:
        with limited(30), warnings.catch_warnings():
            warnings.simplefilter("error")  # of rules that undo each other
            changed = False
            for inputs, outputs in graphs_for(rule.name):
                result = applied(mutant, inputs, outputs)
                if result in (_text(inputs, outputs), _right(rule.name, inputs, outputs)):
                    continue  # it does not fire, or does what the rule does
                changed = True
                proof = prove_on(mutant, inputs, outputs, most=10, seconds=1)
                if not proof:
                    return "proof" if proof.outcome == "refuted" else f"proof ({proof.outcome})"
                if proof.empty and not prove_on(rule, inputs, outputs, most=10, seconds=1).empty:
                    return "proof"
                if _differs_on_floats(mutant, inputs, outputs):
                    return "floats"
            return "right" if changed else "no change"
    except Exception:
        return "no change"  # it raises, or does not end


def _reaches(rule: FunctionRule, graph: Any) -> bool:
    return any(untracked(rule, node) is None for node in nodes_of(graph[1], graph[0]))


def _differs_on_floats(rule: Any, inputs: Any, outputs: Any) -> bool:
    graph = FunctionGraph(list(inputs), list(outputs))
    attach_shapes(graph, None)
    Rewriter([rule], restore=restore_type).rewrite(graph)
    rng = np.random.default_rng(0)
    for at in assignments(inputs, 3, 10):
        values = [rng.normal(size=x.shape).astype(x.dtype) if x.dtype.kind == "f" else x
                  for x in at.values()]  # fmt: skip
        try:
            a = evaluate(outputs, dict(zip(inputs, values, strict=True)))
            b = evaluate(graph.outputs, dict(zip(graph.inputs, values, strict=True)))
        except (ValueError, IndexError, AssertionError, TypeError, ZeroDivisionError):
            continue
        if any(not np.allclose(p, q, equal_nan=True) for p, q in zip(a, b, strict=True)):
            return True
    return False


# mutants of equations


def layer_of_equation(mutant: Rule) -> str:
    """Return which layer sees a wrong equation: the proof, or all float16, or none."""
    proof = prove_equation(mutant)
    if not proof:
        return "proof" if proof.outcome == "refuted" else f"proof ({proof.outcome})"
    sides = Sides([mutant], "float16")
    one = len(sides.names) == 1
    drawn = ((x,) for x in numbers("float16")) if one else pairs("float16", 1 << 16)
    holds = all(s.holds for v in drawn for s in sides.sweep(*v).values())
    return "none" if holds else "exhaustion"


def wrong_equations() -> Iterator[tuple[Rule, str, Rule]]:
    """Yield equations, a mistake, and the mutant; the numbers of mpmath say that it is wrong."""
    for rule in equations():
        for mutant in mutants_of_equation(rule):
            if is_wrong(mutant):
                yield rule, _mistake(rule, mutant), mutant


def _mistake(rule: Rule, mutant: Rule) -> str:
    return mutant.name.removeprefix(rule.name).strip()


# the record

#: how many mutants there are: of equations, and of functions
OF_EQUATIONS, OF_FUNCTIONS = 180, 80


def record_mutants(seen: dict[str, Any], seconds: float) -> None:
    """Try mutants that were not tried yet: the record has the layer that sees each of them."""
    until, saved = time.monotonic() + seconds, 0.0
    layers = seen.setdefault("layers", {})
    for key, layer in _mutants_in_turn(layers):
        layers[key] = layers.get(key) or layer()
        seen.update(when())
        if time.monotonic() - saved > 20:
            save("mutants", seen)
            saved = time.monotonic()
        if time.monotonic() > until or _count(layers, ":f ") >= OF_FUNCTIONS:
            break
    save("mutants", seen)


def counted(layers: dict[str, str]) -> list[str]:
    """Return the layers of mutants that are wrong."""
    return [v for v in layers.values() if v not in LEFT_OUT]


#: what mutants are that are not counted: they change no graph, raise or do not end, or are right
LEFT_OUT = ("no change", "right")


def _count(layers: dict[str, str], kind: str) -> int:
    return sum(kind in k and v not in LEFT_OUT for k, v in layers.items())


def _mutants_in_turn(layers: dict[str, str]) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield a name of each mutant, and a function that returns its layer."""
    if _count(layers, ":e ") < OF_EQUATIONS:
        wrong = list(wrong_equations())
        for k in range(OF_EQUATIONS):
            rule, what, mutant = wrong[k * len(wrong) // OF_EQUATIONS]
            yield f"{rule.name}:e {what}", partial(layer_of_equation, mutant)
    turns = [_turns(rule) for rule in functions()]
    while turns:
        for turn in list(turns):
            row = next(turn, None)
            if row is None:
                turns.remove(turn)
            else:
                yield row


def _turns(rule: FunctionRule, most: int = 12) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield mutants of a rule in a random order that is always the same.

    Conditions are later: most of them are of graphs that we do not have.
    """
    rng = random.Random(rule.name)
    drawn = sorted(
        mutants_of_function(rule),
        key=lambda row: rng.random() + 0.5 * any(k in row[0] for k in ("condition", "comparison")),
    )
    for what, mutant in drawn[:most]:
        yield f"{rule.name}:f {what}", partial(layer_of_function, rule, mutant)


def of_names(names: Collection[str]) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield the mutants of a record with these names."""
    wanted = set(names)
    for rule in equations():
        if any(n.startswith(f"{rule.name}:e ") for n in wanted):
            for mutant in mutants_of_equation(rule):
                key = f"{rule.name}:e {_mistake(rule, mutant)}"
                if key in wanted:
                    yield key, partial(layer_of_equation, mutant)
    for rule in functions():
        if any(n.startswith(f"{rule.name}:f ") for n in wanted):
            for what, mutant in mutants_of_function(rule):
                key = f"{rule.name}:f {what}"
                if key in wanted:
                    wanted.remove(key)
                    yield key, partial(layer_of_function, rule, mutant)
