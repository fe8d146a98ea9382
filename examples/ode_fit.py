"""Predator and prey: the rates of a differential equation found from noisy counts.

``theano.tensor.odeint`` solves the equations of Lotka and Volterra inside the graph of the misfit.
Its gradient with respect to the rates and the first counts solves the adjoint equation; L-BFGS of
SciPy follows it.
"""

import numpy as np
import scipy.optimize
from digits import run
from drawing import BLUE, GRAY, ORANGE, canvas

import theano
import theano.tensor as T

NAMES = "birth of prey", "prey eaten", "death of predators", "predators fed"
RATES = np.array([1.1, 0.4, 0.8, 0.2])  # what the program is to find
START = np.array([6.0, 2.0])  # prey and predators at time 0, to be found as well
EVERY, FINE = 0.4, 4  # time between two counts, and points of a curve in it
TOLERANCE = 1e-7  # of a step of the solver


def growth(state, time, rates):
    """d state / dt."""
    prey, predators = state[0], state[1]
    return T.stack(
        [
            rates[0] * prey - rates[1] * prey * predators,
            -rates[2] * predators + rates[3] * prey * predators,
        ]
    )


def trajectory(rates, start, times):
    """The state at each time, the first of which is that of the start."""
    return T.odeint(growth, start, times, rates, rtol=TOLERANCE, atol=TOLERANCE)


def make_counts(integrate, n_counts, noise=0.05, seed=0):
    """The true states with errors of some percent, as counts of animals have."""
    rng = np.random.RandomState(seed)
    truth = integrate(np.log(np.append(RATES, START)), EVERY * np.arange(n_counts))
    return truth * np.exp(noise * rng.randn(n_counts, 2))


def main(n_counts=60, n_fitted=32, guess=(0.8, 0.4, 0.5, 0.15), quiet=False):
    # all six unknowns are positive: their logarithms may be anything
    unknown = T.dvector("unknown")
    times = T.dvector("times")
    counts = T.dmatrix("counts")
    rates, start = T.exp(unknown[:4]), T.exp(unknown[4:])
    states = trajectory(rates, start, times)
    misfit = T.sqr(T.log(states) - T.log(counts)).mean()
    cost = theano.clone(misfit, replace={times: EVERY * T.arange(counts.shape[0])})

    integrate = theano.function([unknown, times], states)
    cost_and_gradient = theano.function([unknown, counts], [cost, T.grad(cost, unknown)])

    seen = make_counts(integrate, n_counts)
    guess = np.log(np.append(guess, seen[0]))
    costs = []

    def fun(values):
        cost, gradient = cost_and_gradient(values, seen[:n_fitted])
        costs.append(float(cost))
        return float(cost), gradient

    found = scipy.optimize.minimize(fun, guess, jac=True, method="L-BFGS-B").x
    rates_found = np.exp(found[:4])
    if not quiet:
        for name, true, is_now in zip(NAMES, RATES, rates_found):
            print(f"{name:20} {true:.3f}, found {is_now:.3f}")
        print(f"{len(costs)} values of the cost with its gradient")
    fine = EVERY / FINE * np.arange((n_counts - 1) * FINE + 1)
    return {
        "rates": rates_found,
        "start": np.exp(found[4:]),
        "costs": costs,
        "times": EVERY * np.arange(n_counts),
        "seen": seen,
        "fine": fine,
        "guessed": integrate(guess, fine),
        "fitted": integrate(found, fine),
        "n_fitted": n_fitted,
        "cost_and_gradient": cost_and_gradient,
    }


def draw(results, path):
    """Counts and curves over time, and the orbit in the plane of prey and predators."""
    times, fine, seen = results["times"], results["fine"], results["seen"]
    cut = results["n_fitted"]
    with canvas(path, height=290) as figure:
        left, right = figure.subplots(1, 2, width_ratios=[1.55, 1])
        for i, (name, color) in enumerate([("prey", BLUE), ("predators", ORANGE)]):
            left.plot(times, seen[:, i], ".", ms=4, color=color)
            left.plot(fine, results["fitted"][:, i], color=color, label=f"{name}, fitted")
            left.plot(fine, results["guessed"][:, i], ":", lw=1, color=color)
        left.plot([], [], ".", ms=4, color=GRAY, label="counts")
        left.plot([], [], ":", lw=1, color=GRAY, label="first guess")
        left.axvspan(times[cut - 1], times[-1], color="0.93", zorder=0)
        top = 1.5 * seen.max()
        left.text(times[-1] - 0.2, 0.7 * top, "not used in the fit", ha="right", color=GRAY)
        left.set(xlabel="time", ylabel="thousands", xlim=(0, times[-1]), ylim=(0, top))
        left.legend(ncols=2, loc="upper left", columnspacing=1)

        width, height = 9.0, 6.0
        prey, predators = np.meshgrid(np.linspace(0.5, 8.5, 12), np.linspace(0.4, 5.6, 10))
        a, b, c, d = results["rates"]
        speed = a * prey - b * prey * predators, -c * predators + d * prey * predators
        length = np.hypot(speed[0] / width, speed[1] / height)
        right.quiver(prey, predators, *(s / length for s in speed), color="0.8", angles="xy")
        right.plot(*seen[:cut].T, ".", ms=4, color=GRAY, label="counts")
        right.plot(*results["fitted"].T, color="k", label="fitted")
        right.set(xlabel="prey", ylabel="predators", xlim=(0, width), ylim=(0, height))
        right.legend(loc="upper right", frameon=True, facecolor="white", edgecolor="none")


if __name__ == "__main__":
    run(main, __doc__, draw)
