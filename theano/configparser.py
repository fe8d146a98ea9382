"""Flags, and how to declare your own."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ground.config: AddConfigVar TheanoConfigParser TheanoConfigWarning
        _config_var_list change_flags config config_files_from_theanorc fetch_val_for_key
        get_config_hash parse_config_string
    theano._src.ground.params: BoolParam ConfigParam EnumStr FloatParam IntParam StrParam
        TypedParam
    """,
)
