"""Face: what the defaults of flags are made of."""

from theano._src.ground.config import AddConfigVar, TheanoConfigParser, config
from theano._src.ground.flags import (
    default_base_compiledir,
    local_bitwidth,
    python_int_bitwidth,
    short_platform,
)
from theano._src.ground.params import (
    BoolParam,
    ConfigParam,
    EnumStr,
    FloatParam,
    IntParam,
    StrParam,
)
