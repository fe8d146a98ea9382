"""The documented helpers for tests of Ops: seeds, gradients, shapes, closeness."""

from __future__ import annotations

import random
import unittest
import warnings
from typing import Any

import numpy as np

from theano._src.compile.debug.verify import verify_grad as _verify_grad
from theano._src.compile.function import function
from theano._src.compile.mode import get_default_mode
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.types.allclose import tolerances
from theano._src.types.tensor import TensorType


@documented_in("theano.tests.unittest_tools")
def fetch_seed(pseed: int | None = None) -> int | None:
    """Return the seed of tests: ``pseed``, or ``config.unittests.rseed``; None for 'random'.

    >>> fetch_seed(3)
    3
    """
    result = config.unittests.rseed if pseed is None else pseed
    if str(result) == "random":
        return None
    return int(result)


@documented_in("theano.tests.unittest_tools")
def seed_rng(pseed: int | None = None) -> int | None:
    """Seed NumPy's global generator with ``fetch_seed``; return the seed.

    >>> from theano.tests import unittest_tools
    >>> unittest_tools.seed_rng(3)
    3
    """
    seed = fetch_seed(pseed)
    np.random.seed(seed)
    return seed


@documented_in("theano.tests.unittest_tools")
def verify_grad(
    op: Any, pt: Any, n_tests: int = 2, rng: Any = None, *args: Any, **kwargs: Any
) -> Any:
    """``theano.gradient.verify_grad`` with a generator that is seeded for tests.

    >>> import numpy as np
    >>> import theano.tensor as T
    >>> from theano.tests import unittest_tools
    >>> unittest_tools.verify_grad(T.exp, [np.array([0.5, 1.0])])
    """
    if rng is None:
        rng = np.random.RandomState(fetch_seed())
    return _verify_grad(op, pt, n_tests, rng, *args, **kwargs)


@documented_in("theano.tests.unittest_tools")
def assert_allclose(
    expected: Any, value: Any, rtol: float | None = None, atol: float | None = None
) -> None:
    """Raise AssertionError unless two arrays agree to the tolerance of the narrower dtype.

    >>> assert_allclose([1.0, 2.0], [1.0, 2.0 + 1e-12])
    """
    a, b = np.asarray(expected), np.asarray(value)
    usual_atol, usual_rtol = tolerances(a, b)
    rtol = usual_rtol if rtol is None else rtol
    atol = usual_atol if atol is None else atol
    same = a.dtype if a.dtype == b.dtype else np.promote_types(a.dtype, b.dtype)
    b = b.astype(same)
    if not TensorType.values_eq_approx(a.astype(same), b, rtol=rtol, atol=atol):
        np.testing.assert_allclose(b, a, rtol=rtol, atol=atol)
        raise AssertionError(f"expected {a}, got {b}")


@documented_in("theano.tests.unittest_tools")
class InferShapeTester(unittest.TestCase):
    """A TestCase that checks that ``infer_shape`` is correct and does not compute the op."""

    def setUp(self) -> None:
        seed_rng()
        # a shape is only computed without its op if shapes are rewritten
        self.mode = get_default_mode().including("canonicalize")

    def _compile_and_check(
        self,
        inputs: Any,
        outputs: Any,
        numeric_inputs: Any,
        cls: Any,
        excluding: Any = None,
        warn: bool = True,
        check_topo: bool = True,
    ) -> None:
        mode = self.mode.excluding(*excluding) if excluding else self.mode
        if warn:
            for value in numeric_inputs:
                shape = getattr(value, "shape", ())
                if len(set(shape)) < len(shape) or 1 in shape:
                    warnings.warn(
                        f"an input has shape {shape}: equal lengths and lengths of 1 hide mistakes "
                        "in infer_shape; give one with lengths that differ",
                        stacklevel=2,
                    )
                    break
        whole = function(inputs, outputs, mode=mode, on_unused_input="ignore")
        shapes = function(
            inputs, [out.shape for out in outputs], mode=mode, on_unused_input="ignore"
        )
        if check_topo:
            kinds = cls if isinstance(cls, tuple) else (cls,)
            left = [n for n in shapes.maker.fgraph.toposort() if isinstance(n.op, kinds)]
            assert not left, f"the shape is found by running {left[0]}"
        for result, shape in zip(whole(*numeric_inputs), shapes(*numeric_inputs), strict=True):
            assert np.all(np.asarray(result).shape == shape), (np.asarray(result).shape, shape)


@documented_in("theano.tests.disturb_mem")
def disturb_mem() -> None:
    """Keep some objects for the life of the process, so that later ones have other addresses.

    Tests call it to check that nothing depends on the order of addresses.

    >>> from theano.tests import disturb_mem
    >>> disturb_mem.disturb_mem()
    """
    _kept.append([object() for _ in range(random.SystemRandom().randrange(1, 1000))])


_kept: list[list[object]] = []
