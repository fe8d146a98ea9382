# Written by tools/stubs.py from interface.py: change that file.
from theano._src.graph.c_object import CLinkerObject as CLinkerObject
from theano._src.graph.c_op import CLinkerOp as CLinkerOp, HideC as HideC
from theano._src.graph.type import CLinkerType as CLinkerType
