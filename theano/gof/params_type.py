"""Several parameters of an op as one value."""

from theano._src.types.params_type import (
    EnumType as EnumType,
    Params as Params,
    ParamsType as ParamsType,
)
