"""The page of certificates: for each rule its claim, and how it is shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from theano._src.rules.pipeline import RULES
from theano._src.testing.proofs.floats import Sweep
from theano.testing import Bounded, prove
from tools.marked import with_block
from tools.proofs.forms import FORMS
from tools.proofs.record import (
    CASES,
    ROOT,
    cases_of,
    claim_of,
    entry_of,
    equations,
    functions,
    load,
    unknown,
)
from tools.proofs.sweeps import SWEEPS, broken, is_done, parts_of

PAGE = ROOT / "docs" / "internals" / "proofs.md"
#: which share of mutants is seen by any layer, and by proof or all numbers alone
CAUGHT, BY_PROOF = 0.995, 0.95
#: layers of mutants that are not counted, and those that are no proof
LEFT_OUT = ("no change", "raises", "right", "no terms")
NOT_SEEN = ("floats", "none", "not decided")
#: layers of mutants that nothing shows to be wrong
UNSEEN = ("none", "not decided")


class Versions:
    """Letters for versions of packages, which are written once below a table."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def cell(self, *rows: dict[str, Any]) -> str:
        """Return the last date, with the letters of the versions."""
        rows = tuple(r for r in rows if "date" in r)
        if not rows:
            return ""
        letters = {self._letters.setdefault(r["versions"], chr(97 + len(self._letters)))
                   for r in rows}  # fmt: skip
        return f"{max(r['date'] for r in rows)} {''.join(sorted(letters))}"

    def lines(self) -> list[str]:
        return ["", *(f"Versions {k}: {text}.  " for text, k in self._letters.items())]


def proof_cell(proof: Any) -> str:
    text = f"{proof.outcome} ({proof.reading})"
    return text if proof.domain == "the same" else f"{text}; {proof.domain}, at {proof.where}"


def sweep_cell(row: dict[str, Any] | None, parts: int) -> str:
    """How many numbers were tried, and the largest errors of the left and the right side."""
    if not row or not row["parts"]:
        return ""
    seen = Sweep(**row["seen"])
    count = "all" if row["parts"] == parts else f"{seen.count / 1e6:,.0f} M"
    text = f"{count}: {units(seen.old)} → {units(seen.new)}"
    if seen.most > 0:
        text += f", at most +{units(seen.most)}"
    return text if not seen.missing else f"{text}, {seen.missing:,} lost"


def units(error: float) -> str:
    return f"{error:.1f}" if error < 1000 else f"{error:.0e}"


def equation_rows(seen: dict[str, Any]) -> list[str]:
    versions = Versions()
    lines = [
        "| rule | equation | how it is shown | over the numbers | float32, NumPy | float32, XLA "
        "| float16 | room | date |",
        "|---|---|---|---|---|---|---|---:|---|",
    ]
    for rule in equations():
        proof = prove(rule)
        shown = "exhausted" if len(rule.lhs.holes()) == 1 and is_done(seen, rule) else "tested"
        cells = [f"`{rule.name}`", f"`{claim_of(rule)}`", f"{proof.outcome}, {shown}"]
        cells.append(proof_cell(proof))
        rows = entry_of(seen, rule).get("sweeps", {})
        for dtype, linker in SWEEPS:
            cells.append(sweep_cell(rows.get(f"{dtype} {linker}"), parts_of(rule, dtype)))
        cells += [f"{rule.ulp:g}", versions.cell(*rows.values())]
        lines.append(f"| {' | '.join(cells)} |")
    return lines + versions.lines()


def function_rows(seen: dict[str, Any], varied: dict[str, Any], cases: dict[str, Any]) -> list[str]:
    versions = Versions()
    lines = ["| rule | claim | how it is shown | date |", "|---|---|---|---|"]
    for rule in functions():
        claim, entry = rule.equation.replace("|", "\\|"), entry_of(seen, rule)
        tried = entry_of(cases, rule)
        how = [shown(entry) + on_variations(entry_of(varied, rule))]
        how += [case_cell(tried)] if "seen" in tried else []
        cells = [f"`{rule.name}`", claim, "; ".join(how), versions.cell(entry, tried)]
        lines.append(f"| {' | '.join(cells)} |")
    return lines + versions.lines()


def on_variations(entry: dict[str, Any]) -> str:
    """Return on how many variations a rule fires, and on how many of these it is proved."""
    outcomes = list(entry.get("outcomes", {}).values())
    if not outcomes:
        return ""
    return f"; on {outcomes.count('proved')} of {len(outcomes)} variations"


def shown(entry: dict[str, Any]) -> str:
    match entry.get("outcome"):
        case "proved":
            names = ("cases", "errors", "skipped", "empty", "where")
            return str(Bounded("proved", **{n: entry[n] for n in names}))
        case "bounded":
            return (
                f"bounded: the sides differ by at most {entry['bound']:.4g} "
                f"on {entry['cases']:,} float32"
            )
        case None:
            return "tested on an example and by random programs"
    return f"tested on an example and by random programs; no proof: {entry['where']}"


def case_cell(entry: dict[str, Any]) -> str:
    """How many matrices were tried, the largest difference, and how many mistakes are seen."""
    row, layers = entry["seen"], list(entry["mutants"].values())
    counted = sum(layer not in LEFT_OUT for layer in layers)
    return (
        f"tested on {row['cases']:,} cases: at most {max(row['largest'], row['exact']):.2g} of the "
        f"bound; {layers.count('cases')} of {counted} mistakes are seen"
    )


#: what is known of a rule on a variation of its example
OUTCOMES = {
    "proved": "proved",
    "tried": "the same on arrays of numbers; there is no proof",
    "unknown": "neither",
    "refuted": "wrong",
    "fails": "the rule raises an error, and is passed over with a warning",
}


#: parts of reasons, and what the page says of them
REASONS = {
    "raises for all lengths": "the graph raises for all lengths",
    "arrays of complex numbers": "complex numbers, which are tried on arrays",
    "exp and log are unknown": "z3 gives up, or a difference may be one of unknown functions",
    "canceled": "z3 gives up, or a difference may be one of unknown functions",
    "seconds": "it takes too long",
    "truth values": "truth values or logarithms among numbers",
    "different kinds": "truth values or logarithms among numbers",
    "int_div": "division that rounds has no terms",
    "power": "powers that are no simple constant have no terms",
}


def variation_rows(seen: dict[str, Any]) -> list[str]:
    outcomes = [v for row in seen.values() for v in row["outcomes"].values()]
    lines = ["| what is known | variations |", "|---|---:|"]
    lines += [f"| {text} | {outcomes.count(k):,} |" for k, text in OUTCOMES.items()]
    lines += ["", "| why there is no proof | variations |", "|---|---:|"]
    reasons = Counter(
        reason(row["why"].get(name, ""))
        for row in seen.values()
        for name, v in row["outcomes"].items()
        if v in ("tried", "unknown")
    )
    lines += [f"| {why} | {count} |" for why, count in sorted(reasons.items(), key=_most_first)]
    tried, versions = sum(row["tried"] for row in seen.values()), Versions()
    return [
        *lines,
        "",
        f"Of {tried:,} graphs that were built, rules fire on {len(outcomes):,}. "
        f"Date: {versions.cell(*seen.values())}.",
        *versions.lines(),
    ]


def reason(why: str) -> str:
    """Return why there is no proof, in few words."""
    known = (text for part, text in REASONS.items() if part in why)
    return next(known, why.removeprefix("no reading: "))


def _most_first(row: tuple[str, int]) -> tuple[int, str]:
    return -row[1], row[0]


def pass_rows(seen: dict[str, Any]) -> list[str]:
    versions = Versions()
    lines = ["| graphs | tried | how it is shown | wrong | date |", "|---|---:|---|---:|---|"]
    for kind, row in seen.items():
        how = "exhausted" if row.get("done") and kind.startswith("all") else "tested"
        text = f"{kind} steps" if kind.startswith("all") else "random ones of up to 12 steps"
        lines.append(
            f"| {text} | {row['tried']:,} | {how} | {len(row['wrong'])} | {versions.cell(row)} |"
        )
    return lines + versions.lines()


#: layers that see mutants, and what the page says of them
LAYERS = {
    "proof": "proof",
    "exhaustion": "all float16",
    "floats": "some floats or arrays",
    "not decided": "nothing: no proof, and the same on arrays",
    "none": "nothing",
}


def shares(layers: dict[str, str]) -> tuple[int, int, int]:
    """Return how many mutants count, are seen, and are seen by proof or all float16."""
    rows = [v for v in layers.values() if v not in LEFT_OUT]
    return len(rows), sum(v not in UNSEEN for v in rows), sum(v not in NOT_SEEN for v in rows)


def mutant_rows(seen: dict[str, Any]) -> list[str]:
    kinds = [[v for name, v in seen["layers"].items() if kind in name] for kind in (":e ", ":f ")]
    lines = ["| seen by | mutants of equations | of functions |", "|---|---:|---:|"]
    lines += [
        f"| {text} | {' | '.join(str(layers.count(k)) for layers in kinds)} |"
        for k, text in LAYERS.items()
    ]
    layers = list(seen["layers"].values())
    left_out = {k: layers.count(k) for k in LEFT_OUT}
    counted, caught, proved = shares(seen["layers"])
    lost = [name for name, layer in seen["layers"].items() if layer in NOT_SEEN]
    versions = Versions()
    return [
        *lines,
        "",
        f"Of {counted} mutants {caught / counted:.1%} are seen, and {proved / counted:.1%} by a "
        f"proof or all float16. Left out: {left_out['no change']} that change no graph, "
        f"{left_out['raises']} that raise or do not end, {left_out['right']} that are right, and "
        f"{left_out['no terms']} that leave arrays of complex numbers the same, which have no "
        "terms, and may be right. "
        f"Not seen by a proof: {', '.join(f'`{n}`' for n in lost) or 'none'}. "
        f"Date: {versions.cell(seen)}.",
        *versions.lines(),
    ]


def page_with(text: str) -> str:
    text = with_block(text, "equations", "\n".join(equation_rows(load("floats"))))
    text = with_block(
        text,
        "functions",
        "\n".join(function_rows(load("functions"), load("variations"), load("cases"))),
    )
    text = with_block(text, "variations", "\n".join(variation_rows(load("variations"))))
    text = with_block(text, "passes", "\n".join(pass_rows(load("passes"))))
    return with_block(text, "mutants", "\n".join(mutant_rows(load("mutants"))))


def write() -> None:
    PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def lacking() -> Iterator[str]:
    """Yield what the page and the records lack: a release needs evidence for each rule."""
    text = PAGE.read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", text, re.M))
    floats, graphs, cases = load("floats"), load("functions"), load("cases")
    for name, rule in RULES.items():
        if claim_of(rule).replace("|", "\\|") not in rows.get(name, ""):
            yield f"{name} has no row of its claim"
        elif name in graphs and graphs[name]["outcome"] == "refuted":
            yield f"{name} is refuted: {graphs[name]['where']}"
        elif not (
            {"sweeps", "outcome"} & entry_of(floats if name in floats else graphs, rule).keys()
        ):
            yield f"{name} was not tried"
        elif name in FORMS and cases_of(cases, rule) < CASES:
            yield f"{name} was tried on {cases_of(cases, rule):,} of {CASES:,} cases"
        elif wrong := entry_of(cases, rule).get("seen", {}).get("wrong"):
            yield f"{name} is wrong in {wrong[0]}"
    yield from (f"{name} is no rule" for name in unknown([*floats, *graphs, *cases]))
    yield from broken(floats, equations())
    yield from (
        f"{kind}: {row['wrong'][0]}" for kind, row in load("passes").items() if row["wrong"]
    )
    counted, caught, proved = shares(load("mutants")["layers"])
    if caught < CAUGHT * counted or proved < BY_PROOF * counted:
        yield f"of {counted} mutants {caught} are seen, {proved} by proof"
