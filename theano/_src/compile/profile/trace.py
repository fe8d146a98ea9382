"""Traces of the last calls of profiled functions, as JSON for Chrome and Perfetto."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from theano._src.compile.profile.node_rows import short
from theano._src.compile.profile.tables import shown
from theano._src.engines.node_times import Event, NodeTimes
from theano._src.graph import source_line
from theano._src.graph.graph import Apply


def trace_events(
    times: Sequence[NodeTimes], calls: Sequence[tuple[str | None, float, float]]
) -> list[dict[str, Any]]:
    """Return calls, programs and nodes as complete events, with times in microseconds."""
    results: list[dict[str, Any]] = []
    # including calls that are older than the recorded nodes
    for name, begin, end in calls:
        results.append(_event(f"call of {name or 'function'}", "call", begin, end, {}))
    for each in times:
        for ran in each.recent:
            for event in ran:
                results += _ran(each, event)
    start = min((e["ts"] for e in results), default=0.0)
    for e in results:
        e["ts"] = round(e["ts"] - start, 3)
    return sorted(results, key=lambda e: (e["ts"], -e["dur"]))


def _ran(times: NodeTimes, event: Event) -> list[dict[str, Any]]:
    begin, end = event.begin, event.end
    if isinstance(event.what, int):
        node = times.nodes[event.what]
        return [_event(str(node.op), "node", begin, end, _about(times, node, event.what))]
    program = event.what
    about = {"measured": "whole program", "shared": program.shared_by, **program.memory}
    results = [_event(shown(program), "program", begin, end, about)]
    for i, share in zip(program.nodes, program.shares or (), strict=False):
        until = begin + share * (event.end - event.begin)
        node = times.nodes[i]
        more = {**_about(times, node, i), "time": f"share of its program, {program.shared_by}"}
        results.append(_event(str(node.op), "node", begin, until, more))
        begin = until
    return results


def _about(times: NodeTimes, node: Apply, i: int) -> dict[str, Any]:
    about: dict[str, Any] = {"node": str(node)[:300], "position": i}
    if node.trace:
        code, offset = node.trace[0]
        about["line"] = f"{short(code.co_filename)}:{source_line.line_of(code, offset)}"
    shapes = [times.shape_of(v) for v in node.outputs]
    about["shapes"] = str(shapes)
    about["bytes"] = times.output_bytes(node)
    return about


def _event(name: str, kind: str, begin: float, end: float, args: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "cat": kind,
        "ph": "X",
        "ts": 1e6 * begin,
        "dur": 1e6 * (end - begin),
        "pid": 1,
        "tid": 1,
        "args": args,
    }


def write_trace(events: Sequence[dict[str, Any]], path: str | os.PathLike[str]) -> None:
    """Write events to a file for chrome://tracing and https://ui.perfetto.dev."""
    named = {"name": "process_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": "theano"}}
    text = json.dumps({"traceEvents": [named, *events], "displayTimeUnit": "ms"})
    Path(path).write_text(text, encoding="utf-8")
