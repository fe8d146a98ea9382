"""One record for each op, from which every check of it follows; checks of rules."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.testing.collect import spec_tests as spec_tests
from theano._src.testing.evaluate import evaluate as evaluate
from theano._src.testing.opspec import Case as Case, OpSpec as OpSpec, Raises as Raises
from theano._src.testing.rules import check_rule as check_rule

__getattr__ = _module_getattr(__name__)
