"""The rewrite that lets ops of typed lists work in place, loaded at first use."""

import typing as _typing

from theano._src.ground.absent import module_getattr as _module_getattr

if _typing.TYPE_CHECKING:
    from theano._src.rules.named import typed_list_inplace_opt as typed_list_inplace_opt

__getattr__ = _module_getattr(__name__, "theano._src.rules.named: typed_list_inplace_opt")
