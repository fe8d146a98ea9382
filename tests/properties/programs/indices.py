"""Lines that read and write parts of arrays."""

from __future__ import annotations

from typing import Any

from tests.properties.programs.description import Line
from tests.properties.programs.numbers import Num, kind_of


def _part(d: Any, n: int) -> str:
    choice = d.below(10)
    if choice < 3:
        return ":"
    if choice < 5 and n:
        return d.integer(d.below(2 * n) - n)
    # bounds outside the array are cut, as Python cuts them
    near = min(n, 12)
    bounds = [d.integer(d.below(2 * near + 5) - near - 2) if d.chance(60) else "" for _ in "ab"]
    step = d.integer(d.among((1, 2, -1, -2, -1))) if d.chance(45) else ""
    return f"{bounds[0]}:{bounds[1]}:{step}"


def basic(d: Any, n: Num, new_axes: bool = True) -> str:
    """An index of numbers, slices, new axes and an ellipsis."""
    count = 1 + d.below(n.ndim)
    parts = [_part(d, m) for m in n.x.shape[:count]]
    if new_axes and d.chance(12):
        parts.insert(d.below(len(parts) + 1), "None")
        # Theano drops broadcastable dimensions that such an index does not name
        parts += [":"] * (n.ndim - count)
    if count < n.ndim and d.chance(20):
        return ", ".join(["...", *[_part(d, m) for m in n.x.shape[n.ndim - count :]]])
    return ", ".join(parts)


def _array(d: Any, n: int, shape: tuple[int, ...], unique: bool = False) -> str:
    """Positions along a length: a value that fits, or new ones."""

    def fits(v: Num) -> bool:
        if kind_of(v.dtype) not in "iu" or v.x.shape != shape or any(v.ones):
            return False
        return not v.x.size or (-n <= v.x.min() and v.x.max() < n)

    found = d.pick(fits) if d.chance(40) and not unique else None
    return found[0] if found else d.positions(n, shape, unique)


def advanced(d: Any, n: Num, unique: bool = False, new_axes: bool = True) -> str | None:
    """An index with arrays of integers among numbers and slices."""
    if not n.x.size and d.chance(70):
        return None
    lengths = n.x.shape
    if d.large:
        return _array(d, lengths[0], (d.among((3, 50, 20_000)),))
    rank = d.among((1, 1, 1, 2))
    shape = tuple(d.among((2, 3, 4, 1)) for _ in range(rank))
    if unique:
        shape = (1 + d.below(max(1, min(lengths))),)
    count = 1 + d.below(min(2, n.ndim))
    where = sorted(d.shuffled(range(n.ndim))[:count])
    parts = []
    for i in range(n.ndim):
        if i in where:
            parts.append(_array(d, lengths[i], shape, unique))
        elif i < where[-1] or d.chance(40):
            parts.append(_part(d, lengths[i]) if d.chance(60) else ":")
    if count == 2 and not unique and rank == 1 and d.chance(20):
        parts[where[0]] += "[:, None]"
    if new_axes and d.chance(8):
        parts.insert(d.below(len(parts) + 1), "None")
    return ", ".join(parts)


def _mask(d: Any, n: Num) -> str | None:
    """Where something holds, along the first axes or one of them."""
    if n.ndim == 0:
        return None
    rank = 1 + d.below(min(2, n.ndim))
    before = 1 if rank < n.ndim and d.chance(25) else 0
    shape = n.x.shape[before : before + rank]
    found = d.pick(lambda v: v.dtype == "bool" and v.x.shape == shape and not any(v.ones))
    if found and d.chance(60):
        mask = found[0]
    else:
        like = d.pick(lambda v: kind_of(v.dtype) in "if" and v.x.shape == shape)
        if like and d.chance(60):
            mask = f"({like[0]} > 0)"
        else:
            mask = d.leaf("bool", shape, ones=(False,) * rank)
    return ":, " * before + mask


def _any(d: Any) -> tuple[str, Num] | None:
    return d.pick(lambda n: n.ndim > 0)


def read(d: Any) -> Line | None:
    found = _any(d)
    return d.line("{0}[{1}]", found[0], basic(d, found[1])) if found else None


def read_at(d: Any) -> Line | None:
    found = _any(d)
    if found is None:
        return None
    at = advanced(d, found[1])
    return None if at is None else d.line("{0}[{1}]", found[0], at)


def read_masked(d: Any) -> Line | None:
    found = _any(d)
    if found is None:
        return None
    mask = _mask(d, found[1])
    return None if mask is None else d.line("{0}[{1}]", found[0], mask)


_WIDER = {"b": "b", "i": "bi", "u": "bu", "f": "biuf", "c": "biufc"}


def _value(d: Any, name: str, n: Num, at: str) -> str | None:
    """What to write: a number, something of the part's shape, or the part itself, changed."""
    kind = kind_of(n.dtype)
    choice = d.below(8)
    if choice < 2 and kind in "if":
        return d.among(("1", "-2", "0"))
    if choice < 5:
        form = d.among(("[::-1]", " * 2", "[..., ::-1]", ""))
        if form == " * 2" and kind not in "if":
            form = ""
        return f"{name}[{at}]{form}"
    if choice == 5:
        found = d.pick(lambda v: v.ndim <= 1 and kind_of(v.dtype) in _WIDER[kind])
        return found[0] if found else None
    return d.leaf(n.dtype, ())


def _write(d: Any, name: str, n: Num, at: str) -> Line | None:
    value = _value(d, name, n, at)
    if value is None:
        return None
    form = "set" if d.chance(55) else "inc"
    return d.line("T." + form + "_subtensor({0}[{1}], {2})", name, at, value)


def write(d: Any) -> Line | None:
    found = _any(d)
    # what set_subtensor gives for x[None] depends on how x was made: it is not drawn
    return _write(d, *found, basic(d, found[1], new_axes=False)) if found else None


def write_at(d: Any) -> Line | None:
    found = _any(d)
    if found is None:
        return None
    name, n = found
    at = advanced(d, n, unique=d.chance(50), new_axes=False)
    return None if at is None else _write(d, name, n, at)


def write_masked(d: Any) -> Line | None:
    found = _any(d)
    if found is None:
        return None
    mask = _mask(d, found[1])
    return None if mask is None else _write(d, *found, mask)


def found(d: Any) -> Line | None:
    """Positions that the data decides."""
    seen = d.pick(lambda n: n.ndim > 0 and kind_of(n.dtype) in "biuf")
    if seen is None:
        return None
    name, n = seen
    if d.chance(50):
        return d.line("T.nonzero({0})[{1}]", name, repr(d.below(n.ndim)))
    other = d.pick(lambda v: v.x.shape == n.x.shape)
    return d.line("{0}[{1}.nonzero()]", other[0], name)
