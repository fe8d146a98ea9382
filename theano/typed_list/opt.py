"""The rewrite that lets ops of typed lists work in place, loaded at first use."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, at_first_use="theano._src.rules.named: typed_list_inplace_opt")
