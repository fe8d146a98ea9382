"""Bayesian regression by Hamiltonian Monte Carlo: the leapfrog steps are a loop of scan.

A parabola with noise of unknown size is fitted to a few points. Many chains run side by side, as
rows of one matrix, and what they find is compared with the posterior by numerical integration.
"""

import numpy as np
from digits import progress, run
from drawing import BLUE, GRAY, GREEN, ORANGE, PURPLE, RED, canvas

import theano
import theano.tensor as T
from theano.tensor.shared_randomstreams import RandomStreams

NAMES = ("intercept", "slope", "curvature", "log noise")
WIDE = 10.0  # deviation of the prior of the coefficients; the log of the noise has 1


def make_data(n=15, seed=5):
    rng = np.random.RandomState(seed)
    x = np.sort(rng.uniform(-1.5, 1.5, n))
    return x, 0.5 + 1.0 * x - 0.8 * x**2 + 0.4 * rng.normal(size=n)


def powers(x):
    return np.stack([x**0, x, x**2], axis=1)


def energy(theta, features, y):
    """Minus the log of prior times likelihood, up to a constant, for each row of theta."""
    weights, log_noise = theta[:, :-1], theta[:, -1]
    misfit = ((T.dot(weights, features.T) - y) ** 2).sum(axis=1)
    likelihood = misfit / (2 * T.exp(2 * log_noise)) + y.shape[0] * log_noise
    return likelihood + (weights**2).sum(axis=1) / (2 * WIDE**2) + log_noise**2 / 2


def transition(position, energy, streams, step, n_leaps):
    """Where the chains go next, and the probability with which each of them does."""
    force = lambda q: -T.grad(energy(q).sum(), q)

    def leap(q, p):
        p = p + step / 2 * force(q)
        q = q + step * p
        return q, p + step / 2 * force(q)

    momentum = streams.normal(position.shape)
    (qs, ps), _ = theano.scan(leap, outputs_info=[position, momentum], n_steps=n_leaps)
    total = lambda q, p: energy(q) + (p**2).sum(axis=1) / 2
    gained = total(position, momentum) - total(qs[-1], ps[-1])
    gained = T.switch(T.isnan(gained), -np.inf, gained)  # both overflowed
    accepted = T.log(streams.uniform(gained.shape)) < gained
    return T.switch(accepted[:, None], qs[-1], position), T.exp(T.minimum(gained, 0))


def exact(x, y):
    """The posterior: a normal one for each size of the noise, on a fine grid of sizes."""
    X, log_noise = powers(x), np.linspace(-3, 2, 2001)
    log_p, means, covariances = [], [], []
    for s in log_noise:
        precision = X.T @ X / np.exp(2 * s) + np.eye(3) / WIDE**2
        mean = np.linalg.solve(precision, X.T @ y / np.exp(2 * s))
        least = ((X @ mean - y) ** 2).sum() / (2 * np.exp(2 * s)) + (mean**2).sum() / (2 * WIDE**2)
        log_p.append(-least - len(y) * s - s**2 / 2 - np.linalg.slogdet(precision)[1] / 2)
        means.append([*mean, s])
        covariances.append(np.pad(np.linalg.inv(precision), (0, 1)))
    weight = np.exp(np.array(log_p) - max(log_p))
    weight /= weight.sum()
    means, covariances = np.array(means), np.array(covariances)
    mean = weight @ means
    spread = np.einsum("s,si,sj->ij", weight, means - mean, means - mean)
    covariance = spread + np.einsum("s,sij->ij", weight, covariances)
    return {
        "mean": mean,
        "covariance": covariance,
        "slopes": (means[:, 1], covariances[:, 1, 1], weight),
        "log noise": (log_noise, weight / (log_noise[1] - log_noise[0])),
    }


def main(n_chains=20, n_warm=200, n_draws=500, n_leaps=12, seed=11, quiet=False):
    x, y = make_data()
    rng = np.random.RandomState(seed)
    # from much noise: where the model is sure and wrong, forces are larger than any step allows
    start = rng.normal(size=(n_chains, 4)) + [0, 0, 0, 2]
    position = theano.shared(start, "position")
    step = theano.shared(0.05, "step")
    known = lambda theta: energy(theta, T.constant(powers(x)), T.constant(y))
    moved, probability = transition(position, known, RandomStreams(seed), step, n_leaps)
    adapt = T.switch(T.gt(probability.mean(), 0.85), 1.02, 0.98)
    updates = [(position, moved), (step, step * adapt)]
    warm_up = theano.function([], probability, updates=updates)
    sample = theano.function([], [moved, probability], updates=[(position, moved)])
    warming = []
    for _ in progress(range(n_warm), "warming up", quiet):
        warming.append(position.get_value())
        warm_up()
    draws, probabilities = zip(*(sample() for _ in progress(range(n_draws), "drawing", quiet)))
    draws, reference = np.array(draws), exact(x, y)
    results = {
        "x": x,
        "y": y,
        "warming": np.array(warming),
        "draws": draws,  # by time, chain, parameter
        "step": float(step.get_value()),
        "acceptance": float(np.mean(probabilities)),
        "mean": draws.mean(axis=(0, 1)),
        "covariance": np.cov(draws.reshape(-1, 4).T),
        "exact": reference,
    }
    if not quiet:
        print(f"step {results['step']:.3f}, acceptance {results['acceptance']:.0%}")
        for i, name in enumerate(NAMES):
            found, right = (
                f"{part['mean'][i]:7.3f} ± {part['covariance'][i, i] ** 0.5:.3f}"
                for part in (results, reference)
            )
            print(f"{name:10} {found}, exact {right}")
    return results


def draw(results, path):
    """Data and parabolas, traces of the chains, and two marginals with the exact ones."""
    draws, reference = results["draws"], results["exact"]
    with canvas(path, 360) as figure:
        axes = figure.subplot_mosaic("AABB\nAACD")
        grid = np.linspace(-2, 2, 101)
        some = draws[::25, ::2].reshape(-1, 4)[:, :3]
        axes["A"].plot(grid, powers(grid) @ some.T, color=BLUE, alpha=0.08, lw=0.8)
        axes["A"].plot([], [], color=BLUE, alpha=0.5, label="draws of the posterior")
        axes["A"].plot(grid, 0.5 + grid - 0.8 * grid**2, color=GRAY, ls="--", label="truth")
        axes["A"].plot(results["x"], results["y"], "o", color=RED, ms=4, label="data")
        axes["A"].set(xlabel="x", ylabel="y", xlim=(-2, 2), ylim=(-6.5, 2.5))
        axes["A"].legend(loc="lower right")
        warm = len(results["warming"])
        traces = np.concatenate([results["warming"], draws])[: warm * 3 // 2, :, 3]
        for chain, colour in enumerate((BLUE, ORANGE, GREEN, PURPLE)):
            axes["B"].plot(traces[:, chain], color=colour, lw=0.8)
        axes["B"].axvspan(0, warm, color=GRAY, alpha=0.12, lw=0)
        axes["B"].text(warm - 3, traces[:, :4].max(), "warming up", ha="right", va="top")
        axes["B"].set(xlabel="transition", ylabel=NAMES[3], xlim=(0, len(traces)))
        axes["B"].set_title("four of the chains")
        at = np.linspace(*np.quantile(draws[:, :, 1], [0.0005, 0.9995]), 200)
        means, variances, weight = reference["slopes"]
        normal = np.exp(-((at[:, None] - means) ** 2) / (2 * variances)) / np.sqrt(variances)
        curves = {"C": (at, normal @ weight / np.sqrt(2 * np.pi)), "D": reference["log noise"]}
        for key, parameter in (("C", 1), ("D", 3)):
            values = draws[:, :, parameter].reshape(-1)
            axes[key].hist(values, bins=40, density=True, color=BLUE, alpha=0.4, label="HMC")
            axes[key].plot(*curves[key], color=RED, label="exact")
            axes[key].set(xlabel=NAMES[parameter], yticks=[])
            axes[key].set(xlim=np.quantile(values, [0.0005, 0.9995]))
        axes["C"].set_ylim(0, 1.35 * axes["C"].get_ylim()[1])
        axes["C"].legend(loc="upper left", ncols=2, handlelength=1, borderaxespad=0)


if __name__ == "__main__":
    run(main, __doc__, draw)
