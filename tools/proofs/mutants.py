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
import sys
import textwrap
import time
from collections.abc import Callable, Collection, Iterator
from copy import deepcopy
from functools import cache, partial
from types import FunctionType
from typing import Any

import numpy as np

import theano.tensor as T
from tests.rules.mutants import is_wrong, mutants as mutants_of_equation
from theano._src.rewrite.rule import (
    FunctionRule,
    Rule,
    example_graph as example_graph_of,
    untracked,
)
from theano._src.rules.pipeline import RULES
from theano._src.testing.evaluate import evaluate
from theano._src.testing.proofs.bounded import Bounded, prove_on
from theano._src.testing.proofs.equations import prove_equation
from theano._src.testing.proofs.floats import numbers, pairs
from tools.proofs.forms import FORMS
from tools.proofs.record import equations, functions, save, when
from tools.proofs.values import applied, difference, limited
from tools.proofs.variations import Graph, in_turn, variations
from tools.proofs.varied import RAISES, example_graph

#: names of ops, and of those that are written by mistake
MISTAKES = {"add": "sub", "sub": "add", "mul": "true_div", "true_div": "mul", "exp": "expm1",
            "log": "log1p", "log1p": "log", "sqrt": "sqr", "sqr": "sqrt", "eq": "neq",
            "maximum": "minimum", "minimum": "maximum", "and_": "or_", "or_": "and_"}  # fmt: skip
FLIPS = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
         ast.GtE: ast.Gt, ast.In: ast.NotIn, ast.NotIn: ast.In}  # fmt: skip


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
def graphs_for(name: str, most: int = 3) -> list[Graph]:
    """Return the example of a rule, its variations, and examples of others that it may reach."""
    rule = RULES[name]
    example = example_graph(rule)
    others = [example_graph(r) for r in functions() if r.name != name]
    others = [g for g in others if _reaches(rule, g)]
    return [example, *others[:most], *variations(example, name, 40, 8)]


def left_by(rule: Any, graph: Graph) -> str | None:
    """Return the graph that a rule leaves, as text; None if it raises or does not end."""
    try:
        with limited(5):
            new, _ = applied(rule, graph.inputs, graph.outputs)
            return Graph(new.inputs, new.outputs).text()
    except Exception:
        return None


@cache
def texts(name: str) -> list[tuple[Graph, str, str]]:
    """Return graphs for a rule, as text, and the text of what the rule leaves.

    Graphs on which the rule itself raises are left out.
    """
    rule = RULES[name]
    rows = ((g, g.text(), left_by(rule, g)) for g in graphs_for(name))
    return [(g, before, after) for g, before, after in rows if after is not None]


#: what is known of a mutant on a graph, the strongest last: it is right if it is proved on a graph,
#: and the same on arrays where there is no proof
RANKS = ("no change", "raises", "no terms", "not decided", "right", "floats", "proof")
#: how many of the graphs that a mutant changes are examined
CHANGED = 6


def layer_of_function(rule: FunctionRule, mutant: FunctionRule) -> str:
    """Return which layer sees a mutant, or why it is left out."""
    layer, count = 0, 0
    for graph, before, right in texts(rule.name):
        after = left_by(mutant, graph)
        if after in (before, right):
            continue  # it does not fire, or does what the rule does
        if after is None:
            layer = max(layer, RANKS.index("raises"))
            continue
        layer = max(layer, RANKS.index(_layer_on(rule, mutant, graph, before != right)))
        count += 1
        if RANKS[layer] == "proof" or count == CHANGED:
            break
    return RANKS[layer]


def _layer_on(rule: FunctionRule, mutant: FunctionRule, graph: Graph, fires: bool) -> str:
    """Return which layer sees a mutant on a graph; ``fires`` says whether the rule fires there."""
    proof = _proof_on(mutant, graph)
    if proof is None or proof.outcome not in ("proved", "refuted"):
        if proof is not None and proof.where == RAISES:
            return "no change"  # both graphs raise for all that is tried
        if not _wrong_on_arrays(mutant, graph):
            is_complex = any(v.type.dtype.startswith("complex") for v in graph.inputs)
            return "no terms" if is_complex else "not decided"
        return "no change" if fires and _wrong_on_arrays(rule, graph) else "floats"
    if proof and not proof.empty:
        return "right"
    # what is wrong with the rule itself there is no mistake of the mutant
    own = _proof_on(rule, graph) if fires else None
    if own is None:
        return "no change" if fires else "proof"
    return "no change" if own.outcome == "refuted" or (proof and own.empty) else "proof"


def _proof_on(rule: Any, graph: Graph) -> Bounded | None:
    try:
        with limited(15):
            return prove_on(rule, graph.inputs, graph.outputs, most=10, seconds=1)
    except Exception:
        return None  # there is no reading, or it takes too long


def _wrong_on_arrays(rule: Any, graph: Graph) -> bool:
    try:
        with limited(15):
            new, _ = applied(rule, graph.inputs, graph.outputs)
            return bool(difference(rule, graph.inputs, graph.outputs, new)[0])
    except Exception:
        return False


def _reaches(rule: FunctionRule, graph: Graph) -> bool:
    return any(untracked(rule, node) is None for node in graph.nodes)


# mutants of equations


def layer_of_equation(mutant: Rule) -> str:
    """Return which layer sees a wrong equation: the proof, all float16, numbers, or none.

    A proof sees it if it finds numbers at which the sides differ, or the domain is narrower.
    """
    proof = prove_equation(mutant)
    if not proof and proof.outcome in ("refuted", "proved"):
        return "proof"
    if share_unequal(mutant) > FEW:
        return "exhaustion" if len(mutant.lhs.holes()) == 1 else "floats"
    return "floats" if is_wrong(mutant) else "none"


#: the share of all float16 at which rounding in float64 may make the sides of an equation differ
FEW = 0.02


def share_unequal(rule: Rule) -> float:
    """Return the share of all float16, or of some pairs, at which the sides differ in float64."""
    count = len(rule.lhs.holes())
    drawn = [(x,) for x in numbers("float16")] if count == 1 else pairs("float16", 1 << 16)
    unequal = total = 0
    for values in drawn:
        leaves, left, right = example_graph_of(rule, lambda _: T.dvector())
        arrays = (np.asarray(x, "float64") for x in values)
        a, b = evaluate([left, right], dict(zip(leaves.values(), arrays, strict=True)))
        known = np.isfinite(a)
        same = np.isclose(a[known], b[known], rtol=1e-3, atol=1e-3)
        unequal, total = unequal + int((~same).sum()), total + int(known.sum())
    return unequal / max(total, 1)


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
OF_EQUATIONS, OF_FUNCTIONS = 253, 139


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


#: what mutants are that are not counted: they change no graph, raise or do not end, are right, or
#: leave arrays of complex numbers the same, for which there are no terms
LEFT_OUT = ("no change", "raises", "right", "no terms")


def _count(layers: dict[str, str], kind: str) -> int:
    return sum(kind in k and v not in LEFT_OUT for k, v in layers.items())


def _mutants_in_turn(layers: dict[str, str]) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield a name of each mutant, and a function that returns its layer."""
    if _count(layers, ":e ") < OF_EQUATIONS:
        wrong = list(wrong_equations())
        for k in range(OF_EQUATIONS):
            rule, what, mutant = wrong[k * len(wrong) // OF_EQUATIONS]
            yield f"{rule.name}:e {what}", partial(layer_of_equation, mutant)
    # cases see those of rules about matrices
    turns = [_turns(rule) for rule in functions() if rule.name not in FORMS]
    yield from in_turn(turns)


def _turns(rule: FunctionRule, most: int = 12) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield mutants of a rule in a random order that is always the same."""
    drawn = list(mutants_of_function(rule))
    random.Random(rule.name).shuffle(drawn)
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
