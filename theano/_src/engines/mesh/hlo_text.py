"""XLA's text of a compiled program: its instructions, and how often each of them runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

import numpy as np

_COMPUTATION = re.compile(r"(ENTRY )?%?([\w.\-]+)(?: \(.*)? \{$")
_INSTRUCTION = re.compile(r"\s+(ROOT )?%?([\w.\-]+) = ")
_ARRAY = re.compile(r"\b(pred|[a-z]+?)(\d*)(?:e\d+m\d+\w*)?\[([\d,]*)\]")
_NAME = re.compile(r"%([\w.\-]+)")
_ONE = re.compile(r"\b(?:calls|to_apply|body|true_computation|false_computation)=%?([\w.\-]+)")
_SEVERAL = re.compile(r"\bbranch_computations=\{([^}]*)\}")
_TRIPS = re.compile(r'"known_trip_count":\{"n":"(\d+)"')
_CYCLES = re.compile(r'"estimated_cycles":"(\d+)"')
_CALLERS = frozenset({"fusion", "call", "conditional", "async-start", "while"})
#: operations that take as long as their arrays are large, or longer
_WORK = frozenset(
    "cholesky convolution dot fft gather reduce reduce-window scatter select-and-scatter sort "
    "triangular-solve".split()
)
#: instructions that leave a number as it is
_SAME = frozenset({"copy", "bitcast", "convert", "reshape", "copy-done"})


class Instruction(NamedTuple):
    """One line: the result's name and type, the operation, its operands, and the rest."""

    name: str
    type: str
    op: str
    operands: list[str]
    rest: str

    def attribute(self, name: str) -> str | None:
        """The name or number behind ``name=``, without its sign."""
        match = re.search(rf"\b{name}=%?([\w.\-]+)", self.rest)
        return None if match is None else match[1]


@dataclass
class Computation:
    """A function of a program: its instructions by name, in order, and the last one's name."""

    name: str
    instructions: dict[str, Instruction] = field(default_factory=dict)
    root: str = ""

    def parameter(self, number: int) -> str | None:
        for each in self.instructions.values():
            if each.op == "parameter" and each.rest.startswith(f"{number})"):
                return each.name
        return None


class Run(NamedTuple):
    """An instruction of a program: how often it runs, and the computation that it is in.

    ``within`` is the computation that runs as instructions of its own: for a part of a fusion, the
    one that the fusion is in.
    """

    instruction: Instruction
    times: int
    computation: Computation
    within: str

    @property
    def is_fused(self) -> bool:
        return self.computation.name != self.within


class HloText:
    """A compiled program, read from its text.

    Attributes
    ----------
    devices : int
        The number of devices that the program runs on.
    uncounted : int
        Loops whose number of steps the text does not have; their bodies count once.
    """

    def __init__(self, text: str) -> None:
        self.computations: dict[str, Computation] = {}
        self.uncounted = 0
        self._entry = ""
        self.devices = 1
        here = Computation("")
        for line in text.splitlines():
            if line.startswith("HloModule"):
                self.devices = prod(
                    int(n) for n in re.findall(r"\b(?:num_partitions|replica_count)=(\d+)", line)
                )
            elif not line.startswith(" "):
                match = _COMPUTATION.match(line)
                if match is not None:
                    here = self.computations[match[2]] = Computation(match[2])
                    self._entry = match[2] if match[1] else self._entry
            elif (start := _INSTRUCTION.match(line)) is not None:
                read = _read(start[2], line[start.end() :])
                here.instructions[read.name] = read
                if start[1]:
                    here.root = read.name

    def runs(self) -> Iterator[Run]:
        """Each instruction, with the number of times that it runs.

        All branches of a conditional are counted.
        """
        self.uncounted = 0
        todo = [(self._entry, self._entry, 1)]
        while todo:
            name, within, times = todo.pop()
            computation = self.computations.get(name)
            if computation is None:
                continue
            for each in computation.instructions.values():
                yield Run(each, times, computation, within)
                if each.op not in _CALLERS:
                    continue
                steps = self._steps(computation, each) if each.op == "while" else 1
                for called in self._called(each):
                    fused = each.op in ("fusion", "async-start")
                    todo.append((called, within if fused else called, times * steps))

    @staticmethod
    def _called(each: Instruction) -> list[str]:
        if each.op == "while":
            body = each.attribute("body")
            return [] if body is None else [body]
        several = _SEVERAL.search(each.rest)
        return _ONE.findall(each.rest) if several is None else _NAME.findall(several[1])

    # loops

    def _steps(self, computation: Computation, loop: Instruction) -> int:
        """How often the body of a loop runs; 1 if the text does not have it."""
        known = _TRIPS.search(loop.rest)
        steps = int(known[1]) if known is not None else self._steps_by_condition(computation, loop)
        if steps is None:
            self.uncounted += 1
            return 1
        return steps

    def _steps_by_condition(self, computation: Computation, loop: Instruction) -> int | None:
        """The steps of a loop that counts up, as jax's do, until it reaches a number."""
        condition = self.computations.get(loop.attribute("condition") or "")
        start = computation.instructions.get(loop.operands[0]) if loop.operands else None
        if condition is None or start is None or start.op != "tuple":
            return None
        sides = self._compared(condition)
        if sides is None:
            return None
        numbers = []
        for side in sides:
            if isinstance(side, int):  # an element of what the loop carries
                numbers.append(_number(computation, start.operands[side]))
            else:
                numbers.append(_number(condition, side))
        first, last = numbers
        if first is None or last is None:
            return None
        by = self._added(loop, sides[0]) if isinstance(sides[0], int) else 1
        return max(0, -(-(last - first) // by))

    def _compared(self, condition: Computation) -> list[int | str] | None:
        """The two sides of ``a < b``: positions in what the loop carries, or names of constants."""
        root = condition.instructions.get(condition.root)
        if root is None:
            return None
        inner, root, given = self._inside(condition, root)
        root = _low_half(inner, root)
        if root.op != "compare" or root.attribute("direction") != "LT":
            return None
        sides: list[int | str] = []
        for name in root.operands:
            own = inner.instructions[name]
            if own.op == "constant" and inner is not condition:
                condition.instructions.setdefault(name, own)
            outer = condition.instructions[given.get(name, name)]
            while outer.op in _SAME:
                outer = condition.instructions[outer.operands[0]]
            if outer.op == "get-tuple-element":
                sides.append(int(outer.attribute("index") or 0))
            elif outer.op == "constant":
                sides.append(outer.name)
            else:
                return None
        return sides

    def _added(self, loop: Instruction, position: int) -> int:
        """The number that a step adds to one that the loop carries; 1 if the text does not show it.

        XLA for TPUs writes two steps of a loop as one.
        """
        body = self.computations.get(loop.attribute("body") or "")
        root = None if body is None else body.instructions.get(body.root)
        if body is None or root is None or root.op != "tuple":
            return 1
        each = body.instructions[root.operands[position]]
        while each.op in _SAME:
            each = body.instructions[each.operands[0]]
        inner, each, given = self._inside(body, each)
        if each.op != "add":
            return 1
        places = [(inner, n) if n not in given else (body, given[n]) for n in each.operands]
        numbers = [n for place in places if (n := _number(*place)) is not None]
        return numbers[0] if len(numbers) == 1 and numbers[0] > 0 else 1

    def _inside(
        self, computation: Computation, each: Instruction
    ) -> tuple[Computation, Instruction, dict[str | None, str]]:
        """An instruction, or what a fusion computes, and the operands by their names in there."""
        called = self.computations.get(each.attribute("calls") or "")
        if each.op != "fusion" or called is None or called.root not in called.instructions:
            return computation, each, {}
        given = {called.parameter(k): name for k, name in enumerate(each.operands)}
        return called, called.instructions[called.root], given


def _low_half(inside: Computation, root: Instruction) -> Instruction:
    """The comparison of the lower halves, if ``root`` compares numbers of 64 bits.

    A TPU has them as two numbers: ``high < 0 or (high == 0 and low < n)``.
    """
    if root.op != "or":
        return root
    both = [inside.instructions[name] for name in root.operands]
    for each in both:
        sides = [inside.instructions[name] for name in each.operands] if each.op == "and" else []
        directions = [s.attribute("direction") for s in sides if s.op == "compare"]
        if sorted(map(str, directions)) == ["EQ", "LT"]:
            return sides[directions.index("LT")]
    return root


def _read(name: str, line: str) -> Instruction:
    """The parts of a line, from behind its equals sign."""
    behind = _closing(line, 0) if line.startswith("(") else line.index(" ")
    start = line.index("(", behind + 1)
    end = _closing(line, start)
    # attributes come behind the operands; constants and parameters have their value there
    rest = line[start + 1 :]
    return Instruction(
        name,
        line[:behind],
        line[behind:start].strip(),
        _NAME.findall(line[start:end]),
        rest,
    )


def _closing(text: str, start: int) -> int:
    """The position behind the bracket that closes the one at ``start``."""
    depth = 0
    for match in re.finditer(r"[()]", text[start:]):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return start + match.end()
    return len(text)


def _number(computation: Computation, name: str) -> int | None:
    """The value of an integer constant, also if it was copied."""
    each = computation.instructions.get(name)
    while each is not None and each.op in _SAME and each.operands:
        each = computation.instructions.get(each.operands[0])
    if each is None or each.op != "constant":
        return None
    value = re.match(r"-?\d+(?=\))", each.rest)
    return None if value is None else int(value[0])


# types


def lengths_in(text: str) -> list[int]:
    """The lengths of the first array in a type."""
    match = _ARRAY.search(text)
    return [] if match is None else [int(n) for n in match[3].split(",") if n]


def nbytes(text: str) -> int:
    """The bytes of all arrays in a type.

    >>> nbytes("(f32[4,8]{1,0:T(8,128)}, bf16[3]{0})")
    134
    """
    total = 0
    for kind, bits, lengths in _ARRAY.findall(text):
        size = 8 if kind == "pred" else int(bits or 8)
        total += size * prod(int(n) for n in lengths.split(",") if n) // 8
    return total


def elements_of(text: str) -> list[str]:
    """The types in a tuple, which may be tuples; a type that is none is alone.

    >>> elements_of("((f32[4], f32[2]), u32[]{:S(2)})")
    ['(f32[4], f32[2])', 'u32[]{:S(2)}']
    """
    if not text.startswith("("):
        return [text]
    result, depth, start = [], 0, 1
    for match in re.finditer(r"[()\[\]{},]", text):
        if match[0] in "([{":
            depth += 1
        elif match[0] in ")]}":
            depth -= 1
        if depth == 0 or (depth == 1 and match[0] == ","):
            result.append(re.sub(r"/\*.*?\*/", "", text[start : match.start()]).strip())
            start = match.end()
    return result


# work


def cycles_in(program: HloText) -> int | None:
    """The cycles that the compiler estimates for a program; None if it does not say."""
    total = None
    for run in program.runs():
        match = None if run.is_fused else _CYCLES.search(run.instruction.rest)
        if match is not None:
            total = (total or 0) + run.times * int(match[1])
    return total


def unestimated_in(program: HloText) -> list[str]:
    """The work whose cycles a compiler that estimates cycles leaves out, by operation."""
    return sorted(
        run.instruction.op
        for run in program.runs()
        if run.instruction.op in _WORK
        and not run.is_fused
        and _CYCLES.search(run.instruction.rest) is None
    )


def flops_in(program: HloText) -> int:
    """The floating-point operations of matrix products and convolutions, loops included."""
    total = 0
    for each, times, computation, _ in program.runs():
        if each.op in ("dot", "convolution"):
            types = [computation.instructions[name].type for name in each.operands]
            of = _of_product if each.op == "dot" else _of_convolution
            total += 2 * times * of(each, *map(lengths_in, types))
    return total


def _of_product(each: Instruction, left: list[int], right: list[int]) -> int:
    match = re.search(r"lhs_contracting_dims=\{([\d,]*)\}", each.rest)
    summed = [int(i) for i in match[1].split(",") if i] if match is not None else []
    return prod(lengths_in(each.type)) * prod(left[i] for i in summed)


def _of_convolution(each: Instruction, images: list[int], filters: list[int]) -> int:
    """The multiplications with an element of the images, not with padding.

    NOTE: XLA writes batched products as convolutions, whose batch is a window with much padding.
    """
    labels = re.search(r"dim_labels=(\w+)_(\w+)->(\w+)", each.rest)
    if labels is None:
        return 0
    here, taps, out = labels.groups()
    result = lengths_in(each.type)
    total = result[out.index("b")] * result[out.index("f")] * filters[taps.index("i")]
    window = re.search(r"window=\{([^}]*)\}", each.rest)
    given = dict(word.split("=") for word in window[1].split()) if window is not None else {}
    for k in range(len(here) - 2):
        axis = str(k)
        step, pad, own, gap = (
            given.get(name, "x".join(["0_0" if name == "pad" else "1"] * (k + 1))).split("x")[k]
            for name in ("stride", "pad", "lhs_dilate", "rhs_dilate")
        )
        places = np.arange(result[out.index(axis)])[:, None] * int(step) - int(pad.split("_")[0])
        reached = places + np.arange(filters[taps.index(axis)]) * int(gap)
        inside = (reached >= 0) & (reached <= (images[here.index(axis)] - 1) * int(own))
        total *= int((inside & (reached % int(own) == 0)).sum())
    return total
