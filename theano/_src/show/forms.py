"""pp and pprint, and the printers of ops that are not written by their names."""

from __future__ import annotations

from theano._src.graph.graph import Variable
from theano._src.ops.core import cast
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.elementwise import arithmetic, compare, logic, rounding
from theano._src.ops.index import index_list, subtensor
from theano._src.ops.linalg import blas, dot
from theano._src.ops.meta import misc
from theano._src.ops.shape import alloc, join
from theano._src.show.pprint import (
    POWER,
    PRODUCT,
    SIGN,
    SUM,
    FunctionPrinter,
    IgnorePrinter,
    OperatorPrinter,
    Parts,
    PatternPrinter,
    PPrinter,
    _between,
    _call,
    _Form,
)


class DimShufflePrinter(_Form):
    """Prints ``x.T`` for reversed dimensions; hides leading dimensions that broadcasting added."""

    def parts(self, output: Variable, pprinter: PPrinter) -> Parts:
        node = self._node(output)
        order = list(node.op.new_order)
        while order and order[0] == "x":
            del order[0]
        ndim = len(node.op.input_broadcastable)
        if order == list(range(ndim)):
            return [node.inputs[0]]
        if order == list(range(ndim))[::-1]:
            return [node.inputs[0], ".T"]
        return _call(f"DimShuffle{{{', '.join(map(str, order))}}}", node.inputs, pprinter)


class SubtensorPrinter(_Form):
    """Prints ``x[0, 1:n]``."""

    def parts(self, output: Variable, pprinter: PPrinter) -> Parts:
        node = self._node(output)
        parts: Parts = [node.inputs[0], "["]
        for i, entry in enumerate(index_list.get_idx_list(node.inputs, node.op.idx_list)):
            if i:
                parts.append(pprinter.comma)
            if not isinstance(entry, slice):
                parts.append(entry)
                continue
            ends = [entry.start, entry.stop]
            if entry.step is not None:
                ends.append(entry.step)
            parts += _between(["" if end is None else end for end in ends], ":")
        return [*parts, "]"]


class ListPrinter(_Form):
    """Prints ``[a, b]``."""

    def parts(self, output: Variable, pprinter: PPrinter) -> Parts:
        return ["[", *_between(self._node(output).inputs, pprinter.comma), "]"]


class CastPrinter(_Form):
    """Prints ``float32(x)``."""

    def parts(self, output: Variable, pprinter: PPrinter) -> Parts:
        node = self._node(output)
        return _call(output.type.dtype, node.inputs, pprinter)


# fmt: off
FORMS = {
    alloc.Alloc:                    FunctionPrinter("alloc"),
    arithmetic.Add:                 OperatorPrinter("+", SUM, "either"),
    arithmetic.Sub:                 OperatorPrinter("-", SUM, "left"),
    arithmetic.Mul:                 OperatorPrinter("*", PRODUCT, "either"),
    arithmetic.TrueDiv:             OperatorPrinter("/", PRODUCT, "left"),
    arithmetic.IntDiv:              OperatorPrinter("//", PRODUCT, "left"),
    arithmetic.Mod:                 OperatorPrinter("%", PRODUCT, "left"),
    arithmetic.Pow:                 OperatorPrinter("**", POWER, "right"),
    arithmetic.Neg:                 OperatorPrinter("-", SIGN, "either"),
    arithmetic.Second:              FunctionPrinter("fill"),
    compare.LT:                     FunctionPrinter("lt"),
    compare.GT:                     FunctionPrinter("gt"),
    compare.LE:                     FunctionPrinter("le"),
    compare.GE:                     FunctionPrinter("ge"),
    compare.EQ:                     FunctionPrinter("eq"),
    compare.NEQ:                    FunctionPrinter("neq"),
    compare.IsNan:                  FunctionPrinter("isnan"),
    compare.IsInf:                  FunctionPrinter("isinf"),
    compare.Switch:                 FunctionPrinter("switch"),
    compare.OR:                     FunctionPrinter("or_"),
    compare.AND:                    FunctionPrinter("and_"),
    compare.XOR:                    FunctionPrinter("xor"),
    compare.Invert:                 FunctionPrinter("invert"),
    logic.IsFinite:                 FunctionPrinter("isfinite"),
    logic.SignBit:                  FunctionPrinter("signbit"),
    dot.Dot:                        OperatorPrinter("\\dot", PRODUCT, "left"),
    blas.Dot22:                     OperatorPrinter("\\dot", PRODUCT, "left"),
    rounding.RoundHalfToEven:       FunctionPrinter("round_half_to_even"),
    rounding.RoundHalfAwayFromZero: FunctionPrinter("round_half_away_from_zero"),
    arithmetic.Abs:                 PatternPrinter("|%(0)s|"),
    arithmetic.Identity:            IgnorePrinter(),
    cast.Cast:                      CastPrinter(),
    DimShuffle:                     DimShufflePrinter(),
    join.Join:                      FunctionPrinter("join"),
    join.MakeVector:                ListPrinter(),
    misc.ScalarFromTensor:          IgnorePrinter(),
    misc.TensorFromScalar:          IgnorePrinter(),
    subtensor.Subtensor:            SubtensorPrinter(),
}
# fmt: on

pprint = PPrinter()
pprint.printers_dict.update(FORMS)
pp = PPrinter(bare_constants=True, comma=", ")
# both share their assignments: a printer assigned to one is used by the other
pp.printers, pp.printers_dict = pprint.printers, pprint.printers_dict
