"""explain: how a compiled function runs, with its engine, stages and keys."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from theano._src.graph.op_table import OpTable
from theano._src.ground.documented import documented_in
from theano._src.ground.lazy import ABOVE
from theano._src.show import html
from theano._src.show.forms import pp
from theano._src.types.run_node import has_compiled_form
from theano._src.types.scalar import Scalar
from theano._src.types.tensor import TensorType

#: the longest section, in lines, that a notebook shows open
_OPEN = 12


class Section(NamedTuple):
    """A part of a plan: a title, and words, each with lines of text; words may be empty."""

    title: str
    facts: list[tuple[str, list[str]]]


@documented_in("theano.printing")
def explain(f: Any, file: Any = None, topology: Any = None, shapes: Any = None) -> Any:
    """Print how a compiled function runs: host sections, programs, and why each key was compiled.

    A notebook shows it as a table.

    Parameters
    ----------
    f : compiled function
    file : 'str', file-like or None
        'str' returns the text; None prints it.
    topology, shapes : optional
        Print what the function needs on other chips instead: ``theano.distributed.plan``.

    >>> import theano, theano.tensor as T
    >>> x, n = T.dvector("x"), T.lscalar("n")
    >>> f = theano.function([x, n], x + T.arange(n), mode=theano.Mode("xla"))
    >>> _ = f([1, 2, 3], 3)
    >>> theano.printing.explain(f)
    Runs on XLA: its linker says so.
    host section 0
      computes Elemwise{maximum,no_inplace}(n, TensorConstant{0})
    program 0
      takes    x
      sizes    maximum(n, 0)
      computes ARange{dtype='int64'}(TensorConstant{0}, n, TensorConstant{1})
               Elemwise{add,no_inplace}(x, ARange{dtype='int64'}.0)
      gives    Elemwise{add,no_inplace}.0
      compiled for shapes (3,) sizes 3: first call
    """
    if topology is not None or shapes is not None:
        return _given(f"{ABOVE['plan'](f, shapes, topology)}\n", file)
    sentences, sections = plan_of(f.fn)
    text = "\n".join([*sentences, *_as_text(sections)]) + "\n"
    if file is None and html.shown_in_a_notebook(text, _as_html(sentences, sections)):
        return None
    return _given(text, file)


def _given(text: str, file: Any) -> Any:
    """Return or write a text, as ``file`` says."""
    if file == "str":
        return text
    stream = sys.stdout if file is None else file
    stream.write(text)
    return file


def plan_of(program: Any) -> tuple[list[str], list[Section]]:
    """Return sentences on which engine runs and why, and the sections that it runs."""
    if hasattr(program, "stages"):
        return [f"Runs on XLA: {program.why}."], _staged(program)
    sentences: list[str] = []
    if hasattr(program, "choice"):
        sentences += program.choice().splitlines()
    staged = [part for xla in getattr(program, "programs", {}).values() for part in _staged(xla)]
    if staged:
        return sentences, staged
    host = getattr(program, "host", None)
    native = program if hasattr(program, "lowering") else getattr(host, "native", None)
    if not sentences:
        where = "on NumPy" if native is None else "as machine code"
        sentences.append(f"Runs {where}: {program.why}.")
    if native is None or (host is not None and not host.is_native):
        return sentences, [Section("numpy engine, one call a node:", [("", _texts(program.nodes))])]
    return sentences, [_of_machine_code(native)]


def _of_machine_code(native: Any) -> Section:
    back = native.called_back
    compiled = [node for node in native.nodes if node not in back]
    facts = [("computes", _texts(compiled))]
    if back:
        facts.append(("on host", _texts(back)))
    return Section("machine code:", facts)


def _staged(xla: Any) -> list[Section]:
    results = []
    sections = xla.staging.sections
    for k in range(max(len(sections), len(xla.stages))):
        if k < len(sections) and sections[k]:
            on_host = [f"{n.op}: {why}" for n in sections[k] if (why := why_host(n.op))]
            facts = [("computes", _texts(sections[k])), *(("on host", [text]) for text in on_host)]
            results.append(Section(f"host section {k}", facts))
        if k < len(xla.stages):
            results.append(_program(xla.stages[k]))
    return results


def why_host(op: Any) -> str | None:
    """Return why an op runs on the host, if that depends on more than its class."""
    return _WHY_HOST.get(op, _nothing_more)(op)


def _nothing_more(op: Any) -> None:
    return None


def _of_loop(op: Any) -> str | None:
    if op.runs_on != "host":
        return None
    for node in op.order:
        if not has_compiled_form(node):
            return why_host(node.op) or f"{node.op} has no compiled form"
    for v in op.inner_inputs:
        if not isinstance(v.type, TensorType | Scalar):
            return f"{v} of {v.type} has no compiled form"
    return "; ".join(
        f"a size of {node} depends on values of the step"
        for node, sizes in op.opened().demands.items()
        if op.depend_on_steps(sizes)
    )


_WHY_HOST: OpTable[Callable[[Any], str | None]] = OpTable(
    {"theano._src.control.scan.structure.ScanStructure": _of_loop}
)


def _program(stage: Any) -> Section:
    stored = {r for _, r in stage.state}
    facts = [
        ("takes", _listed(map(str, stage.operands))),
        ("sizes", _listed(pp(v) for v in stage.sizes)),
        ("computes", _texts(stage.nodes)),
        ("gives", _listed(str(v) for r, v in enumerate(stage.results) if r not in stored)),
    ]
    for i, r in stage.state:
        facts.append(("stores", [f"{stage.results[r]} in place of {stage.operands[i]}"]))
    if stage.forgotten:
        facts.append(("compiled", [f"{stage.forgotten} times before"]))
    for (shapes, sizes), why in zip(stage.compiled_for, stage.compilations, strict=True):
        shown = " ".join(map(str, shapes))
        known = f" sizes {' '.join(map(str, sizes))}" if sizes else ""
        facts.append(("compiled", [f"for shapes {shown}{known}: {why}"]))
        facts += stage.mesh_facts((shapes, sizes))
    return Section(f"program {stage.number}", [fact for fact in facts if fact[1]])


def _listed(items: Any) -> list[str]:
    text = ", ".join(items)
    return [text] if text else []


def _texts(nodes: Any) -> list[str]:
    return [str(node) for node in nodes]


def _as_text(sections: list[Section]) -> list[str]:
    lines = []
    for section in sections:
        lines.append(section.title)
        for word, text in section.facts:
            first, rest = (f"  {word:9}", " " * 11) if word else ("  ", "  ")
            # `takes`, `sizes` and `gives` align with `computes`
            lines += [f"{rest if i else first}{line}" for i, line in enumerate(text)]
    return lines


def _as_html(sentences: list[str], sections: list[Section]) -> str:
    parts = []
    if sentences[1:]:
        parts.append(html.tag("div", html.lines(sentences[1:]), cls="quiet"))
    for section in sections:
        text = [(word, html.lines(map(html.code, lines))) for word, lines in section.facts]
        is_open = sum(len(lines) for _, lines in section.facts) <= _OPEN
        parts.append(html.folded(section.title.rstrip(":"), html.facts(text), is_open=is_open))
    return html.card(html.tag("b", sentences[0]), *parts)
