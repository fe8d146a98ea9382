"""Seeds, gradients, shapes and closeness, for tests."""

from theano._src.testing.unittest_tools import (
    InferShapeTester,
    assert_allclose,
    fetch_seed,
    seed_rng,
    verify_grad,
)

__all__ = ["InferShapeTester", "assert_allclose", "fetch_seed", "seed_rng", "verify_grad"]
