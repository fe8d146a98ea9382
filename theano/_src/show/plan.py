"""What a compiled function does when it is called: its engine, its stages, its keys."""

from __future__ import annotations

import sys
from typing import Any

from theano._src.ground.documented import documented_in
from theano._src.show.forms import pp


@documented_in("theano.printing")
def explain(f: Any, file: Any = None) -> Any:
    """Print how a compiled function runs: host sections, programs, keys and why each was made.

    Parameters
    ----------
    f : compiled function
    file : 'str', file-like or None
        'str' returns the text; None prints it.

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
    text = "\n".join(_lines(f.fn)) + "\n"
    if file == "str":
        return text
    stream = sys.stdout if file is None else file
    stream.write(text)
    return file


def _lines(program: Any) -> list[str]:
    if hasattr(program, "stages"):
        return ["Runs on XLA: its linker says so.", *_staged(program)]
    lines: list[str] = []
    if hasattr(program, "choice"):
        lines += program.choice().splitlines()
    staged = [line for xla in getattr(program, "programs", {}).values() for line in _staged(xla)]
    if staged:
        return lines + staged
    if not lines:
        lines.append(f"Runs on NumPy: {program.why}.")
    return [*lines, "numpy engine, one call a node:", *_nodes(program.nodes, "  ", "")]


def _staged(xla: Any) -> list[str]:
    lines = []
    sections = xla.staging.sections
    for k in range(max(len(sections), len(xla.stages))):
        if k < len(sections) and sections[k]:
            lines.append(f"host section {k}")
            lines += _nodes(sections[k], "  computes ", "           ")
            lines += [f"  on host  {n.op}: {why}" for n in sections[k] if (why := n.op.why_host())]
        if k < len(xla.stages):
            lines += _program(xla.stages[k])
    return lines


def _program(stage: Any) -> list[str]:
    lines = [f"program {stage.number}"]
    for title, items in (
        ("takes", list(map(str, stage.operands))),
        ("sizes", [pp(v) for v in stage.sizes]),
    ):
        if items:
            lines.append(f"  {title:9}{', '.join(items)}")
    lines += _nodes(stage.nodes, "  computes ", "           ")
    stored = {r for _, r in stage.state}
    gives = [str(v) for r, v in enumerate(stage.results) if r not in stored]
    if gives:
        lines.append(f"  gives    {', '.join(gives)}")
    for i, r in stage.state:
        lines.append(f"  stores   {stage.results[r]} in place of {stage.operands[i]}")
    if stage.forgotten:
        lines.append(f"  compiled {stage.forgotten} times before")
    for (shapes, sizes), why in zip(stage.compiled_for, stage.compilations, strict=True):
        shown = " ".join(map(str, shapes))
        known = f" sizes {' '.join(map(str, sizes))}" if sizes else ""
        lines.append(f"  compiled for shapes {shown}{known}: {why}")
    return lines


def _nodes(nodes: Any, first: str, rest: str) -> list[str]:
    return [f"{first if i == 0 else rest or first}{node}" for i, node in enumerate(nodes)]
