# Written by tools/stubs.py from printing.py: change that file.
from theano._src.ops.meta.misc import Print as Print
from theano._src.show.compiled import hlo as hlo
from theano._src.show.debugprint import debugprint as debugprint
from theano._src.show.forms import pp as pp, pprint as pprint
from theano._src.show.names import (
    Node as Node,
    char_from_number as char_from_number,
    hex_digest as hex_digest,
    min_informative_str as min_informative_str,
    position_independent_str as position_independent_str,
    var_descriptor as var_descriptor,
)
from theano._src.show.plan import explain as explain
from theano._src.show.pprint import (
    VALID_ASSOC as VALID_ASSOC,
    DefaultPrinter as DefaultPrinter,
    FunctionPrinter as FunctionPrinter,
    IgnorePrinter as IgnorePrinter,
    LeafPrinter as LeafPrinter,
    MemberPrinter as MemberPrinter,
    OperatorPrinter as OperatorPrinter,
    PatternPrinter as PatternPrinter,
    PPrinter as PPrinter,
    PrinterState as PrinterState,
    default_printer as default_printer,
    greek as greek,
    leaf_printer as leaf_printer,
    special as special,
)
from theano._src.compile.display.rewriting import (
    Rewriting as Rewriting,
    rewriting as rewriting,
    why_not as why_not,
)
from theano._src.compile.files.file_contents import file_contents as file_contents
from theano._src.show.drawing.draw import draw as draw
from theano._src.show.drawing.pydot_names import (
    pydot_imported as pydot_imported,
    pydot_imported_msg as pydot_imported_msg,
)
from theano._src.show.drawing.pydotprint import (
    default_colorCodes as default_colorCodes,
    pydotprint as pydotprint,
    pydotprint_variables as pydotprint_variables,
)
from theano._src.show.float64 import why_float64 as why_float64
from theano._src.show.latex import latex as latex
from theano._src.show.latex_printer import Latex as Latex
