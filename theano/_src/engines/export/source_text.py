"""Python text of a program that was recorded call by call; short expressions are merged."""

from __future__ import annotations

import builtins
import keyword
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

#: columns of a line without its indentation
_WIDTH = 88


@dataclass(eq=False)
class Ref:
    """A value of the program: its preferred name, and whether it must have a line of its own."""

    name: str | None = None
    kept: bool = False
    #: an argument, a constant or a loop variable: it has a name, and no line assigns it
    given: bool = False
    written: str | None = None


@dataclass(frozen=True)
class Use:
    """A value in an expression; ``between`` operators, an operator expression needs brackets."""

    ref: Ref
    between: bool = False


Parts = Sequence["str | Use"]


@dataclass(eq=False)
class Assign:
    """``ref = parts``."""

    ref: Ref
    parts: Parts
    is_operator: bool
    where: str | None


@dataclass(eq=False)
class Statement:
    """A line that is kept for its effect, and the block that it begins, if any."""

    parts: Parts
    body: Block | None = None
    where: str | None = None


@dataclass(eq=False)
class Block:
    """Lines of one indentation."""

    items: list[Assign | Statement] = field(default_factory=list)


class Recorder:
    """Collects the lines of a function, and writes them."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.top = self.block = Block()
        #: the user's line that is being recorded
        self.where: str | None = None
        self._taken = {*taken, *keyword.kwlist, *dir(builtins)}
        self._number = 0

    # recording

    def assign(self, parts: Parts, is_operator: bool = False) -> Ref:
        ref = Ref()
        self.block.items.append(Assign(ref, parts, is_operator, self.where))
        return ref

    def do(self, parts: Parts) -> None:
        """Record a line without a value."""
        self.block.items.append(Statement(parts, None, self.where))

    @contextmanager
    def indented(self, parts: Parts) -> Iterator[None]:
        """Record the body of a line such as ``for t in range(n):``."""
        outer, self.block = self.block, Block()
        outer.items.append(Statement(parts, self.block, self.where))
        try:
            yield
        finally:
            self.block = outer

    @contextmanager
    def discarded(self) -> Iterator[None]:
        """Discard what is recorded inside."""
        outer, self.block = self.block, Block()
        try:
            yield
        finally:
            self.block = outer

    def given(self, name: str) -> Ref:
        """A value whose name is defined elsewhere."""
        return Ref(given=True, written=self._unique(name))

    def variable(self, name: str) -> Ref:
        """A name that statements assign to, possibly more than once."""
        return self.given(name)

    def _unique(self, name: str) -> str:
        stem = "".join(c if c.isalnum() or c == "_" else "_" for c in name)
        stem = stem if stem.isidentifier() else f"v_{stem}"
        text, n = stem, 1
        while text in self._taken:
            text, n = f"{stem}_{n}", n + 1
        self._taken.add(text)
        return text

    def _name(self, ref: Ref) -> str:
        if ref.written is None:
            if ref.name:
                ref.written = self._unique(ref.name)
            else:
                self._number += 1
                ref.written = self._unique(f"t{self._number}")
        return ref.written

    # writing

    def write(self, indent: int = 4) -> list[str]:
        """Return the lines, without those that nothing reads."""
        uses: Counter[Ref] = Counter()
        dead: set[Assign] = set()
        _count(self.top, uses, dead)
        lines: list[str] = []
        _Writer(self, uses, dead, lines).block(self.top, indent)
        return lines


def _count(block: Block, uses: Counter[Ref], dead: set[Assign]) -> None:
    """Count the reads of each value, from the end: a value that only dead lines read is dead."""
    # a stack instead of recursion: the last line of a program first
    stack: list[Assign | Statement] = list(block.items)
    while stack:
        item = stack.pop()
        if isinstance(item, Assign) and not uses[item.ref] and not item.ref.kept:
            dead.add(item)
            continue
        for part in item.parts:
            if isinstance(part, Use):
                uses[part.ref] += 1
        if isinstance(item, Statement) and item.body is not None:
            stack.extend(item.body.items)


class _Writer:
    """One pass over the blocks: an expression that is read once waits for its reader."""

    def __init__(
        self, recorder: Recorder, uses: Counter[Ref], dead: set[Assign], lines: list[str]
    ) -> None:
        self._recorder, self._uses, self._dead, self._lines = recorder, uses, dead, lines
        self._waiting: dict[Ref, tuple[str, Assign]] = {}
        self._last_line: str | None = None

    def block(self, block: Block, indent: int) -> None:
        start = len(self._lines)
        for item in block.items:
            if item in self._dead:
                continue
            if isinstance(item, Assign):
                text = self._text(item, indent, len(item.ref.name or "t00") + 3)
                if self._may_wait(item):
                    self._waiting[item.ref] = (text, item)
                else:
                    self._line(f"{self._recorder._name(item.ref)} = {text}", indent, item.where)
                continue
            if item.body is None:
                self._line(self._text(item, indent, 0), indent, item.where)
                continue
            self._line(self._text(item, indent, 0), indent, item.where)
            self._flush(indent, before=len(self._lines) - 1)
            self.block(item.body, indent + 4)
        self._flush(indent)
        if len(self._lines) == start:
            self._lines.append(" " * indent + "pass")

    def _may_wait(self, item: Assign) -> bool:
        return self._uses[item.ref] == 1 and not item.ref.kept and item.ref.name is None

    def _text(self, item: Assign | Statement, indent: int, width: int) -> str:
        texts: list[str] = []
        room = _WIDTH - indent - width - sum(len(p) for p in item.parts if isinstance(p, str))
        for part in item.parts:
            if isinstance(part, str):
                texts.append(part)
                continue
            waiting = self._waiting.pop(part.ref, None)
            if waiting is None:
                text = self._recorder._name(part.ref)
            else:
                text, owner = waiting
                if part.between and owner.is_operator:
                    text = f"({text})"
                if len(text) > room or owner.where != item.where:
                    self._line(
                        f"{self._recorder._name(part.ref)} = {waiting[0]}", indent, owner.where
                    )
                    text = self._recorder._name(part.ref)
            room -= len(text)
            texts.append(text)
        return "".join(texts)

    def _flush(self, indent: int, before: int | None = None) -> None:
        """Write the waiting expressions: their readers are in a nested block."""
        held = []
        if before is not None:
            held, self._lines[before:] = self._lines[before:], []
        for ref, (text, item) in list(self._waiting.items()):
            del self._waiting[ref]
            self._line(f"{self._recorder._name(ref)} = {text}", indent, item.where)
        self._lines += held

    def _line(self, text: str, indent: int, where: str | None) -> None:
        if where != self._last_line and where is not None:
            self._lines.append(f"{' ' * indent}# {where}")
        self._last_line = where
        self._lines.append(" " * indent + text)
