"""Samples of MRG31k3p: a kernel that advances each stream by one step for a sample."""

from __future__ import annotations

from theano._src.engines.native.ir import ONE, ZERO, Function, Number, Operand, integer
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.nests import Array
from theano._src.graph.graph import Apply
from theano._src.ops.random.mrg import MODULI, STEP


def uniform(low: Lowering, node: Apply) -> None:
    (rstate, size), (new_state, sample) = node.inputs, node.outputs
    state, sizes = low.array(rstate), low.array(size)
    kind = {"float64": "f64", "float32": "f32"}.get(sample.type.dtype)
    if kind is None or sizes.type not in ("i64", "i32") or not (state.flat and sizes.flat):
        raise NotNative("samples in half precision, or views")
    source = low.memory(state)
    level = max(a.level for a in (state, sizes))
    level = max(level, low.level_of(*state.lengths, *sizes.lengths))
    lengths = _lengths(low, node, sizes, level)
    low.require_equal(state.lengths[1], integer(6), level)
    kernel = low.kernel(_uniform(kind))
    m = low.main
    with low.at(level):
        total, streams = low.count(lengths), low.length(state.lengths[0])
        low.stop_if(m.compare("ge", total, integer(2**31)))
        is_without = m.binary("and", m.compare("eq", streams, ZERO), m.compare("gt", total, ZERO))
        low.stop_if(is_without)
        after = low.new_array(new_state, state.lengths, level)
        result = low.new_array(sample, lengths, level)
        assert after.pointer is not None and result.pointer is not None
        low.copy(after.pointer, source, state)
        with low.unlocked(total):
            m.call(kernel, "i64", [result.pointer, after.pointer, total, streams])
    low.set(new_state, after)
    low.set(sample, result)


def _lengths(low: Lowering, node: Apply, sizes: Array, level: int) -> list[Operand]:
    """The lengths of a sample, which are the elements of a vector."""
    m, pattern = low.main, node.outputs[1].type.broadcastable
    low.require_equal(sizes.lengths[0], integer(len(pattern)), level)
    if sizes.constant is not None:
        return [integer(int(n)) for n in sizes.constant]
    pointer = low.memory(sizes)
    lengths: list[Operand] = []
    assert sizes.type is not None
    with low.at(level):
        for i, is_one in enumerate(pattern):
            n = m.cast("i64", m.load(sizes.type, pointer, integer(i)))
            low.stop_if(m.compare("ne" if is_one else "lt", n, ONE if is_one else ZERO))
            low.known_at(n, level)
            lengths.append(ONE if is_one else n)
    return lengths


def _uniform(kind: str) -> Function:
    """Samples, round after round over all streams; the last round may not reach all of them."""
    params = [("out", "p"), ("states", "p"), ("total", "i64"), ("streams", "i64")]
    f = Function(f"mrg_uniform_{kind}", params)
    out, states, total, streams = f.params
    f.alone = {"out", "states"}
    rounds = f.binary("div", f.add(total, f.sub(streams, ONE)), f.binary("max", streams, ONE))
    with f.loop(rounds) as r:
        first = f.mul(r, streams)
        with f.loop(f.binary("min", streams, f.sub(total, first))) as s:
            state = f.offset(states, s, 24)
            x, y = (_step(f, state, half) for half in (0, 1))
            # x - y if positive, else x - y + m; computed minus 1, so that 0 wraps around too
            one, modulus = Number("u32", 1), Number("u32", MODULI[0])
            d = f.binary("sub", f.binary("sub", f.cast("u32", x), f.cast("u32", y)), one)
            d = f.binary("add", f.binary("min", d, f.binary("add", d, modulus)), one)
            _store(f, kind, out, f.add(first, s), f.cast("i32", d))
    f.give(ZERO)
    return f


def _step(f: Function, state: Operand, half: int) -> Operand:
    """Half a state after one step; its newest value, less than the modulus."""
    values: list[Operand] = [f.load("i32", state, integer(3 * half + i)) for i in range(3)]
    total: Operand | None = None
    for value, weight in zip(values, STEP[half][0], strict=True):
        if weight:
            term = f.binary("mul", f.cast("u64", value), _u64(weight))
            total = term if total is None else f.binary("add", total, term)
    assert total is not None
    # modulo the first modulus, 2^31 is 1; modulo the second, 2^32 is 42138 and 2^31 is 21069
    for bits, factor in ((31, 1), (31, 1)) if half == 0 else ((32, 42138), (31, 21069)):
        above = f.binary("mul", f.binary("div", total, _u64(1 << bits)), _u64(factor))
        total = f.binary("add", f.binary("and", total, _u64((1 << bits) - 1)), above)
    # x - m wraps around if x < m, so the smaller of x and x - m is the remainder
    newest = f.binary("min", total, f.binary("sub", total, _u64(MODULI[half])))
    for i, value in enumerate((f.cast("i32", newest), *values[:2])):
        f.store(state, integer(3 * half + i), value)
    return newest


def _u64(value: int) -> Number:
    return Number("u64", value)


def _store(f: Function, kind: str, out: Operand, at: Operand, k: Operand) -> None:
    """An integer as a float between 0 and 1, as on the numpy engine."""
    value = f.cast(kind, k)
    if kind == "f64":
        f.store(out, at, f.mul(value, Number("f64", 2.0**-31)))
        return
    # the float before k 2^-31: half a unit or more less, rounded
    value = f.mul(value, Number("f32", 2.0**-31))
    f.store(out, at, f.sub(value, f.mul(value, Number("f32", 2.0**-24))))
