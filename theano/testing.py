"""Face: one record for each op, from which every check of it follows; checks of rules."""

from theano._src.testing.collect import spec_tests
from theano._src.testing.evaluate import evaluate
from theano._src.testing.opspec import Case, OpSpec, Raises
from theano._src.testing.rules import check_rule

__all__ = ["OpSpec", "Case", "Raises", "spec_tests", "evaluate", "check_rule"]
