"""Small helpers."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ground.utils import (
    difference as difference,
    flatten as flatten,
    from_return_values as from_return_values,
    hash_from_code as hash_from_code,
    memoize as memoize,
    to_return_values as to_return_values,
    uniq as uniq,
)

__getattr__ = _module_getattr(__name__)
