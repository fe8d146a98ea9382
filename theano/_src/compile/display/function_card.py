"""The notebook display of a compiled function: signature, engine, calls, and two pictures."""

from __future__ import annotations

from itertools import count
from typing import Any

from theano._src.compile.display.signature import signature_of
from theano._src.compile.function_object import Function
from theano._src.compile.maker import std_fgraph
from theano._src.graph.fg import FunctionGraph
from theano._src.show import html
from theano._src.show.cards import own_name, type_name
from theano._src.show.drawing.description import describe
from theano._src.show.drawing.svg import svg
from theano._src.show.plan import plan_of

#: largest number of ops of a graph that is drawn in a notebook
_DRAWN = 120
_numbers = count()


def function_signature(f: Function) -> str:
    """Describe a function as ``name(x: float64 vector) -> float64 scalar``, with its updates.

    >>> import theano, theano.tensor as T
    >>> x, total = T.dvector("x"), theano.shared(0.0, "total")
    >>> f = theano.function([x], x.sum(), updates={total: total + x.sum()}, name="add")
    >>> function_signature(f)
    'add(x: float64 vector) -> float64 scalar, updates total'
    """
    signature = signature_of(f)
    inputs = []
    for p in signature.parameters.values():
        default = "" if p.default is p.empty else f" = {p.default!s:.20}"
        inputs.append(f"{p.name}: {type_name(p.annotation.type)}{default}")
    written = [str(s.variable) for s in f.maker.inputs if s.shared and s.update is not None]
    stored = f", updates {', '.join(written)}" if written else ""
    name = own_name(f.name) or "function"
    return f"{name}({', '.join(inputs)}) -> {_result(signature.return_annotation)}{stored}"


def _result(kind: Any) -> str:
    """Format the return type, with the brackets of a list or dict."""
    if kind is None:
        return "None"
    if isinstance(kind, dict):
        return f"{{{', '.join(f'{key}: {_result(each)}' for key, each in kind.items())}}}"
    if isinstance(kind, list):
        return f"[{', '.join(map(_result, kind))}]"
    return type_name(kind.type)


def calls_of(f: Function) -> str:
    """Describe how often a function was called, as far as that is counted."""
    if f.profile is not None:
        return f"{f.profile.fct_callcount} calls in {f.profile.fct_call_time:.3g} s"
    policy = getattr(f.fn, "policy", None)
    if policy is None:
        return ""
    on_numpy = sum(record.calls for record in policy.records.values()) + f.fn._small[0]
    on_xla = sum(record.on_xla for record in policy.records.values())
    more = f", then {on_xla} {'key' if on_xla == 1 else 'keys'} on XLA" if on_xla else ""
    return f"{on_numpy} on NumPy{more}"


def graph_svg(graph: FunctionGraph) -> str | None:
    """Draw a graph as SVG; None if it is too large to read."""
    small = len(graph.apply_nodes) <= _DRAWN
    return svg(describe(graph, rewritten_from={}), inner=60) if small else None


def function_pretty(f: Function, printer: Any, cycle: bool) -> None:
    """Write the signature and the engine to IPython's printer."""
    sentences, _ = plan_of(f.fn)
    printer.text(f"<theano function {function_signature(f)}>\n{sentences[0]}")


def function_html(f: Function) -> str:
    """Return an HTML card: signature, engine, calls, and graphs before and after rewriting."""
    signature = function_signature(f)
    name, rest = signature.split("(", 1)
    head = html.tag("span", html.tag("b", name), f"({rest}", cls="code")
    sentences, _ = plan_of(f.fn)
    text = [
        ("engine", sentences[0]),
        ("calls", calls_of(f)),
        ("made at", "" if own_name(f.name) else f.name or ""),
        ("shared", ", ".join(str(v) for v in f.get_shared())),
    ]
    return html.card(head, html.facts(text), pictures(f))


def pictures(f: Function) -> html.Html:
    """The graphs before and after rewriting, with buttons to switch between them."""
    specs, results, accept_inplace, _ = f.maker.origin
    before, _ = std_fgraph(specs, results, accept_inplace)
    shown = [("as written", before), ("after rewriting", f.maker.fgraph)]
    return switch([(f"{title}: {_ops(graph)}", _drawn(graph)) for title, graph in shown])


def _ops(graph: FunctionGraph) -> str:
    n = len(graph.apply_nodes)
    return f"{n} {'op' if n == 1 else 'ops'}"


def _drawn(graph: FunctionGraph) -> html.Html:
    picture = graph_svg(graph)
    if picture is not None:
        return html.Html(picture)
    return html.tag(
        "div",
        f"A graph of {len(graph.apply_nodes)} ops is not drawn here; "
        "theano.d3viz.d3viz(f, 'f.html') writes a page to walk in.",
        cls="quiet",
    )


def switch(parts: list[tuple[str, html.Html]]) -> html.Html:
    """Return buttons that choose which part is shown, without any script."""
    # NOTE: radio buttons with one name are one group in the whole page, so each switch has its own
    me = f"theano-switch-{next(_numbers)}-{id(parts):x}"
    rules, buttons, bodies = [], [], []
    for k, (title, body) in enumerate(parts):
        on = " checked" * (k == len(parts) - 1)
        buttons.append(
            f'<input type="radio" name="{me}" id="{me}-{k}"{on}>'
            f'<label for="{me}-{k}">{html.text(title)}</label>'
        )
        bodies.append(f'<div class="part part-{k}">{body}</div>')
        rules.append(f"#{me}-{k}:checked~.part-{k}{{display:block}}")
    style = (
        ".theano-switch input{position:absolute;opacity:0;pointer-events:none}"
        ".theano-switch label{display:inline-block;padding:3px 12px;margin:6px 4px 6px 0;"
        "border:1px solid color-mix(in srgb,currentColor 25%,transparent);border-radius:99px;"
        "cursor:pointer;font-size:12px}"
        ".theano-switch input:checked+label{background:#2563eb;border-color:#2563eb;color:#fff}"
        ".theano-switch input:focus-visible+label{outline:2px solid #93c5fd}"
        f".theano-switch .part{{display:none}}{''.join(rules)}"
    )
    inside = "".join([*buttons, *bodies])
    return html.Html(f'<style>{style}</style><div class="theano-switch">{inside}</div>')
