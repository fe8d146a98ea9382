"""One record for each op, from which every check of it follows; checks and proofs of rules."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.testing.collect: spec_tests
    theano._src.testing.evaluate: evaluate
    theano._src.testing.opspec: Case OpSpec Raises
    theano._src.testing.proofs.bounded: Bounded
    theano._src.testing.proofs.equations: Proof
    theano._src.testing.proofs.prove: prove
    theano._src.testing.rules: check_rule
    """,
)
