# Written by tools/stubs.py from function_module.py: change that file.
from theano._src.compile.aliasing import (
    infer_reuse_pattern as infer_reuse_pattern,
    insert_deepcopy as insert_deepcopy,
)
from theano._src.compile.function import orig_function as orig_function
from theano._src.compile.function_object import Function as Function, remade as remade
from theano._src.compile.maker import FunctionMaker as FunctionMaker, std_fgraph as std_fgraph
from theano._src.graph.destroy import Supervisor as Supervisor
from theano._src.ground.errors import (
    AliasedMemoryError as AliasedMemoryError,
    UnusedInputError as UnusedInputError,
)
from theano._src.legacy.old_pickles import constructor_of_functions as _constructor_of_functions
from theano._src.ops.meta.misc import deep_copy_op as deep_copy_op, view_op as view_op

_constructor_Function = _constructor_of_functions
