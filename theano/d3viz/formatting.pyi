# Written by tools/stubs.py from formatting.py: change that file.
from theano._src.show.drawing.pydot_formatter import (
    PyDotFormatter as PyDotFormatter,
    apply_label as apply_label,
    apply_profile as apply_profile,
    broadcastable_to_str as broadcastable_to_str,
    dict_to_pdnode as dict_to_pdnode,
    dtype_to_char as dtype_to_char,
    type_to_str as type_to_str,
    var_label as var_label,
    var_tag as var_tag,
)
from theano._src.show.drawing.pydot_names import (
    pydot_imported as pydot_imported,
    pydot_imported_msg as pydot_imported_msg,
)
