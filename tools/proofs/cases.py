"""Rules about inverses, determinants and factors, on random matrices.

A case is one draw of the operands of a form, which is an expression on which the rule fires. The
graph before the rule and the graph after it are computed in float64, many cases at once. They may
differ by a multiple of the error that lengths and condition numbers let expect. Some cases are
also computed one at a time, and compared with 60 digits.
"""

from __future__ import annotations

import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import mpmath as mp
import numpy as np

import theano.tensor as T
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.walk import equal_computations
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.pipeline import RULES
from tools.proofs.forms import FORMS, GENERAL, Form
from tools.proofs.mutants import limited, mutants_of_function
from tools.proofs.readings import DIGITS, Bounds, Exact, shares
from tools.proofs.record import CASES, cases_of, entry_of, save, when

#: how many cases are computed at once, and how many of these exactly
AT_ONCE, EXACTLY = 250, 3
#: on how many cases of a form a mutant is tried, and on how many at once
OF_MUTANTS, MUTANTS_AT_ONCE = 240, 20
#: a factor that is wrong in the ninth digit
SLIGHTLY = 1 + 1e-9


@cache
def after(name: str) -> list[tuple[Any, Any]]:
    """Return the functions of the graphs after a rule, for each form."""
    return [form.compiled(RULES[name]) for form in FORMS[name]]


# cases


def chunk(name: str, number: int, count: int = AT_ONCE) -> tuple[int, list[Any]]:
    """Return the place of a form, and operands for it."""
    at = number % len(FORMS[name])
    rng = np.random.default_rng([zlib.crc32(name.encode()), number])
    return at, FORMS[name][at].draw(rng, count)


def bounds_of(form: Form, operands: Sequence[Any]) -> list[Any]:
    m = Bounds()
    return list(form.outputs(m, *map(m.operand, operands)))


def difference(form: Form, many: Any, operands: Sequence[Any]) -> Any:
    """Return the difference of each case after rewriting, as a share of what it may be."""
    with np.errstate(all="ignore"):
        old, new = form.before[0](*operands), many(*operands)
    if any(p.shape != q.shape for p, q in zip(old, new, strict=True)):
        return np.full(len(operands[0]), np.inf)
    rows = zip(bounds_of(form, operands), old, new, strict=True)
    return np.max([shares(bound, p, q) for bound, p, q in rows], axis=0)


def exact_difference(form: Form, sides: tuple[Any, Any], operands: Sequence[Any]) -> float:
    """Return the largest difference of results from the true ones, as a share of what it may be.

    Both graphs are computed for one case at a time, and for all at once.
    """
    one_by_one = [[x[i] for x in operands] for i in range(len(operands[0]))]
    with mp.workdps(DIGITS):
        m = Exact()
        rows = [form.outputs(m, *map(m.operand, row)) for row in one_by_one]
        true = [np.stack([np.asarray(v, object).astype(float) for v in c]) for c in zip(*rows)]
    largest = 0.0
    bounds = bounds_of(form, operands)
    with np.errstate(all="ignore"):
        for many, one in (form.before, sides):
            alone = [np.stack(c) for c in zip(*(one(*row) for row in one_by_one), strict=True)]
            for results in (many(*operands), alone):
                for bound, p, q in zip(bounds, true, results, strict=True):
                    largest = max(largest, float(np.max(shares(bound, p, q))))
    return largest


def try_chunk(name: str, number: int, count: int = AT_ONCE) -> tuple[float, float, int]:
    """Return the largest difference of both sides, that from true results, and the first's case."""
    at, operands = chunk(name, number, count)
    form, sides = FORMS[name][at], after(name)[at]
    apart = difference(form, sides[0], operands)
    worst = int(np.argmax(apart))
    exact = exact_difference(form, sides, [x[:EXACTLY] for x in operands])
    return float(apart[worst]), exact, worst


# mutants


def broken_results(rule: FunctionRule) -> Iterator[tuple[str, FunctionRule]]:
    """Yield rules whose results are negated, not quite right, or transposed."""

    def turned(v: Any) -> Any:
        return v.T if v.ndim == 2 else v

    changes = {"negated": lambda v: -v, "1e-9 more": lambda v: v * SLIGHTLY, "transposed": turned}
    for what, change in changes.items():
        yield f"result: {what}", _changed(rule, change)


def _changed(rule: FunctionRule, change: Callable[[Any], Any]) -> FunctionRule:
    def fn(*args: Any) -> Any:
        results = rule.fn(*args)
        if isinstance(results, dict):
            return {old: change(new) for old, new in results.items()}
        return results and [T.patternbroadcast(change(v), v.broadcastable) for v in results]

    fn.__doc__ = rule.fn.__doc__
    mutant = FunctionRule(fn, rule.name, rule.group, rule.tracks, depth=rule.depth)
    mutant._with_graph = rule._with_graph
    return mutant


def mutants_of(name: str) -> Iterator[tuple[str, FunctionRule]]:
    yield from broken_results(RULES[name])
    yield from mutants_of_function(RULES[name])


def mixes(graph: FunctionGraph, others: Sequence[FunctionGraph]) -> bool:
    """Whether each output is computed as in one of other graphs."""
    return all(
        any(equal_computations([out], [g.outputs[i]], graph.inputs, g.inputs) for g in others)
        for i, out in enumerate(graph.outputs)
    )


def layer_of(name: str, mutant: Any) -> str:
    """Return whether cases show that a mutant is wrong, or why it is left out.

    "no change" is one that leaves the graph, does what the rule does, raises or does not end;
    "right" has the digits of the rule in all cases.
    """
    others = [f for rule, forms in FORMS.items() if rule != name for f in forms]
    found = set()
    for form in (*FORMS[name], *GENERAL, *others):
        try:
            with limited(30), warnings.catch_warnings():
                warnings.simplefilter("error")  # of rules that undo each other
                graph = form.rewritten(mutant)
                if mixes(graph, [form.rewritten(None), form.rewritten(RULES[name])]):
                    continue
                many, _ = form.compiled(mutant)
        except Exception:
            continue
        found.add(_seen(form, many, form.compiled(RULES[name])[0]))
        if "cases" in found:
            return "cases"
    return "none" if "none" in found else "right" if found else "no change"


def _seen(form: Form, many: Any, right: Any) -> str:
    same = True
    for seed in range(OF_MUTANTS // MUTANTS_AT_ONCE):
        operands = form.draw(np.random.default_rng(seed), MUTANTS_AT_ONCE)
        try:
            if (difference(form, many, operands) > 1).any():
                return "cases"
        except (ValueError, AssertionError):
            return "cases"  # the graph of the form has a value
        with np.errstate(all="ignore"):
            pairs = zip(many(*operands), right(*operands), strict=True)
            same = same and all(np.array_equal(a, b, equal_nan=True) for a, b in pairs)
    return "right" if same else "none"


# the record


def record_cases(seen: dict[str, Any], names: Sequence[str], seconds: float) -> None:
    """Try mutants, and cases of rules in turn, until each has enough or the time is over."""
    until, saved = time.monotonic() + seconds, time.monotonic()
    for name in names:
        entry = entry_of(seen, RULES[name])
        if "mutants" not in entry:
            entry["mutants"] = {what: layer_of(name, m) for what, m in mutants_of(name)}
    for name in _turns(seen, names):
        record_chunk(seen, name)
        if time.monotonic() - saved > 20:
            save("cases", seen)
            saved = time.monotonic()
        if time.monotonic() > until:
            break
    save("cases", seen)


def _turns(seen: dict[str, Any], names: Sequence[str]) -> Iterator[str]:
    left = list(names)
    while left:
        left = [n for n in left if cases_of(seen, RULES[n]) < CASES]
        yield from left


def record_chunk(seen: dict[str, Any], name: str, count: int = AT_ONCE) -> None:
    """Try the next cases of a rule."""
    entry = entry_of(seen, RULES[name])
    start = {"chunks": 0, "cases": 0, "exactly": 0, "largest": 0.0, "exact": 0.0, "wrong": []}
    row = entry.setdefault("seen", start)
    largest, exact, worst = try_chunk(name, row["chunks"], count)
    if max(largest, exact) > 1 and len(row["wrong"]) < 5:
        row["wrong"].append(f"case {worst} of chunk {row['chunks']}: {largest:.3g}, {exact:.3g}")
    row["largest"], row["exact"] = max(row["largest"], largest), max(row["exact"], exact)
    row["chunks"] += 1
    row["cases"] += count
    row["exactly"] += EXACTLY
    entry.update(when())


def wrong_in(seen: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the name of a rule and its case, for each that is wrong."""
    for name, entry in seen.items():
        yield from ((name, case) for case in entry.get("seen", {}).get("wrong", ()))
