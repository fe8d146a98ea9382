"""Face: graphs as text, and Print, the op that prints values."""

from theano._src.ground.absent import module_getattr
from theano._src.ops.meta.misc import Print
from theano._src.show.debugprint import debugprint
from theano._src.show.forms import pp, pprint
from theano._src.show.names import (
    Node,
    char_from_number,
    hex_digest,
    min_informative_str,
    position_independent_str,
    var_descriptor,
)
from theano._src.show.plan import explain
from theano._src.show.pprint import (
    VALID_ASSOC,
    DefaultPrinter,
    FunctionPrinter,
    IgnorePrinter,
    LeafPrinter,
    MemberPrinter,
    OperatorPrinter,
    PatternPrinter,
    PPrinter,
    PrinterState,
    default_printer,
    greek,
    leaf_printer,
    special,
)

__getattr__ = module_getattr(
    __name__,
    "theano._src.compile.rewriting:Rewriting",
    "theano._src.compile.rewriting:rewriting",
    "theano._src.compile.rewriting:why_not",
)
