# Written by tools/stubs.py from doubleop.py: change that file.
from theano._src.ops.meta.misc import DoubleOp as DoubleOp
