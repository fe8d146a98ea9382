"""Every OpSpec on the native engine: the bits of the numpy engine, or its error.

THEANO_TEST_NATIVE=all compares every case of each; else at most a few are drawn.
"""

import os

import numpy as np
import pytest

import theano
from tests.engines.native.common import as_list, bits, is_native, native_mode, needs_llvm
from tests.testing.test_coverage import specs

pytestmark = [needs_llvm, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

#: the most cases of a spec; elementwise ones have one for each choice of dtypes and shapes
MOST_DRAWS = 6
#: ops whose bits differ, and why
DIFFERENT: dict[str, str] = {}


def outcome(f, values):
    try:
        return [bits(np.asarray(x)) for x in as_list(f(*values))]
    except Exception as e:
        return type(e)


def cases_of(spec):
    cases = spec.all_cases()
    if len(cases) <= MOST_DRAWS or os.environ.get("THEANO_TEST_NATIVE") == "all":
        return cases
    return [cases[i] for i in np.linspace(0, len(cases) - 1, MOST_DRAWS).astype(int)]


@pytest.mark.parametrize("part", range(4))
def test_cases_of_every_spec_give_the_bits_of_numpy(part):
    wrong, native, programs = {}, 0, 0
    for spec in specs()[part::4]:
        for case in cases_of(spec):
            built = case.build(spec.fn)
            try:
                f = theano.function(
                    built.inputs, built.outputs, mode=theano.Mode("numpy"), on_unused_input="ignore"
                )
            except Exception:
                continue  # it is refused on every engine
            want = outcome(f, built.values)
            g = theano.function(
                built.inputs, built.outputs, mode=native_mode(), on_unused_input="ignore"
            )
            programs += 1
            native += is_native(g)
            assert "was not made" not in g.fn.why, (spec.name, g.fn.why)
            got = outcome(g, built.values)
            if got != want and spec.name not in DIFFERENT:
                wrong[spec.name, repr(case)[:200]] = (got, want)
    assert not wrong, "\n".join(f"{k}: {v}"[:500] for k, v in wrong.items())
    assert native > 0.8 * programs, (native, programs)
