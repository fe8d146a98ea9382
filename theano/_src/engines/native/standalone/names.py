"""Names of C for variables of the user."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: words of C and C++, and functions that their headers define
_WORDS = frozenset(
    """alignas alignof and asm auto bool break case catch char class complex const constexpr
    continue decltype default delete do double else enum explicit export extern false float for
    friend goto if imaginary inline int interrupt long main mutable namespace new noexcept not
    nullptr operator or private protected public register restrict return short signed sizeof static
    struct switch template this throw true try typedef typeid typename typeof union unsigned using
    virtual void volatile while xor
    abs acos acosh asin asinh assert atan atan2 atanh cbrt ceil copysign
    cos cosh div erf erfc errno exp exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp gamma
    hypot ilogb isfinite isinf isnan isnormal isgreater isgreaterequal isless islessequal
    islessgreater isunordered fpclassify j0 j1 jn labs ldexp lgamma llrint llround log log10 log1p
    log2 logb lrint lround memcpy memmove memset modf nan nearbyint nextafter nexttoward offsetof
    pow remainder remquo rint round scalbln scalbn signbit signgam sin sinh sqrt tan tanh tgamma
    trunc y0 y1 yn
    unix linux i386 near far small arange""".split()
)
#: macros and types of the headers, and functions of this package's own
_TAKEN = re.compile(
    r"NULL|EOF|NAN|INFINITY|DOMAIN|SING|OVERFLOW|UNDERFLOW|PLOSS|TLOSS|SNANF?|SNANL|U?INT\w*"
    r"|(SIZE|PTRDIFF|WCHAR|WINT|SIG_ATOMIC|HUGE|FP|MATH|M)_[A-Z0-9_]+|HUGE"
    r"|(u?int\w*|size|ssize|ptrdiff|wchar|float|double|max_align|time|off)_t"
    r"|(nest|step)\d+(_data|_sizes)?|th_\w+|(take|put|add|sub)_pairs_\w+"
    r"|\w+_([fiu](8|16|32|64)|u?int\d+|float\d+|bool)"
)


class Names:
    """Names of C that differ from each other, from words of C, and from names of our own.

    >>> names = Names(["y"])
    >>> names.new("x"), names.new("x"), names.new("int"), names.new("a b"), names.new("y")
    ('x', 'x_2', 'int_2', 'a_b', 'y_2')
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def copy(self) -> Names:
        return Names(self._taken)

    def new(self, hint: str, *endings: str) -> str:
        """A name like ``hint``; with each of the ``endings`` it is unused too."""
        plain = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in hint)
        plain = plain.strip("_") or "v"
        if plain[0].isdigit():
            plain = f"v{plain}"
        if _TAKEN.fullmatch(f"{plain}_2"):
            plain = f"v_{plain}"  # no number makes it another name
        name, n = plain, 1
        while _is_word(name) or not self._taken.isdisjoint({name, *(name + e for e in endings)}):
            n += 1
            name = f"{plain}_{n}"
        self._taken |= {name, *(name + e for e in endings)}
        return name


def _is_word(name: str) -> bool:
    # functions of libm for float and long double end in f and l
    return (
        name in _WORDS
        or (name[-1] in "fl" and name[:-1] in _WORDS)
        or _TAKEN.fullmatch(name) is not None
    )
