"""Values of proofs, and what is known of them: symbols of z3 with the facts that define them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theano._src.ground.packages import load_for

#: steps of z3 in a second, about
_STEPS = 5_000_000


class NoReading(Exception):
    """An expression has no meaning in a reading."""


class NoNumber(NoReading):
    """Nothing is known for some values of the inputs, such as those for which 1 / 0 is computed."""


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
        Arrays whose argmax was taken.
    orders : bool
        Whether numbers are compared for such positions, in the cases of ``path``.
    guessed : bool
        Whether an exponential or a logarithm is a symbol that is not bound to its number: then
        equal terms are equal, and numbers at which terms differ say nothing.
    assumed : bool
        Whether the domain has facts of hints: a claim about no numbers is no proof.
    rounded : bool
        Whether a known number is no simple fraction, and may be a result that was rounded.
    """

    def __init__(
        self, reading: str, *, free: bool = False, orders: bool = False, path: Sequence[int] = ()
    ) -> None:
        self.z3 = load_for("prove", "z3", "z3-solver")
        self.reading = reading
        self.orders = orders
        self.guessed, self.assumed, self.rounded = False, False, False
        self.path, self.taken = path, list[tuple[int, int]]()
        self._free = free
        self.facts: list[Any] = []
        self.domain: list[Any] = []
        self.positions: list[Any] = []
        self._known: dict[Any, Any] = {}
        self._powers: dict[int, Any] = {}

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
            raise NoNumber(f"{value} is no real number")
        exact = Fraction(float(value))
        simple = exact.limit_denominator(1000)
        close = abs(exact - simple) <= abs(exact) * Fraction(1, 1 << 51)
        self.rounded = self.rounded or not close
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
        return term if self.is_whole(term) else self.z3.ToReal(self.z3.ToInt(term))

    def truncated(self, term: Any) -> Any:
        return self.z3.If(term >= 0, self.floor(term), -self.floor(-term))

    def is_whole(self, term: Any) -> bool:
        """Return whether a term is a whole number by its form."""
        z3 = self.z3
        if z3.is_rational_value(term):
            return bool(term.denominator_as_long() == 1)
        if z3.is_app_of(term, z3.Z3_OP_TO_REAL):
            return True
        wholes = (z3.Z3_OP_UMINUS, z3.Z3_OP_ADD, z3.Z3_OP_SUB, z3.Z3_OP_MUL, z3.Z3_OP_ITE)
        parts = term.children()[z3.is_app_of(term, z3.Z3_OP_ITE) :]
        known = any(z3.is_app_of(term, kind) for kind in wholes)
        return known and all(map(self.is_whole, parts))

    # exponentials and logarithms of any number

    def exp(self, term: Any) -> Any:
        """Return exp of a polynomial: the product of exp of its parts, which are symbols.

        They are positive and otherwise free, so that what holds for them holds for exp.
        """
        if not self._free:
            raise NoReading("exp takes a logarithm")
        z3 = self.z3
        sums = z3.simplify(term, som=True)
        result = z3.RealVal(1)
        for part in sums.children() if z3.is_add(sums) else [sums]:
            factor, base = Fraction(1), part
            if z3.is_rational_value(part):
                factor, base = part.as_fraction(), z3.RealVal(1)
            elif z3.is_mul(part) and z3.is_rational_value(part.arg(0)):
                factor = part.arg(0).as_fraction()
                rest = part.children()[1:]
                base = rest[0] if len(rest) == 1 else z3.simplify(z3.Product(*rest), som=True)
            if not factor:
                continue
            if abs(factor.numerator) > 16:
                factor, base = Fraction(1), part
            base = base if factor.denominator == 1 else z3.simplify(base / factor.denominator)
            power = z3.Product(*[self._atom(base)] * abs(factor.numerator))
            result = result * power if factor > 0 else result / power
        return result

    def _atom(self, term: Any) -> Any:
        def make() -> Any:
            e = self.symbol("exp")
            self.facts.append(e > 0)
            self.guessed = True
            self._powers[e.get_id()] = term
            return e

        return self.once(("exp", _Held(term)), make)

    def logarithm(self, term: Any) -> Any:
        """Return log as a number: of exp its input, of other terms a symbol."""
        if not self._free:
            raise NoReading("a function of numbers is given logarithms")
        z3 = self.z3
        if term.get_id() in self._powers:
            return self._powers[term.get_id()]
        if z3.is_mul(term):
            return z3.Sum(*map(self.logarithm, term.children()))
        if z3.is_div(term):
            return self.logarithm(term.arg(0)) - self.logarithm(term.arg(1))
        if z3.is_rational_value(term) and term.as_fraction() == 1:
            return z3.RealVal(0)

        def make() -> Any:
            self.guessed = True
            return self.symbol("log")

        return self.once(("log", _Held(z3.simplify(term, som=True))), make)

    def unknown(self, name: str, term: Any) -> Any:
        """Return a function of which only is known that equal numbers give equal values."""
        if not self._free:
            raise NoReading(f"{name} takes a logarithm")

        def make() -> Any:
            self.guessed = True
            return self.symbol(name)

        return self.once((name, _Held(self.z3.simplify(term, som=True))), make)

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
        # z3 counts its steps, so that a slow machine gives up no sooner
        solver.set("rlimit", int(_STEPS * seconds))
        solver.add(*self.facts, *claims)
        answer = solver.check()
        if answer == self.z3.unknown:
            raise Undecided(solver.reason_unknown())
        return solver.model() if answer == self.z3.sat else None

    def choose(self, cases: Sequence[Any], seconds: float = 1.0) -> int:
        """Return which of some cases is assumed; ``path`` says so where several are possible."""
        possible = [k for k, claim in enumerate(cases) if self.may_be(claim, seconds)]
        if not possible:
            raise ValueError("none of no numbers is the greatest")
        if len(possible) > 1:
            at = len(self.taken)
            chosen = self.path[at] if at < len(self.path) else 0
            self.taken.append((chosen, len(possible)))
            possible = possible[chosen:]
            self.facts.append(cases[possible[0]])
        return possible[0]

    def may_be(self, claim: Any, seconds: float = 1.0) -> bool:
        """Return whether a claim holds somewhere, as far as z3 knows."""
        try:
            return self.ask(seconds, claim) is not None
        except Undecided:
            return True

    def shown(self, model: Any) -> str:
        """Return the values of holes in a model as text."""
        names = sorted((str(d), str(model[d])) for d in model.decls() if d.arity() == 0)
        return ", ".join(f"{n} = {v}" for n, v in names if not n.startswith("root_"))


class _Held:
    """A term by its identity: z3 keeps one copy of equal terms."""

    def __init__(self, term: Any) -> None:
        self.term = term

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and bool(self.term.eq(other.term))

    def __hash__(self) -> int:
        return int(self.term.hash())
