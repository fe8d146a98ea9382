"""The memory profile: the sizes of the results of nodes, and their peak."""

from __future__ import annotations

import time
from collections.abc import Sequence

from theano._src.compile.profile.tables import in_bytes, peak, shown
from theano._src.engines.node_times import NodeTimes
from theano._src.graph.graph import Apply, Variable

#: largest number of sets of nodes that the search for the best order keeps
_STATES = 20_000


def memory_table(times: Sequence[NodeTimes], n: int, least: int, search: bool) -> list[str]:
    """Return the section for ``config.profile_memory``: peaks, and the results of each node.

    Nodes below ``least`` bytes are left out. ``search`` is whether to search for the order of
    nodes with the lowest peak.
    """
    known = [t for t in times if t.sizes]
    if not known:
        return []
    largest = max(known, key=lambda t: current_peak(t))
    lines = [
        "Memory Profile",
        "(what nodes make, not what they need meanwhile; of several functions, the largest)",
        "---",
        "    Max peak memory with current setting",
        f"        CPU: {_kb(current_peak(largest))}KB",
        "    Max peak memory with current setting and Theano flag optimizer_excluding=inplace",
        f"        CPU: {_kb(current_peak(largest, inplace=False))}KB",
        "    Max peak memory if allow_gc=False",
        f"        CPU: {_kb(all_made(largest))}KB",
        "---",
    ]
    if search:
        begun = time.perf_counter()
        result, exact = least_peak(largest)
        took = time.perf_counter() - begun
        words = "is" if exact else "is at most"
        lines += [
            f"    Minimum peak from all valid apply node order {words} {_kb(result)}KB"
            f"(took {took:.3f}s to compute)",
            "---",
        ]
    lines += _programs(known)
    rows = [(t.output_bytes(node), t, node) for t in known for node in t.nodes]
    rows.sort(key=lambda each: -each[0])
    shown_rows = [each for each in rows if each[0] >= max(least, 1)][:n]
    whole = sum(size for size, _, _ in rows)
    lines += [
        "",
        "    <Sum apply outputs (bytes)> <Apply outputs shape> <created/inplace/view> <Apply node>",
        "",
    ]
    for size, t, node in shown_rows:
        shapes = [t.shape_of(v) for v in node.outputs]
        lines.append(f"    {size:>10}B  {shapes} {' '.join(_ways(node))} {node}")
    rest = whole - sum(size for size, _, _ in shown_rows)
    share = 100 * rest / whole if whole else 0.0
    lines.append(
        f"   ... (remaining {len(rows) - len(shown_rows)} Apply account for {rest:>4}B/{whole}B "
        f"({share:.2f}%) of the Apply with dense outputs sizes)"
    )
    lines += [
        "",
        "    <created/inplace/view> is what the op declares. On XLA the compiler decides what is",
        "    made: the memory of programs is its own account.",
        "",
    ]
    return lines


def _programs(times: Sequence[NodeTimes]) -> list[str]:
    results = [p for t in times for p in t.programs.values() if p.memory]
    if not results:
        return []
    lines = ["    <peak> <arguments> <results> <reused> <temporaries> <program, shapes>"]
    for p in sorted(results, key=peak, reverse=True):
        parts = [p.memory.get(k, 0) for k in ("arguments", "results", "reused", "temporaries")]
        cells = "".join(f" {in_bytes(x):>10}" for x in (peak(p), *parts))
        lines.append(f"   {cells}   {shown(p)}")
    return lines


def _kb(n: float) -> int:
    return round(n / 1024)


def _ways(node: Apply) -> list[str]:
    """For each output: ``v`` for a view of an input, ``i`` for in-place, ``c`` for created."""
    views = getattr(node.op, "view_map", None) or {}
    written = getattr(node.op, "destroy_map", None) or {}
    return ["v" if k in views else "i" if k in written else "c" for k in range(len(node.outputs))]


class _Graph:
    """The memory that each node allocates and reads; a view counts as the variable it views."""

    def __init__(self, times: NodeTimes, inplace: bool) -> None:
        self.nodes = [n for n in times.nodes if n.outputs[0] in times.sizes]
        root: dict[Variable, Variable] = {}
        self.makes: dict[Apply, dict[Variable, int]] = {}
        for node in self.nodes:
            ways = _ways(node)
            new = {}
            for k, v in enumerate(node.outputs):
                where = "view_map" if ways[k] == "v" else "destroy_map"
                if ways[k] == "c" or (ways[k] == "i" and not inplace):
                    root[v] = v
                    new[v] = times.sizes.get(v, (None, 0))[1]
                else:
                    source = node.inputs[getattr(node.op, where)[k][0]]
                    root[v] = root.get(source, source)
            self.makes[node] = new
        keep = {root.get(v, v) for v in times.fgraph.outputs}
        result = {v for new in self.makes.values() for v in new}
        self.reads = {
            node: {root.get(v, v) for v in (*node.inputs, *node.outputs)} & result
            for node in self.nodes
        }
        self.users: dict[Variable, int] = dict.fromkeys(result, 0)
        for node in self.nodes:
            for v in self.reads[node]:
                self.users[v] += 1
        for v in keep & result:
            self.users[v] += 1  # outputs are never freed
        self.size = {v: n for new in self.makes.values() for v, n in new.items()}


def current_peak(times: NodeTimes, inplace: bool = True) -> int:
    """The peak number of bytes of the results of nodes, in the order in which they run."""
    graph = _Graph(times, inplace)
    left = dict(graph.users)
    now = most = 0
    for node in graph.nodes:
        now += sum(graph.makes[node].values())
        most = max(most, now)
        for v in graph.reads[node]:
            left[v] -= 1
            if not left[v]:
                now -= graph.size[v]
    return most


def all_made(times: NodeTimes) -> int:
    """The number of bytes of all results, if nothing is freed."""
    graph = _Graph(times, True)
    return sum(graph.size.values())


def least_peak(times: NodeTimes) -> tuple[int, bool]:
    """The lowest peak of any order of the nodes, and whether the search was exhaustive."""
    graph = _Graph(times, True)
    before: dict[Apply, set[Apply]] = {n: set() for n in graph.nodes}
    there = set(graph.nodes)
    for node in graph.nodes:
        before[node] = {v.owner for v in node.inputs if v.owner in there}
    # all other nodes must read a value before it is overwritten
    for node in graph.nodes:
        for positions in (getattr(node.op, "destroy_map", None) or {}).values():
            for i in positions:
                spoiled = node.inputs[i]
                before[node] |= {
                    n for n in graph.nodes if n is not node and spoiled in n.inputs
                } - _after(node, graph.nodes)
    best = current_peak(times)
    states: dict[frozenset[Apply], int] = {frozenset(): 0}
    exact = True
    # for each number of nodes that ran: the lowest peak that leads to each set of them
    for _ in graph.nodes:
        following: dict[frozenset[Apply], int] = {}
        for done, so_far in states.items():
            now = _held(graph, done)
            for node in graph.nodes:
                if node in done or not before[node] <= done:
                    continue
                most = max(so_far, now + sum(graph.makes[node].values()))
                if most > best:
                    continue
                key = done | {node}
                following[key] = min(most, following.get(key, most))
        if len(following) > _STATES:
            exact = False
            kept = sorted(following.items(), key=lambda item: item[1])[: _STATES // 20]
            following = dict(kept)
        if following:
            states = following
    return min([best, *[m for done, m in states.items() if len(done) == len(graph.nodes)]]), exact


def _after(node: Apply, nodes: Sequence[Apply]) -> set[Apply]:
    result = {node}
    for n in nodes:
        if any(v.owner in result for v in n.inputs):
            result.add(n)
    return result


def _held(graph: _Graph, done: frozenset[Apply]) -> int:
    left = dict(graph.users)
    for node in done:
        for v in graph.reads[node]:
            left[v] -= 1
    return sum(size for n in done for v, size in graph.makes[n].items() if left[v])
