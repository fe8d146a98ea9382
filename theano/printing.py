"""Graphs as text and pictures, and Print, the op that prints values."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.meta.misc: Print
    theano._src.show.compiled: hlo
    theano._src.show.debugprint: debugprint
    theano._src.show.forms: pp pprint
    theano._src.show.names: Node char_from_number hex_digest min_informative_str
        position_independent_str var_descriptor
    theano._src.show.plan: explain
    theano._src.show.pprint: VALID_ASSOC DefaultPrinter FunctionPrinter IgnorePrinter
        LeafPrinter MemberPrinter OperatorPrinter PatternPrinter PPrinter PrinterState
        default_printer greek leaf_printer special
    """,
    at_first_use="""
    theano._src.compile.display.rewriting: Rewriting rewriting why_not
    theano._src.compile.files.file_contents: file_contents
    theano._src.show.drawing.draw: draw
    theano._src.show.drawing.pydot_names: pydot_imported pydot_imported_msg
    theano._src.show.drawing.pydotprint: default_colorCodes pydotprint pydotprint_variables
    theano._src.show.float64: why_float64
    theano._src.show.latex: latex
    theano._src.show.latex_printer: Latex
    """,
)
