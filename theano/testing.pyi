# Written by tools/stubs.py from testing.py: change that file.
from theano._src.testing.collect import spec_tests as spec_tests
from theano._src.testing.evaluate import evaluate as evaluate
from theano._src.testing.opspec import Case as Case, OpSpec as OpSpec, Raises as Raises
from theano._src.testing.proofs.bounded import Bounded as Bounded
from theano._src.testing.proofs.equations import Proof as Proof
from theano._src.testing.proofs.prove import prove as prove
from theano._src.testing.rules import check_rule as check_rule
