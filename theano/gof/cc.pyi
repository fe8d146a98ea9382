# Written by tools/stubs.py from cc.py: change that file.
from theano._src.engines.linkers.documented import (
    CLinker as CLinker,
    OpWiseCLinker as OpWiseCLinker,
)
from theano._src.engines.linkers.dual import DualLinker as DualLinker
from theano._src.graph.c_op import HideC as HideC
