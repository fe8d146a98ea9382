# Written by tools/stubs.py from configparser.py: change that file.
from theano._src.ground.config import (
    AddConfigVar as AddConfigVar,
    TheanoConfigParser as TheanoConfigParser,
    TheanoConfigWarning as TheanoConfigWarning,
    _config_var_list as _config_var_list,
    change_flags as change_flags,
    config as config,
    config_files_from_theanorc as config_files_from_theanorc,
    fetch_val_for_key as fetch_val_for_key,
    get_config_hash as get_config_hash,
    parse_config_string as parse_config_string,
)
from theano._src.ground.params import (
    BoolParam as BoolParam,
    ConfigParam as ConfigParam,
    EnumStr as EnumStr,
    FloatParam as FloatParam,
    IntParam as IntParam,
    StrParam as StrParam,
    TypedParam as TypedParam,
)
