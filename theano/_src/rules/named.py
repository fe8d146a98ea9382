"""The documented names of rewrites, each as a local optimizer or a pass that can be used alone.

A name selects the rules with that tag: one rule that does the same, or several
smaller ones. They can be passed to ``out2in`` and similar functions, registered in a database, and
applied to one node by ``transform(node)``.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
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

    def __init__(self, name: str, rules: Iterable[BaseRule]) -> None:
        self.name = self.__name__ = name
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
        return (rewrite_called, (self.name,))

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


@cache
def rewrite_called(name: str) -> NamedRewrite:
    """The rewrite of a documented name.

    >>> rewrite_called("local_neg_neg")
    <rewrite local_neg_neg: neg_neg>
    """
    rules = [rule for rule in RULES.values() if name in rule.tags]
    if not rules:
        raise ValueError(f"no rule is called {name}")
    return NamedRewrite(name, rules)


def __getattr__(name: str) -> NamedRewrite:
    """A documented name that is imported from here, and is the tag of some rules."""
    try:
        return rewrite_called(name)
    except ValueError as e:
        raise AttributeError(str(e)) from None


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
local_add_mul_fusion = FromFunctionLocalOptimizer(add_mul_fused, [Elemwise])
local_elemwise_fusion = FromFunctionLocalOptimizer(fused, [Elemwise])
local_inplace_incsubtensor1 = Overwriting("local_inplace_incsubtensor1", AdvancedIncSubtensor1)
local_inplace_setsubtensor = Overwriting("local_inplace_setsubtensor", IncSubtensor)
add_canonizer = in2out(rewrite_called("local_add_canonizer"), name="add_canonizer")
mul_canonizer = in2out(rewrite_called("local_mul_canonizer"), name="mul_canonizer")
topo_constant_folding = in2out(
    rewrite_called("constant_folding"), ignore_newtrees=True, name="topo_constant_folding"
)
inplace_elemwise_optimizer = optdb["inplace_elemwise_optimizer"]

# theano.tensor.blas
local_inplace_gemm = Overwriting("local_inplace_gemm", Gemm)
local_inplace_gemv = Overwriting("local_inplace_gemv", Gemv)
local_inplace_ger = Overwriting("local_inplace_ger", Ger)
blas_opt_inplace = in2out(
    local_inplace_gemm, local_inplace_gemv, local_inplace_ger, name="blas_opt_inplace"
)

# theano.tensor.nnet.nnet
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
