"""The programs on short arrays in CasADi: a ``Function`` of symbols, run by its virtual machine.

The sizes belong to the symbols: those of the tasks stand here. There is no gammaln, and so no
negative binomial. ``in_casadi_buffers`` calls the same functions in another way.
"""

import math

import casadi as ca
import numpy as np
from models import COUNTIES, powers

RATE = 0.01


def versions() -> dict[str, str]:
    return {"CasADi": ca.__version__}


def called(function):
    """The function as a call: arrays are copied to CasADi's matrices, and those to arrays."""
    gives = [_converter(function.size_out(k)) for k in range(function.n_out())]
    if len(gives) == 1:
        return lambda *args: gives[0](function(*args))
    return lambda *args: [give(r) for give, r in zip(gives, function(*args), strict=True)]


def _converter(size):
    return _number if size == (1, 1) else _vector


def _number(result):
    return np.array(float(result))


def _vector(result):
    return result.full().ravel()


def descend(step, values):
    """A call of a function of inputs and parameters; CasADi's matrices keep the parameters."""
    held = [ca.DM(v) for v in values]

    def call(*args):
        nonlocal held
        cost, *held = step(*args, *held)
        return _number(cost)

    return call


def add_scalar():
    x = ca.SX.sym("x")
    return called(ca.Function("f", [x], [x + 1]))


def add_vector():
    x = ca.SX.sym("x", 10)
    return called(ca.Function("f", [x], [x + 1]))


def powers_short():
    x = ca.MX.sym("x", 1000)
    return called(ca.Function("f", [x], [powers(x)]))


def logs_short():
    x = ca.MX.sym("x", 1000)
    y = ca.exp(-x) * ca.log(x + 1) + 2 * ca.tanh(x)
    return called(ca.Function("f", [x], [y]))


def with_gradient(density, q):
    """The log-density with its gradient, in scalar operations."""
    return called(ca.Function("f", [q], [density, ca.gradient(density, q)]))


def normal(x, mean, scale):
    """The sum of log-densities of a normal distribution."""
    constant = -0.5 * math.log(2 * math.pi)
    return ca.sum1(-0.5 * ((x - mean) / scale) ** 2 - ca.log(scale) + constant)


def eight_schools(effects, errors):
    q = ca.SX.sym("q", 10)
    mean, log_scale, z = q[0], q[1], q[2:]
    scale = ca.exp(log_scale)
    cauchy = math.log(2 / (math.pi * 5)) - ca.log1p((scale / 5) ** 2) + log_scale
    schools = normal(effects, mean + scale * z, errors)
    return with_gradient(normal(mean, 0, 5) + cauchy + normal(z, 0, 1) + schools, q)


def radon(county, floor, level):
    q = ca.SX.sym("q", 5 + 2 * COUNTIES)
    means, logs = [q[0], q[2]], [q[1], q[3], q[4]]
    z = q[5 : 5 + COUNTIES], q[5 + COUNTIES :]
    intercept = means[0] + ca.exp(logs[0]) * z[0]
    slope = means[1] + ca.exp(logs[1]) * z[1]
    rows = county.tolist()
    fitted = intercept[rows] + slope[rows] * floor
    priors = sum(normal(v, 0, 1) for v in (*means, *z)) + sum(s - ca.exp(s) for s in logs)
    return with_gradient(priors + normal(level, fitted, ca.exp(logs[2])), q)


def perceptron(*values):
    x, y = ca.MX.sym("x", 16, 20), ca.MX.sym("y", 16, 3)
    params = [ca.MX.sym(name, *_size(v)) for name, v in zip("WbVc", values, strict=True)]
    W, b, V, c = params
    hidden = ca.tanh(x @ W + ca.repmat(b.T, 16, 1))
    cost = ca.sumsqr(hidden @ V + ca.repmat(c.T, 16, 1) - y) / (16 * 3)
    moved = [p - RATE * ca.gradient(cost, p) for p in params]
    return descend(ca.Function("step", [x, y, *params], [cost, *moved]), values)


def _size(values):
    return values.shape if values.ndim == 2 else (len(values), 1)


def rnn_last(w, u):
    """A step on columns, folded over the columns of the transposed input."""
    h, z = ca.MX.sym("h", 64), ca.MX.sym("z", 64)
    step = ca.Function("step", [h, z], [ca.tanh(z + ca.DM(u.T) @ h)])
    x, start = ca.MX.sym("x", 100, 64), ca.MX.sym("h", 64)
    last = step.fold(100)(start, (x @ ca.DM(w)).T)
    return called(ca.Function("f", [x, start], [last]))
