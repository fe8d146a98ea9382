"""What the defaults of flags are made of."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ground.config import (
    AddConfigVar as AddConfigVar,
    TheanoConfigParser as TheanoConfigParser,
    config as config,
)
from theano._src.ground.flags import (
    default_base_compiledir as default_base_compiledir,
    local_bitwidth as local_bitwidth,
    python_int_bitwidth as python_int_bitwidth,
    short_platform as short_platform,
)
from theano._src.ground.params import (
    BoolParam as BoolParam,
    ConfigParam as ConfigParam,
    EnumStr as EnumStr,
    FloatParam as FloatParam,
    IntParam as IntParam,
    StrParam as StrParam,
)

__getattr__ = _module_getattr(__name__)
