"""Programs with loops, as tutorials, galleries and packages have them: for ``busy.py``.

Each function makes one: a compiled function, and arguments for its calls, which come in turn.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import theano
import theano.tensor as T
from theano.tensor.shared_randomstreams import RandomStreams

Made = tuple[Callable[..., Any], list[tuple[Any, ...]]]
PROGRAMS: dict[str, Callable[[], Made]] = {}


def program(make: Callable[[], Made]) -> Callable[[], Made]:
    PROGRAMS[make.__name__] = make
    return make


def normal(*shape: int, scale: float = 1.0, dtype: str = "float64") -> np.ndarray:
    return (scale * np.random.RandomState(sum(shape)).normal(size=shape)).astype(dtype)


def descent(cost: Any, params: list[Any], rate: float = 0.01) -> list[tuple[Any, Any]]:
    grads = T.grad(cost, params)
    return [(p, p - T.cast(rate, p.dtype) * g) for p, g in zip(params, grads, strict=True)]


def adam(cost: Any, params: list[Any], rate: float = 0.01) -> list[tuple[Any, Any]]:
    t = theano.shared(0.0)
    scale = rate * T.sqrt(1 - 0.999 ** (t + 1)) / (1 - 0.9 ** (t + 1))
    updates: list[tuple[Any, Any]] = [(t, t + 1)]
    for p, g in zip(params, T.grad(cost, params), strict=True):
        m, v = theano.shared(p.get_value() * 0), theano.shared(p.get_value() * 0)
        new_m, new_v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        updates += [(m, new_m), (v, new_v), (p, p - scale * new_m / (T.sqrt(new_v) + 1e-8))]
    return updates


# recurrent nets


@program
def neural_ode() -> Made:
    """Runge-Kutta through a small net, 10 steps of 20 rows, trained by Adam."""
    params = [theano.shared(normal(*s, scale=0.3)) for s in ((2, 32), (32,), (32, 2), (2,))]
    w1, b1, w2, b2 = params

    def field(y):
        return T.dot(T.tanh(T.dot(y**3, w1) + b1), w2) + b2

    def step(dt, y):
        k1 = field(y)
        k2 = field(y + dt / 2 * k1)
        k3 = field(y + dt / 2 * k2)
        return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + field(y + dt * k3))

    y0, dts, target = T.matrix(), T.vector(), T.tensor3()
    path, _ = theano.scan(step, dts, y0)
    cost = abs(path - target).mean()
    f = theano.function([y0, dts, target], cost, updates=adam(cost, params))
    return f, [(normal(20, 2), np.full(10, 0.1), normal(10, 20, 2))]


def lstm(steps: list[int]) -> Made:
    n, rows, words = 64, 32, 200
    w = theano.shared(normal(n, 4 * n, scale=0.1, dtype="float32"))
    u = theano.shared(normal(n, 4 * n, scale=0.1, dtype="float32"))
    b = theano.shared(np.zeros(4 * n, "float32"))
    embedded = theano.shared(normal(words, n, scale=0.1, dtype="float32"))
    x, mask, y = T.lmatrix(), T.fmatrix(), T.lvector()

    def step(m, z, h, c):
        a = z + T.dot(h, u)
        i, f, o = (T.nnet.sigmoid(a[:, k * n : (k + 1) * n]) for k in range(3))
        new = f * c + i * T.tanh(a[:, 3 * n :])
        new = m[:, None] * new + (1 - m)[:, None] * c
        return m[:, None] * o * T.tanh(new) + (1 - m)[:, None] * h, new

    zeros = T.zeros((rows, n), "float32")
    z = T.dot(embedded[x.flatten()].reshape((x.shape[0], rows, n)), w) + b
    (h, _), _ = theano.scan(step, [mask, z], [zeros, zeros])
    cost = T.nnet.categorical_crossentropy(T.nnet.softmax(h.mean(axis=0)), y).mean()
    f = theano.function([x, mask, y], cost, updates=descent(cost, [w, u, b, embedded]))
    random = np.random.RandomState(0)
    given = [(random.randint(0, words, (k, rows)), np.ones((k, rows), "float32")) for k in steps]
    return f, [(x, m, random.randint(0, n, rows)) for x, m in given]


@program
def lstm_one_length() -> Made:
    return lstm([30])


@program
def lstm_five_lengths() -> Made:
    return lstm([26, 27, 28, 29, 30])


@program
def gru() -> Made:
    """A language model of characters: 50 steps of 16 rows."""
    n, kinds = 48, 40
    w, u = (theano.shared(normal(a, 3 * n, scale=0.1)) for a in (kinds, n))
    out = theano.shared(normal(n, kinds, scale=0.1))
    x = T.lmatrix()

    def step(at, h):
        z, a = w[at], T.dot(h, u)
        r, k = T.nnet.sigmoid(z[:, :n] + a[:, :n]), T.nnet.sigmoid(z[:, n:-n] + a[:, n:-n])
        return (1 - k) * h + k * T.tanh(z[:, -n:] + r * a[:, -n:])

    h, _ = theano.scan(step, x[:-1], T.zeros((x.shape[1], n)))
    p = T.nnet.softmax(T.dot(h, out).reshape((-1, kinds)))
    cost = T.nnet.categorical_crossentropy(p, x[1:].flatten()).mean()
    f = theano.function([x], cost, updates=descent(cost, [w, u, out]))
    return f, [(np.random.RandomState(0).randint(0, kinds, (51, 16)),)]


@program
def two_directions() -> Made:
    """A recurrent net forwards and backwards, without a gradient."""
    w, u = theano.shared(normal(20, 40, scale=0.1)), theano.shared(normal(40, 40, scale=0.1))
    x = T.tensor3()

    def step(z, h):
        return T.tanh(z + T.dot(h, u))

    start = T.zeros((x.shape[1], 40))
    there, _ = theano.scan(step, T.dot(x, w), start)
    back, _ = theano.scan(step, T.dot(x, w), start, go_backwards=True)
    return theano.function([x], T.concatenate([there, back[::-1]], axis=2)), [(normal(60, 8, 20),)]


@program
def attention() -> Made:
    """A decoder that looks at 40 rows in each of 15 steps, with its gradient."""
    n = 32
    shapes = ((n, n), (n, n), (n,), (2 * n, n))
    params = [theano.shared(normal(*s, scale=0.1)) for s in shapes]
    w, u, v, join = params
    source, target = T.matrix(), T.matrix()

    def step(y, h):
        e = T.dot(T.tanh(T.dot(source, w) + T.dot(h, u)), v)
        context = T.dot(T.nnet.softmax(e)[0], source)
        return T.tanh(T.dot(T.concatenate([y, context]), join) + h)

    h, _ = theano.scan(step, target, T.zeros((n,)))
    cost = ((h - target) ** 2).mean()
    f = theano.function([source, target], cost, updates=descent(cost, params))
    return f, [(normal(40, n), normal(15, n))]


# statistics


@program
def hidden_markov() -> Made:
    """The likelihood of 200 observations by 12 states, with its gradient."""
    a, b = theano.shared(normal(12, 12)), theano.shared(normal(12, 30))
    x = T.lvector()
    moves, seen = T.nnet.softmax(a), T.nnet.softmax(b)

    def step(at, p, total):
        p = T.dot(p, moves) * seen[:, at]
        return p / p.sum(), total + T.log(p.sum())

    (_, total), _ = theano.scan(step, x, [T.ones((12,)) / 12, np.float64(0)])
    f = theano.function([x], -total[-1], updates=descent(-total[-1], [a, b], 1e-4))
    return f, [(np.random.RandomState(0).randint(0, 30, 200),)]


@program
def viterbi() -> Made:
    moves = theano.shared(normal(20, 20))
    seen = T.matrix()

    def step(row, best):
        scores = best[:, None] + moves
        return row + scores.max(axis=0), scores.argmax(axis=0)

    (best, back), _ = theano.scan(step, seen[1:], [seen[0], None])
    return theano.function([seen], [best[-1], back]), [(normal(100, 20),)]


@program
def kalman() -> Made:
    """The likelihood of 50 rows by a filter of 4 states, with its gradient."""
    a = theano.shared(0.9 * np.eye(4) + normal(4, 4, scale=0.02))
    c = theano.shared(normal(2, 4))
    y = T.matrix()

    def step(row, m, p, total):
        m, p = T.dot(a, m), T.dot(T.dot(a, p), a.T) + 0.1 * T.eye(4)
        s = T.dot(T.dot(c, p), c.T) + T.eye(2)
        inverse = T.nlinalg.matrix_inverse(s)
        gain, left = T.dot(T.dot(p, c.T), inverse), row - T.dot(c, m)
        total = total - 0.5 * (T.log(T.nlinalg.det(s)) + T.dot(left, T.dot(inverse, left)))
        return m + T.dot(gain, left), p - T.dot(T.dot(gain, c), p), total

    start = [T.zeros((4,)), T.eye(4), np.float64(0)]
    (_, _, total), _ = theano.scan(step, y, start)
    f = theano.function([y], total[-1], updates=descent(-total[-1], [a, c], 1e-5))
    return f, [(normal(50, 2),)]


@program
def leapfrog() -> Made:
    """A trajectory of Hamiltonian Monte Carlo: 20 steps in 50 dimensions."""
    precision = theano.shared(np.eye(50) + 0.01 * np.ones((50, 50)))
    q0, p0 = T.vector(), T.vector()

    def energy(q):
        return 0.5 * T.dot(q, T.dot(precision, q)) + T.log(1 + q**2).sum()

    def step(q, p):
        p = p - 0.05 * T.grad(energy(q), q)
        q = q + 0.1 * p
        return q, p - 0.05 * T.grad(energy(q), q)

    (q, p), _ = theano.scan(step, outputs_info=[q0, p0], n_steps=20)
    return theano.function([q0, p0], [q[-1], p[-1], energy(q[-1])]), [(normal(50), normal(50))]


@program
def boltzmann() -> Made:
    """Contrastive divergence with 5 steps of Gibbs sampling: random numbers in the loop."""
    random = RandomStreams(1)
    w = theano.shared(normal(100, 60, scale=0.1))
    v0 = T.matrix()

    def sample(p):
        return random.binomial(size=p.shape, n=1, p=p, dtype="float64")

    def step(v):
        return sample(T.nnet.sigmoid(T.dot(sample(T.nnet.sigmoid(T.dot(v, w))), w.T)))

    made, updates = theano.scan(step, outputs_info=v0, n_steps=5)

    def energy(v):
        return -T.nnet.softplus(T.dot(v, w)).sum(axis=1).mean()

    end = made[-1]
    cost = energy(v0) - energy(end)
    updates[w] = w - 0.01 * T.grad(cost, w, consider_constant=[end])
    f = theano.function([v0], cost, updates=updates)
    return f, [((normal(20, 100) > 0).astype("float64"),)]


@program
def random_walk() -> Made:
    """Metropolis sampling of 10 numbers, 100 steps a call."""
    random = RandomStreams(2)
    start = T.vector()

    def step(x):
        new = x + 0.3 * random.normal(size=(10,))
        ratio = (x**2).sum() - (new**2).sum()
        return T.switch(T.log(random.uniform()) < 0.5 * ratio, new, x)

    made, updates = theano.scan(step, outputs_info=start, n_steps=100)
    return theano.function([start], made, updates=updates), [(normal(10),)]


# numbers


@program
def logistic_map() -> Made:
    x, n = T.dscalar(), T.iscalar()
    made, _ = theano.scan(lambda x: 3.9 * x * (1 - x), outputs_info=x, n_steps=n)
    return theano.function([x, n], made), [(0.3, 1000)]


@program
def moving_average() -> Made:
    x = T.matrix()
    made, _ = theano.scan(lambda row, m: 0.9 * m + 0.1 * row, x, x[0])
    return theano.function([x], made), [(normal(300, 50),)]


@program
def two_taps() -> Made:
    """A filter that looks two steps back."""
    x, first = T.vector(), T.vector()
    before = {"initial": first, "taps": [-2, -1]}
    made, _ = theano.scan(lambda x, a, b: x + 0.5 * b - 0.2 * a, x, before)
    return theano.function([x, first], made), [(normal(500), np.zeros(2))]


@program
def polynomial_terms() -> Made:
    c, x = T.vector(), T.dscalar()
    made, _ = theano.scan(lambda c, k, x: c * x**k, [c, T.arange(1000)], None, non_sequences=x)
    return theano.function([c, x], made.sum()), [(normal(20), 0.9)]


@program
def power_of_a_vector() -> Made:
    a, k = T.vector(), T.iscalar()
    made, _ = theano.scan(
        lambda before, a: before * a, outputs_info=T.ones_like(a), non_sequences=a, n_steps=k
    )
    return theano.function([a, k], made[-1]), [(np.linspace(0.9, 1.1, 1000), 30)]


@program
def root_by_newton() -> Made:
    """Until the step is small."""
    a = T.vector()

    def step(x, a):
        new = 0.5 * (x + a / x)
        return new, theano.scan_module.until(abs(new - x).max() < 1e-12)

    made, _ = theano.scan(step, outputs_info=T.ones_like(a), non_sequences=a, n_steps=100)
    return theano.function([a], made[-1]), [(np.linspace(1, 100, 500),)]


@program
def power_iteration() -> Made:
    m, x = T.matrix(), T.vector()

    def step(x, m):
        y = T.dot(m, x)
        return y / T.sqrt((y**2).sum())

    made, _ = theano.scan(step, outputs_info=x, non_sequences=m, n_steps=50)
    a = normal(200, 200)
    return theano.function([m, x], made[-1]), [(a + a.T, normal(200))]


@program
def lotka_volterra() -> Made:
    """Four rates fitted to 200 steps by Euler's rule."""
    rates = theano.shared(np.array([1.1, 0.4, 0.1, 0.4]))
    target = T.matrix()

    def step(y):
        a, b, c, d = (rates[k] for k in range(4))
        return y + 0.02 * T.stack([a * y[0] - b * y[0] * y[1], c * y[0] * y[1] - d * y[1]])

    path, _ = theano.scan(step, outputs_info=np.array([10.0, 5.0]), n_steps=target.shape[0])
    cost = ((path - target) ** 2).mean()
    f = theano.function([target], cost, updates=descent(cost, [rates], 1e-6))
    return f, [(np.abs(normal(200, 2)) + 5,)]


@program
def jacobian_rows() -> Made:
    x = T.vector()
    y = T.tanh(T.dot(theano.shared(normal(60, 60)), x)) ** 2
    return theano.function([x], theano.gradient.jacobian(y, x)), [(normal(60),)]


@program
def written_rows() -> Made:
    """A table of which each step writes one row."""
    table, rows, places = T.matrix(), T.matrix(), T.lvector()

    def step(row, at, table):
        return T.set_subtensor(table[at], 0.5 * table[at] + row)

    made, _ = theano.scan(step, [rows, places], table)
    at = np.random.RandomState(0).randint(0, 50, 100)
    return theano.function([table, rows, places], made[-1]), [(normal(50, 20), normal(100, 20), at)]
