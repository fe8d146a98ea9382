# Written by tools/stubs.py from test_basic.py: change that file.
from theano._src.testing.make_tester import (
    makeBroadcastTester as makeBroadcastTester,
    makeTester as makeTester,
    rand as rand,
    rand_ranged as rand_ranged,
    randint as randint,
)
