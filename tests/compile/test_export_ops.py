"""Every op with a compiled form, as a file for NumPy: for the lengths of a case, and for all."""

import runpy

import numpy as np
import pytest

import theano
from tests.testing.test_coverage import specs

pytestmark = [pytest.mark.xla, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

#: relative to the largest number: the forms for compilers add up in another order
RTOL = {"float16": 2e-3, "float32": 1e-5, "complex64": 1e-5, "float64": 1e-9, "complex128": 1e-9}


def is_plain(case):
    """Whether all numbers of a case are finite, and there are some."""
    arrays = [np.asarray(v) for v in case.values]
    return all(a.size and (a.dtype.kind not in "fc" or np.isfinite(a).all()) for a in arrays)


def as_list(made):
    return made if isinstance(made, list) else [made]


def difference(got, want):
    """How numbers differ; None if they agree."""
    for have, one in zip(as_list(got), map(np.asarray, as_list(want)), strict=True):
        if (have.dtype, have.shape) != (one.dtype, one.shape):
            return f"{have.dtype}{have.shape} instead of {one.dtype}{one.shape}"
        rtol = RTOL.get(one.dtype.name, 0)
        room = rtol * np.max(np.abs(one[np.isfinite(one)]), initial=0) if rtol else 0
        if not np.allclose(have, one, rtol, room, equal_nan=True):
            return f"{have} instead of {one}"
    return None


def outcome(spec, case, path, is_open):
    """'agrees', 'refused', or how the numbers differ."""
    built = case.build(spec.fn)
    mode = theano.Mode("py", "fast_run")
    f = theano.function(built.inputs, built.outputs, mode=mode, on_unused_input="ignore")
    lengths = {v: np.shape(x) for v, x in zip(built.inputs, built.values, strict=True)}
    try:
        theano.export(f, path, shapes={} if is_open else lengths)
    except NotImplementedError:
        return "refused"
    except ValueError as error:
        if is_open and "cannot be written for every length" in str(error):
            return "refused"
        return str(error)
    made = runpy.run_path(str(path))[path.stem](*built.values)
    return difference(made, f(*built.values)) or "agrees"


@pytest.mark.parametrize(("is_open", "least"), [(False, 400), (True, 300)])
def test_every_op_that_can_be_written_gives_its_numbers(is_open, least, tmp_path):
    found = {}
    for spec in specs():
        if spec.xla is True:
            for case in [c for c in spec.all_cases() if is_plain(c)][:1]:
                found[spec.name, repr(case)] = outcome(spec, case, tmp_path / "made.py", is_open)
    counts = {k: list(found.values()).count(k) for k in ("agrees", "refused")}
    assert not {k: v for k, v in found.items() if v not in counts}
    assert counts["agrees"] > least, counts
