"""The documented names of rewrites, each as a local optimizer or a pass that can be used alone.

A name selects the rules that have it among their tags: one rule that does the same, or several
smaller ones. They can be passed to ``out2in`` and similar functions, registered in a database, and
applied to one node by ``transform(node)``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from theano._src.graph.destroy import DestroyHandler
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.ground.documented import OfInstance, documented_in
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.index.subtensor import IncSubtensor
from theano._src.ops.index.subtensor1 import AdvancedIncSubtensor1
from theano._src.ops.linalg.blas import Gemm, Gemv, Ger
from theano._src.ops.typed_list.editing import Append, Extend, Insert, Remove, Reverse
from theano._src.rewrite.local import FromFunctionLocalOptimizer, LocalOptimizer
from theano._src.rewrite.navigate import TopoOptimizer, in2out
from theano._src.rewrite.rule import BaseRule, untracked
from theano._src.rules.fusion import add_mul_fused, fused
from theano._src.rules.inplace import forms_of
from theano._src.rules.pipeline import RULES, optdb, restore_type


class NamedRewrite(LocalOptimizer):
    """The rules of one documented name; the first that applies to a node is used.

    >>> import theano.tensor as T
    >>> from theano.tensor.opt import local_neg_neg
    >>> x = T.dscalar("x")
    >>> local_neg_neg.transform((-(-x)).owner), local_neg_neg.transform((-x).owner)
    ([x], False)
    """

    __doc__ = OfInstance(lambda self: "\n".join(map(repr, self.rules)), __doc__)

    def __init__(self, name: str, rules: Iterable[BaseRule], more: tuple[str, ...] = ()) -> None:
        self.name = self.__name__ = name
        self._more = more
        self.rules = tuple(rules)

    def tracks(self) -> list[Any] | None:
        results = [rule.tracks for rule in self.rules]
        return [what for each in results for what in each] if all(results) else None

    def transform(self, node: Apply) -> Any:
        for rule in self.rules:
            if untracked(rule, node):
                continue
            result = rule.transform(node.fgraph, node)
            if result:
                return _of_the_types(result, node)
        return False

    def __reduce__(self) -> Any:
        return (rewrite_called, (self.name, *self._more))

    def __repr__(self) -> str:
        return f"<rewrite {self.name}: {', '.join(rule.name for rule in self.rules)}>"


def _of_the_types(result: Any, node: Apply) -> Any:
    """Cast replacements to the types of the variables they replace, if that changes no value."""
    if not isinstance(result, (list, tuple)):
        return result
    results = []
    for new, old in zip(result, node.outputs, strict=True):
        if isinstance(new, Variable) and new.type != old.type:
            new = restore_type(new, old.type) or new
        results.append(new)
    return results


def rewrite_called(name: str, *more: str) -> NamedRewrite:
    """Return the rewrite of a documented name; ``more`` names further rules that it includes.

    >>> rewrite_called("local_neg_neg")
    <rewrite local_neg_neg: neg_neg>
    """
    if name not in _BY_TAG:
        raise ValueError(f"no rule is called {name}")
    return NamedRewrite(name, [*_BY_TAG[name], *(RULES[n] for n in more)], more)


def _by_tag() -> dict[str, list[BaseRule]]:
    result: dict[str, list[BaseRule]] = {}
    for rule in RULES.values():
        for tag in rule.tags:
            result.setdefault(tag, []).append(rule)
    return result


_BY_TAG = _by_tag()


class Overwriting(LocalOptimizer):
    """Make nodes of some ops write their result into an input; the graph checks each change."""

    def __init__(self, name: str, *classes: type[Op]) -> None:
        self.name = self.__name__ = name
        self.classes = classes

    def tracks(self) -> list[Any]:
        return list(self.classes)

    def transform(self, node: Apply) -> Any:
        if not isinstance(node.op, self.classes):
            return False
        for _, op in forms_of(node):
            variables: list[Variable] = op.make_node(*node.inputs).outputs
            return variables
        return False

    def add_requirements(self, fgraph: Any) -> None:
        fgraph.attach_feature(DestroyHandler())


@documented_in("theano.tensor.opt")
class FusionOptimizer(TopoOptimizer):
    """A pass that fuses elementwise ops with their inputs, by a function of a node.

    Parameters
    ----------
    local_optimizer : LocalOptimizer or function of a node

    >>> import theano, theano.tensor as T
    >>> from theano.tensor.opt import FusionOptimizer, local_elemwise_fusion
    >>> x = T.dvector("x")
    >>> g = theano.gof.FunctionGraph([x], [T.exp(T.sin(x) * 2)])
    >>> theano.gof.opt.merge_optimizer.optimize(g)
    >>> FusionOptimizer(local_elemwise_fusion).optimize(g)
    >>> print(g.outputs[0].owner.op)
    Elemwise{Composite{exp((sin(i0) * i1))}}
    """

    def __init__(self, local_optimizer: Any) -> None:
        if not hasattr(local_optimizer, "transform"):
            local_optimizer = FromFunctionLocalOptimizer(local_optimizer)
        super().__init__(local_optimizer, order="out_to_in")
        self.optimizer = local_optimizer


# theano.tensor.opt
constant_folding = rewrite_called("constant_folding")
local_0_dot_x = rewrite_called("local_0_dot_x")
local_IncSubtensor_serialize = rewrite_called("local_IncSubtensor_serialize")
local_abs_lift = rewrite_called("local_abs_lift")
local_abs_merge = rewrite_called("local_abs_merge")
local_add_canonizer = rewrite_called("local_add_canonizer")
local_add_specialize = rewrite_called("local_add_specialize", "one_input")
local_adv_sub1_adv_inc_sub1 = rewrite_called("local_adv_sub1_adv_inc_sub1")
local_alloc_empty_to_zeros = rewrite_called("local_alloc_empty_to_zeros")
local_alloc_unary = rewrite_called("local_alloc_unary")
local_canonicalize_alloc = rewrite_called("local_canonicalize_alloc")
local_cast_cast = rewrite_called("local_cast_cast")
local_dimshuffle_lift = rewrite_called("local_dimshuffle_lift")
local_div_switch_sink = rewrite_called("local_div_switch_sink")
local_div_to_inv = rewrite_called("local_div_to_inv")
local_elemwise_alloc = rewrite_called("local_elemwise_alloc")
local_elemwise_sub_zeros = rewrite_called("local_elemwise_sub_zeros")
local_erf_minus_one = rewrite_called("local_erf_minus_one")
local_erf_neg_minus_one = rewrite_called("local_erf_neg_minus_one")
local_erf_neg_minus_one2 = rewrite_called("local_erf_neg_minus_one2")
local_expm1 = rewrite_called("local_expm1")
local_fill_sink = rewrite_called("local_fill_sink")
local_fill_to_alloc = rewrite_called("local_fill_to_alloc")
local_flatten_lift = rewrite_called("local_flatten_lift")
local_func_inv = rewrite_called("local_func_inv")
local_grad_log_erfc_neg = rewrite_called("local_grad_log_erfc_neg")
local_greedy_distributor = rewrite_called("local_greedy_distributor")
local_incsubtensor_of_zeros = rewrite_called("local_incsubtensor_of_zeros")
local_incsubtensor_of_zeros_to_setsubtensor = rewrite_called(
    "local_incsubtensor_of_zeros_to_setsubtensor"
)
local_intdiv_by_one = rewrite_called("local_intdiv_by_one")
local_inv_canon = rewrite_called("local_inv_canon")
local_join_1 = rewrite_called("local_join_1")
local_join_empty = rewrite_called("local_join_empty")
local_join_make_vector = rewrite_called("local_join_make_vector")
local_lift_transpose_through_dot = rewrite_called("local_lift_transpose_through_dot")
local_log1p = rewrite_called("local_log1p")
local_log_add = rewrite_called("local_log_add")
local_log_erfc = rewrite_called("local_log_erfc")
local_log_sum_exp = rewrite_called("local_log_sum_exp")
local_merge_alloc = rewrite_called("local_merge_alloc")
local_merge_switch_same_cond = rewrite_called("local_merge_switch_same_cond")
local_mul_canonizer = rewrite_called("local_mul_canonizer")
local_mul_specialize = rewrite_called("local_mul_specialize")
local_mul_switch_sink = rewrite_called("local_mul_switch_sink")
local_mul_to_sqr = rewrite_called("local_mul_to_sqr")
local_mul_zero = rewrite_called("local_mul_zero")
local_neg_div_neg = rewrite_called("local_neg_div_neg")
local_neg_neg = rewrite_called("local_neg_neg")
local_one_add_neg_erfc = rewrite_called("local_one_add_neg_erfc")
local_one_minus_erf = rewrite_called("local_one_minus_erf")
local_one_minus_erf2 = rewrite_called("local_one_minus_erf2")
local_one_minus_erfc = rewrite_called("local_one_minus_erfc")
local_one_minus_erfc2 = rewrite_called("local_one_minus_erfc2")
local_one_minus_erfc3 = rewrite_called("local_one_minus_erfc3")
local_one_plus_erf = rewrite_called("local_one_plus_erf")
local_one_plus_neg_erf = rewrite_called("local_one_plus_neg_erf")
local_op_of_op = rewrite_called("local_op_of_op")
local_opt_alloc = rewrite_called("local_opt_alloc")
local_pow_canonicalize = rewrite_called("local_pow_canonicalize")
local_pow_specialize = rewrite_called("local_pow_specialize")
local_pow_specialize_device = rewrite_called("local_pow_specialize_device")
local_rebroadcast_lift = rewrite_called("local_rebroadcast_lift")
local_reduce_broadcastable = rewrite_called("local_reduce_broadcastable")
local_reduce_join = rewrite_called("local_reduce_join")
local_remove_all_assert = rewrite_called("local_remove_all_assert")
local_remove_useless_assert = rewrite_called("local_remove_useless_assert")
local_reshape_chain = rewrite_called("local_reshape_chain")
local_reshape_lift = rewrite_called("local_reshape_lift")
local_reshape_to_dimshuffle = rewrite_called("local_reshape_to_dimshuffle")
local_scalar_tensor_scalar = rewrite_called("local_scalar_tensor_scalar")
local_set_to_inc_subtensor = rewrite_called("local_set_to_inc_subtensor")
local_setsubtensor_of_constants = rewrite_called("local_setsubtensor_of_constants")
local_shape_to_shape_i = rewrite_called("local_shape_to_shape_i")
local_subtensor_inc_subtensor = rewrite_called("local_subtensor_inc_subtensor")
local_subtensor_lift = rewrite_called("local_subtensor_lift")
local_subtensor_make_vector = rewrite_called("local_subtensor_make_vector")
local_subtensor_merge = rewrite_called("local_subtensor_merge")
local_subtensor_of_alloc = rewrite_called("local_subtensor_of_alloc")
local_subtensor_of_dot = rewrite_called("local_subtensor_of_dot")
local_subtensor_remove_broadcastable_index = rewrite_called(
    "local_subtensor_remove_broadcastable_index"
)
local_sum_prod_all_to_none = rewrite_called("local_sum_prod_all_to_none")
local_sum_prod_div_dimshuffle = rewrite_called("local_sum_prod_div_dimshuffle")
local_sum_prod_mul_by_scalar = rewrite_called("local_sum_prod_mul_by_scalar")
local_sumsqr2dot = rewrite_called("local_sumsqr2dot")
local_tensor_scalar_tensor = rewrite_called("local_tensor_scalar_tensor")
local_track_shape_i = rewrite_called("local_track_shape_i")
local_upcast_elemwise_constant_inputs = rewrite_called("local_upcast_elemwise_constant_inputs")
local_useless_alloc = rewrite_called("local_useless_alloc")
local_useless_composite = rewrite_called("local_useless_composite")
local_useless_dimshuffle_in_reshape = rewrite_called("local_useless_dimshuffle_in_reshape")
local_useless_elemwise = rewrite_called("local_useless_elemwise")
local_useless_elemwise_comparison = rewrite_called("local_useless_elemwise_comparison")
local_useless_fill = rewrite_called("local_useless_fill")
local_useless_inc_subtensor = rewrite_called("local_useless_inc_subtensor")
local_useless_inc_subtensor_alloc = rewrite_called("local_useless_inc_subtensor_alloc")
local_useless_rebroadcast = rewrite_called("local_useless_rebroadcast")
local_useless_reduce = rewrite_called("local_useless_reduce")
local_useless_reshape = rewrite_called("local_useless_reshape")
local_useless_slice = rewrite_called("local_useless_slice")
local_useless_split = rewrite_called("local_useless_split")
local_useless_subtensor = rewrite_called("local_useless_subtensor")
local_useless_switch = rewrite_called("local_useless_switch")
local_view_op = rewrite_called("local_view_op")
local_zero_div = rewrite_called("local_zero_div")
local_add_mul_fusion = FromFunctionLocalOptimizer(add_mul_fused, [Elemwise])
local_elemwise_fusion = FromFunctionLocalOptimizer(fused, [Elemwise])
local_inplace_incsubtensor1 = Overwriting("local_inplace_incsubtensor1", AdvancedIncSubtensor1)
local_inplace_setsubtensor = Overwriting("local_inplace_setsubtensor", IncSubtensor)
add_canonizer = in2out(local_add_canonizer, name="add_canonizer")
mul_canonizer = in2out(local_mul_canonizer, name="mul_canonizer")
topo_constant_folding = in2out(constant_folding, ignore_newtrees=True, name="topo_constant_folding")
inplace_elemwise_optimizer = optdb["inplace_elemwise_optimizer"]

# theano.tensor.opt_uncanonicalize
local_alloc_dimshuffle = rewrite_called("local_alloc_dimshuffle")
local_dimshuffle_alloc = rewrite_called("local_dimshuffle_alloc")
local_dimshuffle_subtensor = rewrite_called("local_dimshuffle_subtensor")
local_max_and_argmax = rewrite_called("local_max_and_argmax")
local_max_to_min = rewrite_called("local_max_to_min")
local_reshape_dimshuffle = rewrite_called("local_reshape_dimshuffle")

# theano.tensor.blas
local_dot22_to_dot22scalar = rewrite_called("local_dot22_to_dot22scalar")
local_dot22_to_ger_or_gemv = rewrite_called("local_dot22_to_ger_or_gemv")
local_dot_to_dot22 = rewrite_called("local_dot_to_dot22")
local_gemm_to_gemv = rewrite_called("local_gemm_to_gemv")
local_gemm_to_ger = rewrite_called("local_gemm_to_ger")
local_inplace_gemm = Overwriting("local_inplace_gemm", Gemm)
local_inplace_gemv = Overwriting("local_inplace_gemv", Gemv)
local_inplace_ger = Overwriting("local_inplace_ger", Ger)
blas_opt_inplace = in2out(
    local_inplace_gemm, local_inplace_gemv, local_inplace_ger, name="blas_opt_inplace"
)

# theano.tensor.nnet.sigm
local_1msigmoid = rewrite_called("local_1msigmoid")
local_exp_over_1_plus_exp = rewrite_called("local_exp_over_1_plus_exp")
local_hard_sigmoid = rewrite_called("local_hard_sigmoid")
local_inv_1_plus_exp = rewrite_called("local_inv_1_plus_exp")
local_sigm_times_exp = rewrite_called("local_sigm_times_exp")
local_ultra_fast_sigmoid = rewrite_called("local_ultra_fast_sigmoid")
log1msigm_to_softplus = rewrite_called("log1msigm_to_softplus")
log1p_neg_sigmoid = rewrite_called("log1p_neg_sigmoid")
log1pexp_to_softplus = rewrite_called("log1pexp_to_softplus")
logsigm_to_softplus = rewrite_called("logsigm_to_softplus")

# theano.tensor.nnet.nnet
graph_merge_softmax_with_crossentropy_softmax = rewrite_called(
    "graph_merge_softmax_with_crossentropy_softmax"
)
local_advanced_indexing_crossentropy_onehot = rewrite_called(
    "local_advanced_indexing_crossentropy_onehot"
)
local_advanced_indexing_crossentropy_onehot_grad = rewrite_called(
    "local_advanced_indexing_crossentropy_onehot_grad"
)
local_argmax_pushdown = rewrite_called("local_argmax_pushdown")
local_logsoftmax = rewrite_called("local_logsoftmax")
local_logsoftmax_grad = rewrite_called("local_logsoftmax_grad")
local_softmax_grad_to_crossentropy_with_softmax_grad = rewrite_called(
    "local_softmax_grad_to_crossentropy_with_softmax_grad"
)
local_softmax_with_bias = rewrite_called("local_softmax_with_bias")
local_useless_crossentropy_softmax_1hot_with_bias_dx_alloc = rewrite_called(
    "local_useless_crossentropy_softmax_1hot_with_bias_dx_alloc"
)
crossentropy_to_crossentropy_with_softmax = in2out(
    rewrite_called("crossentropy_to_crossentropy_with_softmax"),
    name="crossentropy_to_crossentropy_with_softmax",
)
crossentropy_to_crossentropy_with_softmax_with_bias = in2out(
    rewrite_called("crossentropy_to_crossentropy_with_softmax_with_bias"),
    name="crossentropy_to_crossentropy_with_softmax_with_bias",
)

# theano.typed_list.opt
typed_list_inplace_opt = Overwriting(
    "typed_list_inplace_opt", Append, Extend, Insert, Reverse, Remove
)
