# Written by tools/stubs.py from __init__.py: change that file.
import theano
from theano import (
    scalar as scalar,
    tensor as tensor,
    compat as compat,
    compile as compile,
    configdefaults as configdefaults,
    configparser as configparser,
    gof as gof,
    gradient as gradient,
    graph as graph,
    ifelse as ifelse,
    link as link,
    misc as misc,
    printing as printing,
    sandbox as sandbox,
    scan_module as scan_module,
    typed_list as typed_list,
    updates as updates,
    utils as utils,
    version as version,
)
from theano._src.compile.function import function as function, function_dump as function_dump
from theano._src.compile.io import (
    In as In,
    Out as Out,
    Param as Param,
    SymbolicInput as SymbolicInput,
    SymbolicOutput as SymbolicOutput,
)
from theano._src.grad.driver import grad as grad
from theano._src.grad.products import Lop as Lop, Rop as Rop, subgraph_grad as subgraph_grad
from theano._src.graph.c_files import OpenMPOp as OpenMPOp
from theano._src.graph.clone import clone_replace as _clone_replace
from theano._src.graph.fg import FunctionGraph as FunctionGraph
from theano._src.graph.graph import Apply as Apply, Constant as Constant, Variable as Variable
from theano._src.graph.op import Op as Op
from theano._src.graph.type import Type as Type
from theano._src.ground.config import change_flags as change_flags, config as config
from theano._src.ground.errors import (
    InconsistencyError as InconsistencyError,
    GraphFileError as GraphFileError,
)
from theano._src.ground.utils import object2 as object2
from theano._src.ground.version import __version__ as __version__
from theano._src.ops.linalg.dot import any_dot as _any_dot
from theano._src.ops.meta.python_op import FromFunctionOp as FromFunctionOp, as_op as as_op
from theano._src.ops.shape.static_values import (
    get_scalar_constant_value as get_scalar_constant_value,
)
from theano._src.types.convert import asarray as _asarray
from theano._src.types.generic import Generic as Generic, generic as generic
from theano._src.types.shared import Container as Container, SharedVariable as SharedVariable
from theano._src.types.shared_constructors import shared as shared
from theano._src.types.updates import OrderedUpdates as OrderedUpdates
from theano._src.compile.commands.versions import show_versions as show_versions
from theano._src.compile.export.files import export as export
from theano._src.compile.files.graph_file import (
    load as load,
    load_values as load_values,
    save as save,
)
from theano._src.compile.files.loaded_function import LoadedFunction as LoadedFunction
from theano._src.compile.jax.as_jax import as_jax as as_jax
from theano._src.compile.maker import FunctionMaker as FunctionMaker
from theano._src.compile.minimize import Minimizer as Minimizer, minimize as minimize
from theano._src.compile.mode import (
    Mode as Mode,
    predefined_linkers as predefined_linkers,
    predefined_modes as predefined_modes,
    predefined_optimizers as predefined_optimizers,
)
from theano._src.compile.profile.profilemode import ProfileMode as ProfileMode
from theano._src.compile.profile.profiling import ProfileStats as ProfileStats
from theano._src.control.op_from_graph import OpFromGraph as OpFromGraph
from theano._src.control.scan.api import scan as scan
from theano._src.control.scan.checkpoints import scan_checkpoints as scan_checkpoints
from theano._src.control.scan.folds import (
    foldl as foldl,
    foldr as foldr,
    map as map,
    reduce as reduce,
)
from theano._src.control.vectorize import vectorize as vectorize
from theano._src.engines.jax.jax_op import from_jax as from_jax
from theano._src.engines.link import (
    Linker as Linker,
    LocalLinker as LocalLinker,
    PerformLinker as PerformLinker,
)
from theano._src.engines.linkers.documented import OpWiseCLinker as OpWiseCLinker
from theano._src.ops.sparse.index import sparse_grad as sparse_grad
from theano._src.show.forms import pp as pp, pprint as pprint

clone = _clone_replace
dot = _any_dot
