"""What ops and types with C code give."""

from theano._src.graph.c_object import CLinkerObject as CLinkerObject
from theano._src.graph.c_op import CLinkerOp as CLinkerOp, HideC as HideC
from theano._src.graph.type import CLinkerType as CLinkerType
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
