# Written by tools/stubs.py from configdefaults.py: change that file.
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
