"""Elements of a matrix at rows and columns, and what is written there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from theano._src.engines.native.forms.index import own_array
from theano._src.engines.native.ir import ONE, ZERO, Function, Operand
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.nests import Array
from theano._src.graph.graph import Apply, Variable

Walk = Literal["take", "put", "add", "sub"]


def take(low: Lowering, node: Apply) -> None:
    x, *indices = node.inputs
    _check(node, x, indices)
    rows, columns = map(low.array, indices)
    low.set(node.outputs[0], taken(low, low.array(x), rows, columns, node.outputs[0]))


def put(low: Lowering, node: Apply) -> None:
    x, y, *indices = node.inputs
    _check(node, x, indices)
    value = low.array(y)
    if value.dtype != x.type.numpy_dtype or y.type.ndim > 1:
        raise NotNative("values in another dtype, or with more dimensions")
    if not node.op.set_instead_of_inc and value.type in (None, "bool"):
        raise NotNative("sums of truth values or complex numbers")
    rows, columns = map(low.array, indices)
    own = own_array(low, node, low.array(x).level)
    walk: Walk = "put" if node.op.set_instead_of_inc else "add"
    low.set(node.outputs[0], written(low, own, value, rows, columns, walk))


def _check(node: Apply, x: Variable, indices: Sequence[Variable]) -> None:
    if node.op.idx_list != ("array", "array") or x.type.ndim != 2:
        raise NotNative("an index other than rows and columns of a matrix")
    if any(v.type.broadcastable != (False,) for v in indices):
        raise NotNative("indices that are not vectors")


def taken(
    low: Lowering,
    matrix: Array,
    rows: Array | None,
    columns: Array,
    out: Variable | None = None,
    from_the_end: bool = True,
) -> Array:
    """The elements of a matrix at rows and columns; one of each row, without ``rows``."""
    pointers, level = _places(low, matrix, rows, columns)
    with low.at(level):
        result = low.new_array(out, columns.lengths, level, matrix.dtype)
        assert result.pointer is not None
        pointers.insert(0, result.pointer)
        _call(low, "take", matrix, rows, columns, pointers, ONE, from_the_end)
    return result


def written(
    low: Lowering,
    own: Array,
    value: Array,
    rows: Array | None,
    columns: Array,
    walk: Walk,
    from_the_end: bool = True,
) -> Array:
    """A matrix that nothing else has, with values written at rows and columns."""
    is_one = all(n == ONE for n in value.lengths)
    source = low.memory(value)
    if not is_one:
        if not value.flat:
            raise NotNative("a view")
        low.require_equal(columns.lengths[0], value.lengths[0], value.level)
    pointers, level = _places(low, own, rows, columns)
    level = max(level, value.level)
    with low.at(level):
        stride = ZERO if is_one else ONE
        _call(low, walk, own, rows, columns, [source, *pointers], stride, from_the_end)
    result = Array(own.dtype, own.lengths, own.strides, own.pointer, level=level, owned=True)
    result.output = own.output
    return result


def _places(
    low: Lowering, matrix: Array, rows: Array | None, columns: Array
) -> tuple[list[Operand], int]:
    """Pointers to a matrix and to indices, and the level at which all are there."""
    indices = [columns] if rows is None else [rows, columns]
    if any(a.type in (None, "u64", "bool") or not a.flat for a in indices):
        raise NotNative("indices of another kind")
    if matrix.type is None or not matrix.flat or not matrix.ordered or matrix.number is not None:
        raise NotNative("a view, or a dtype without numbers")
    arrays = [matrix, *indices]
    pointers = [low.memory(a) for a in arrays]
    level = max(max(a.level, low.level_of(*a.lengths)) for a in arrays)
    own = matrix.lengths[0] if rows is None else rows.lengths[0]
    low.require_equal(own, columns.lengths[0], level)
    return pointers, level


def _call(
    low: Lowering,
    walk: Walk,
    matrix: Array,
    rows: Array | None,
    columns: Array,
    pointers: Sequence[Operand],
    stride: Operand,
    from_the_end: bool,
) -> None:
    assert matrix.type is not None and columns.type is not None
    row_kind = None if rows is None else rows.type
    kernel = low.kernel(_walk(walk, matrix.type, row_kind, columns.type, from_the_end))
    lengths = [low.length(n) for n in (columns.lengths[0], *matrix.lengths)]
    m = low.main
    with low.unlocked(lengths[0]):
        code = m.call(kernel, "i64", [*pointers, *lengths, stride])
    low.stop_if(m.compare("ne", code, ZERO))


def _walk(
    walk: Walk, kind: str, row_kind: str | None, column_kind: str, from_the_end: bool
) -> Function:
    """A kernel that goes through indices; it returns 1 where one is out of bounds."""
    params = [("values", "p"), ("matrix", "p")]
    params += [("rows", "p")] if row_kind else []
    params += [("columns", "p"), ("n", "i64")]
    params += [("height", "i64"), ("width", "i64"), ("stride", "i64")]
    name = f"{walk}_pairs_{kind}_{row_kind}_{column_kind}_{int(from_the_end)}"
    f = Function(name, params)
    values, matrix, *rows, columns, n, height, width, stride = f.params
    with f.loop(n) as i:

        def at(indices: Operand, index_kind: str, length: Operand, i: Operand = i) -> Operand:
            place = f.cast("i64", f.load(index_kind, indices, i))
            if from_the_end:
                place = f.select(f.compare("lt", place, ZERO), f.add(place, length), place)
            bad = f.compare("ge", f.cast("u64", place), f.cast("u64", length))
            with f.when(bad):
                f.give(f.cast("i64", bad))
            return place

        row = at(rows[0], row_kind, height) if row_kind else i
        place = f.add(f.mul(row, width), at(columns, column_kind, width))
        mine = f.mul(i, stride)
        if walk == "take":
            f.store(values, mine, f.load(kind, matrix, place))
        else:
            value: Operand = f.load(kind, values, mine)
            if walk != "put":
                value = f.on_elements(walk, f.load(kind, matrix, place), value)
            f.store(matrix, place, value)
    f.give(ZERO)
    return f
