"""Theano: a symbolic tensor compiler. Expressions are graphs; functions are compiled from them."""

import theano
import theano._src.ground.config as _config  # THEANO_FLAGS and the THEANORC file are read here
from theano import scan as _scan  # before the function takes its name: see public
from theano._src.compile import evaluate as _evaluate  # these give variables their methods
from theano._src.compile.display import displays as _displays
from theano._src.ground.public import public as _public
from theano._src.ops.numpy_api import dispatch as _dispatch, operators as _operators

__getattr__ = _public(
    __name__,
    """
    theano: scalar tensor
    theano._src.compile.function: function function_dump
    theano._src.compile.io: In Out Param SymbolicInput SymbolicOutput
    theano._src.grad.driver: grad
    theano._src.grad.products: Lop Rop subgraph_grad
    theano._src.graph.c_files: OpenMPOp
    theano._src.graph.clone: clone=clone_replace
    theano._src.graph.fg: FunctionGraph
    theano._src.graph.graph: Apply Constant Variable
    theano._src.graph.op: Op
    theano._src.graph.type: Type
    theano._src.ground.config: change_flags config
    theano._src.ground.errors: InconsistencyError
    theano._src.ground.utils: object2
    theano._src.ground.version: __version__
    theano._src.ops.linalg.dot: dot=any_dot
    theano._src.ops.meta.python_op: FromFunctionOp as_op
    theano._src.ops.shape.static_values: get_scalar_constant_value
    theano._src.types.convert: _asarray=asarray
    theano._src.types.generic: Generic generic
    theano._src.types.shared: Container SharedVariable
    theano._src.types.shared_constructors: shared
    theano._src.types.updates: OrderedUpdates
    """,
    at_first_use="""
    theano: compat compile configdefaults configparser gof gradient graph ifelse link misc
        printing sandbox scan_module typed_list updates utils version
    theano._src.compile.commands.versions: show_versions
    theano._src.compile.export.files: export
    theano._src.compile.files.graph_file: load load_values save
    theano._src.compile.files.loaded_function: LoadedFunction
    theano._src.compile.jax.as_jax: as_jax
    theano._src.compile.maker: FunctionMaker
    theano._src.compile.minimize: Minimizer minimize
    theano._src.compile.mode: Mode predefined_linkers predefined_modes predefined_optimizers
    theano._src.compile.profile.profilemode: ProfileMode
    theano._src.compile.profile.profiling: ProfileStats
    theano._src.control.op_from_graph: OpFromGraph
    theano._src.control.scan.api: scan
    theano._src.control.scan.checkpoints: scan_checkpoints
    theano._src.control.scan.folds: foldl foldr map reduce
    theano._src.control.vectorize: vectorize
    theano._src.engines.jax.jax_op: from_jax
    theano._src.engines.link: Linker LocalLinker PerformLinker
    theano._src.engines.linkers.documented: OpWiseCLinker
    theano._src.ground.errors: GraphFileError
    theano._src.ops.sparse.index: sparse_grad
    theano._src.show.forms: pp pprint
    """,
)
