# Written by tools/stubs.py from __init__.py: change that file.
from theano._src.engines.link import (
    Linker as Linker,
    LocalLinker as LocalLinker,
    PerformLinker as PerformLinker,
)
from theano._src.engines.linkers.documented import (
    CLinker as CLinker,
    OpWiseCLinker as OpWiseCLinker,
    VM_Linker as VM_Linker,
)
from theano._src.engines.linkers.dual import DualLinker as DualLinker
from theano._src.engines.linkers.wrap import (
    WrapLinker as WrapLinker,
    WrapLinkerMany as WrapLinkerMany,
)
from theano._src.graph.c_files import COp as COp, OpenMPOp as OpenMPOp
from theano._src.graph.c_op import CLinkerOp as CLinkerOp, HideC as HideC
from theano._src.graph.clone import clone as clone
from theano._src.graph.destroy import DestroyHandler as DestroyHandler
from theano._src.graph.features import (
    Bookkeeper as Bookkeeper,
    Feature as Feature,
    History as History,
    NodeFinder as NodeFinder,
    NoOutputFromInplace as NoOutputFromInplace,
    PrintListener as PrintListener,
    ReplaceValidate as ReplaceValidate,
    Validator as Validator,
)
from theano._src.graph.fg import FunctionGraph as FunctionGraph
from theano._src.graph.graph import Apply as Apply, Constant as Constant, Variable as Variable
from theano._src.graph.op import Op as Op, PureOp as PureOp
from theano._src.graph.testvalue import get_debug_values as get_debug_values
from theano._src.graph.type import (
    CLinkerType as CLinkerType,
    PureType as PureType,
    SingletonType as SingletonType,
    Type as Type,
)
from theano._src.graph.walk import (
    ancestors as ancestors,
    inputs as inputs,
    io_toposort as io_toposort,
    is_same_graph as is_same_graph,
    list_of_nodes as list_of_nodes,
    orphans as orphans,
    stack_search as stack_search,
    variables as variables,
    variables_and_orphans as variables_and_orphans,
    view_roots as view_roots,
)
from theano._src.ground.errors import (
    CachedConstantError as CachedConstantError,
    InconsistencyError as InconsistencyError,
    MissingInputError as MissingInputError,
    ReplacementDidntRemovedError as ReplacementDidntRemovedError,
)
from theano._src.ground.utils import (
    MethodNotDefined as MethodNotDefined,
    hashtype as hashtype,
    object2 as object2,
)
from theano._src.rewrite.database import (
    DB as DB,
    EquilibriumDB as EquilibriumDB,
    LocalGroupDB as LocalGroupDB,
    ProxyDB as ProxyDB,
    Query as Query,
    SequenceDB as SequenceDB,
    TopoDB as TopoDB,
)
from theano._src.rewrite.equilibrium import EquilibriumOptimizer as EquilibriumOptimizer
from theano._src.rewrite.local import (
    LocalOptGroup as LocalOptGroup,
    LocalOptimizer as LocalOptimizer,
    OpRemove as OpRemove,
    OpSub as OpSub,
    PatternSub as PatternSub,
    local_optimizer as local_optimizer,
)
from theano._src.rewrite.navigate import (
    NavigatorOptimizer as NavigatorOptimizer,
    OpKeyOptimizer as OpKeyOptimizer,
    TopoOptimizer as TopoOptimizer,
)
from theano._src.rewrite.passes import (
    MergeOptimizer as MergeOptimizer,
    Optimizer as Optimizer,
    inplace_optimizer as inplace_optimizer,
    optimizer as optimizer,
)
from theano._src.rewrite.provenance import (
    CheckStackTraceOptimization as CheckStackTraceOptimization,
)
from theano._src.rewrite.sequence import SeqOptimizer as SeqOptimizer
from theano._src.types.generic import CDataType as CDataType, Generic as Generic, generic as generic
from theano._src.types.params_type import (
    CEnumType as CEnumType,
    EnumList as EnumList,
    EnumType as EnumType,
    Params as Params,
    ParamsType as ParamsType,
)
from theano._src.types.shared import Container as Container
from theano.gof import (
    cc as cc,
    compilelock as compilelock,
    destroyhandler as destroyhandler,
    fg as fg,
    graph as graph,
    link as link,
    null_type as null_type,
    op as op,
    opt as opt,
    optdb as optdb,
    params_type as params_type,
    sched as sched,
    toolbox as toolbox,
    type as type,
    utils as utils,
    vm as vm,
    cmodule as cmodule,
)
