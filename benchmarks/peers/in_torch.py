"""The programs in PyTorch on the CPU, eager; ``in_torch_compile`` compiles the same ones."""

from functools import partial

import models
import nets_torch
import torch
import torch.nn.functional as F

RATE = 0.01


def versions() -> dict[str, str]:
    return {"PyTorch": torch.__version__}


def prepared(function):
    return function


def called(function):
    """The function of tensors as a call; both ways NumPy's memory is shared, not copied."""
    ready = prepared(function)
    return lambda *args: ready(*map(torch.from_numpy, args)).numpy()


def add_scalar():
    ready = prepared(lambda x: x + 1)
    return lambda x: ready(torch.tensor(x, dtype=torch.float64)).numpy()


def add_vector():
    return called(lambda x: x + 1)


def polynomial():
    return called(lambda x: 1 + x - 2 * x**2 + 3 * x**3 - x**4)


def powers_short():
    return called(models.powers)


def logs_short():
    return called(lambda x: torch.exp(-x) * torch.log(x + 1) + 2 * torch.tanh(x))


def with_gradient(density, *data):
    """The log-density of a model with its gradient."""
    constants = [torch.tensor(d) for d in data]
    ready = prepared(lambda q: density(q, *constants))

    def call(values):
        q = torch.from_numpy(values).requires_grad_()
        value = ready(q)
        (slope,) = torch.autograd.grad(value, q)
        return value.detach().numpy(), slope.numpy()

    return call


def eight_schools(*data):
    return with_gradient(partial(models.eight_schools, torch), *data)


def radon(*data):
    return with_gradient(partial(models.radon, torch), *data)


def negative_binomial(*data):
    return with_gradient(partial(models.negative_binomial, torch, torch.lgamma), *data)


def transcendental():
    return called(lambda x: torch.log(1 + torch.exp(-(x**2))) + torch.sin(x) * torch.tanh(x))


def descend(loss, values):
    return descend_on(loss, [torch.tensor(v, requires_grad=True) for v in values])


def descend_on(loss, params):
    ready = prepared(loss)

    def call(*args):
        cost = ready(params, *map(torch.from_numpy, args))
        grads = torch.autograd.grad(cost, params)
        with torch.no_grad():
            for p, g in zip(params, grads, strict=True):
                p.sub_(g, alpha=RATE)
        return cost.detach().numpy()

    return call


def logistic(w, b):
    def loss(params, x, y):
        w, b = params
        return F.binary_cross_entropy_with_logits(x @ w + b, y) + 0.01 * (w**2).sum()

    return descend(loss, [w, b])


def perceptron(*values):
    def loss(params, x, y):
        W, b, V, c = params
        return F.mse_loss(torch.tanh(x @ W + b) @ V + c, y)

    return descend(loss, values)


def mlp(*values):
    def loss(params, x, t):
        W, b, V, c = params
        return F.cross_entropy(torch.tanh(x @ W + b) @ V + c, t)

    return descend(loss, values)


def lenet(w1, b1, w2, *values):
    # filters go over images as they are, not turned round
    turned = [w1[..., ::-1, ::-1].copy(), b1, w2[..., ::-1, ::-1].copy(), *values]
    return descend(nets_torch.lenet_loss, turned)


def rnn(*values):
    return descend_on(*nets_torch.recurrent("rnn", *values))


def rnn_last(w, u):
    ready = prepared(nets_torch.rnn_without_bias(w, u))

    def call(x, start):
        with torch.no_grad():
            _, last = ready(torch.from_numpy(x), torch.from_numpy(start)[None])
        return last[0].numpy()

    return call


def lstm(*values):
    return descend_on(*nets_torch.recurrent("lstm", *values))


def gru(*values):
    return descend_on(*nets_torch.recurrent("gru", *values))


def logsoftmax():
    return called(lambda x: F.log_softmax(x, dim=1))


def matmul():
    return called(torch.matmul)


def cholesky():
    return called(torch.linalg.cholesky)


def solve():
    return called(torch.linalg.solve)


def sort():
    return called(lambda x: torch.sort(x).values)


def unrolled(steps):
    def body(x, a):
        h = torch.zeros(32, dtype=torch.float64)
        for t in range(steps):
            h = torch.tanh(a * h + x[t])
        return h

    return called(body)


def reduction():
    return called(lambda x: (torch.exp(-(x**2)) * torch.cos(x)).sum() / torch.sqrt((x**2).sum()))
