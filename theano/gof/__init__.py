"""Graphs and what works on them: variables, ops, types, features, linkers."""

from theano._src.engines.documented_linkers import OpWiseCLinker, VM_Linker
from theano._src.engines.dual_linker import DualLinker
from theano._src.engines.link import Linker, LocalLinker, PerformLinker
from theano._src.engines.wrap_linker import WrapLinker, WrapLinkerMany
from theano._src.graph.clone import clone
from theano._src.graph.destroy import DestroyHandler
from theano._src.graph.features import (
    Bookkeeper,
    Feature,
    History,
    NodeFinder,
    NoOutputFromInplace,
    PrintListener,
    ReplaceValidate,
    Validator,
)
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import CLinkerOp, Op, OpenMPOp, PureOp
from theano._src.graph.testvalue import get_debug_values
from theano._src.graph.type import CLinkerType, PureType, SingletonType, Type
from theano._src.graph.walk import (
    ancestors,
    inputs,
    io_toposort,
    is_same_graph,
    list_of_nodes,
    orphans,
    stack_search,
    variables,
    variables_and_orphans,
    view_roots,
)
from theano._src.ground.absent import module_getattr
from theano._src.ground.errors import (
    InconsistencyError,
    MissingInputError,
    ReplacementDidntRemovedError,
)
from theano._src.ground.utils import MethodNotDefined, hashtype, object2
from theano._src.rewrite.database import (
    DB,
    EquilibriumDB,
    LocalGroupDB,
    ProxyDB,
    Query,
    SequenceDB,
    TopoDB,
)
from theano._src.rewrite.equilibrium import EquilibriumOptimizer
from theano._src.rewrite.local import (
    LocalOptGroup,
    LocalOptimizer,
    OpRemove,
    OpSub,
    PatternSub,
    local_optimizer,
)
from theano._src.rewrite.navigate import NavigatorOptimizer, OpKeyOptimizer, TopoOptimizer
from theano._src.rewrite.passes import (
    MergeOptimizer,
    Optimizer,
    inplace_optimizer,
    optimizer,
)
from theano._src.rewrite.provenance import CheckStackTraceOptimization
from theano._src.rewrite.sequence import SeqOptimizer
from theano._src.types.generic import CDataType, Generic, generic
from theano._src.types.params_type import CEnumType, EnumList, EnumType, Params, ParamsType
from theano._src.types.shared import Container
from theano.gof import (
    cc,
    compilelock,
    destroyhandler,
    fg,
    graph,
    link,
    null_type,
    op,
    opt,
    optdb,
    params_type,
    sched,
    toolbox,
    type,
    utils,
    vm,
)

__getattr__ = module_getattr(__name__)
