"""The linkers called c and c|py."""

from theano._src.engines.linkers.documented import (
    CLinker as CLinker,
    OpWiseCLinker as OpWiseCLinker,
)
from theano._src.engines.linkers.dual import DualLinker as DualLinker
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
