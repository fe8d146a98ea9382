"""Face: flags, and how to declare your own."""

from theano._src.ground.config import (
    AddConfigVar,
    TheanoConfigParser,
    TheanoConfigWarning,
    _config_var_list,
    change_flags,
    config,
    config_files_from_theanorc,
    fetch_val_for_key,
    get_config_hash,
    parse_config_string,
)
from theano._src.ground.params import (
    BoolParam,
    ConfigParam,
    EnumStr,
    FloatParam,
    IntParam,
    StrParam,
    TypedParam,
)
