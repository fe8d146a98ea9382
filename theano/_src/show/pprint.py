"""Printers for formulas, and PPrinter, which applies them to a graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.ground.documented import documented_in
from theano._src.ground.utils import Scratchpad
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.core.scalar import ScalarOp

#: the result of a printer: pieces of text, and variables between them
Parts = list[Any]

#: how tightly operators bind
SUM, PRODUCT, SIGN, POWER = -2.0, -1.0, 0.0, 1.0
VALID_ASSOC = {"left", "right", "either"}
special = {"middle_dot": "\\dot", "big_sigma": "\\Sigma"}
greek = {name: f"\\{name}" for name in ("alpha", "beta", "gamma", "delta", "epsilon")}

# a formula repeats a shared part at each use, so a small graph can have a huge formula
_LONGEST = 5_000_000


@documented_in("theano.printing")
class PrinterState(Scratchpad):
    """The state that printers pass to each other: ``pprinter``, and any attributes of a user."""

    def __init__(self, props: Any = None, **more_props: Any) -> None:
        self.memo: dict[Variable, str] = {}
        if props is not None:
            self.__dict__.update(props if isinstance(props, dict) else props.__dict__)
        self.__dict__.update(more_props)

    def clone(self, **changes: Any) -> PrinterState:
        """Return a copy with some attributes changed."""
        return PrinterState(self, **changes)


class _Form:
    """A printer that returns its text in parts, so that formulas can be of any depth."""

    def parts(self, output: Variable, pprinter: PPrinter) -> Parts:
        raise NotImplementedError

    def process(self, output: Variable, pstate: PrinterState) -> str:
        pprinter = getattr(pstate, "pprinter", None) or PPrinter()
        return pprinter._write(self.parts(output, pprinter), pstate)

    def _node(self, output: Variable) -> Apply:
        return self._node_and_index(output)[0]

    def _node_and_index(self, output: Variable) -> tuple[Apply, int]:
        if output.owner is None or output.index is None:
            raise TypeError(
                f"{type(self).__name__} takes the result of an op, got {output}, which has no "
                "owner; assign it to an op, not to a leaf"
            )
        return output.owner, output.index


@documented_in("theano.printing")
class OperatorPrinter(_Form):
    """Prints ``(a + b)``, or ``(-a)`` for one input; always in parentheses.

    Parameters
    ----------
    operator : str
    precedence : number
        How tightly the operator binds; stored, but not used here.
    assoc : {'left', 'right', 'either'}
    """

    def __init__(self, operator: str, precedence: float, assoc: str = "left") -> None:
        if assoc not in VALID_ASSOC:
            raise ValueError(
                f"OperatorPrinter takes 'left', 'right' or 'either' as assoc, got {assoc!r}"
            )
        self.operator = operator
        self.precedence = precedence
        self.assoc = assoc

    def parts(self, output: Variable, pprinter: PPrinter) -> Parts:
        return _infix(self.operator, self._node(output).inputs)


@documented_in("theano.printing")
class PatternPrinter(_Form):
    """Prints a pattern, in which ``%(0)s`` is input 0; one pattern for each output of the op.

    A pattern is a string, or a tuple of a string and precedences.
    """

    def __init__(self, *patterns: Any) -> None:
        self.patterns = [p if isinstance(p, tuple) else (p,) for p in patterns]

    def parts(self, output: Variable, pprinter: PPrinter) -> Parts:
        node, index = self._node_and_index(output)
        pieces = re.split(r"%\((\d+)\)s", self.patterns[index][0])
        return [
            node.inputs[int(p)] if i % 2 else p.replace("%%", "%") for i, p in enumerate(pieces)
        ]


@documented_in("theano.printing")
class FunctionPrinter(_Form):
    """Prints ``name(a, b)``; one name for each output of the op."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def parts(self, output: Variable, pprinter: PPrinter) -> Parts:
        node, index = self._node_and_index(output)
        return _call(self.names[index], node.inputs, pprinter)


@documented_in("theano.printing")
class MemberPrinter(_Form):
    """Prints ``a.name``; one name for each output of the op."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def parts(self, output: Variable, pprinter: PPrinter) -> Parts:
        node, index = self._node_and_index(output)
        return [node.inputs[0], f".{self.names[index]}"]


@documented_in("theano.printing")
class IgnorePrinter(_Form):
    """Prints the first input, as if the op were not there."""

    def parts(self, output: Variable, pprinter: PPrinter) -> Parts:
        return [self._node(output).inputs[0]]


@documented_in("theano.printing")
class LeafPrinter(_Form):
    """Prints a variable by its name, a constant by its value, anything else by its type."""

    def parts(self, output: Variable, pprinter: PPrinter) -> Parts:
        if output.name in greek:
            return [greek[output.name]]
        text = str(output)
        if pprinter.bare_constants and isinstance(output, Constant) and output.name is None:
            # print TensorConstant{2.0} as 2.0
            return [re.sub(r"^\w*Constant\{(.*)\}$", r"\1", text, flags=re.DOTALL)]
        return [text]


@documented_in("theano.printing")
class DefaultPrinter(_Form):
    """Prints a function call: a scalar op by its name, other ops by their text."""

    def parts(self, output: Variable, pprinter: PPrinter) -> Parts:
        node = output.owner
        if node is None:
            return leaf_printer.parts(output, pprinter)
        parts = _call(name_of(node.op) or str(node.op), node.inputs, pprinter)
        if output.index and len(node.outputs) > 1:
            parts.append(f".{output.index}")
        return parts


def name_of(op: Op) -> str | None:
    """Return the class's name for a scalar op or its Elemwise; None for other ops."""
    scalar_op = op.scalar_op if isinstance(op, Elemwise) else op
    name = type(scalar_op).name if isinstance(scalar_op, ScalarOp) else None
    return name if isinstance(name, str) else None  # users' classes may have a property


def _infix(operator: str, inputs: Sequence[Variable]) -> Parts:
    if len(inputs) == 1:
        return [f"({operator}", inputs[0], ")"]
    return ["(", *_between(inputs, f" {operator} "), ")"]


def _call(name: str, inputs: Sequence[Variable], pprinter: PPrinter) -> Parts:
    return [f"{name}(", *_between(inputs, pprinter.comma), ")"]


def _between(items: Sequence[Any], separator: str) -> Parts:
    parts: Parts = []
    for item in items:
        if parts:
            parts.append(separator)
        parts.append(item)
    return parts


@documented_in("theano.printing")
class PPrinter:
    """Writes graphs as formulas, with printers that are assigned to ops.

    Parameters
    ----------
    bare_constants : bool
        Whether to write a constant as ``2.0`` instead of ``TensorConstant{2.0}``.
    comma : str
        The separator between the arguments of a function.

    >>> import theano.tensor as T
    >>> from theano.printing import FunctionPrinter, pp
    >>> x, y = T.dscalar("x"), T.dscalar("y")
    >>> bold = pp.clone_assign(T.exp, FunctionPrinter("EXP"))
    >>> bold(T.exp(x) * y), pp(T.exp(x) * y)
    ('(EXP(x) * y)', '(exp(x) * y)')
    """

    def __init__(self, bare_constants: bool = False, comma: str = ",") -> None:
        self.bare_constants = bare_constants
        self.comma = comma
        self.printers: list[tuple[Callable[[Any, Any], Any], Any]] = []
        self.printers_dict: dict[Any, Any] = {}  # by op, and by class of op

    def assign(self, condition: Any, printer: Any) -> None:
        """Use ``printer`` for variables that satisfy ``condition``.

        Parameters
        ----------
        condition : Op, class of Ops, or callable
            An op matches equal ops; a function ``(pstate, variable) -> bool`` matches where it
            returns true; a class matches ops of that class, and elementwise ops of a scalar op of
            that class. They are tried in this order; among functions, the last assigned is first.
        printer
            Any object with a method ``process(variable, pstate)`` that returns a string.
        """
        if not hasattr(printer, "process"):
            raise TypeError(
                f"assign takes a printer, got {printer!r}; give it a method process(r, pstate)"
            )
        if isinstance(condition, Op | type):
            self.printers_dict[condition] = printer
        elif callable(condition):
            self.printers.insert(0, (condition, printer))
        else:
            raise TypeError(
                "assign takes an Op, a class of Ops or a function of (pstate, r), "
                f"got {condition!r}"
            )

    def printer_for(self, r: Variable, pstate: Any) -> Any:
        """Return the printer for ``r``."""
        return self.assigned(r, pstate) or default_printer

    def assigned(self, r: Variable, pstate: Any) -> Any:
        """Return the printer that was assigned to the op of ``r``, or None."""
        op = None if r.owner is None else r.owner.op
        if op in self.printers_dict:
            return self.printers_dict[op]
        for condition, printer in self.printers:
            if condition(pstate, r):
                return printer
        for thing in (op.scalar_op, op) if isinstance(op, Elemwise) else (op,):
            for cls in type(thing).__mro__:
                if cls in self.printers_dict:
                    return self.printers_dict[cls]
        return None

    def process(self, r: Variable, pstate: PrinterState | None = None) -> str:
        """Return the formula of ``r``."""
        if not isinstance(r, Variable):
            raise TypeError(
                f"pp takes a Variable, got {r!r:.200} of type {type(r).__name__}; of a compiled "
                "function take f.maker.fgraph.outputs[0], or use debugprint"
            )
        return self._write([r], PrinterState(pprinter=self) if pstate is None else pstate)

    def __call__(self, *args: Any, **kwargs: Any) -> str:
        return self.process(*args, **kwargs)

    def _write(self, parts: Parts, pstate: PrinterState) -> str:
        text: list[str] = []
        length = 0
        known: dict[Variable, Parts] = {}
        stack = parts[::-1]
        while stack:
            part = stack.pop()
            if not isinstance(part, str):
                pieces = known.get(part)
                if pieces is None:
                    printer = self.printer_for(part, pstate)
                    if isinstance(printer, _Form):
                        pieces = printer.parts(part, self)[::-1]
                    else:
                        pieces = [printer.process(part, pstate)]
                    known[part] = pieces
                stack += pieces
                continue
            text.append(part)
            length += len(part)
            if length > _LONGEST:
                raise ValueError(
                    f"pp writes a part that is used twice out twice, and passed {_LONGEST} "
                    "characters here; use debugprint, which shows each part once"
                )
        return "".join(text)

    def clone(self) -> PPrinter:
        """Return an independent copy with the same assignments."""
        cp = PPrinter(self.bare_constants, self.comma)
        cp.printers = list(self.printers)
        cp.printers_dict = dict(self.printers_dict)
        return cp

    def clone_assign(self, condition: Any, printer: Any) -> PPrinter:
        """Return a copy with one more assignment."""
        cp = self.clone()
        cp.assign(condition, printer)
        return cp


leaf_printer = LeafPrinter()
default_printer = DefaultPrinter()
