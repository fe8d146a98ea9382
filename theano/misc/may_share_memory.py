"""Whether two values may be parts of one piece of memory."""

from theano._src.types.memory import may_share_memory as may_share_memory
