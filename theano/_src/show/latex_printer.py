"""The LaTeX writer: brackets by precedence, shared parts as separate definitions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import HasInnerGraph
from theano._src.ground.documented import documented_in
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.show import latex_names as names
from theano._src.show.pprint import (
    DefaultPrinter,
    FunctionPrinter,
    IgnorePrinter,
    LeafPrinter,
    MemberPrinter,
    OperatorPrinter,
    PatternPrinter,
    PPrinter,
    PrinterState,
    _Form,
    name_of,
)

#: precedence of formulas that never need brackets, and that always do
ATOM, LOOSE = 100.0, -100.0
# precedences between `SUM`, `PRODUCT`, `SIGN` and `POWER`
NEGATIVE, SUM_SIGN = -1.6, -1.5
FRACTION, SUPERSCRIPT, SUBSCRIPT = 0.5, 1.5, 3.0

_LONGEST = 1_000_000
#: the fewest ops for which a shared part gets its own definition
_WHERE = 3
_LETTERS = "tuvqrs"
#: names that functions of theano.tensor give to their results, not users
_GIVEN = frozenset({None, "mean", "var", "std", "max", "argmax", "min", "argmin"})


class At(NamedTuple):
    """A variable in a formula, in brackets unless it binds at least as tightly as ``level``."""

    variable: Variable
    level: float = LOOSE


class Formula(NamedTuple):
    """Text and variables in order, and how tightly the whole binds.

    Parts are strings, `At`, and formulas that belong to the same variable.
    """

    parts: Sequence[Any]
    binds: float = ATOM
    #: whether it needs tall brackets
    tall: bool = False


class LatexForm(_Form):
    """A LaTeX printer: returns a variable's `Formula`, or another variable to write instead."""

    def formula(self, output: Variable, writer: Latex) -> Formula | Variable:
        raise NotImplementedError

    def process(self, output: Variable, pstate: PrinterState) -> str:
        writer = getattr(pstate, "pprinter", None)
        return (writer if isinstance(writer, Latex) else Latex(PPrinter()))(output)


class _Written(NamedTuple):
    """A variable's formula with its brackets, as a tree of strings."""

    pieces: list[Any]
    binds: float
    tall: bool
    ops: int


def bracketed(inside: Sequence[Any], tall: bool, left: str = "(", right: str = ")") -> list[Any]:
    """Put brackets around pieces; ``tall``: brackets that grow with the content."""
    if tall:
        return [rf"\left{left} ", *inside, rf" \right{right}"]
    return [left, *inside, right]


@documented_in("theano.printing")
class Latex(PPrinter):
    r"""Writes expressions as LaTeX; `theano.printing.latex` is one.

    Extend it like `pprint`: by ``assign(condition, printer)``, or a copy by ``clone_assign``.
    Ops without a printer here use the printer assigned to `pprint`. In a ``PatternPrinter`` the
    text is LaTeX; the numbers after it are the precedences that inputs need to be written
    without brackets.

    Parameters
    ----------
    base : PPrinter
        Provides the printers for ops that have none here.

    >>> import theano.tensor as T
    >>> from theano.printing import PatternPrinter, latex
    >>> x, w_1 = T.dvector("x"), T.dscalar("w_1")
    >>> print(latex(T.exp(-x) / (1 + w_1 * x)))
    \frac{e^{-x}}{1 + w_{1} \, x}
    >>> print(latex.clone_assign(T.exp, PatternPrinter(r"\mathrm{e}^{%(0)s}"))(T.exp(x)))
    \mathrm{e}^{x}
    """

    def __init__(self, base: PPrinter) -> None:
        super().__init__(bare_constants=True, comma=", ")
        self.base = base

    def clone(self) -> Latex:
        """Return an independent copy with the same assignments."""
        cp = Latex(self.base)
        cp.printers = list(self.printers)
        cp.printers_dict = dict(self.printers_dict)
        return cp

    def printer_for(self, r: Variable, pstate: Any) -> Any:
        """Return the printer for ``r``."""
        return self.assigned(r, pstate) or self.base.printer_for(r, pstate)

    def process(
        self, r: Any, pstate: PrinterState | None = None, where: int | None = _WHERE
    ) -> str:
        r"""Return the formula of an expression.

        Parameters
        ----------
        r : Variable, or list of Variables
            A list becomes lines of an ``aligned`` environment.
        where : int, optional
            A part that is used twice, and has at least this many ops, is defined on its own line;
            so is each part with a name. With None, everything is written out.
        """
        several = isinstance(r, (list, tuple))
        outputs = list(r) if several else [r]
        for v in outputs:
            if not isinstance(v, Variable):
                raise TypeError(
                    f"latex takes a Variable or a list of them, got {v!r:.200} of type "
                    f"{type(v).__name__}; of a compiled function take f.maker.fgraph.outputs"
                )
        state = PrinterState(pprinter=self) if pstate is None else pstate
        written = _Writing(self, state, outputs, where)
        if not several and not written.definitions:
            return written.text(outputs[0])
        rows = [written.row(v, named=several) for v in outputs]
        for i, (symbol, formula) in enumerate(written.definitions):
            lead = r"\text{where} \quad " if i == 0 else ""
            rows.append(f"{lead}{symbol} &= {written.flat(formula)}")
        inside = " \\\\\n".join(rows)
        return f"\\begin{{aligned}}\n{inside}\n\\end{{aligned}}"

    def formula(self, v: Variable, pstate: PrinterState) -> Formula | Variable:
        """Return the formula of one variable in terms of others."""
        printer = self.printer_for(v, pstate)
        if isinstance(printer, LatexForm):
            return printer.formula(v, self)
        if isinstance(printer, _Form):
            return _translated(printer, v)
        return Formula([printer.process(v, pstate)])


class _Writing:
    """One run: writes each variable's formula once, inputs first, without recursion."""

    def __init__(
        self, writer: Latex, pstate: PrinterState, outputs: Sequence[Variable], where: int | None
    ) -> None:
        self.writer, self.pstate, self.where = writer, pstate, where
        self.outputs = set(outputs)
        self.formulas: dict[Variable, Formula] = {}
        self.alias: dict[Variable, Variable] = {}
        self.uses: dict[Variable, int] = {}
        self.done: dict[Variable, _Written] = {}
        self.whole: dict[Variable, _Written] = {}
        self.definitions: list[tuple[str, _Written]] = []
        self.symbols: set[str] = set()
        self.unnamed = 0
        order = self._read(outputs)
        taken = {(v.name or " ")[0] for v in order}
        self.letter = next((c for c in _LETTERS if c not in taken), "t")
        for v in order:
            self.done[v] = self._settled(v)

    def _target(self, v: Variable) -> Variable:
        while v in self.alias:
            v = self.alias[v]
        return v

    def _read(self, outputs: Sequence[Variable]) -> list[Variable]:
        """Collect the formulas of all variables; return the variables, inputs first."""
        order: list[Variable] = []
        stack: list[tuple[Variable, bool]] = [(v, False) for v in reversed(outputs)]
        while stack:
            v, opened = stack.pop()
            v = self._target(v)
            if opened:
                order.append(v)
                continue
            if v in self.formulas:
                continue
            result = self.writer.formula(v, self.pstate)
            if isinstance(result, Variable):
                self.alias[v] = result
                stack.append((result, False))
                continue
            self.formulas[v] = result
            stack.append((v, True))
            stack += [(part.variable, False) for part in reversed(_variables(result))]
        for formula in self.formulas.values():
            for part in _variables(formula):
                target = self._target(part.variable)
                self.uses[target] = self.uses.get(target, 0) + 1
        return order

    def _settled(self, v: Variable) -> _Written:
        """Return the formula of a variable whose parts are done, or its symbol."""
        formula = self.formulas[v]
        pieces, tall, ops = self._joined(formula)
        result = _Written(pieces, formula.binds, tall, ops + (v.owner is not None))
        self.whole[v] = result
        if self.where is None or v.owner is None:
            return result
        known = v.name not in _GIVEN and not isinstance(v.owner.op, DimShuffle)
        if v in self.outputs:
            # each of several outputs has its own line, with its name
            return _symbol(names.name(str(v.name))) if known and len(self.outputs) > 1 else result
        shared = self.uses.get(v, 0) > 1 and result.ops >= self.where
        symbol = names.name(str(v.name)) if known else ""
        if not (shared or known) or symbol in self.symbols:
            return result  # the name is already taken by another part
        if not symbol:
            self.unnamed += 1
            symbol = f"{self.letter}_{{{self.unnamed}}}"
        self.symbols.add(symbol)
        self.definitions.append((symbol, result))
        return _symbol(symbol)

    def _joined(self, formula: Formula) -> tuple[list[Any], bool, int]:
        pieces: list[Any] = []
        tall, ops = formula.tall, 0
        for part in formula.parts:
            if isinstance(part, str):
                pieces.append(part)
            elif isinstance(part, Formula):
                inner, high, more = self._joined(part)
                pieces.append(bracketed(inner, high) if part.binds == LOOSE else inner)
                tall, ops = tall or high, ops + more
            else:
                child = self.done[self._target(part.variable)]
                inside = bracketed(child.pieces, child.tall)
                pieces.append(inside if child.binds < part.level else child.pieces)
                tall, ops = tall or child.tall, ops + child.ops
        return pieces, tall, ops

    def flat(self, written: _Written) -> str:
        text: list[str] = []
        length = 0
        stack = list(reversed(written.pieces))
        while stack:
            piece = stack.pop()
            if not isinstance(piece, str):
                stack += reversed(piece)
                continue
            text.append(piece)
            length += len(piece)
            if length > _LONGEST:
                raise ValueError(
                    f"latex passed {_LONGEST} characters here; a formula of this size is not read: "
                    "use debugprint, or name parts of it and write them one by one"
                )
        return "".join(text)

    def text(self, v: Variable) -> str:
        return self.flat(self.whole[self._target(v)])

    def row(self, v: Variable, named: bool) -> str:
        known = named and v.name is not None and v.owner is not None
        return f"{names.name(v.name)} &= {self.text(v)}" if known else f"& {self.text(v)}"


def _symbol(text: str) -> _Written:
    fraction = text.startswith(r"\frac")
    return _Written([text], FRACTION if fraction else ATOM, fraction, 0)


def _variables(formula: Formula) -> list[At]:
    results = []
    for part in formula.parts:
        if isinstance(part, At):
            results.append(part)
        elif isinstance(part, Formula):
            results += _variables(part)
    return results


# the printers of `pprint`, as formulas


def _translated(printer: _Form, v: Variable) -> Formula | Variable:
    if v.owner is None:
        return leaf(v)
    match printer:
        case IgnorePrinter():
            return v.owner.inputs[0]
        case OperatorPrinter():
            symbol = names.escaped(printer.operator)
            return infix(symbol, printer.precedence, printer.assoc, v.owner.inputs)
        case PatternPrinter():
            return pattern(printer.patterns[v.index or 0], v.owner.inputs)
        case FunctionPrinter():
            return call(names.function_name(printer.names[v.index or 0]), v.owner.inputs)
        case MemberPrinter():
            member = names.upright(printer.names[v.index or 0])
            return Formula([At(v.owner.inputs[0], SUBSCRIPT), f".{member}"], SUBSCRIPT)
        case LeafPrinter() | DefaultPrinter():
            return default(v)
    # the form has only a text version: use the op's name
    return default(v)


def pattern(given: tuple[Any, ...], inputs: Sequence[Variable]) -> Formula:
    """Fill inputs into a pattern; its precedences are one for all inputs or one for each."""
    text, *levels = given
    pieces = re.split(r"%\((\d+)\)s", text)
    parts: list[Any] = []
    for i, piece in enumerate(pieces):
        if i % 2 == 0:
            parts.append(piece.replace("%%", "%"))
            continue
        k = int(piece)
        level = levels[k] if k < len(levels) else (levels[-1] if levels else LOOSE)
        parts.append(At(inputs[k], level))
    return Formula(parts, tall=r"\frac" in text or r"\begin" in text)


def infix(operator: str, binds: float, groups: str, inputs: Sequence[Variable]) -> Formula:
    """Return inputs with an operator between them, or in front of a single one."""
    if len(inputs) == 1:
        return Formula([f"{operator} ", At(inputs[0], binds)], binds)
    tighter = binds + 0.01
    first, rest = {"left": (binds, tighter), "right": (tighter, binds)}.get(groups, (binds, binds))
    parts: list[Any] = [At(inputs[0], first)]
    for v in inputs[1:]:
        parts += [f" {operator} ", At(v, rest)]
    if groups == "right":
        parts[-1] = At(inputs[-1], binds)
    return Formula(parts, binds)


def call(function: str, inputs: Sequence[Variable]) -> Formula:
    """Return a function with its arguments in brackets."""
    arguments: list[Any] = []
    for v in inputs:
        arguments += [", "] * bool(arguments) + [At(v)]
    return Formula([function, Formula(arguments, LOOSE)])


def leaf(v: Variable) -> Formula:
    """Return a variable by its name, a constant by its value, anything else by its type."""
    if v.name is not None:
        return Formula([names.name(v.name)])
    if not isinstance(v, Constant):
        text = str(v).removeprefix("<").removesuffix(">")
        return Formula([names.upright(text)])
    data = v.data
    if not hasattr(data, "dtype"):
        return Formula([names.number(data) if isinstance(data, (int, float)) else _other(data)])
    text = names.array(data) if data.dtype.kind in "biufc" else _other(data)
    if data.size != 1:
        return Formula([text], tall="bmatrix" in text and data.ndim > 1)
    if " " in text:
        return Formula([text], -1.0 if r"\cdot" in text and text[0] != "-" else -2.0)
    if text.startswith("-"):
        return Formula([text], NEGATIVE)
    return Formula([text], 1.0 if "^" in text else ATOM)


def _other(data: Any) -> str:
    return names.upright(f"{data!s:.40}")


def default(v: Variable) -> Formula:
    """Return an op as a function call, by its name."""
    node = v.owner
    if node is None:
        return leaf(v)
    op = node.op
    return numbered(v, call(names.function_name(op_name(op)) + axes_of(op), node.inputs))


def numbered(v: Variable, formula: Formula) -> Formula:
    """Add the index of an output to its formula, unless it is the first."""
    node, index = v.owner, v.index
    if node is None or not index or len(node.outputs) < 2:
        return formula
    return Formula([*formula.parts, f"_{{{index}}}"], SUBSCRIPT, formula.tall)


def op_name(op: Any) -> str:
    """Return a short name of an op: its name in formulas, its own name, or its class name."""
    given = name_of(op) or getattr(op, "name", None)
    if isinstance(given, str) and given.isprintable() and "{" not in given:
        return given
    if isinstance(op, HasInnerGraph):
        return snake(type(op).__name__)
    word = re.split(r"[{(<\[ ]", str(op))[0]
    return _CALLED.get(word) or snake(word or type(op).__name__)


#: the names of user functions for names that ops print
_CALLED = {"if": "ifelse", "for": "scan"}


def snake(word: str) -> str:
    """Convert a class name to a function name.

    >>> snake("ExtractDiag"), snake("ARange"), snake("SVD"), snake("CumOp")
    ('extract_diag', 'arange', 'svd', 'cum')
    """
    word = word.removesuffix("Op") or word
    if word.isupper():
        return word.lower()
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", word).lower().strip("_")


def axes_of(op: Any) -> str:
    """Return the axes of an op as a subscript; empty if it has none or uses all."""
    axis = getattr(op, "axis", None)
    if axis is None or callable(axis):
        return ""
    shown = axis if isinstance(axis, (tuple, list)) else (axis,)
    return rf"_{{\mathrm{{axis}}\,{', '.join(names.escaped(str(a)) for a in shown)}}}"


def node_of(v: Variable) -> Apply:
    """Return the node of a variable; raise TypeError if it has none."""
    if v.owner is None:
        raise TypeError(f"a LaTeX form takes the result of an op, got {v}, which has no owner")
    return v.owner
