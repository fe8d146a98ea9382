"""The checks of an OpSpec; each raises an AssertionError that says what differs."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from theano._src.compile.files.graph_decoder import Decoder
from theano._src.compile.files.graph_encoder import Encoder, class_name
from theano._src.compile.function import function
from theano._src.compile.mode import Mode
from theano._src.graph.c_op import gives_perform
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op, meaning_of
from theano._src.graph.walk import nodes_of
from theano._src.ground.array_files import storable
from theano._src.testing.evaluate import evaluate, root_value, run_node
from theano._src.testing.opspec import SEED, Built, Case, OpSpec, Raises
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import TensorType, tensor_type

#: the linkers that functions are run with; None is the reference evaluation, node by node and
#: without rewrites
INTERPRETED: tuple[str | None, ...] = (None, "numpy", "py")
COMPILED: tuple[str | None, ...] = ("xla",)


def run(built: Built, engine: str | None, optimizer: str | None = "default") -> list[Any]:
    """Run a built case and return its outputs; inputs must be neither changed nor returned."""
    given = [x.copy() for x in built.values]
    if engine is None:
        results = evaluate(built.outputs, dict(zip(built.inputs, given, strict=True)))
    else:
        mode = Mode(engine, optimizer)
        results = function(built.inputs, built.outputs, mode=mode, on_unused_input="ignore")(*given)
    how = _named(engine)
    for v, old, new in zip(built.inputs, built.values, given, strict=True):
        _require(_identical(old, new), f"{how}: the input {v} was changed, from {old} to {new}")
        for i, out in enumerate(results if engine else ()):
            _require(not _overlap(out, new), f"{how}: the input {v} is given out as output {i}")
    return results


def _that_run(built: Built, engines: Sequence[str | None]) -> list[str | None]:
    """Return the engines that can run a graph: 'py' cannot run ops that have only C code."""
    ops = [node.op for node in nodes_of(built.outputs)]
    only_c = any(meaning_of(op) == "c_code" and not gives_perform(op) for op in ops)
    return [engine for engine in engines if engine != "py" or not only_c]


def value(spec: OpSpec, case: Case) -> None:
    """Check values and dtypes against the reference, unrewritten and on interpreting engines."""
    built = case.build(spec.fn)
    dtypes = spec.dtypes_out(case)
    expected = spec.expected(case, dtypes)
    _require(
        len(built.outputs) == len(expected),
        f"{len(built.outputs)} outputs, the reference gives {len(expected)}",
    )
    declared(built, dtypes)
    for engine in _that_run(built, INTERPRETED):
        for i, (out, got, want) in enumerate(
            zip(built.outputs, run(built, engine), expected, strict=True)
        ):
            where = f"output {i} of {spec.name} ({_named(engine)})"
            same_kind(where, out, got)
            close(where, got, want, spec.tolerance(out.type.dtype), case)


def declared(built: Built, dtypes: Sequence[str]) -> None:
    """Check that the types of the outputs have the expected dtypes."""
    got = [out.type.dtype for out in built.outputs]
    _require(got == list(dtypes), f"output dtypes are {got}, expected {list(dtypes)}")


def dtypes(spec: OpSpec) -> None:
    """Check the output dtypes for every combination of input dtypes."""
    wrong = []
    for combination in spec.combinations():
        case = spec.draw(combination, "scalar")
        got = [out.type.dtype for out in case.build(spec.fn).outputs]
        want = spec.dtypes_out(case)
        if got != want:
            wrong.append(f"{combination}: {got}, expected {want}")
    _require(not wrong, "output dtypes differ for\n  " + "\n  ".join(wrong))


def special(spec: OpSpec, engines: Sequence[str | None]) -> None:
    """Check that special values give exactly the listed results."""
    pairs = list(spec.special.items() if isinstance(spec.special, Mapping) else spec.special)
    if engines == COMPILED:
        # XLA flushes subnormal numbers to zero
        pairs = [(key, want) for key, want in pairs if not _subnormal(key)]
    widest = [_widest(each) for each in zip(*spec.combinations(), strict=True)]
    columns = [key if isinstance(key, tuple) else (key,) for key, _ in pairs]
    args = [np.array(col, d) for col, d in zip(zip(*columns, strict=True), widest, strict=True)]
    # as arrays and one by one: NumPy's loops for scalars are not always those for arrays
    for engine, whole in product(engines, (True,) if engines == COMPILED else (True, False)):
        calls = [args] if whole else [[a[i] for a in args] for i in range(len(pairs))]
        results = [run(Case(*call).build(spec.fn), engine) for call in calls]
        wrong = []
        for i, (key, want) in enumerate(pairs):
            got = [o[i] for o in results[0]] if whole else results[i]
            wants = want if isinstance(want, tuple) else (want,)
            for g, w in zip(got, wants, strict=True):
                if not _as_listed(g, w, spec.tolerance(np.asarray(g).dtype.name)):
                    wrong.append(f"{key}: {g}, expected {w}")
        _require(not wrong, f"of dtype {widest}, {_named(engine)}:\n  " + "\n  ".join(wrong))


def mismatch(spec: OpSpec, engines: Sequence[str | None]) -> None:
    """Check that a dimension whose length happens to be 1 does not broadcast."""
    (first, *_) = spec.combinations()
    built = spec.draw(first, "mismatch").build(spec.fn)
    for engine in engines:
        refusal(lambda e=engine: run(built, e), ValueError, "mis-match")


def build_error(spec: OpSpec, raises: Raises) -> None:
    """Check that building raises the listed exception, with the listed text."""
    refusal(lambda: raises.case.build(spec.fn), raises.exception, raises.match)


def run_error(spec: OpSpec, raises: Raises, engines: Sequence[str | None]) -> None:
    """Check that building does not raise the listed exception, and running does."""
    built = raises.case.build(spec.fn)
    for engine in _that_run(built, engines):
        refusal(lambda e=engine: run(built, e), raises.exception, raises.match)


def shape(spec: OpSpec) -> None:
    """Check that ``infer_shape`` of each node agrees with the shape of its result."""
    for case, node, inputs, outputs in each_node(spec, spec.all_cases()):
        if not hasattr(node.op, "infer_shape"):
            continue
        shapes, givens = shape_variables(node, inputs)
        inferred = node.op.infer_shape(node, shapes)
        _require(
            len(inferred) == len(outputs),
            f"{node.op}.infer_shape gave {len(inferred)} shapes for {len(outputs)} outputs",
        )
        for text, out in zip(inferred, outputs, strict=True):
            if text is None:
                continue
            got = whole_numbers(f"infer_shape of {node.op}", node, text, givens)
            _require(
                got == np.shape(out),
                f"{node.op}.infer_shape says {got}, running gives {np.shape(out)} ({case})",
            )


def memory(spec: OpSpec) -> None:
    """Check that nodes neither change nor return inputs undeclared, and keep to output types."""
    for case, node, inputs, outputs in each_node(spec, spec.all_cases()):
        views, destroys = node.op.view_map, node.op.destroy_map
        destroyed = {i for many in destroys.values() for i in many}
        before = [copy.deepcopy(x) for x in inputs]
        given = [copy.deepcopy(x) for x in inputs]
        result = run_node(node, given)
        for i, (old, new) in enumerate(zip(before, given, strict=True)):
            _require(
                i in destroyed or _identical(old, new),
                f"{node.op} changed its input {i} ({case}); say so in destroy_map, or copy",
            )
        for o, (var, out) in enumerate(zip(node.outputs, result, strict=True)):
            same_kind(f"output {o} of {node.op} ({case})", var, out)
            for i, x in enumerate(given):
                shared = i in views.get(o, ()) or i in destroys.get(o, ())
                _require(
                    shared or not _overlap(x, out),
                    f"{node.op} gives out memory of its input {i} as output {o} ({case}); "
                    "say so in view_map, or copy",
                )
            _require(
                _identical(out, outputs[o]), f"{node.op} gave two results for one input ({case})"
            )


def pickled(spec: OpSpec) -> None:
    """Check that ops and graphs survive pickling: equal, with the same text and results."""
    for case in spec.all_cases()[:1]:
        built = case.build(spec.fn)
        for node in nodes_of(built.outputs):
            _same_op(node.op, pickle.loads(pickle.dumps(node.op)), "unpickled")
        inputs, outputs = pickle.loads(pickle.dumps((built.inputs, built.outputs)))
        again = Built(inputs, built.values, outputs, built.many)
        for old, new in zip(built.outputs, outputs, strict=True):
            _require(old.type == new.type, f"unpickled as {new.type}, was {old.type}")
        for old, new in zip(run(built, None), run(again, None), strict=True):
            _require(_identical(old, new), f"the unpickled graph gives {new}, was {old}")


def filed(spec: OpSpec) -> None:
    """Check that graphs survive a graph file, with equal ops and results, or are refused."""
    for case in spec.all_cases()[:1]:
        built = case.build(spec.fn)
        encoder = Encoder()
        if spec.file is not True:
            why = "graph files (do not hold|hold)"
            refusal(lambda: encoder.value([built.inputs, built.outputs]), TypeError, why)  # noqa: B023
            return
        root = encoder.value([built.inputs, built.outputs])
        text = json.dumps([root, encoder.document()], allow_nan=False)
        read, document = json.loads(text)
        arrays = {name: storable(x) for name, x in encoder.arrays.items()}
        every = [node.op for node in nodes_of(built.outputs)]
        parts = [*every, *(op.scalar_op for op in every if hasattr(op, "scalar_op"))]
        own = {class_name(type(op)): type(op) for op in parts}
        inputs, outputs = Decoder(document, arrays, own).value(read)
        pairs = zip(nodes_of(built.outputs), nodes_of(outputs), strict=True)
        for node, new_node in pairs:
            _same_op(node.op, new_node.op, "read from a file")
        again = Built(inputs, built.values, outputs, built.many)
        for old, new in zip(run(built, None), run(again, None), strict=True):
            _require(_identical(old, new), f"the graph of the file gives {new}, was {old}")


def equality(spec: OpSpec) -> None:
    """Check that an op equals its copy and nothing else; building twice gives equal ops."""
    first = spec.all_cases()[0]
    pairs = zip(
        nodes_of(first.build(spec.fn).outputs), nodes_of(first.build(spec.fn).outputs), strict=True
    )
    for node, again in pairs:
        _same_op(node.op, copy.deepcopy(node.op), "copied")
        _same_op(node.op, again.op, "built twice")
        _require(node.op != _OTHER, f"{node.op} equals another op")


class _Other(Op):
    __props__ = ()


_OTHER = _Other()


def _same_op(op: Any, other: Any, how: str) -> None:
    _require(op == other, f"{op} {how} is not equal to itself")
    _require(hash(op) == hash(other), f"{op} {how} has another hash")
    _require(str(op) == str(other), f"{op} {how} prints as {other}")


# helpers


def each_node(
    spec: OpSpec, cases: Iterable[Case]
) -> Iterable[tuple[Case, Apply, list[Any], list[Any]]]:
    """Yield each node of each case, with the values of its inputs and outputs."""
    for case in cases:
        built = case.build(spec.fn)
        values: dict[Variable, Any] = built.givens
        for node in nodes_of(built.outputs):
            inputs = [root_value(values, v) for v in node.inputs]
            # copies: a node that changes its inputs must not affect the others
            outputs = run_node(node, copy.deepcopy(inputs))
            values.update(zip(node.outputs, outputs, strict=True))
            yield case, node, inputs, outputs


def shape_variables(
    node: Apply, inputs: Sequence[Any]
) -> tuple[list[tuple[Variable, ...] | None], dict[Variable, Any]]:
    """Return symbolic shapes of the inputs of a node, and values for them and the inputs."""
    givens = dict(zip(node.inputs, inputs, strict=True))
    shapes: list[tuple[Variable, ...] | None] = []
    for v, x in zip(node.inputs, inputs, strict=True):
        if not isinstance(v.type, TensorType):
            shapes.append(None)
            continue
        lengths = tuple(tensor_type("int64", ())(f"{v}.shape[{i}]") for i in range(v.type.ndim))
        givens.update((n, np.asarray(k, "int64")) for n, k in zip(lengths, np.shape(x)))
        shapes.append(lengths)
        # shape inference may use the scalars that make up a vector of lengths
        if v.owner is not None and type(v.owner.op).__name__ == "MakeVector":
            givens.update(zip(v.owner.inputs, map(np.asarray, x), strict=True))
    return shapes, givens


def whole_numbers(
    who: str, node: Apply, text: Iterable[Any], givens: Mapping[Variable, Any]
) -> tuple[int, ...]:
    """Return the values of integer expressions over the shapes and values of a node's inputs."""
    variables = [as_tensor_variable(s) for s in text]
    for v in variables:
        _require(
            v.type.ndim == 0 and v.type.numpy_dtype.kind in "iu",
            f"{who} gives integer scalars, got {v} of {v.type}",
        )
    for needed in nodes_of(variables, givens):
        _require(needed is not node, f"{who} computes the node itself")
        _require(
            type(needed.op).__name__ not in ("Shape", "Shape_i")
            or not any(v in givens for v in needed.inputs),
            f"{who} reads an input to know its shape; use the shapes that it is given",
        )
    return tuple(int(x) for x in evaluate(variables, givens))


def same_kind(where: str, var: Variable, got: Any) -> None:
    """Check that a value has exactly the type of its variable."""
    if not isinstance(var.type, TensorType):
        return
    got = np.asarray(got)
    _require(
        got.dtype == var.type.numpy_dtype and got.ndim == var.type.ndim,
        f"{where} is declared {var.type}, came as {got.dtype} of {got.ndim} dimensions",
    )
    lengths = zip(var.type.broadcastable, got.shape, strict=True)
    _require(
        all(n == 1 for b, n in lengths if b),
        f"{where} is declared {var.type}, came with shape {got.shape}",
    )


def close(where: str, got: Any, want: Any, rtol: float, case: Any) -> None:
    """Check that values are equal up to ``rtol`` of each element."""
    got, want = np.asarray(got), np.asarray(want)
    _require(got.shape == want.shape, f"{where}: shape {got.shape}, expected {want.shape} ({case})")
    ok = near(got, want, rtol)
    if ok.all():
        return
    i = tuple(int(k) for k in np.argwhere(~ok)[0])
    raise AssertionError(
        f"{where}: {got[i]!r} at {i}, expected {want[i]!r} (rtol {rtol:g}; {int((~ok).sum())} of "
        f"{ok.size} differ)\n  inputs: {case}: {[_short(a) for a in getattr(case, 'args', ())]}\n"
        f"  seed: THEANO_TEST_SEED={SEED}"
    )


def near(got: Any, want: Any, rtol: float) -> Any:
    """Return, by element, whether values are the same NaN, infinity or integer, or near floats."""
    if want.dtype.kind not in "fc" or got.dtype.kind not in "fc":
        return np.asarray(got == want)
    # a result may round to a neighbouring number, even where the dtype has no more digits
    tiny = float(np.finfo(want.dtype).smallest_subnormal)
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        g, w = got.astype(wide), want.astype(wide)
        return np.asarray(
            (g == w) | (np.isnan(g) & np.isnan(w)) | (np.abs(g - w) <= rtol * np.abs(w) + tiny)
        )


def refusal(call: Any, exception: type[BaseException], match: str) -> None:
    """Check that the call raises this exception, with a text that matches."""
    try:
        call()
    except exception as e:
        text = "\n".join([str(e), *getattr(e, "__notes__", ())])
        _require(
            re.search(match, text) is not None,
            f"{type(e).__name__} says {text!r}, which does not match {match!r}",
        )
        return
    except Exception as e:
        raise AssertionError(f"raises {type(e).__name__}, not {exception.__name__}: {e}") from e
    raise AssertionError(f"nothing was raised; expected {exception.__name__} matching {match!r}")


def _named(engine: str | None) -> str:
    return engine or "node by node"


def _as_listed(got: Any, want: Any, rtol: float) -> bool:
    g, w = np.asarray(got), np.asarray(want)
    ok = bool(near(g, w.astype(g.dtype), rtol))
    if ok and isinstance(want, (float, np.floating)) and want == 0 and g.dtype.kind == "f":
        return bool(np.signbit(g) == np.signbit(w))
    return ok


def _subnormal(key: Any) -> bool:
    tiny = float(np.finfo(np.float64).tiny)
    return any(0 < abs(k) < tiny for k in (key if isinstance(key, tuple) else (key,)))


def _widest(dtypes: Iterable[str]) -> str:
    kinds = sorted(
        set(dtypes), key=lambda d: ("biufc".index(np.dtype(d).kind), np.dtype(d).itemsize)
    )
    return "float64" if "float64" in kinds else kinds[-1]


def _identical(a: Any, b: Any) -> bool:
    if isinstance(a, (np.ndarray, np.generic)) and isinstance(b, (np.ndarray, np.generic)):
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        return bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))
    return type(a) is type(b)


def _overlap(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return bool(np.shares_memory(a, b))
    return False


def _short(x: Any) -> str:
    text = repr(x)
    return text if len(text) < 400 else text[:300] + " ... " + text[-90:]


def _require(holds: Any, text: str) -> None:
    if not holds:
        raise AssertionError(text)
