"""latex: LaTeX forms for ops that are not written as their operator or by their name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from theano._src.graph import source_line
from theano._src.graph.graph import Constant, Variable
from theano._src.ops.core import cast, composite
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise import (
    arithmetic,
    bessel,
    compare,
    complex_parts,
    explog,
    rounding,
    special,
)
from theano._src.ops.index import advanced, index_list, subtensor, subtensor1
from theano._src.ops.linalg import blas, dot, inverse
from theano._src.ops.meta import misc
from theano._src.ops.reduce import any_all, careduce, max_min
from theano._src.ops.shape import join, shape
from theano._src.show import latex_names as names
from theano._src.show.forms import pprint
from theano._src.show.latex_printer import (
    FRACTION,
    LOOSE,
    NEGATIVE,
    SUBSCRIPT,
    SUM_SIGN,
    SUPERSCRIPT,
    At,
    Formula,
    Latex,
    LatexForm,
    axes_of,
    call,
    infix,
    node_of,
)
from theano._src.show.pprint import POWER, PRODUCT, SUM, IgnorePrinter

Write = Callable[[Variable], Formula | Variable]
# a product of matrices, or with a number, has no sign and so binds tighter
_ADJACENT = PRODUCT / 2
_SUMS = (careduce.Sum, careduce.Prod)
#: number of nested sums that are searched for a leading sign
_FAR = 50


class By(LatexForm):
    """A form given as a function of the variable."""

    def __init__(self, write: Write) -> None:
        self.write = write

    def formula(self, output: Variable, writer: Latex) -> Formula | Variable:
        return self.write(output)


def named(function: str) -> By:
    """Write a function by its LaTeX name, with the axes of the op, if any."""
    return By(lambda v: call(function + axes_of(node_of(v).op), node_of(v).inputs))


def operator(sign: str, binds: float, groups: str = "either") -> By:
    """Write a LaTeX sign between the inputs."""
    return By(lambda v: infix(sign, binds, groups, node_of(v).inputs))


def around(left: str, right: str, binds: float = 100.0) -> By:
    """Write the input between two delimiters."""
    return By(lambda v: Formula([left, At(node_of(v).inputs[0]), right], binds))


def before(sign: str, level: float, binds: float) -> By:
    """Write a sign in front of the input."""
    return By(lambda v: Formula([sign, At(node_of(v).inputs[0], level)], binds))


def after(superscript: str, binds: float = SUPERSCRIPT) -> By:
    """Write the input with a superscript."""
    return By(
        lambda v: Formula([At(node_of(v).inputs[0], POWER + 1), f"^{{{superscript}}}"], binds)
    )


def big(sign: str) -> By:
    """Write a large sign in front of the input, with axes below it."""
    return By(
        lambda v: Formula(
            [f"{sign}{axes_of(node_of(v).op)} ", At(node_of(v).inputs[0], SUM_SIGN)], SUM_SIGN, True
        )
    )


def _is_single(v: Variable) -> bool:
    return all(getattr(v.type, "broadcastable", ()))


def _scalar_op(v: Variable) -> Any:
    op = None if v.owner is None else v.owner.op
    return op.scalar_op if isinstance(op, Elemwise) else op


def _bare(v: Variable) -> Variable:
    """Return a variable without the leading dimensions that broadcasting added."""
    while v.owner is not None and isinstance(v.owner.op, DimShuffle):
        inner = _dimshuffle(v)
        if not isinstance(inner, Variable):
            break
        v = inner
    return v


def _number(v: Variable) -> Any:
    """Return the value of an unnamed constant number; None for anything else."""
    v = _bare(v)
    data = v.data if isinstance(v, Constant) and v.name is None else None
    if data is None or getattr(data, "size", 0) != 1 or data.dtype.kind not in "iuf":
        return None
    return data.reshape(()).item()


def _add(v: Variable) -> Formula:
    """Write a sum; negative terms are subtracted."""
    first, *rest = node_of(v).inputs
    parts: list[Any] = [At(first, SUM)]
    for term in rest:
        bare, number = _bare(term), _number(term)
        if (number or 0) < 0:
            parts.append(f" - {names.number(-number)}")
        elif isinstance(_scalar_op(bare), arithmetic.Neg):
            parts += [" - ", At(node_of(bare).inputs[0], SUM_SIGN)]
        else:
            parts += [" + ", At(term, SUM if _begins_with_a_term(bare) else SUM_SIGN)]
    return Formula(parts, SUM)


def _begins_with_a_term(v: Variable) -> bool:
    """Whether ``v`` is a sum without a leading minus sign, as far as is searched."""
    for _ in range(_FAR):
        if not isinstance(_scalar_op(v), (arithmetic.Add, arithmetic.Sub)):
            number = _number(v)
            first = _scalar_op(v)
            return not isinstance(first, (arithmetic.Neg, arithmetic.Mul)) and (number or 0) >= 0
        v = _bare(node_of(v).inputs[0])
    return False


def _fill(v: Variable) -> Formula | Variable:
    """Write ``fill``; for single numbers, only the value."""
    shape_of, value = node_of(v).inputs
    if _is_single(shape_of) and _is_single(value):
        return value
    return call(r"\operatorname{fill}", [shape_of, value])


def _mul(v: Variable) -> Formula:
    """Write a product: numbers first and without a sign, a sign between arrays."""
    first, *rest = sorted(node_of(v).inputs, key=lambda x: _number(x) is None)
    parts: list[Any] = [At(first, NEGATIVE if _is_negative(first) else PRODUCT)]
    signs = False
    last = first
    for factor in rest:
        arrays = not _is_single(last) and not _is_single(factor)
        signs = signs or arrays
        number = _number(factor) is not None
        sign = r" \odot " if arrays else (r" \cdot " if number else r" \, ")
        parts += [sign, At(factor, PRODUCT)]
        last = last if _is_single(factor) else factor
    final = _bare(rest[-1]) if rest else first
    if rest and final.owner is not None and isinstance(final.owner.op, _SUMS):
        # nothing follows that could be read as part of the sum
        parts[-1] = At(rest[-1], SUM_SIGN)
        return Formula(parts, SUM_SIGN)
    return Formula(parts, PRODUCT if signs else _ADJACENT)


def _is_negative(v: Variable) -> bool:
    return isinstance(_scalar_op(_bare(v)), arithmetic.Neg) or (_number(v) or 0) < 0


def _dot(v: Variable) -> Formula:
    x, y = node_of(v).inputs
    vectors = getattr(x.type, "ndim", 2) == getattr(y.type, "ndim", 2) == 1
    sign = r" \cdot " if vectors else r" \, "
    return Formula([At(x, _ADJACENT), sign, At(y, _ADJACENT + 0.01)], _ADJACENT)


def _exp(v: Variable) -> Formula:
    """Write a power of e if the exponent is short, else a function."""
    x = node_of(v).inputs[0]
    if _is_short(x):
        return Formula(["e^{", At(x), "}"], POWER)
    return call(r"\exp", [x])


def _is_short(v: Variable) -> bool:
    """Whether the formula of ``v`` has at most three ops, none of them tall."""
    todo, ops = [v], 0
    while todo:
        v = todo.pop()
        if v.owner is None or v.name is not None:
            continue
        if isinstance(v.owner.op, DimShuffle):
            todo += v.owner.inputs
            continue
        flat = (arithmetic.Add, arithmetic.Sub, arithmetic.Mul, arithmetic.Neg, arithmetic.Sqr)
        ops += 1
        if ops > 3 or not isinstance(_scalar_op(v), flat):
            return False
        todo += v.owner.inputs
    return True


def _power(v: Variable) -> Formula:
    x, y = node_of(v).inputs
    return Formula([At(x, POWER + 1), "^{", At(y), "}"], POWER)


def _fraction(above: Any, below: Any) -> Formula:
    return Formula([r"\frac{", above, "}{", below, "}"], FRACTION, True)


def _true_div(v: Variable) -> Formula:
    """Write a fraction, or the name of a mean, which is built as a fraction."""
    above, below = node_of(v).inputs
    total, count = _undimmed(above), _undimmed(below)
    if v.name == "mean" and total.owner is not None and isinstance(_scalar_op(count), cast.Cast):
        op = total.owner.op
        if isinstance(op, careduce.Sum):
            return call(r"\operatorname{mean}" + axes_of(op), total.owner.inputs)
    return _fraction(At(above), At(below))


def _undimmed(v: Variable) -> Variable:
    return v.owner.inputs[0] if v.owner is not None and isinstance(v.owner.op, DimShuffle) else v


def _switch(v: Variable) -> Formula:
    condition, yes, no = node_of(v).inputs
    parts = [
        r"\begin{cases}", At(yes), r" & \text{if } ", At(condition), r" \\ ",
        At(no), r" & \text{otherwise}\end{cases}",
    ]  # fmt: skip
    return Formula(parts, LOOSE + 1, True)


def _dimshuffle(v: Variable) -> Formula | Variable:
    """Write a transpose; hide dimensions of length 1 that broadcasting added or dropped."""
    node = node_of(v)
    order = list(node.op.new_order)
    while order and order[0] == "x":
        del order[0]
    ndim = len(node.op.input_broadcastable)
    if "x" not in order and order == sorted(order):
        return node.inputs[0]
    if order == list(range(ndim))[::-1]:
        return Formula([At(node.inputs[0], POWER + 1), r"^{\top}"], SUPERSCRIPT)
    shown = ", ".join(map(str, order))
    return call(rf"\operatorname{{dimshuffle}}_{{{shown}}}", node.inputs)


def _base(v: Variable) -> list[Any]:
    if v.owner is None and v.name is not None and v.name.isalnum() and v.name[-1].isalpha():
        return [At(v)]
    # NOTE: braces, since LaTeX refuses a second subscript
    return ["{", At(v, SUBSCRIPT), "}"]


def _entries(entries: Any) -> list[Any]:
    parts: list[Any] = []
    for i, entry in enumerate(entries):
        if i:
            parts.append(", ")
        if isinstance(entry, slice):
            ends = [entry.start, entry.stop]
            if entry.step is not None:
                ends.append(entry.step)
            for k, end in enumerate(ends):
                parts += ["{:}"] * (k > 0) + ([] if end is None else [_entry(end)])
        else:
            parts.append(_entry(entry))
    return parts


def _entry(entry: Any) -> Any:
    return At(entry) if isinstance(entry, Variable) else names.escaped(str(entry))


def _index(v: Variable) -> list[Any]:
    node = node_of(v)
    skipped = 2 if isinstance(node.op, subtensor.IncSubtensor) else 1
    given = [node.inputs[0], *node.inputs[skipped:]]
    return _entries(index_list.get_idx_list(given, node.op.idx_list))


def _read(v: Variable) -> Formula:
    return Formula([*_base(node_of(v).inputs[0]), "_{", *_index(v), "}"], SUBSCRIPT)


def _read_array(v: Variable) -> Formula:
    x, *index = node_of(v).inputs
    return Formula([*_base(x), "_{", *_entries(index), "}"], SUBSCRIPT)


def _write(v: Variable) -> Formula:
    """Write an assignment to a part of an array: ``set(x_i <- y)``, ``inc(x_i += y)``."""
    node = node_of(v)
    x, y, *rest = node.inputs
    index = _index(v) if isinstance(node.op, subtensor.IncSubtensor) else _entries(rest)
    sets = node.op.set_instead_of_inc
    sign = r" \leftarrow " if sets else r" \mathrel{+}= "
    name = r"\operatorname{set}" if sets else r"\operatorname{inc}"
    return Formula([name, Formula([*_base(x), "_{", *index, "}", sign, At(y)], LOOSE)])


def _vector(v: Variable) -> Formula:
    parts: list[Any] = [r"\begin{bmatrix}"]
    for i, x in enumerate(node_of(v).inputs):
        parts += [" & "] * (i > 0) + [At(x)]
    return Formula([*parts, r"\end{bmatrix}"])


def _gemm(v: Variable) -> Formula:
    z, a, x, y, b = node_of(v).inputs
    product = [*_scaled(a), At(x, _ADJACENT), r" \, ", At(y, _ADJACENT + 0.01)]
    return Formula([*_scaled(b), At(z, PRODUCT), " + ", *product], SUM)


def _ger(v: Variable) -> Formula:
    z, a, x, y = node_of(v).inputs
    outer = [*_scaled(a), At(x, _ADJACENT), r" \, ", At(y, POWER + 1), r"^{\top}"]
    return Formula([At(z, SUM), " + ", *outer], SUM)


def _dot22_scalar(v: Variable) -> Formula:
    x, y, a = node_of(v).inputs
    return Formula([*_scaled(a), At(x, _ADJACENT), r" \, ", At(y, _ADJACENT + 0.01)], _ADJACENT)


def _scaled(a: Variable) -> list[Any]:
    return [] if _number(a) == 1 else [At(a, PRODUCT), r" \, "]


def _shape_i(v: Variable) -> Formula:
    node = node_of(v)
    result = call(r"\operatorname{shape}", node.inputs)
    return Formula([*result.parts, f"_{{{node.op.i}}}"], SUBSCRIPT)


def _max_and_argmax(v: Variable) -> Formula:
    name = r"\operatorname{arg\,max}" if v.index else r"\max"
    return call(name + axes_of(node_of(v).op), node_of(v).inputs[:1])


def _cast(v: Variable) -> Formula:
    dtype = names.escaped(str(getattr(v.type, "dtype", "cast")))
    return call(rf"\operatorname{{{dtype}}}", node_of(v).inputs)


def _composite(v: Variable) -> Variable:
    """Return a fused node as a graph of its parts."""
    node = node_of(v)
    op: Any = _scalar_op(v)
    values: list[Any] = list(node.inputs)
    with source_line.paused():
        for step, args in op.steps:
            apply = step if op is node.op else Elemwise(step)
            values.append(step.constant() if not args else apply(*[values[a] for a in args]))
    variable: Variable = values[op.outs[v.index or 0]]
    return variable


def _bessel(letter: str) -> By:
    def write(v: Variable) -> Formula:
        order, x = node_of(v).inputs
        result = call("", [x])
        return Formula([f"{letter}_{{", At(order), "}", *result.parts])

    return By(write)


# fmt: off
_FORMS: dict[Any, Any] = {
    arithmetic.Add:         By(_add),
    arithmetic.Sub:         By(lambda v: Formula([At(node_of(v).inputs[0], SUM), " - ",
                                                  At(node_of(v).inputs[1], SUM_SIGN)], SUM)),
    arithmetic.Mul:         By(_mul),
    arithmetic.Neg:         before("-", SUM_SIGN, NEGATIVE),
    arithmetic.TrueDiv:     By(_true_div),
    arithmetic.Inv:         By(lambda v: _fraction("1", At(node_of(v).inputs[0]))),
    arithmetic.IntDiv:      By(lambda v: Formula([r"\left\lfloor ",
                                                  _fraction(*map(At, node_of(v).inputs)),
                                                  r" \right\rfloor"], tall=True)),
    arithmetic.Mod:         operator(r"\bmod", PRODUCT, "left"),
    arithmetic.Pow:         By(_power),
    arithmetic.Sqr:         after("2", POWER),
    arithmetic.Second:      By(_fill),
    arithmetic.Sqrt:        around(r"\sqrt{", "}"),
    arithmetic.Abs:         around(r"\left| ", r" \right|"),
    arithmetic.Maximum:     named(r"\max"),
    arithmetic.Minimum:     named(r"\min"),
    explog.Exp:             By(_exp),
    explog.Exp2:            around("2^{", "}", POWER),
    explog.Log2:            named(r"\log_{2}"),
    explog.Log10:           named(r"\log_{10}"),
    complex_parts.Conj:     around(r"\overline{", "}"),
    complex_parts.Real:     named(r"\operatorname{Re}"),
    complex_parts.Imag:     named(r"\operatorname{Im}"),
    complex_parts.Angle:    named(r"\arg"),
    rounding.Floor:         around(r"\left\lfloor ", r" \right\rfloor"),
    rounding.Ceil:          around(r"\left\lceil ", r" \right\rceil"),
    special.Gamma:          named(r"\Gamma"),
    special.GammaLn:        named(r"\log\Gamma"),
    special.Psi:            named(r"\psi"),
    special.TriGamma:       named(r"\psi_{1}"),
    bessel.J0:              named("J_{0}"),
    bessel.J1:              named("J_{1}"),
    bessel.I0:              named("I_{0}"),
    bessel.I1:              named("I_{1}"),
    bessel.Jv:              _bessel("J"),
    bessel.Iv:              _bessel("I"),
    compare.LT:             operator("<", SUM - 1),
    compare.GT:             operator(">", SUM - 1),
    compare.LE:             operator(r"\leq", SUM - 1),
    compare.GE:             operator(r"\geq", SUM - 1),
    compare.EQ:             operator("=", SUM - 1),
    compare.NEQ:            operator(r"\neq", SUM - 1),
    compare.AND:            operator(r"\wedge", SUM - 2),
    compare.OR:             operator(r"\vee", SUM - 3),
    compare.XOR:            operator(r"\oplus", SUM - 3),
    compare.Invert:         before(r"\neg ", POWER, POWER),
    compare.Switch:         By(_switch),
    cast.Cast:              By(_cast),
    composite.Composite:    By(_composite),
    misc.ViewOp:            IgnorePrinter(),
    misc.DeepCopyOp:        IgnorePrinter(),
    DimShuffle:             By(_dimshuffle),
    dot.Dot:                By(_dot),
    blas.Dot22:             By(_dot),
    blas.Dot22Scalar:       By(_dot22_scalar),
    blas.Gemm:              By(_gemm),
    blas.Gemv:              By(_gemm),
    blas.Ger:               By(_ger),
    inverse.MatrixInverse:  after("-1"),
    inverse.MatrixPinv:     after("+"),
    careduce.Sum:           big(r"\sum"),
    careduce.Prod:          big(r"\prod"),
    any_all.All:            named(r"\operatorname{all}"),
    any_all.Any:            named(r"\operatorname{any}"),
    careduce.Max:           named(r"\max"),
    careduce.Min:           named(r"\min"),
    max_min.Argmax:         named(r"\operatorname{arg\,max}"),
    max_min.Argmin:         named(r"\operatorname{arg\,min}"),
    max_min.MaxAndArgmax:   By(_max_and_argmax),
    shape.Shape_i:          By(_shape_i),
    join.MakeVector:        By(_vector),
    subtensor.Subtensor:    By(_read),
    subtensor.IncSubtensor: By(_write),
    subtensor1.AdvancedSubtensor1:         By(_read_array),
    subtensor1.AdvancedIncSubtensor1:      By(_write),
    advanced.BaseAdvancedSubtensor:        By(_read_array),
    advanced.BaseAdvancedIncSubtensor:     By(_write),
}
# fmt: on

latex = Latex(pprint)
latex.printers_dict.update(_FORMS)
