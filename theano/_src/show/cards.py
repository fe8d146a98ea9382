"""Notebook representations of variables, shared variables and the configuration."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.show import html, latex_names as names
from theano._src.show.latex import latex
from theano._src.types.shared import SharedVariable

#: the longest formula that a notebook shows, in characters
_LONGEST = 6000
#: rows and columns of a value that are shown; the largest size for which the range is computed
_ROWS, _COLUMNS = 6, 8
_SUMMED = 10_000_000


def type_name(type_: Any) -> str:
    """Return a short description of a type.

    >>> import theano.tensor as T
    >>> type_name(T.dmatrix), type_name(T.TensorType("float32", (True, False)))
    ('float64 matrix', 'float32 row')
    """
    dtype, dims = getattr(type_, "dtype", None), getattr(type_, "broadcastable", None)
    if dtype is None or dims is None:
        return str(dtype or type_)
    known = {(): "scalar", (False,): "vector", (False, True): "col", (True, False): "row"}
    if dims not in known and len(dims) == 2 and not any(dims):
        return f"{dtype} matrix"
    return f"{dtype} {known.get(tuple(dims), f'{len(dims)}-d tensor')}"


def own_name(name: str | None) -> str:
    """Return the name that a user gave to a function; empty if it is a source line.

    >>> own_name("train"), own_name("/tmp/program.py:12"), own_name(None)
    ('train', '', '')
    """
    is_line = name is None or name.rpartition(":")[2].isdigit()
    return "" if is_line else str(name)


def variable_latex(v: Variable) -> str | None:
    """Return the formula of a variable with its type; None if it is too long to read."""
    if v.owner is None:
        formula = latex(v) if v.name is not None or hasattr(v, "data") else ""
    else:
        formula = latex([v]) if v.name is not None else latex(v)
    if len(formula) > _LONGEST:
        return None
    kind = rf"{{\color{{gray}}{{\small\mathtt{{{names.escaped(type_name(v.type))}}}}}}}"
    return rf"$\displaystyle {formula} \qquad {kind}$"


def shared_html(v: SharedVariable) -> str:
    """Return name, type, shape and a part of the value of a shared variable, as HTML."""
    value = _stored(v)
    head = html.tag("b", v.name or "shared variable")
    kind = html.tag("span", f" {type_name(v.type)}, shared", cls="quiet")
    if not isinstance(value, np.ndarray):
        shown = repr(value)
        shown = shown if len(shown) <= 400 else shown[:400] + " ..."
        return html.card(html.Html(head + kind), html.code(shown))
    size = f"{value.nbytes:,} bytes" if value.nbytes < 10_000 else _in_units(value.nbytes)
    shape = " × ".join(map(str, value.shape)) or "one number"
    text = [("shape", shape), ("dtype", html.code(value.dtype)), ("size", size)]
    if value.size > 1 and value.size <= _SUMMED and value.dtype.kind in "biuf":
        low, middle, high = value.min(), value.mean(dtype="float64"), value.max()
        text.append(("range", f"{_figure(low)} to {_figure(high)}, mean {_figure(middle)}"))
    return html.card(html.Html(head + kind), html.facts(text), _peek(value))


def _stored(v: SharedVariable) -> Any:
    """Return the stored value without copying it or marking it as borrowed: it is only read."""
    cell = v.container.storage
    lock = getattr(cell, "lock", None)
    if lock is None:
        return _on_host(cell[0])
    with lock:
        return _on_host(cell[0])


def _on_host(value: Any) -> Any:
    return np.asarray(value) if hasattr(value, "__array__") else value


def _peek(value: np.ndarray) -> html.Html:
    """Return a corner of an array as a table."""
    note = ""
    if value.ndim > 2 and value.size:
        value, note = value[(0,) * (value.ndim - 2)], f"[{'0, ' * (value.ndim - 2)}...]"
    if not value.size:
        return html.Html("")
    rows = np.atleast_2d(value)
    shown = []
    for row in rows[:_ROWS]:
        cells = [_figure(number) for number in row[:_COLUMNS]]
        shown.append(cells + ["…"] * (rows.shape[1] > _COLUMNS))
    if rows.shape[0] > _ROWS:
        shown.append(["⋮"] * len(shown[0]))
    return html.Html(html.tag("span", note, cls="quiet") + html.table(shown, numbers=True))


def _figure(number: Any) -> str:
    if isinstance(number, (np.floating, float, np.complexfloating)):
        return f"{number:.4g}"
    return str(number)


def _in_units(size: float) -> str:
    units = iter(("kB", "MB", "GB", "TB"))
    unit = "bytes"
    while size >= 1000 and (larger := next(units, "")):
        size, unit = size / 1000, larger
    return f"{size:.3g} {unit}"


def config_html(config: Any) -> str:
    """Return all flags as HTML tables: changed ones first, then section by section."""
    changed: list[tuple[Any, ...]] = []
    sections: dict[str, list[tuple[Any, ...]]] = {}
    for name, param in config._params.items():
        value = config._read(name)
        plain = param.derive is None and not callable(param.default)
        differs = plain and str(value) != str(param.parse(param.default))
        row = (html.code(name), html.code(value), " ".join(param.doc.split()))
        section, dot, _ = name.partition(".")
        sections.setdefault(section if dot else "", []).append(row)
        if differs:
            changed.append((html.code(name), html.code(value), html.code(param.default)))
    head = html.Html(html.tag("b", "theano.config") + f" {len(config._params)} flags")
    parts = []
    if changed:
        parts.append(html.table(changed, ("changed", "value", "default")))
    for section, rows in sorted(sections.items()):
        title = html.code(f"config.{section}" if section else "config")
        summary = html.Html(title + html.tag("span", f" {len(rows)}", cls="quiet"))
        parts.append(html.folded(summary, html.table(rows, ("flag", "value", "meaning"))))
    return html.card(head, *parts)
