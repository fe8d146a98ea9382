"""vectorize over every OpSpec: many rows at once are what the rows are one by one."""

import importlib

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.architecture.sources import ROOT
from theano._src.testing.checks import close, run, same_kind
from theano._src.testing.evaluate import evaluate
from theano._src.testing.gradients import why_not
from theano._src.testing.opspec import Built
from theano._src.types.tensor import TensorType, tensor_type

#: what is refused over rows, with the file that says so
REFUSED = {"test_raw_random": "the state of a generator has no rows; the same file"}
MODULES = sorted(
    f"{p.parent.name}.{p.stem}"
    for p in (ROOT / "tests/ops").rglob("test_*.py")
    if "spec_tests(" in p.read_text("utf-8") and p.stem not in REFUSED
)
# cases of an elementwise spec are drawn: one op whatever the dtypes and shapes
MOST_DRAWS = 6


def specs_of(module):
    return importlib.import_module(f"tests.ops.{module}").SPECS


def cases_of(spec):
    cases = spec.all_cases()
    if spec.elementwise and len(cases) > MOST_DRAWS:
        cases = [cases[i] for i in np.linspace(0, len(cases) - 1, MOST_DRAWS).astype(int)]
    return cases


def three_rows(x, spec):
    """Values of which each is a valid input where ``x`` is one."""
    if x.dtype.kind in "fc":
        # inside the same interval, symmetric and positive definite if it is
        turned = np.flip(x)
        with np.errstate(all="ignore"):
            return np.stack([x, turned, (x / 2 + turned / 2).astype(x.dtype)])
    turned = np.flip(x) if spec.elementwise else x  # other integers are sizes and places
    return np.stack([x, turned, x])


def choices(built):
    """Which inputs get rows: all floats, the first, and all."""
    floats = [i for i, x in enumerate(built.values) if x.dtype.kind in "fc"]
    found = [floats, list(range(len(built.inputs)))[:1], list(range(len(built.inputs)))]
    return list(dict.fromkeys(tuple(c) for c in found if c))


def batch_rule(spec, built, which):
    """The built case over three rows of some inputs, and each row of it."""
    replace, values = {}, list(built.values)
    inputs = list(built.inputs)
    for i in which:
        v = built.inputs[i]
        inputs[i] = tensor_type(v.type.dtype, (False, *v.type.broadcastable))(f"{v.name}s")
        values[i] = three_rows(built.values[i], spec)
        replace[v] = inputs[i]
    rows = [
        {
            v: x[k, ...] if i in which else x
            for i, (v, x) in enumerate(zip(built.inputs, values, strict=True))
        }
        for k in range(3)
    ]
    outputs = theano.vectorize(built.outputs, replace)
    return Built(inputs, values, outputs, True), rows


def one_by_one(built, rows):
    """What the rows give, stacked; or the exception that a row, or stacking them, raises."""
    try:
        made = [evaluate(built.outputs, row) for row in rows]
        return [np.stack(column) for column in zip(*made, strict=True)]
    except Exception as e:
        return e


def compare(spec, case, built, many, got, want, tolerance):
    for i, (v, out, g, w) in enumerate(zip(built.outputs, many.outputs, got, want, strict=True)):
        where = f"output {i} of {spec.name}"
        assert out.type.dtype == v.type.dtype
        assert out.type.broadcastable == (False, *v.type.broadcastable)
        same_kind(where, out, g)
        if not spec.elementwise and w.dtype.kind in "fc" and g.shape == w.shape:
            # sums in another order round differently, by the size of their terms
            with np.errstate(all="ignore"):
                most = np.max(np.abs(w), initial=0, where=np.isfinite(w))
                g = np.where(np.abs(g - w) <= 8 * np.finfo(w.dtype).eps * most, w, g)
        close(where, g, w, tolerance(v.type.dtype), case)


@pytest.mark.parametrize("module", MODULES)
def test_many_rows_are_the_rows_one_by_one(module):
    seen, checked = set(), 0
    for spec in specs_of(module):
        for case in cases_of(spec):
            built = case.build(spec.fn)
            for which in choices(built):
                many, rows = batch_rule(spec, built, which)
                want = one_by_one(built, rows)
                try:
                    got = run(many, None)
                except Exception as e:
                    if not isinstance(want, Exception):
                        e.add_note(f"{spec} {case} over {which}")
                        raise
                    assert type(e) is type(want), f"{spec} {case}: {want!r}, got {e!r}"
                else:
                    assert not isinstance(want, Exception), f"{spec} {case} {which}: {want!r}"
                    compare(spec, case, built, many, got, want, spec.tolerance)
                checked += 1
                seen.add(id(spec))
    assert len(seen) == len(specs_of(module))
    print(f"{module}: {len(specs_of(module))} OpSpecs, {checked} choices of rows")


def sample_for_xla(spec):
    """A case over rows of its floats, and one over rows of all inputs, where they can be run."""
    found = []
    cases = [case for case in cases_of(spec) if all(x.size for x in case.values)]
    ends = ((cases[:1], 0),) if spec.elementwise else ((cases[:1], 0), (cases[-1:], -1))
    for case, last in ends:
        for one in case:
            built = one.build(spec.fn)
            for which in choices(built)[last:][:1]:
                many, rows = batch_rule(spec, built, which)
                want = one_by_one(built, rows)
                if not isinstance(want, Exception):
                    found.append((spec, one, built, many, want))
    return found


@pytest.mark.xla
@pytest.mark.parametrize("module", MODULES)
def test_many_rows_on_xla_are_the_rows_one_by_one(module):
    specs = [s for s in specs_of(module) if not s.elementwise]
    # one form for all of these: a few of them in each family
    specs += [s for s in specs_of(module) if s.elementwise][::4]
    found = [one for spec in specs for one in sample_for_xla(spec)]
    joined = Built(
        [v for *_, many, _ in found for v in many.inputs],
        [x for *_, many, _ in found for x in many.values],
        [v for *_, many, _ in found for v in many.outputs],
        True,
    )
    made = iter(run(joined, "xla", None))
    for spec, case, built, many, want in found:
        got = [next(made) for _ in many.outputs]
        compare(spec, case, built, many, got, want, spec.tolerance_on_xla)


def row_cost(built):
    """A number that depends on all float outputs, and the inputs that it has a gradient in."""
    outs = [v for v in built.outputs if v.type.dtype.startswith("float")]
    terms = [(v * (0.5 + T.arange(v.size).reshape(v.shape, ndim=v.ndim))).sum() for v in outs]
    wrt = [v for v in built.inputs if v.type.dtype.startswith("float")]
    return (T.add(*terms) if terms else None), wrt


@pytest.mark.parametrize("module", MODULES)
def test_gradients_of_many_rows_are_those_of_the_rows(module):
    for spec in specs_of(module):
        if why_not(spec) is not None:
            continue
        case = next((c for c in cases_of(spec) if "float64" in c.dtypes and c.grad is None), None)
        if case is None:
            continue
        built = case.build(spec.fn)
        cost, wrt = row_cost(built)
        if cost is None or not wrt:
            continue
        grads = theano.grad(cost, wrt, disconnected_inputs="ignore", null_gradients="return")
        kept = [(v, g) for v, g in zip(wrt, grads, strict=True) if isinstance(g.type, TensorType)]
        if not kept:
            continue
        wrt, grads = map(list, zip(*kept, strict=True))
        for which in choices(built)[:2]:
            floats = [i for i in which if built.inputs[i] in wrt]
            if not floats:
                continue
            of_grads = Built(built.inputs, built.values, grads, True)
            many, rows = batch_rule(spec, of_grads, floats)
            want = one_by_one(of_grads, rows)
            if isinstance(want, Exception):
                continue
            replace = {built.inputs[i]: many.inputs[i] for i in floats}
            costs = theano.vectorize(cost, replace)
            through = theano.grad(
                costs.sum(), [replace.get(v, v) for v in wrt], disconnected_inputs="ignore"
            )
            want_through = [
                w if v in replace else w.sum(axis=0) for v, w in zip(wrt, want, strict=True)
            ]
            values = dict(zip(many.inputs, many.values, strict=True))
            for kind, made, wanted in (
                ("vectorized", many.outputs, want),
                ("through", through, want_through),
            ):
                for got, w in zip(evaluate(made, values), wanted, strict=True):
                    where = f"the {kind} gradient of {spec} over {floats}"
                    np.testing.assert_allclose(got, w, 1e-9, 1e-11, err_msg=f"{where}: {case}")
