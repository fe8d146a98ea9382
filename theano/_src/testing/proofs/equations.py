"""Prove equations over the real numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from theano._src.rewrite.rule import Rule
from theano._src.testing.proofs.reals import REAL_READINGS, read
from theano._src.testing.proofs.world import (
    Angle,
    Log,
    NoReading,
    Pair,
    Real,
    Truth,
    Undecided,
    Value,
    World,
)

Outcome = Literal["proved", "refuted", "undecided", "no reading"]
Domain = Literal["the same", "wider", "narrower", "other"]


@dataclass(frozen=True)
class Proof:
    """The result for an equation over the real numbers.

    Attributes
    ----------
    rule : Rule
    outcome : str
        ``"proved"``: both sides are equal wherever both have a value. ``"refuted"``: they differ at
        ``where``. ``"undecided"``: z3 gave up, or no number is in the domain of the left side.
        ``"no reading"``: an op has no meaning over the real or complex numbers.
    reading : str
        What holes stand for in the proof: ``"number"``, ``"logarithm"`` or ``"angle"`` are all real
        numbers; ``"complex"`` comes after it if the rule takes complex numbers.
    domain : str
        Where the right side has a value, compared with the left side: ``"the same"``, ``"wider"``,
        ``"narrower"`` or ``"other"``.
    where : str
        Numbers at which the sides differ, or only one has a value; or why there is no proof.
    """

    rule: Rule
    outcome: Outcome
    reading: str = ""
    domain: Domain = "the same"
    where: str = ""

    def __bool__(self) -> bool:
        return self.outcome == "proved" and self.domain in ("the same", "wider")

    def __str__(self) -> str:
        text = f"{self.rule.name}: {self.rule.lhs!r} = {self.rule.rhs!r} is {self.outcome}"
        if self.outcome != "proved":
            return f"{text}: {self.where}"
        if self.domain != "the same":
            text += f"; the domain of the right side is {self.domain}, at {self.where}"
        return text


def prove_equation(rule: Rule, seconds: float = 10.0) -> Proof:
    """Prove an equation in one of the readings, or find numbers at which it is wrong."""
    proofs: list[Proof] = []
    reasons: dict[str, str] = {}
    outcome: Outcome = "no reading"
    takes_complex = all("c" in (h.kind or "c") for h in rule.lhs.holes())
    for reading in (*REAL_READINGS, *["complex"] * takes_complex):
        if proofs and reading != "complex":
            continue  # one proof for the real numbers is enough
        try:
            proof = _prove_as(rule, reading, seconds)
        except NoReading as reason:
            reasons[reading] = str(reason)
            continue
        if proof.outcome == "undecided":
            outcome, reasons[reading] = proof.outcome, proof.where
        else:
            proofs.append(proof)
    if not proofs:
        return Proof(rule, outcome, where="; ".join(f"as {r}: {why}" for r, why in reasons.items()))
    for proof in proofs:
        if not proof or proof.domain not in ("the same", proofs[0].domain):
            return proof
    return replace(proofs[0], reading=", ".join(p.reading for p in proofs))


def _prove_as(rule: Rule, reading: str, seconds: float) -> Proof:
    world = World(reading)
    left, in_left = _side(world, rule.lhs)
    right, in_right = _side(world, rule.rhs)
    unequal = differ(world, left, right)
    ask = partial(world.ask, seconds)
    negation = world.z3.Not
    try:
        if ask(in_left, in_right) is None:
            return Proof(rule, "undecided", reading, where="no number is in both domains")
        wrong = ask(in_left, in_right, unequal)
        if wrong is not None:
            return Proof(rule, "refuted", reading, where=world.shown(wrong))
        more, less = ask(in_right, negation(in_left)), ask(in_left, negation(in_right))
    except Undecided as reason:
        return Proof(rule, "undecided", reading, where=f"z3 says {reason}")
    if more is None and less is None:
        return Proof(rule, "proved", reading)
    domain: Domain = "wider" if less is None else "narrower" if more is None else "other"
    return Proof(rule, "proved", reading, domain, world.shown(more if less is None else less))


def _side(world: World, part: Any) -> tuple[Value, Any]:
    """Return the meaning of a side, and the claim that it has a value."""
    world.domain = []
    value = read(world, part)
    return value, world.z3.And(*world.domain)


def differ(world: World, left: Value, right: Value) -> Any:
    """Return the claim that two values differ."""
    match left, right:
        case Real(a), Real(b):
            return a != b
        case Log(a), Log(b):
            return a != b
        case (Log(a), Real(b)) | (Real(b), Log(a)) if world.z3.is_rational_value(b):
            if b.as_fraction() == 0:
                return a != 1
        case Truth(a), Truth(b):
            return a != b
        case Pair(a, b), Pair(c, d):
            return world.z3.Or(a != c, b != d)
        case Angle(a), Angle(b) if a == b:
            return world.z3.BoolVal(False)
    raise NoReading("the two sides are of different kinds")
