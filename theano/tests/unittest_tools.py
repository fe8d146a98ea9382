"""Seeds, gradients, shapes and closeness, for tests."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.testing.unittest_tools import (
    InferShapeTester as InferShapeTester,
    assert_allclose as assert_allclose,
    fetch_seed as fetch_seed,
    seed_rng as seed_rng,
    verify_grad as verify_grad,
)

__getattr__ = _module_getattr(__name__)
