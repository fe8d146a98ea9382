"""Graphs as objects of pydot."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.show.drawing.pydot_formatter: PyDotFormatter apply_label apply_profile
        broadcastable_to_str dict_to_pdnode dtype_to_char type_to_str var_label var_tag
    theano._src.show.drawing.pydot_names: pydot_imported pydot_imported_msg
    """,
)
