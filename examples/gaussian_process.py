"""Gaussian process regression: the posterior of a function, before and after the kernel's fit."""

import numpy as np
from digits import run
from drawing import BLUE, GRAY, ORANGE, RED, canvas

import theano
import theano.tensor as T
from theano.tensor.shared_randomstreams import RandomStreams
from theano.tensor.slinalg import cholesky, solve_triangular


def truth(x):
    return np.sin(2 * x) + 0.4 * x


def make_data(n, seed=3):
    """Noisy values of a function at random places, with a gap in the middle."""
    rng = np.random.RandomState(seed)
    x = np.sort(np.concatenate([rng.uniform(-4, -0.3, n // 2), rng.uniform(1.6, 4, n - n // 2)]))
    return x, truth(x) + 0.2 * rng.normal(size=n)


class GaussianProcess:
    """A process with mean 0, a squared exponential kernel, and noise."""

    def __init__(self, length=0.3, scale=1.0, noise=0.5):
        # logarithms: whatever the search tries, the parameters are positive
        self.log_length = theano.shared(np.log(length), "log_length")
        self.log_scale = theano.shared(np.log(scale), "log_scale")
        self.log_noise = theano.shared(np.log(noise), "log_noise")
        self.params = [self.log_length, self.log_scale, self.log_noise]

    def kernel(self, a, b):
        distance = (a[:, None] - b[None, :]) / T.exp(self.log_length)
        return T.exp(2 * self.log_scale - distance**2 / 2)

    def factor(self, x):
        """L with L L' = K + noise^2 I."""
        return cholesky(self.kernel(x, x) + T.exp(2 * self.log_noise) * T.eye(x.shape[0]))

    def negative_log_likelihood(self, x, y):
        L = self.factor(x)
        white = solve_triangular(L, y, lower=True)
        n = x.shape[0]
        return (white**2).sum() / 2 + T.log(T.diag(L)).sum() + n * np.log(2 * np.pi) / 2

    def posterior(self, x, y, at):
        """Mean and covariance of the function at other places."""
        L = self.factor(x)
        across = solve_triangular(L, self.kernel(x, at), lower=True)
        mean = T.dot(across.T, solve_triangular(L, y, lower=True))
        return mean, self.kernel(at, at) - T.dot(across.T, across)


def main(n=30, n_draws=4, seed=1, quiet=False):
    process = GaussianProcess()
    values = dict(zip(("x", "y"), make_data(n)))
    grid = np.linspace(-5, 5, 201)
    x, y, at = T.dvectors("x", "y", "at")
    cost = process.negative_log_likelihood(x, y)
    mean, covariance = process.posterior(x, y, at)
    normal = RandomStreams(seed).normal((n_draws, at.shape[0]))
    # a little on the diagonal: the covariance of close places is singular within rounding
    draws = mean + T.dot(normal, cholesky(covariance + 1e-8 * T.eye(at.shape[0])).T)
    look = theano.function([x, y, at], [cost, mean, T.sqrt(T.diag(covariance)), draws])

    def described():
        names = ("cost", "mean", "deviation", "draws")
        params = {p.name[4:]: float(np.exp(p.get_value())) for p in process.params}
        return {**dict(zip(names, look(values["x"], values["y"], grid))), **params}

    before = described()
    found = theano.minimize(cost, process.params, {x: values["x"], y: values["y"]})
    after = described()
    if not quiet:
        for word, at_that_time in (("before", before), ("after", after)):
            print(
                f"{word}: log likelihood {-at_that_time['cost']:.2f}, "
                + ", ".join(f"{p} {at_that_time[p]:.3f}" for p in ("length", "scale", "noise"))
            )
    return {**values, "grid": grid, "before": before, "after": after, "calls": found.nfev}


def draw(results, path):
    """The posterior before and after."""
    with canvas(path, 270) as figure:
        grid = results["grid"]
        for axes, when in zip(figure.subplots(1, 2, sharey=True), ("before", "after")):
            found = results[when]
            mean, deviation = found["mean"], found["deviation"]
            band = (mean - 2 * deviation, mean + 2 * deviation)
            axes.fill_between(grid, *band, color=BLUE, alpha=0.18, lw=0, label="2 deviations")
            axes.plot(grid, found["draws"].T, color=ORANGE, lw=0.7)
            axes.plot([], [], color=ORANGE, lw=0.7, label="draws")
            axes.plot(grid, truth(grid), color=GRAY, ls="--", label="truth")
            axes.plot(grid, mean, color=BLUE, lw=1.8, label="mean")
            axes.plot(results["x"], results["y"], ".", color=RED, ms=6, label="data")
            axes.set(xlabel="x", xlim=(-5, 5), ylim=(-4.2, 4.6))
            axes.set_title(
                f"{when} the fit: log likelihood {-found['cost']:.1f}\n"
                f"length {found['length']:.2f}, noise {found['noise']:.2f}"
            )
        figure.axes[0].legend(loc="upper left", ncols=2)


if __name__ == "__main__":
    run(main, __doc__, draw)
