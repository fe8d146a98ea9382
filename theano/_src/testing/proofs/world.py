"""Values of proofs, and what is known of them: symbols of z3 with the facts that define them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theano._src.ground.packages import load_for


class NoReading(Exception):
    """An expression has no meaning in a reading."""


class Undecided(Exception):
    """z3 gave up."""


@dataclass(frozen=True)
class Real:
    """A real number."""

    term: Any


@dataclass(frozen=True)
class Log:
    """The logarithm of a positive number."""

    of: Any


@dataclass(frozen=True)
class Angle:
    """A multiple of an angle with known sine and cosine."""

    times: int


@dataclass(frozen=True)
class Pair:
    """A complex number."""

    real: Any
    imag: Any


@dataclass(frozen=True)
class Truth:
    """Whether something holds."""

    term: Any


@dataclass(frozen=True)
class Nothing:
    """NaN: where it is the result, there is no value."""


Value = Real | Log | Angle | Pair | Truth | Nothing


class World:
    """The facts in a reading, and the domain of the side that is being read.

    Attributes
    ----------
    facts : list of terms
        They define the symbols of holes, roots and special functions. Every real number has them,
        so that they restrict nothing.
    domain : list of terms
        Where the expression has a value.
    positions : list
        Arrays in which the position of the greatest number was asked for.
    """

    def __init__(self, reading: str) -> None:
        self.z3 = load_for("prove", "z3", "z3-solver")
        self.reading = reading
        self.facts: list[Any] = []
        self.domain: list[Any] = []
        self.positions: list[Any] = []
        self._known: dict[Any, Any] = {}

    # symbols

    def symbol(self, name: str) -> Any:
        """Return a new real symbol."""
        return self.z3.Real(f"{name}_{len(self._known)}")

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what ``make`` returned for this key first, so that both sides share it."""
        if key not in self._known:
            self._known[key] = None  # names count the keys
            self._known[key] = make()
        return self._known[key]

    def hole(self, name: str, reading: str = "") -> Value:
        """Return what a hole stands for, in a reading of its own if one is given."""
        result: Value = self.once(("hole", name), lambda: self._hole(name, reading or self.reading))
        return result

    def _hole(self, name: str, reading: str) -> Value:
        if reading == "number":
            return Real(self.z3.Real(name))
        if reading == "logarithm":
            e = self.z3.Real(f"exp_{name}")
            self.facts.append(e > 0)
            return Log(e)
        if reading == "complex":
            return Pair(self.z3.Real(f"{name}_re"), self.z3.Real(f"{name}_im"))
        if ("angle",) in self._known:
            raise NoReading("expressions of two angles")
        c, s = self.once(("angle",), lambda: (self.z3.Real("cos"), self.z3.Real("sin")))
        self.facts.append(c * c + s * s == 1)
        return Angle(2)

    def angle(self) -> tuple[Any, Any]:
        """Return the cosine and the sine of the angle."""
        c, s = self._known["angle",]
        return c, s

    # numbers

    def number(self, value: Any) -> Value:
        """Return a constant: a simple fraction, if the number is one that was rounded."""
        if np.isnan(value):
            return Nothing()
        if not np.isfinite(value):
            raise NoReading(f"{value} is no real number")
        exact = Fraction(float(value))
        simple = exact.limit_denominator(1000)
        close = abs(exact - simple) <= abs(exact) * Fraction(1, 1 << 51)
        return Real(self.z3.RealVal(str(simple if close else exact)))

    def root(self, term: Any) -> Any:
        """Return the square root, where there is one; 0 elsewhere."""
        self.domain.append(term >= 0)

        def make() -> Any:
            r = self.symbol("root")
            self.facts += [r >= 0, r * r == self.z3.If(term >= 0, term, 0)]
            return r

        return self.once(("root", term.sexpr()), make)

    def quotient(self, a: Any, b: Any) -> Any:
        self.domain.append(b != 0)
        return a / b

    def log(self, term: Any) -> Log:
        self.domain.append(term > 0)
        return Log(term)

    def floor(self, term: Any) -> Any:
        return self.z3.ToReal(self.z3.ToInt(term))

    def truncated(self, term: Any) -> Any:
        return self.z3.If(term >= 0, self.floor(term), -self.floor(-term))

    def positive(self, name: str) -> Any:
        """Return a positive symbol that both sides share, such as pi / 180."""

        def make() -> Any:
            symbol = self.z3.Real(name)
            self.facts.append(symbol > 0)
            return symbol

        return self.once(("positive", name), make)

    def erf(self, term: Any) -> Any:
        """Return erf as an unknown odd function with values between -1 and 1."""
        function = self.z3.Function("erf", self.z3.RealSort(), self.z3.RealSort())

        def make() -> Any:
            value, mirrored = function(term), function(-term)
            self.facts += [value > -1, value < 1, mirrored == -value]
            return value

        return self.once(("erf", term.sexpr()), make)

    # questions

    def ask(self, seconds: float, *claims: Any) -> Any:
        """Return a model of z3 in which the facts and all claims hold, None if there is none."""
        solver = self.z3.Solver()
        solver.set("timeout", int(1000 * seconds))
        solver.add(*self.facts, *claims)
        answer = solver.check()
        if answer == self.z3.unknown:
            raise Undecided(solver.reason_unknown())
        return solver.model() if answer == self.z3.sat else None

    def shown(self, model: Any) -> str:
        """Return the values of holes in a model as text."""
        names = sorted((str(d), str(model[d])) for d in model.decls() if d.arity() == 0)
        return ", ".join(f"{n} = {v}" for n, v in names if not n.startswith("root_"))
