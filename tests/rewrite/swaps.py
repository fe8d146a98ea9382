"""Rewrites that tests of the documented API share."""

import theano
import theano.tensor as T
from theano.gof import Optimizer, PatternSub
from theano.gof.toolbox import ReplaceValidate

TO_SIN = PatternSub((T.neg, "x"), (T.sin, "x"), name="to_sin")
TO_COS = PatternSub((T.sin, "x"), (T.cos, "x"), name="to_cos")


def pp(g):
    return ", ".join(theano.pp(v) for v in g.outputs)


class Swaps(Optimizer):
    """Every neg becomes a sin, by hand."""

    def add_requirements(self, fgraph):
        fgraph.attach_feature(ReplaceValidate())

    def apply(self, fgraph):
        for node in fgraph.toposort():
            if node.op == T.neg:
                fgraph.replace_validate(node.outputs[0], T.sin(node.inputs[0]), reason="swap")
