"""The choice of engines as text: for ``theano.printing.explain`` and the log."""

from __future__ import annotations

from itertools import islice
from time import monotonic
from typing import Any

from theano._src.engines.blas_threads import blas_threads
from theano._src.engines.choice.host import Host
from theano._src.engines.choice.key_record import KeyRecord
from theano._src.engines.choice.policy import CompilePolicy

#: the most keys that are listed
_SHOWN = 20


def report(policy: CompilePolicy, small: tuple[int, int], measures: bool, host: Host) -> str:
    """Describe what runs where, and why: a sentence, then a line per key, most expensive first.

    ``small`` is the number of calls too small to judge, and the limit on their elements.
    """
    here = "as machine code" if host.is_native else "on NumPy"
    records = policy.records
    calls = sum(a.calls for a in records.values()) + small[0]
    on_xla = sum(a.on_xla for a in records.values())
    dearest = sorted(records.items(), key=lambda item: _weight(item[1]), reverse=True)
    lines = [_sentence([record for _, record in dearest], on_xla, small[0], here)]
    if host.is_native:
        calls = host.native.state.taken
    lines.append(f"{on_xla} of {len(records)} keys run on XLA; {calls} calls ran {here}")
    if small[0]:
        lines.append(f"  {small[0]} calls of at most {small[1]} elements: {here}")
    for key, record in islice(dearest, _SHOWN):
        where = "on XLA" if record.on_xla else here
        text = f"  {shown(key)}: {where}, {record.why}{_for_so_long(record)}"
        estimate = record.estimate
        lines.append(text if estimate is None else f"{text}; {figures(policy, record, here)}")
    if len(records) > _SHOWN:
        lines.append(f"  and {len(records) - _SHOWN} further keys")
    if host.refused:
        lines.append(f"  there is no machine code: {host.why}")
    if not measures:
        lines.append("  estimates alone decide: config.deterministic is 'more'")
    elif blas_threads.most > 1 == blas_threads.now and any(
        record.uses_blas for record in records.values()
    ):
        lines.append(f"  BLAS has one thread in calls of compiled functions: {blas_threads.why}")
    return "\n".join(lines)


def _sentence(records: list[KeyRecord], on_xla: int, small: int, here: str) -> str:
    if not records:
        why = "its inputs are too short for anything else" if small else "it was not called yet"
        return f"Runs {here}: {why}."
    if 0 < on_xla < len(records):
        return f"Runs on both engines: {on_xla} of {len(records)} shapes of the inputs on XLA."
    why = _REASONS.get(records[0].why, records[0].why) + _for_so_long(records[0])
    return f"Runs {'on XLA' if on_xla else here}: {why}."


def _for_so_long(record: KeyRecord) -> str:
    compilation = record.compilation
    return "" if compilation is None else f", for {monotonic() - compilation.since:.1f} s so far"


#: reasons for a key, in the form used for a function
_REASONS = {
    "is not counted yet": "it was called too seldom to tell",
    "has not paid for compiling yet": "compiling has not paid yet",
    "is no slower there": "it is no slower there",
    "has paid for compiling": "compiling has paid",
    "is being compiled": "a thread is compiling it",
    "was compiled meanwhile": "compiling has paid",
    "was measured to be faster there": "it was measured to be faster there",
}


def figures(policy: CompilePolicy, record: KeyRecord, here: str = "on NumPy") -> str:
    """The call times of a key, measured ones if there are any."""
    estimate = policy.corrected(record)
    on_numpy, on_xla = record.numpy.typical, record.xla.typical
    spent = record.calls * (on_numpy or estimate.numpy)
    text = (
        f"a call takes {_figure(on_numpy, estimate.numpy)} {here}, "
        f"{_figure(on_xla, estimate.xla)} on XLA, "
        f"{_figure(record.took, estimate.compiling)} to compile; "
        f"{record.calls} calls took {in_units(spent)} {here}"
    )
    if estimate.host_nodes:
        text += f"; nodes {', '.join(map(str, estimate.host_nodes))} on the host"
    return text


def _figure(measured: float | None, estimated: float) -> str:
    if measured is None:
        return f"{in_units(estimated)} (estimated)"
    return f"{in_units(measured)} (measured)"


def _weight(record: KeyRecord) -> Any:
    seconds = 0.0 if record.estimate is None else record.calls * record.estimate.numpy
    return record.on_xla, seconds, record.calls


def in_units(seconds: float) -> str:
    """A time as text.

    >>> in_units(0.00123)
    '1.23 ms'
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def shown(key: Any) -> str:
    return " ".join("?" if shape is None else str(shape) for shape in key) or "()"
