"""Names, numbers and arrays in LaTeX: the leaves of formulas."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

_GREEK = frozenset(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi "
    "pi rho varrho sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma "
    "Upsilon Phi Psi Omega".split()
)
#: name endings that are written as accents
_ACCENTS = {"hat": "hat", "bar": "bar", "tilde": "tilde", "dot": "dot", "vec": "vec"}
# NOTE: "<" and ">" too: an HTML page may read them as tags
_ESCAPED = {
    "\\": r"\backslash ", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\hat{\ }", "~": r"\sim ", "<": r"\lt ", ">": r"\gt ",
    " ": r"\ ", "\t": r"\ ", "\n": r"\ ", "'": r"\prime ", "-": r"\text{-}",
}  # fmt: skip
_DERIVATIVE = re.compile(r"\(d([^()/]+)/d([^()/]+)\)")
#: arrays with more rows or columns are written by their shape
_WIDEST = 4


def escaped(text: str) -> str:
    """Escape any text for use in a formula.

    >>> print(escaped("a_b < {c}"))
    a\\_b\\ \\lt \\ \\{c\\}
    """
    return "".join(_ESCAPED.get(c, c if c.isprintable() else r"\ ") for c in text)


def upright(text: str) -> str:
    """Return any text in upright letters."""
    return rf"\mathrm{{{escaped(text)}}}"


def function_name(name: str) -> str:
    """Return the name of a function: TeX's own command if there is one, else upright."""
    return rf"\{name}" if name in _KNOWN else rf"\operatorname{{{escaped(name)}}}"


_KNOWN = frozenset("sin cos tan sinh cosh tanh arcsin arccos arctan exp log max min det".split())


def name(text: str) -> str:
    """Return the name of a variable, with Greek letters, subscripts, accents, derivatives.

    >>> for word in ("x", "theta", "w_1", "W_hidden", "x_hat", "loss", "(dcost/dx)"):
    ...     print(name(word))
    x
    \\theta
    w_{1}
    W_{\\mathrm{hidden}}
    \\hat{x}
    \\mathrm{loss}
    \\frac{\\partial \\mathrm{cost}}{\\partial x}
    """
    if match := _DERIVATIVE.fullmatch(text):
        above, below = map(name, match.groups())
        return rf"\frac{{\partial {above}}}{{\partial {below}}}"
    first, *rest = text.split("_")
    if not first or "" in rest or not all(map(str.isalnum, (first, *rest))):
        return _word(text)
    letters = first.rstrip("0123456789")
    if letters and letters != first and (len(letters) == 1 or letters in _GREEK):
        first, rest = letters, [first[len(letters) :], *rest]
    written = _word(first)
    if rest and rest[0] in _ACCENTS:
        written, rest = rf"\{_ACCENTS[rest[0]]}{{{written}}}", rest[1:]
    return rf"{written}_{{{', '.join(map(_word, rest))}}}" if rest else written


def _word(text: str) -> str:
    if text in _GREEK:
        return rf"\{text}"
    if text.isdigit() or (len(text) == 1 and text.isalpha()):
        return text
    return upright(text)


def number(value: Any) -> str:
    """Return a number with at most six digits; an exponent becomes a power of 10.

    >>> for value in (2.0, np.pi, 1e-8, -2.5e300, np.float32(0.1), float("inf"), 1 + 2j, True):
    ...     print(number(value))
    2
    3.14159
    10^{-8}
    -2.5 \\cdot 10^{300}
    0.1
    \\infty
    1 + 2 i
    \\mathrm{True}
    """
    if isinstance(value, (bool, np.bool_)):
        return upright(str(value))
    if isinstance(value, (complex, np.complexfloating)):
        sign = "-" if np.signbit(value.imag) else "+"
        return f"{number(value.real)} {sign} {number(abs(value.imag))} i"
    text = str(value)
    if isinstance(value, (float, np.floating)):
        text = min(text, f"{value:.6g}", key=len)
    if "nan" in text:
        return upright("NaN")
    if "inf" in text:
        return text.replace("inf", r"\infty")
    digits, _, exponent = text.partition("e")
    digits = digits.removesuffix(".0")
    if not exponent:
        return digits
    power = f"10^{{{int(exponent)}}}"
    if digits in ("1", "-1"):
        return digits[:-1] + power
    return rf"{digits} \cdot {power}"


def array(value: np.ndarray) -> str:
    """Return a small array as a matrix; a larger one as its common value, or const, and shape.

    >>> print(array(np.array([[1, 2], [3, 4]])))
    \\begin{bmatrix}1 & 2 \\\\ 3 & 4\\end{bmatrix}
    >>> print(array(np.zeros((3, 50))))
    \\mathbf{0}_{3 \\times 50}
    """
    if value.size == 1:
        # under broadcasting, an array of one element is the same as a number
        return number(value.reshape(())[()])
    if value.ndim <= 2 and value.size > 0 and max(value.shape) <= _WIDEST:
        rows = np.atleast_2d(value)
        return matrix([[number(v) for v in row] for row in rows])
    shape = r" \times ".join(map(str, value.shape))
    first = value.flat[0] if value.size else 0
    same = value.size and bool(np.all(value == first))
    word = rf"\mathbf{{{number(first)}}}" if same else upright("const")
    return f"{word}_{{{shape}}}"


def matrix(rows: list[list[str]]) -> str:
    """Return rows of cells between brackets."""
    inside = r" \\ ".join(" & ".join(row) for row in rows)
    return rf"\begin{{bmatrix}}{inside}\end{{bmatrix}}"
