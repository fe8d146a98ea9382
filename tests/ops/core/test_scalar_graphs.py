"""Graphs of single numbers: every scalar op gives the dtype that it declares, on both engines."""

from __future__ import annotations

import numpy as np
import pytest

import theano
import theano.scalar as ts
import theano.tensor as T
from tests.ops.elements import ALL, COMPLEX, REALS, by_python
from tests.testing.test_coverage import specs
from theano._src.testing.checks import close
from theano._src.types.scalar import get_scalar_type
from theano.testing import OpSpec

#: combinations of different dtypes that are tried of an op with several inputs
MOST = 24


# fmt: off
#: ops whose elementwise form is no spec by itself
OTHERS = [
    OpSpec(T.Elemwise(ts.isnan), by_python(lambda x: x != x, "bool"), dtypes=ALL),
    OpSpec(T.Elemwise(ts.isinf), by_python(lambda x: False, "bool"), dtypes=ALL),
    OpSpec(T.Elemwise(ts.real), by_python(lambda z: z.real, "float64"), dtypes=COMPLEX,
           out_dtype={"complex64": "float32", "complex128": "float64"}),
    OpSpec(T.Elemwise(ts.imag), by_python(lambda z: z.imag, "float64"), dtypes=COMPLEX,
           out_dtype={"complex64": "float32", "complex128": "float64"}),
    OpSpec(T.Elemwise(ts.inopenrange), by_python(lambda x, a, b: a < x < b, "bool"), nin=3,
           dtypes=REALS, domain=(0, 5)),
    OpSpec(T.Elemwise(ts.inclosedrange), by_python(lambda x, a, b: a <= x <= b, "bool"), nin=3,
           dtypes=REALS, domain=(0, 5)),
    *[OpSpec(T.Elemwise(getattr(ts, f"convert_to_{dtype}")), lambda x: x, domain=(0, 9),
             dtypes=ALL if dtype in COMPLEX else REALS, out_dtype=dtype)
      for dtype in ALL],
]
# fmt: on


def of_scalar_ops() -> dict[ts.ScalarOp, OpSpec]:
    """The spec of each scalar op that has one for its elementwise form."""
    found: dict[ts.ScalarOp, OpSpec] = {}
    for spec in (*specs(), *OTHERS):
        if isinstance(spec.fn, T.Elemwise) and spec.elementwise:
            found.setdefault(spec.fn.scalar_op, spec)
    return found


TRIED = of_scalar_ops()


def combinations(spec: OpSpec) -> list[tuple[str, ...]]:
    every = spec.combinations()
    mixed = [c for c in every if len(set(c)) > 1]
    some = np.linspace(0, len(mixed) - 1, min(MOST, len(mixed))).astype(int)
    return [c for c in every if len(set(c)) == 1] + [mixed[i] for i in some]


def test_every_scalar_function_is_tried():
    functions = {
        name: op
        for module in (ts.basic, ts.basic_scipy)
        for name, op in vars(module).items()
        if isinstance(op, ts.ScalarOp)
    }
    lacking = sorted(name for name, op in functions.items() if op not in TRIED)
    assert lacking == []


@pytest.mark.parametrize("op", TRIED, ids=str)
def test_a_number_has_the_declared_dtype_and_the_value_of_the_reference(op):
    spec = TRIED[op]
    for combination in combinations(spec):
        case = spec.draw(combination, "scalar")
        xs = [get_scalar_type(d)() for d in combination]
        made = op(*xs, return_list=True)
        dtypes = [v.type.dtype for v in made]
        assert dtypes == spec.dtypes_out(case)
        values = theano.function(xs, made, mode=theano.Mode("numpy"))(*[x[()] for x in case.args])
        for value, dtype, want in zip(values, dtypes, spec.expected(case, dtypes), strict=True):
            assert value.dtype.name == dtype, combination
            close(f"{op} of {combination}", np.asarray(value), want, spec.tolerance(dtype), case)


@pytest.mark.xla
@pytest.mark.parametrize("op", TRIED, ids=str)
def test_a_number_inside_a_compiled_program_has_the_declared_dtype_and_value(op):
    """The numbers come from matrices: XLA, not the host, computes them."""
    spec = TRIED[op]
    every = combinations(spec)
    some = [every[i] for i in np.linspace(0, len(every) - 1, 3).astype(int)]
    xs, values, outs, wanted = [], [], [], []
    for combination in some:
        case = spec.draw(combination, "scalar")
        matrices = [T.matrix(dtype=d) for d in combination]
        numbers = [T.scalar_from_tensor(m[0, 0]) for m in matrices]
        made = op(*numbers, return_list=True)
        assert [v.type.dtype for v in made] == spec.dtypes_out(case)
        xs += matrices
        values += [np.full((2, 2), x) for x in case.args]
        outs += [T.tensor_from_scalar(v) for v in made]
        wanted += [(combination, want) for want in spec.expected(case, spec.dtypes_out(case))]
    # nothing rewritten: a scalar op between two conversions becomes an elementwise op otherwise
    made = theano.function(xs, outs, mode=theano.Mode("xla", None))(*values)
    for out, got, (combination, want) in zip(outs, made, wanted, strict=True):
        assert got.dtype.name == out.dtype, combination
        close(f"{op} of {combination}", got, want, spec.tolerance_on_xla(out.dtype), combination)
