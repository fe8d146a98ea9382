"""Seeds, gradients, shapes and closeness, for tests."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.testing.unittest_tools: InferShapeTester assert_allclose fetch_seed seed_rng
        verify_grad
    """,
)
