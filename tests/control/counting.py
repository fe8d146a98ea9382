"""An op that says when it runs, for tests of what does not."""

from __future__ import annotations

import theano

#: what has run, in order
CALLS: list[str] = []


class Count(theano.Op):
    """Twice its input; notes that it was computed."""

    __props__ = ("tag",)

    def __init__(self, tag):
        self.tag = tag

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        CALLS.append(self.tag)
        output_storage[0][0] = inputs[0] * 2

    def grad(self, inputs, output_grads):
        return [output_grads[0] * 2]

    def infer_shape(self, node, shapes):
        return shapes


def counted(f, *args):
    """What a call gives, and what ran in it."""
    CALLS.clear()
    return f(*args), list(CALLS)
