# Written by tools/stubs.py from test_rop.py: change that file.
from theano._src.testing.rop_checker import RopLop_checker as RopLop_checker
