"""The needs of a function on chips that are elsewhere: figures, sentences and warnings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from theano._src.engines.mesh.collectives import (
    Collective,
    Link,
    collectives_in,
    seconds_of,
    unmeant,
)
from theano._src.engines.mesh.hlo_text import HloText, cycles_in, flops_in
from theano._src.engines.planning.compiler import Compiled
from theano._src.engines.planning.dry_call import Held, Traced
from theano._src.engines.planning.picture import Bar, Part, bars
from theano._src.ground.documented import documented_in
from theano._src.types.topology import Topology

#: the most variables that a list names
_NAMED = 8
#: the part of a chip's state from which a replicated variable or a gather is worth a warning
_LARGE = 0.1


@dataclass(frozen=True)
class ProgramPlan:
    """One compiled program of a function: what it takes, needs, computes and sends."""

    traced: Traced
    compiled: Compiled
    flops: int = 0
    cycles: int | None = None
    collectives: tuple[Collective, ...] = ()
    uncounted: int = 0

    @classmethod
    def of(cls, traced: Traced, compiled: Compiled) -> ProgramPlan:
        """Read the figures of a compiled program from its text."""
        text = HloText(compiled.text)
        sent = tuple(collectives_in(compiled.text))
        flops, cycles = flops_in(text), cycles_in(text)
        return cls(traced, compiled, flops, cycles, sent, text.uncounted)

    @property
    def nbytes(self) -> int:
        """The bytes that a chip needs while the program runs."""
        m = self.compiled.memory
        return sum(m.get(name, 0) for name in ("arguments", "results", "temporaries")) - m.get(
            "reused", 0
        )


@documented_in("theano.distributed")
@dataclass(frozen=True)
class Plan:
    """The needs of a call on chips that this machine need not have; made by ``plan``.

    ``print(report)`` shows all of it, and a notebook draws it. Nothing has run: memory and what is
    sent are those of the compiled programs, and times are estimates.

    Attributes
    ----------
    topology : Topology
    axes : dict, optional
        The lengths of the mesh; None for a function that runs on one chip.
    programs : list
        The compiled programs, in the order in which they run.
    left : str, optional
        Why a part of the function could not be planned.
    """

    topology: Topology
    axes: dict[str, int] | None
    programs: list[ProgramPlan] = field(repr=False)
    left: str | None = None

    # memory

    @property
    def nbytes(self) -> int:
        """The bytes that a chip needs: those of the program that needs most."""
        return max((p.nbytes for p in self.programs), default=0)

    @property
    def fits(self) -> bool | None:
        """Whether the memory of a chip suffices; None if its size is not known."""
        if any(p.compiled.error is not None for p in self.programs):
            return False
        limit = self.topology.chip.memory
        return self.nbytes <= limit if limit else None

    @property
    def state(self) -> list[Held]:
        """The shared variables of all programs, the largest first."""
        held = {h.number: h for p in self.programs for h in p.traced.held if h.is_shared}
        return sorted(held.values(), key=lambda h: -h.nbytes_each)

    # work and time

    @property
    def flops(self) -> int:
        """The floating-point operations of products and convolutions, of a chip, in a call."""
        return sum(p.flops for p in self.programs)

    @property
    def cycles(self) -> int | None:
        """The cycles that the compiler estimates for a chip; None if it does not say."""
        known = [p.cycles for p in self.programs if p.cycles is not None]
        return sum(known) if known else None

    @property
    def collectives(self) -> list[Collective]:
        """The collectives of all programs."""
        return [each for p in self.programs for each in p.collectives]

    @property
    def seconds(self) -> dict[str, float]:
        """Estimated seconds of a call, by what takes them; empty if the chip is not known."""
        chip = self.topology.chip
        if not chip.flops:
            return {}
        moved = sum(
            p.compiled.memory.get("arguments", 0) + p.compiled.memory.get("results", 0)
            for p in self.programs
        )
        products = sum(p.flops * self._slowness(p.traced) for p in self.programs)
        result = {"products": products / chip.flops, "memory": moved / chip.bandwidth}
        if self.cycles is not None:
            result["cycles"] = self.cycles / chip.clock
        result["sending"] = sum(
            seconds_of(c, len(c.group), self._link_of(c)) for c in self.collectives
        )
        return result

    def _slowness(self, traced: Traced) -> float:
        """How many times as long products take as in the fastest precision."""
        chip = self.topology.chip
        if traced.precision == "high" and chip.platform == "tpu":
            return 3.0
        return chip.flops / chip.flops32 if traced.precision == "float32" else 1.0

    def axes_of(self, each: Collective) -> str:
        """The axes of the mesh over which a collective exchanges values."""
        if self.axes is None:
            return ""
        places = np.unravel_index(np.asarray(each.group, int), tuple(self.axes.values()))
        return "+".join(
            name for name, at in zip(self.axes, places, strict=True) if len(set(at.tolist())) > 1
        )

    def _link_of(self, each: Collective) -> Link:
        chip = self.topology.chip
        hosts = {device // self.topology.shape[-1] for device in each.group}
        if chip.network and len(hosts) > 1:
            return Link("the network", chip.network, 5e-6)
        return Link("links", chip.link, 1e-6)

    # warnings

    @property
    def warnings(self) -> list[str]:
        """Sentences on what a program may not have been meant to do."""
        return [*self._refused(), *self._replicated(), *self._gathered(), *self._digits()]

    def _refused(self) -> Iterator[str]:
        for program in self.programs:
            if program.compiled.error is not None:
                first = program.compiled.error.strip().splitlines()[0]
                yield f"the compiler refuses {program.traced.title}: {first}"
            if program.uncounted:
                yield (
                    f"{_many(program.uncounted, 'loop')} of {program.traced.title} of unknown "
                    "length: the work and what is sent in there counts once"
                )
        if self.left is not None:
            yield f"the rest of the function is not planned: {self.left}"

    def _replicated(self) -> Iterator[str]:
        state = [h for h in self.state if h.is_state]
        whole = [h for h in state if h.parts == 1]
        each = sum(h.nbytes_each for h in whole)
        if len(whole) < len(state) and each > _LARGE * sum(h.nbytes_each for h in state):
            yield (
                f"every chip has the whole of {_listed(whole)}, {_size(each)}, while other "
                "state is split: give these a sharding"
            )

    def _gathered(self) -> Iterator[str]:
        here = sum(h.nbytes_each for h in self.state)
        meant = [size for h in self.state if h.parts > 1 for size in self._sizes_of(h)]

        def is_meant(nbytes: int) -> bool:
            return any(abs(nbytes - size) <= 0.05 * size for size in meant)

        for c in self.collectives:
            size = unmeant(c, is_meant)
            if c.kind == "all-gather" and size > _LARGE * here:
                times = f", {c.times} times," if c.times > 1 else ""
                yield (
                    f"an all-gather of {_size(size)} over {self.axes_of(c)}{times} is no "
                    "gather of a split parameter: constrain the value that is split, or avoid a "
                    "reshape that merges its split dimension with one before it"
                )

    def _sizes_of(self, held: Held) -> set[float]:
        """The sizes that gathers of a split variable may have, or of one row of it for a loop.

        They are over some axes of the mesh, in its dtype or in one of half the size.
        """
        lengths = list((self.axes or {}).values())
        parts = {prod(some) for n in range(len(lengths) + 1) for some in combinations(lengths, n)}
        rows = held.shape[0] if held.shape else 1
        return {held.nbytes / k / s / n for k in parts for s in (1, 2) for n in (1, rows)}

    def _digits(self) -> Iterator[str]:
        held = [h for p in self.programs for h in p.traced.held]
        floats = {h.dtype for h in held if np.dtype(h.dtype).kind in "fc"}
        if floats and not floats & {"float64", "complex128"}:
            for program in self.programs:
                if program.traced.is_wide:
                    nodes = [str(n.op) for n in program.traced.nodes if _is_wide(n)]
                    named = ", ".join(dict.fromkeys(nodes[:_NAMED])) or "an op"
                    yield (
                        f"{program.traced.title} computes in float64, though nothing that it takes "
                        f"is: {named}"
                    )
        elif floats and self.topology.platform == "tpu":
            yield "TPUs have no float64: XLA computes it with pairs of float32, many times slower"
        yield from self._products(_FEW_DIGITS)

    def _products(self, sentences: dict[tuple[str, str], str]) -> Iterator[str]:
        """A sentence on the digits of float32 products, if there are any."""
        for program in self.programs:
            key = self.topology.platform, program.traced.precision
            narrow = any(h.dtype == "float32" for h in program.traced.held)
            if program.flops and narrow and key in sentences:
                yield f"products of float32 {sentences[key]} (xla.precision={key[1]})"
                return

    # text

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        there = self.topology
        mesh = "" if self.axes is None else f", mesh {_mesh_text(self.axes)}"
        yield f"Compiled for {there.name}: {_many(there.chips, 'chip')}{mesh}. Nothing has run."
        limit = there.chip.memory
        verdict = {True: "fits", False: "does NOT fit", None: "no limit is known"}[self.fits]
        of = f" of {_size(limit)}" if limit else ""
        yield f"memory     {_size(self.nbytes)}{of} on each chip: {verdict}"
        for name, size in self._purposes().items():
            yield f"  {name:14} {_size(size)}"
        for h in self.state[:_NAMED]:
            split = f"in {h.parts:,} parts" if h.parts > 1 else "whole"
            yield f"  {_size(h.nbytes_each):>9} {h.name}, {h.dtype}{h.shape}, {split}"
        if len(self.state) > _NAMED:
            yield f"            and {len(self.state) - _NAMED} more"
        yield f"computes   {self.flops:,} floating-point operations in products, on each chip"
        for text in self._products(_KEPT_DIGITS):
            yield f"  {text}"
        yield from self._times()
        yield "sends" if self.collectives else "sends      nothing"
        for line in self._sent():
            yield f"  {line}"
        for text in self.warnings:
            yield f"warning    {text}"

    def _purposes(self) -> dict[str, int]:
        """The bytes of the program that needs most, by purpose."""
        most = max(self.programs, key=lambda p: p.nbytes, default=None)
        if most is None or not most.compiled.memory:
            return {}
        state = sum(h.nbytes_each for h in most.traced.held if h.is_shared)
        memory = most.compiled.memory
        return {
            "variables": state,
            "other inputs": max(0, memory["arguments"] - state),
            "temporaries": memory["temporaries"],
            "new results": max(0, memory["results"] - memory["reused"]),
        }

    def _times(self) -> Iterator[str]:
        seconds = self.seconds
        if not seconds:
            return
        chip = self.topology.chip
        if self.cycles is not None:
            yield (
                f"  compiler's estimate  {_time(seconds['cycles'])}: {self.cycles:,} cycles at "
                f"{chip.clock / 1e9:.3g} GHz, sending not counted"
            )
        yield (
            f"  roofline, at least   {_time(seconds['products'])} for products, "
            f"{_time(seconds['memory'])} to read arguments and write results"
        )
        yield f"  sending, estimated   {_time(seconds['sending'])} if nothing hides it"
        largest = max(("products", "memory", "sending"), key=lambda name: seconds[name])
        yield f"  of these three, {_LIMITS[largest]} takes longest"

    def _sent(self) -> Iterator[str]:
        table: dict[tuple[str, str, str], list[float]] = {}
        for c in self.collectives:
            link = self._link_of(c)
            row = table.setdefault((c.kind, self.axes_of(c), link.name), [0, 0, 0.0])
            row[0] += c.times
            row[1] += c.times * c.nbytes
            row[2] += seconds_of(c, len(c.group), link) if link.bandwidth else 0.0
        for (kind, axes, by), (count, total, seconds) in sorted(table.items()):
            took = f", {_time(seconds)} by {by}" if seconds else ""
            over = f" over {axes}" if axes else ""
            yield f"{int(count):,} {kind}{over}, {_size(total)}{took}"

    # picture and file

    def svg(self) -> str:
        """Return a picture as SVG: the memory of a chip, and estimated times."""
        memory = [Part(name, size, _size(size)) for name, size in self._purposes().items() if size]
        limit = self.topology.chip.memory
        shown = [Bar("memory of a chip", memory, float(limit), _size(limit) if limit else "")]
        for name, seconds in self.seconds.items():
            shown.append(Bar(_BARS[name], [Part(name, seconds, _time(seconds))]))
        mesh = "" if self.axes is None else f", {_mesh_text(self.axes)}"
        return bars(f"{self.topology.name}{mesh}: estimates, nothing has run", shown)

    def _repr_svg_(self) -> str:
        return self.svg()

    def save(self, path: Any) -> None:
        """Write the report, XLA's text and the compiled programs into one zip file.

        Parameters
        ----------
        path : str or path-like

        Notes
        -----
        The compiled programs are as ``jax.experimental.serialize_executable`` writes them. They
        load on such chips only, which is not tested: this is experimental.

        Examples
        --------
        >>> report.save("step.plan")  # doctest: +SKIP
        """
        import zipfile

        with zipfile.ZipFile(Path(path), "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("report.txt", f"{self}\n")
            file.writestr("report.svg", self.svg())
            for number, program in enumerate(self.programs):
                file.writestr(f"program{number}.stablehlo", program.traced.exported)
                file.writestr(f"program{number}.hlo", program.compiled.text)
                file.writestr(f"program{number}.executable", program.compiled.executable)


#: for each platform and precision, the digits of float32 products
_KEPT_DIGITS = {
    ("tpu", "float32"): "keep their digits, in six passes of bfloat16",
    ("tpu", "high"): "keep most of their digits, in three passes of bfloat16",
    ("gpu", "float32"): "keep their digits",
}
_FEW_DIGITS = {
    ("tpu", "fast"): "have the digits of bfloat16",
    ("gpu", "fast"): "may have the digits of TF32",
    ("gpu", "high"): "may have the digits of TF32",
}
_LIMITS = {
    "products": "computing products",
    "memory": "reading and writing memory",
    "sending": "sending",
}
_BARS = {
    "products": "products, at least",
    "memory": "memory traffic, at least",
    "cycles": "compiler's estimate",
    "sending": "sending, if nothing hides it",
}


def _is_wide(node: Any) -> bool:
    """Whether a node computes in float64."""
    return getattr(node.op, "acc_dtype", None) == "float64" or any(
        getattr(v.type, "dtype", None) in ("float64", "complex128") for v in node.outputs
    )


def _mesh_text(axes: dict[str, int]) -> str:
    return " x ".join(f"{name}={n}" for name, n in axes.items())


def _listed(held: list[Held]) -> str:
    names = [h.name for h in held[:3]]
    more = f" and {len(held) - 3} more" if len(held) > 3 else ""
    return ", ".join(names) + more


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _size(nbytes: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if nbytes >= size:
            return f"{nbytes / size:.3g} {unit}"
    return f"{nbytes:.0f} bytes"


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} us"
