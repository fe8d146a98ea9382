"""An annotated program as a user writes it; `mypy --strict` has nothing to say about it."""

from typing import Any

import numpy as np

import theano
import theano.tensor as T
from theano import Apply, Op, Variable
from theano.tensor import TensorVariable
from theano.tensor.sharedvar import TensorSharedVariable


class Double(Op):
    """Twice its input."""

    __props__ = ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace
        if inplace:
            self.destroy_map = {0: [0]}

    def make_node(self, x: Any) -> Apply:
        x = T.as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = inputs[0] * 2

    def grad(
        self, inputs: list[TensorVariable], output_grads: list[TensorVariable]
    ) -> list[TensorVariable]:
        return [output_grads[0] * 2]

    def infer_shape(self, node: Apply, shapes: list[Any]) -> list[Any]:
        return shapes


class Layer:
    def __init__(self, inputs: int, outputs: int) -> None:
        self.w = theano.shared(np.ones((inputs, outputs)), name="w")
        self.b = theano.shared(np.zeros(outputs), name="b")
        self.params: list[TensorSharedVariable] = [self.w, self.b]

    def __call__(self, x: TensorVariable) -> TensorVariable:
        return T.tanh(affine(x, self.w, self.b))


def affine(x: TensorVariable, w: TensorVariable, b: TensorVariable) -> TensorVariable:
    return T.dot(x, w) + b


def normalised(x: TensorVariable) -> TensorVariable:
    return (x - x.mean(axis=0)) / T.sqrt(x.var(axis=0) + 1e-5)


def descent(
    cost: TensorVariable, params: list[TensorSharedVariable], rate: float
) -> list[tuple[TensorSharedVariable, TensorVariable]]:
    return [(p, p - rate * g) for p, g in zip(params, theano.grad(cost, params), strict=True)]


def variables() -> list[Variable]:
    x, v = T.dmatrix("x"), T.vector("v", dtype="float64")
    a, b = T.dvectors("ab")
    chosen: TensorVariable = T.switch((x < 1) & T.ge(x, 0), x, -x)
    return [
        *(x + 1, 2 / x, x @ x, x**2, abs(-v), x[0, 1:], x.T, x.shape, x.shape[0], x % 2),
        *(x.sum(axis=0), v.max(), x.reshape((3, 4)), v.dimshuffle(0, "x"), x.flatten(), ~(v > 0)),
        *(a.dot(b), chosen, x.astype("int32"), v.zeros_like(), *x.nonzero(), x.argmax(axis=1)),
        *(T.sum(x), T.concatenate([v, v]), T.zeros((2, 3)), T.arange(3), T.constant(1.0)),
    ]


def train() -> float:
    x, layer = T.dmatrix("x"), Layer(3, 2)
    count = theano.shared(0)
    cost = (layer(normalised(x)) ** 2).mean()
    slope: TensorVariable = theano.grad(cost, layer.w)
    slope.name = "slope"
    step = theano.function(
        [x], cost, updates=[*descent(cost, layer.params, 0.1), (count, count + 1)]
    )
    layer.w.set_value(np.ones((3, 2)))
    size: int = layer.w.get_value(borrow=True).size
    return float(step(np.eye(3))) + size


def running_totals() -> np.ndarray:
    x = T.dmatrix("x")
    rows, updates = theano.scan(lambda row, total: total + row, sequences=x, outputs_info=x[0] * 0)
    made: np.ndarray = theano.function([x], rows, updates=updates)(np.ones((4, 3)))
    return made


def doubled() -> np.ndarray:
    v = T.dvector("v")
    twice: TensorVariable = Double()(v)
    made: np.ndarray = (1 + twice).eval({v: np.array([1.0, 2.0])})
    return made
