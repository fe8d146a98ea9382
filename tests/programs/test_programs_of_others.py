"""Programs that were written without a look at this project give the numbers of NumPy or JAX.

Each runs as it is but for fewer steps and less data; the oracle is the same algorithm written out
in NumPy or JAX from the seeds on.
"""

import numpy as np
import pytest

from tests.programs.running import Mrg, run, shortened, streams

pytestmark = pytest.mark.slow


ENGINES = pytest.mark.parametrize("linker", ["cvm", pytest.param("xla", marks=pytest.mark.xla)])


def close(got, want, rtol):
    np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * np.abs(want).max())


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("source", ["range(50)", "range(5) + range(5)"])
def test_a_change_that_does_not_fit_the_program_fails(source):
    with pytest.raises(AssertionError, match="it was changed, and so must its test be"):
        shortened(source, {"range(5)": "range(1)"})


# NumPy, from the seeds on


@ENGINES
def test_the_gaussian_mixture_has_the_likelihoods_and_scores_of_numpy(linker):
    N, K, STEPS = 500, 3, 12
    program, _ = run(
        "gmm",
        {"K, D, N = 3, 2, 3000": f"K, D, N = 3, 2, {N}", "range(200)": f"range({STEPS})"},
        linker=linker,
    )
    rng = np.random.RandomState(3)
    centres = np.array([[0, 0], [4, 4], [-4, 3.0]])
    A = [rng.randn(2, 2) for _ in range(K)]
    X = np.array([centres[k] + A[k] @ rng.randn(2) for k in rng.randint(K, size=N)])
    pi, mu, S = np.ones(K) / K, X[rng.permutation(N)[:K]], np.array([np.eye(2)] * K)

    def joint(X):
        """log p(x, k) by determinants and inverses."""
        d = X - mu[:, None]
        squares = np.einsum("kni,kij,knj->kn", d, np.linalg.inv(S), d)
        return np.log(pi)[:, None] - 0.5 * (squares + np.linalg.slogdet(2 * np.pi * S)[1][:, None])

    for _ in range(STEPS):
        p = joint(X)
        total = np.logaddexp.reduce(p, axis=0)
        r = np.exp(p - total)
        pi, mu = r.mean(axis=1), r @ X / r.sum(axis=1)[:, None]
        d = X - mu[:, None]
        S = np.einsum("kn,kni,knj->kij", r, d, d) / r.sum(axis=1)[:, None, None] + 1e-6 * np.eye(2)
    close(program["ll"], total.mean(), 1e-12)
    for name, want in {"pi": pi, "mu": mu, "S": S}.items():
        close(program[name].get_value(), want, 1e-10)
    p = joint(X[:9])
    r = np.exp(p - np.logaddexp.reduce(p, axis=0))
    want = -np.einsum("kn,kij,knj->ni", r, np.linalg.inv(S), X[:9] - mu[:, None])
    close(program["f"](X[:9]), want, 1e-10)


@ENGINES
def test_hamiltonian_monte_carlo_draws_the_samples_of_numpy(linker):
    program, _ = run(
        "hmc", {"range(1000)": "range(300)", "range(3000)": "range(400)"}, linker=linker
    )
    rng = np.random.RandomState(123)
    mu, cov = rng.rand(5) * 10, rng.rand(5, 5)
    cov = (cov + cov.T) / 2
    np.fill_diagonal(cov, 1.0)
    precision = np.linalg.inv(cov @ cov.T)
    x = rng.randn(3, 5)
    velocities, uniforms = streams(12345, 2)

    def energy(x):
        return 0.5 * np.einsum("ni,ij,nj->n", x - mu, precision, x - mu)

    def slope(x):
        return (x - mu) @ (precision + precision.T) / 2

    eps, rate, samples = 1e-3, 0.9, []
    for _ in range(700):
        first = velocities.normal(size=x.shape)
        v = first - eps / 2 * slope(x)
        y = x + eps * v
        for _ in range(19):
            v = v - eps * slope(y)
            y = y + eps * v
        v = v - eps / 2 * slope(y)
        before, after = (energy(a) + 0.5 * (b**2).sum(axis=1) for a, b in ((x, first), (y, v)))
        accept = np.exp(before - after) >= uniforms.uniform(size=3)
        x = np.where(accept[:, None], y, x)
        eps = np.clip(eps * (1.02 if rate > 0.9 else 0.98), 0.001, 0.25)
        rate = 0.9 * rate + 0.1 * accept.mean()
        samples.append(x)
    close(program["samples"], np.array(samples[300:]), 1e-8)
    close(program["sampler"].stepsize.get_value(), eps, 1e-12)
    close(program["sampler"].avg_acceptance_rate.get_value(), rate, 1e-12)


class Rbm:
    """Contrastive divergence in NumPy, its draws from the generators of ``RandomStreams``."""

    def __init__(self):
        rng = np.random.RandomState(123)
        self.draws = streams(rng.randint(2**30), 5)
        bound = 4 * np.sqrt(6 / 48)
        self.W, self.h, self.v = rng.uniform(-bound, bound, (16, 32)), np.zeros(32), np.zeros(16)

    def up(self, v, stream):
        return self.draws[stream].binomial(1, sigmoid(v @ self.W + self.h)).astype(float)

    def down(self, h, stream):
        return self.draws[stream].binomial(1, sigmoid(h @ self.W.T + self.v)).astype(float)

    def energy(self, v):
        return -np.logaddexp(0, v @ self.W + self.h).sum(axis=1) - v @ self.v

    def learn(self, x, end):
        """A step along the difference of what the data and the end of the chain give."""
        p, q = (sigmoid(v @ self.W + self.h) for v in (x, end))
        self.W = self.W + 0.1 * (x.T @ p - end.T @ q) / len(x)
        self.h = self.h + 0.1 * (p - q).mean(axis=0)
        self.v = self.v + 0.1 * (x - end).mean(axis=0)

    def cd(self, x):
        """A step from the data; the reconstruction's cross-entropy."""
        h = self.up(x, 0)
        for _ in range(5):
            before = h
            end = self.down(h, 1)
            h = self.up(end, 2)
        p = before @ self.W.T + self.v
        cost = -(x * np.logaddexp(0, -p) + (1 - x) * np.logaddexp(0, p)).sum(axis=1).mean()
        self.learn(x, end)
        return cost

    def pcd(self, x, bit):
        """A step of the persistent chains; the pseudo-likelihood of one bit."""
        for _ in range(15):
            end = self.down(self.chains, 1)
            self.chains = self.up(end, 2)
        flipped = x.copy()
        flipped[:, bit] = 1 - flipped[:, bit]
        cost = -16 * np.logaddexp(0, self.energy(x) - self.energy(flipped)).mean()
        self.learn(x, end)
        return cost


@pytest.mark.filterwarnings("ignore:Variables are true")  # `if persistent:`
@ENGINES
def test_the_boltzmann_machine_learns_and_samples_as_in_numpy(linker):
    changes = {
        "bars(2000, rng)": "bars(400, rng)",
        "range(2000 // batch_size)": "range(400 // batch_size)",
        "range(8)": "range(2)",
        "(0, 7)": "(0, 1)",
        "n_steps=200": "n_steps=20",
    }
    program, printed = run("rbm", changes, linker=linker)
    rng = np.random.RandomState(0)
    batches = program["bars"](400, rng).reshape(20, 20, 16)
    cd, pcd = Rbm(), Rbm()
    want = [np.mean([cd.cd(x) for x in batches]) for _ in range(2)]
    pcd.chains = np.zeros((20, 32))
    want += [np.mean([pcd.pcd(x, i % 16) for i, x in enumerate(batches, 20 * n)]) for n in range(2)]
    got = [line.split() for line in printed if line.startswith(("CD", "persistent"))]
    assert [row[:2] for row in got] == [[n, e] for n in ("CD", "persistent") for e in "01"]
    close([float(row[2]) for row in got], want, 1e-11)
    for name, value in {"W": pcd.W, "hbias": pcd.h, "vbias": pcd.v}.items():
        close(getattr(program["rbm"], name).get_value(), value, 1e-11)
    v = program["bars"](10, rng)
    for _ in range(6 * 20):
        v = pcd.down(pcd.up(v, 3), 4)
    assert (program["vis"].get_value() == v).all()


@ENGINES
def test_word_vectors_are_those_of_numpy(linker):
    V, D, B, NEG, STEPS = 300, 16, 64, 5, 40
    program, _ = run(
        "w2v",
        {
            "V, D, B, NEG = 20000, 64, 256, 5": f"V, D, B, NEG = {V}, {D}, {B}, {NEG}",
            "range(3000)": f"range({STEPS})",
            "it / 3000": f"it / {STEPS}",
        },
        linker=linker,
    )
    rng = np.random.RandomState(1)
    topics = rng.randint(0, 50, V)
    order = np.argsort(topics, kind="stable")
    W, U = (rng.rand(V, D) - 0.5) / D, np.zeros((V, D))
    (negatives,) = streams(5, 1)
    costs = []
    for it in range(STEPS):
        a = rng.randint(0, V, B)
        start, size = np.searchsorted(topics[order], topics[a]), np.bincount(topics)[topics[a]]
        b = order[start + (rng.rand(B) * size).astype(int)]
        words = np.concatenate([b[:, None], negatives.randint(0, V, size=(B, NEG))], axis=1)
        signs = np.array([1.0] + [-1.0] * NEG)
        scores = signs * np.einsum("bd,bnd->bn", W[a], U[words])
        costs.append(np.logaddexp(0, -scores).sum(axis=1).mean())
        g = -25.0 * (1 - it / STEPS) * -signs * sigmoid(-scores) / B
        to_W, to_U = np.einsum("bn,bnd->bd", g, U[words]), g[..., None] * W[a][:, None]
        np.add.at(W, a, to_W)
        np.add.at(U, words, to_U)
    close(program["tot"], costs, 1e-11)
    close(program["Win"].get_value(), W, 1e-10)
    close(program["Wout"].get_value(), U, 1e-10)


# gradients by JAX, in float64


@pytest.fixture
def jax():
    jax = pytest.importorskip("jax", reason="the oracle is jax")
    with jax.enable_x64(True):
        yield jax


@ENGINES
def test_the_neural_ode_has_the_losses_and_the_path_of_jax(jax, linker):
    jnp, STEPS = jax.numpy, 25
    program, printed = run(
        "neural_ode",
        {
            "range(5000)": f"range({STEPS})",
            "it % 300 == 0 or it == 4999": "True",
        },
        linker=linker,
    )
    rng = np.random.RandomState(0)
    params = [rng.randn(2, 32) * 0.3, np.zeros(32), rng.randn(32, 2) * 0.3, np.zeros(2)]
    times, ys = program["ts"], program["ys"]

    def path(params, y, dts):
        def field(y):
            W1, b1, W2, b2 = params
            return jnp.tanh(y**3 @ W1 + b1) @ W2 + b2

        def step(y, dt):
            k1 = field(y)
            k2 = field(y + dt / 2 * k1)
            k3 = field(y + dt / 2 * k2)
            y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + field(y + dt * k3))
            return y, y

        return jax.lax.scan(step, y, dts)[1]

    @jax.jit
    @jax.value_and_grad
    def loss(params, y, dts, target):
        return jnp.abs(path(params, y, dts) - target).mean()

    m, v = [[np.zeros_like(p) for p in params] for _ in range(2)]
    losses, dts = [], np.diff(times)
    for t in range(1, STEPS + 1):
        at = rng.randint(0, len(times) - 10, 20)
        cost, grads = loss(params, ys[at], dts[:10], np.stack([ys[at + i + 1] for i in range(10)]))
        losses.append(float(cost))
        rate = 0.01 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        m = [0.9 * a + 0.1 * g for a, g in zip(m, grads, strict=True)]
        v = [0.999 * a + 0.001 * g**2 for a, g in zip(v, grads, strict=True)]
        params = [p - rate * a / (np.sqrt(b) + 1e-8) for p, a, b in zip(params, m, v, strict=True)]
    got = [float(line.split()[1]) for line in printed[1 : STEPS + 1]]
    close(got, losses, 1e-9)
    close(program["p"], path(params, ys[:1], dts), 1e-8)
    for p, want in zip(program["params"], params, strict=True):
        close(p.get_value(), want, 1e-8)


def test_the_lstm_with_dropout_has_the_costs_and_errors_of_jax(jax):
    jnp, D = jax.numpy, 16
    changes = {
        "dim=64": f"dim={D}",
        "make_data(1600,": "make_data(96,",
        "make_data(400,": "make_data(40,",
        "range(12)": "range(2)",
    }
    program, printed = run("lstm", changes)
    rng = np.random.RandomState(123)

    def ortho():
        return [np.linalg.svd(rng.randn(D, D))[0] for _ in range(4)]

    params = {"E": 0.01 * rng.rand(200, D), "W": np.concatenate(ortho(), axis=1)}
    params |= {"R": np.concatenate(ortho(), axis=1), "c": np.zeros(4 * D)}
    params |= {"U": 0.01 * rng.randn(D, 2), "b": np.zeros(2)}

    def probabilities(p, x, mask, keep):
        def step(state, now):
            h, c = state
            x, m = now
            i, f, o, new = jnp.split(h @ p["R"] + x, 4, axis=1)
            new = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(new)
            c = jnp.where(m[:, None] == 1, new, c)
            h = jnp.where(m[:, None] == 1, jax.nn.sigmoid(o) * jnp.tanh(c), h)
            return (h, c), h

        zeros = jnp.zeros((x.shape[1], D))
        _, h = jax.lax.scan(step, (zeros, zeros), (p["E"][x] @ p["W"] + p["c"], mask))
        mean = (h * mask[:, :, None]).sum(axis=0) / mask.sum(axis=0)[:, None]
        return jax.nn.softmax(mean * keep @ p["U"] + p["b"])

    @jax.jit
    @jax.value_and_grad
    def loss(p, x, mask, y, keep):
        chosen = probabilities(p, x, mask, keep)[jnp.arange(len(y)), y]
        return -jnp.log(chosen + 1e-8).mean() + 1e-4 * (p["U"] ** 2).sum()

    def padded(batch, length):
        """All batches of one length, for one trace of jax: what is masked changes nothing."""
        x, mask, y = program["prepare"](batch)
        below = ((0, length - len(x)), (0, 0))
        return np.pad(x, below), np.pad(mask, below).astype(float), y

    coins = Mrg(123, 32 * D)
    squares, steps = [dict.fromkeys(params, 0.0) for _ in range(2)]
    want = []
    for _ in range(2):
        costs = []
        for i in range(0, 96, 32):
            keep = (coins.uniform() < 0.5).reshape(32, D).astype(float)
            cost, grads = loss(params, *padded(program["data"][i : i + 32], 40), keep)
            costs.append(float(cost))
            for name, g in grads.items():
                squares[name] = 0.95 * squares[name] + 0.05 * g**2
                by = -np.sqrt(steps[name] + 1e-6) / np.sqrt(squares[name] + 1e-6) * g
                steps[name] = 0.95 * steps[name] + 0.05 * by**2
                params[name] = params[name] + by
        coins.uniform()  # f_pred draws too, and uses the other branch
        x, mask, y = padded(program["test"], 40)
        want.append(
            [np.mean(costs), (probabilities(params, x, mask, 0.5).argmax(axis=1) != y).mean()]
        )
    got = [line.split() for line in printed if line.split()[0].isdigit()]
    close([[float(row[1]), float(row[3])] for row in got], want, 1e-6)
    for name, p in {
        "Wemb": "E",
        "lstm_W": "W",
        "lstm_U": "R",
        "lstm_b": "c",
        "U": "U",
        "b": "b",
    }.items():
        close(program["tparams"][name].get_value(), params[p], 1e-4)


def test_the_convolutional_autoencoder_has_the_costs_and_pictures_of_jax(jax):
    jnp, N = jax.numpy, 96
    changes = {
        "images(512)": f"images({N})",
        "range(0, 512, 32)": f"range(0, {N}, 32)",
        "range(10)": "range(2)",
    }
    program, printed = run("convae", changes)
    rng = np.random.RandomState(0)
    params = []
    for shape, bias in (
        ((8, 1, 3, 3), 8),
        ((16, 8, 3, 3), 16),
        ((16, 8, 4, 4), 8),
        ((1, 8, 5, 5), 1),
    ):
        W = rng.randn(*shape) / np.sqrt(np.prod(shape[1:]))
        params += [W.astype("float32").astype(float), np.zeros(bias)]

    def convolved(x, w, pad, stride):
        # a convolution in the sense of Theano turns the filters round
        pads = [(pad, pad), (pad, pad)]
        return jax.lax.conv_general_dilated(x, w[:, :, ::-1, ::-1], (stride, stride), pads)

    def decoded(params, x):
        W1, b1, W2, b2, W3, b3, W4, b4 = (p if p.ndim > 1 else p[:, None, None] for p in params)
        h = jnp.maximum(convolved(x, W1, 1, 1) + b1, 0)
        h = h.reshape(-1, 8, 8, 2, 8, 2).max(axis=(3, 5))
        h = jnp.maximum(convolved(h, W2, 1, 2) + b2, 0)
        # the transpose of a convolution from 8 x 8 to 4 x 4
        zeros = jnp.zeros((len(x), 8, 8, 8))
        h = jnp.maximum(jax.vjp(lambda z: convolved(z, W3, 1, 2), zeros)[1](h)[0] + b3, 0)
        h = jnp.repeat(jnp.repeat(h, 2, axis=2), 2, axis=3)
        return jax.nn.sigmoid(convolved(h, W4, 2, 1) + b4)

    @jax.jit
    @jax.value_and_grad
    def loss(params, x, noise):
        p = decoded(params, x + 0.1 * noise)
        return -(x * jnp.log(p) + (1 - x) * jnp.log(1 - p)).sum(axis=(1, 2, 3)).mean()

    data, normal = program["data"].astype(float), Mrg(7, 32 * 256)
    velocities = [np.zeros_like(p) for p in params]
    want = []
    for _ in range(2):
        costs = []
        for i in range(0, N, 32):
            noise = normal.normal().reshape(32, 1, 16, 16).astype(float)
            assert abs(noise.mean()) < 0.05 and abs(noise.std() - 1) < 0.05
            cost, grads = loss(params, data[i : i + 32], noise)
            costs.append(float(cost))
            velocities = [0.9 * v - 0.002 * g for v, g in zip(velocities, grads, strict=True)]
            params = [
                p + 0.9 * v - 0.002 * g for p, v, g in zip(params, velocities, grads, strict=True)
            ]
        want.append(np.mean(costs))
    got = [float(line.split()[1]) for line in printed if line.split()[0].isdigit()]
    close(got, want, 1e-6)
    close(program["r"], decoded(params, data[:4]), 1e-5)
