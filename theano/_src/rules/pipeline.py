"""The pipeline: which rewrites run, and in what order, on one screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from theano._src.control.lazy_branches import Branches
from theano._src.control.op_from_graph import OpFromGraph
from theano._src.control.scan.op import Scan
from theano._src.control.solvers.structure import SolverOp
from theano._src.graph.destroy import DestroyHandler
from theano._src.graph.graph import Variable
from theano._src.ops.core import cast as casting
from theano._src.ops.core.cast import cast
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise import activations, arithmetic, explog, rounding
from theano._src.ops.index.advanced import AdvancedBooleanIncSubtensor, AdvancedIncSubtensor
from theano._src.ops.index.subtensor import IncSubtensor
from theano._src.ops.index.subtensor1 import AdvancedIncSubtensor1
from theano._src.ops.linalg import hints
from theano._src.ops.linalg.blas import Gemm, Gemv, Ger
from theano._src.ops.meta import grad_views
from theano._src.ops.nnet import batchnorm_ops, ctc
from theano._src.ops.nnet.blocksparse import SparseBlockGemv, SparseBlockOuter
from theano._src.ops.random.random_function import RandomFunction
from theano._src.ops.typed_list.editing import Append, Extend, Insert, Remove, Reverse
from theano._src.rewrite.database import EquilibriumDB, Query, SequenceDB
from theano._src.rewrite.log import RewriteTrace
from theano._src.rewrite.merge import merge
from theano._src.rewrite.passes import FunctionPass, MergeOptimizer, Report
from theano._src.rewrite.rule import BaseRule
from theano._src.rules import (
    algebra,
    blas,
    constant_folding,
    fills,
    fusion,
    indexing,
    joining,
    powers,
    products,
    ratios,
    reductions,
    shape,
    stability,
    stack_alike,
    structure,
    switches,
    useless,
    writes,
)
from theano._src.rules.fusion import fuse
from theano._src.rules.ifelse import branches
from theano._src.rules.ifelse.branches import lazy_branches
from theano._src.rules.ifelse.lift_zeros import lift_zeros
from theano._src.rules.inner_graphs import expand_inline, same_passes, within
from theano._src.rules.inplace import overwriting
from theano._src.rules.linalg import determinants, systems
from theano._src.rules.linalg.facts import attach_facts
from theano._src.rules.nnet import crossentropy, softmax_grad, softmax_shift
from theano._src.rules.scan import facts as scan_facts, pack, pushout, rewrites
from theano._src.rules.scan.rewrites import merge_loops
from theano._src.rules.shape import attach_shapes
from theano._src.types.dtypes import upcast
from theano._src.types.tensor import TensorType

#: modules with tables of rules; a module is registered by being listed here, not by its import
MODULES: tuple[ModuleType, ...] = (
    constant_folding,
    shape,
    fills,
    useless,
    fusion,
    switches,
    algebra,
    powers,
    reductions,
    systems,
    determinants,
    products,
    blas,
    arithmetic,
    casting,
    rounding,
    explog,
    activations,
    stability,
    softmax_shift,
    softmax_grad,
    crossentropy,
    ctc,
    batchnorm_ops,
    ratios,
    grad_views,
    hints,
    structure,
    joining,
    indexing,
    writes,
    branches,
    rewrites,
    pushout,
    pack,
    scan_facts,
    stack_alike,
)


@dataclass(frozen=True)
class Pass:
    """One step of the pipeline: a group of rules run until none fires, or a function of the graph.

    ``run`` takes the graph and the trace, and returns the number of changes; None for a group.
    """

    name: str
    order: float
    tags: frozenset[str]
    run: Callable[[Any, RewriteTrace | None], int] | None = None


def _attach_destroy_handler(fgraph: Any, trace: RewriteTrace | None) -> int:
    # nodes that overwrite an input are not moved: lazy branches must take theirs before
    count = lazy_branches(fgraph, trace)
    fgraph.attach_feature(DestroyHandler())
    return count


def _pass(name: str, order: float, tags: str, run: Any = None) -> Pass:
    return Pass(name, order, frozenset((name, *tags.split())), run)


# A rule runs in the passes that its group and its tags name. In-place rewrites come after 49.5,
# from where on the order of nodes matters and each change needs a check.
# fmt: off
PASSES = (
    _pass("inline_ofg_expansion", -.01, "fast_run fast_compile", expand_inline),
    _pass("merge1",               0.0, "fast_run fast_compile merge", merge),
    _pass("scan_merge",          0.02, "fast_run fast_compile scan", merge_loops),
    _pass("scan_facts",          0.03, "fast_run scan"),
    _pass("scan_steps",          0.04, "fast_run scan",
          within("scan_steps", same_passes(before=1.6), Scan)),
    _pass("scan",                0.06, "fast_run scan_eqopt1 scan_eqopt2"),
    _pass("merge1.1",            0.08, "fast_run merge", merge),
    _pass("ShapeOpt",             0.1, "fast_run shape", attach_shapes),
    _pass("facts",               0.12, "fast_run", attach_facts),
    _pass("canonicalize",         1.0, "fast_run fast_compile"),
    _pass("merge1.2",             1.2, "fast_run fast_compile merge", merge),
    _pass("stabilize",            1.5, "fast_run"),
    _pass("remove_hints",        1.55, "fast_run fast_compile"),
    _pass("ifelse_lift",         1.65, "fast_run ifelse", lift_zeros),
    _pass("BlasOpt",              1.7, "fast_run fast_compile"),
    _pass("local_gemm_to_gemv",  1.75, "fast_run BlasOpt"),
    _pass("specialize",           2.0, "fast_run"),
    _pass("uncanonicalize",       3.0, "fast_run"),
    _pass("scan_pack",            3.5, "fast_run scan"),
    _pass("specialize_device",   48.6, "fast_run"),
    _pass("scan_finish_steps",   48.8, "fast_run fast_compile",
          within("scan_finish_steps", same_passes(), Scan)),
    _pass("merge2",              49.0, "fast_run merge", merge),
    _pass("rewrite_inner",       49.1, "fast_run",
          within("rewrite_inner", same_passes(before=49.1), OpFromGraph, SolverOp)),
    _pass("elemwise_fusion",     49.2, "fast_run fusion local_elemwise_fusion FusionOptimizer",
          fuse),
    _pass("lazy_branches",       49.3, "fast_run fast_compile ifelse cond_merge", lazy_branches),
    _pass("add_destroy_handler", 49.5, "fast_run inplace", _attach_destroy_handler),
    _pass("inplace",             50.0, "fast_run"),
    _pass("local_inplace_setsubtensor", 60.0,
          "fast_run inplace local_inplace_incsubtensor1 local_inplace_AdvancedIncSubtensor1 "
          "local_inplace_incsubtensor inplace_setsubtensor",
          overwriting("local_inplace_setsubtensor", IncSubtensor, AdvancedIncSubtensor1,
                      AdvancedIncSubtensor, AdvancedBooleanIncSubtensor, late=True)),
    _pass("local_inplace_sparse_block_gemv", 60.0,
          "fast_run inplace local_inplace_sparse_block_outer",
          overwriting("local_inplace_sparse_block_gemv", SparseBlockGemv, SparseBlockOuter)),
    _pass("typed_list_inplace_opt", 60.0, "fast_run inplace",
          overwriting("typed_list_inplace_opt", Append, Extend, Insert, Reverse, Remove)),
    _pass("InplaceBlasOpt",      70.0, "fast_run inplace blas_opt_inplace",
          overwriting("InplaceBlasOpt", Gemm, Gemv, Ger)),
    _pass("inplace_elemwise_optimizer", 75.0, "fast_run inplace inplace_opt inplace_elemwise",
          overwriting("inplace_elemwise_optimizer", Elemwise)),
    _pass("inplace_inner",       76.0, "fast_run inplace",
          within("inplace_inner", same_passes(49.1, but="inplace_inner"), OpFromGraph, Branches,
                 SolverOp, from_inside=True)),
    _pass("random_make_inplace", 99.0, "fast_run inplace inplace_random",
          overwriting("random_make_inplace", RandomFunction)),
    _pass("merge3",             100.0, "fast_run fast_compile merge", merge),
)
# fmt: on

_GROUPS = frozenset(p.name for p in PASSES if p.run is None)


def _all_rules() -> dict[str, BaseRule]:
    result: dict[str, BaseRule] = {}
    for module in MODULES:
        for rule in module.RULES:
            if rule.name in result:
                raise ValueError(
                    f"two rules are called {rule.name}: {result[rule.name]!r}, {rule!r}"
                )
            result[rule.name] = rule
    return result


def _database(rules: dict[str, BaseRule]) -> SequenceDB:
    """Return the passes as a database, in which each group of rules is a database itself."""
    db = SequenceDB(name="optdb")
    for p in PASSES:
        if p.run is not None:
            one = MergeOptimizer(p.name) if p.run is merge else FunctionPass(p.name, p.run)
            db.register(p.name, one, p.order, *p.tags)
            continue
        group = EquilibriumDB(name=p.name, restore=restore_type)
        for rule in rules.values():
            if p.name in rule.tags:
                # excluding another pass of a rule does not exclude it from this one
                group.register(rule.name, rule, *(rule.tags - _GROUPS))
        db.register(p.name, group, p.order, *p.tags)
    return db


def restore_type(new: Any, wanted: Any) -> Variable | None:
    """Cast ``new`` to the dtype of ``wanted`` if that changes no value; otherwise return None.

    Only existing variables are cast: a new expression in a smaller dtype may have overflowed
    before the cast.
    """
    if not isinstance(new, Variable) or (new.owner is not None and new.fgraph is None):
        return None
    have = new.type
    if (
        isinstance(have, TensorType)
        and isinstance(wanted, TensorType)
        and have.broadcastable == wanted.broadcastable
        and upcast(have.dtype, wanted.dtype) == wanted.dtype
    ):
        variable: Variable = cast(new, wanted.dtype)
        return variable
    return None


RULES = _all_rules()
optdb = _database(RULES)


def rewrite(fgraph: Any, query: Query, trace: RewriteTrace | None = None) -> Report:
    """Rewrite a graph in place with the rewrites that ``query`` selects; return a report.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> g = theano.gof.FunctionGraph([x], [T.log(1 + T.exp(x))], clone=False)
    >>> rewrite(g, Query(["fast_run"], exclude=["inplace"])).uses["log1p_exp"], g
    (1, [softplus(x)])
    """
    report: Report = optdb.query(query).rewrite(fgraph, trace)
    return report
