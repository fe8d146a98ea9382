"""Whether two values may be parts of one piece of memory."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.types.memory import may_share_memory as may_share_memory

__getattr__ = _module_getattr(__name__)
