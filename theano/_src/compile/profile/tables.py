"""The tables of a profile as text, in the documented columns."""

from __future__ import annotations

from collections.abc import Sequence

from theano._src.compile.profile.node_rows import Row, by_line, merged, opened, total
from theano._src.engines.node_times import NodeTimes, ProgramTimes

_TAIL = "   ... (remaining {n} {what} account for {share}%({seconds:.2f}s) of the runtime)"


def merged_table(title: str, name: str, plural: str, rows: Sequence[Row], n: int) -> list[str]:
    """Return the lines of the table of classes or of ops."""
    lines = [
        title,
        "---",
        f"<% time> <sum %> <apply time> <time per call> <type> <#call> <#apply> <{name} name>",
    ]
    whole, so_far = total(rows), 0.0
    for row in rows[:n]:
        so_far += row.seconds
        lines.append(
            f"{_times(row.seconds, so_far, whole, row.per_call)}  {row.kind:>4}  {row.calls:>7}"
            f"  {row.nodes:>7}   {row.name}"
        )
    return [*lines, _tail(rows[n:], whole, plural, 6), ""]


def node_table(rows: Sequence[Row], n: int) -> list[str]:
    """Return the table of Apply nodes, with flops if they are known for some op."""
    counted = any(row.flops is not None for row in rows)
    more = " <Mflops> <Gflops/s>" if counted else ""
    lines = [
        "Apply",
        "------",
        f"<% time> <sum %> <apply time> <time per call> <#call> <id>{more} <Apply name>",
    ]
    whole, so_far = total(rows), 0.0
    for row in rows[:n]:
        so_far += row.seconds
        flops = ""
        if counted:
            flops = " " * 20
            if row.flops is not None and row.calls:
                rate = row.flops / row.seconds / 1e9 if row.seconds else 0.0
                flops = f"  {row.flops / row.calls / 1e6:8.1f}  {rate:8.1f}"
        lines.append(
            f"{_times(row.seconds, so_far, whole, row.per_call)}{row.calls:>7}{row.position:>6}"
            f"{flops}   {row.name}"
        )
    return [*lines, _tail(rows[n:], whole, "Apply instances", 0), ""]


def line_table(rows: Sequence[Row], n: int) -> list[str]:
    """Return the table of the user's lines, including those inside loops."""
    held = any(row.inside for row in rows)
    rows = merged(opened(rows), by_line)
    lines = [
        "Lines",
        "---",
        "<% time> <sum %> <apply time> <#apply> <line>",
    ]
    whole, so_far = total(rows), 0.0
    for row in rows[:n]:
        so_far += row.seconds
        lines.append(
            f"{_share(row.seconds, whole):6.1f}%  {_share(so_far, whole):6.1f}%"
            f"  {row.seconds:10.3f}s  {row.nodes:>7}   {row.name}"
        )
    lines.append(_tail(rows[n:], whole, "lines", 6))
    if held:
        lines.append(
            "   The time of a loop is measured; lines of its step share it as in one run on NumPy."
        )
    return [*lines, ""]


def program_table(times: Sequence[NodeTimes]) -> list[str]:
    """Return the table of compiled programs, with their time and memory."""
    ran = [p for t in times for p in t.programs.values() if p.calls or p.compiling]
    if not ran:
        return []
    ran.sort(key=lambda p: -p.seconds)
    lines = [
        "Programs",
        "---",
        "<% time> <sum %> <time> <time per call> <#call> <#apply> <compile time> <peak memory> "
        "<program, shapes>",
    ]
    whole, so_far = sum(p.seconds for p in ran), 0.0
    for p in ran:
        so_far += p.seconds
        per = p.seconds / p.calls if p.calls else 0.0
        lines.append(
            f"{_times(p.seconds, so_far, whole, per)}  {p.calls:>7}  {len(p.nodes):>7}"
            f"  {p.compiling:8.3f}s  {in_bytes(peak(p)):>10}   {shown(p)}"
        )
    return [*lines, *_how(ran), ""]


def shown(program: ProgramTimes) -> str:
    """Describe a program by its number and key."""
    shapes, sizes = program.key
    known = f" sizes {' '.join(map(str, sizes))}" if sizes else ""
    return f"program {program.number}, {' '.join(map(str, shapes)) or 'no inputs'}{known}"


def peak(program: ProgramTimes) -> int:
    """The peak memory of a program in bytes: the sum of its parts, or XLA's peak if larger."""
    memory = program.memory
    parts = memory.get("arguments", 0) + memory.get("results", 0) + memory.get("temporaries", 0)
    return max(memory.get("peak", 0), parts - memory.get("reused", 0))


def _how(programs: Sequence[ProgramTimes]) -> list[str]:
    """Explain how the time of programs is divided among their nodes."""
    ways = {p.shared_by for p in programs}
    lines = []
    if "node by node" in ways:
        lines.append(
            "   The time of a program is measured; its nodes share it in proportion to a run of "
            "each alone,\n   on XLA, with the values of the first call of these shapes."
        )
    for p in programs:
        if p.why:
            lines.append(
                f"   Nodes of program {p.number} share its time evenly: alone they do not run "
                f"({p.why.splitlines()[0]})"
            )
    return lines


def in_bytes(n: float) -> str:
    """Format a number of bytes.

    >>> in_bytes(4096), in_bytes(5e6)
    ('4.0 KB', '4.8 MB')
    """
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if n >= size:
            return f"{n / size:.1f} {unit}"
    return f"{n:.0f} B"


def _times(seconds: float, so_far: float, whole: float, per_call: float) -> str:
    return (
        f"{_share(seconds, whole):6.1f}%  {_share(so_far, whole):6.1f}%  {seconds:10.3f}s"
        f"  {per_call:13.2e}s"
    )


def _share(seconds: float, whole: float) -> float:
    return 100 * seconds / whole if whole else 0.0


def _tail(rows: Sequence[Row], whole: float, what: str, width: int) -> str:
    seconds = total(rows)
    share = f"{_share(seconds, whole):{width}.2f}"
    return _TAIL.format(n=len(rows), what=what, share=share, seconds=seconds)


def cut(lines: Sequence[str], width: int) -> list[str]:
    """Truncate each line to ``width`` characters."""
    return [line[:width] for text in lines for line in text.split("\n")]
