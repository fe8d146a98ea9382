"""A Kalman filter: where a moving body is, from noisy sensors, and how noisy they are."""

import numpy as np
from digits import run
from drawing import BLUE, GRAY, ORANGE, RED, canvas
from gaussian_field import compare

import theano
import theano.tensor as T
from theano.tensor.nlinalg import det, matrix_inverse

STEP = 0.2
#: positions move by velocities, in both directions of the plane
MOTION = np.kron(np.array([[1.0, STEP], [0.0, 1.0]]), np.eye(2))
PUSHES = np.kron(np.array([[STEP**3 / 3, STEP**2 / 2], [STEP**2 / 2, STEP]]), np.eye(2))


def make_data(n_steps, n_sensors, noise=0.7, seed=4):
    """A path, and at each step the readings of sensors along lines through the plane."""
    rng = np.random.RandomState(seed)
    angles = rng.uniform(0, np.pi, n_sensors)
    sensors = np.zeros((n_sensors, 4))
    sensors[:, :2] = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    pushes = np.linalg.cholesky(PUSHES)
    states = [np.array([0.0, 0.0, 1.0, 0.5])]
    for _ in range(n_steps):
        states.append(MOTION @ states[-1] + pushes @ rng.normal(size=4))
    states = np.array(states[1:])
    readings = states @ sensors.T + noise * rng.normal(size=(n_steps, n_sensors))
    return states, sensors, readings


def step(reading, mean, covariance, sensors, noise):
    """Predict, then correct by a reading; the equations of the textbook."""
    mean = T.dot(MOTION, mean)
    covariance = T.dot(MOTION, T.dot(covariance, MOTION.T)) + PUSHES
    n = reading.shape[0]
    S = T.dot(sensors, T.dot(covariance, sensors.T)) + noise**2 * T.eye(n)
    S = T.assume(S, "positive_definite")
    surprise = reading - T.dot(sensors, mean)
    gain = T.dot(T.dot(covariance, sensors.T), matrix_inverse(S))
    cost = 0.5 * (T.dot(surprise, T.dot(matrix_inverse(S), surprise)) + T.log(det(S)))
    return mean + T.dot(gain, surprise), covariance - T.dot(gain, T.dot(sensors, covariance)), cost


def filtered(readings, sensors, noise):
    """Means, covariances, and the negative log likelihood of all readings."""
    (means, covariances, costs), _ = theano.scan(
        step,
        sequences=readings,
        outputs_info=[T.zeros(4), 10.0 * T.eye(4), None],
        non_sequences=[sensors, noise],
    )
    return means, covariances, costs.sum()


def main(n_steps=60, n_sensors=100, repeats=5, quiet=False):
    states, sensors, readings = make_data(n_steps, n_sensors)
    H, r = T.dmatrix("sensors"), T.dmatrix("readings")
    log_noise = theano.shared(0.5, "log_noise")
    means, covariances, cost = filtered(r, H, T.exp(log_noise))
    # of one reading, so that the first step of the search is not too long
    theano.minimize(cost / r.size, [log_noise], {H: sensors, r: readings})
    look = theano.function([H, r], [means, covariances])
    mean, covariance = look(sensors, readings)
    noise = float(np.exp(log_noise.get_value()))
    outputs = [cost, means]
    sides = compare([H, r], outputs, [sensors, readings], repeats)
    after, before = sides["with"], sides["without"]
    error = float(np.sqrt(((mean - states)[:, :2] ** 2).sum(axis=1).mean()))
    if not quiet:
        print(f"noise of the sensors {noise:.2f}, error of positions {error:.2f}")
        for name, side in (("without", before), ("with", after)):
            print(f"{name} the rules: {side['nodes']} nodes, cost {float(side['outputs'][0]):.2f}")
        print(f"time without / with: {before['seconds'] / after['seconds']:.1f}")
    return {
        "states": states,
        "sensors": sensors,
        "readings": readings,
        "mean": mean,
        "covariance": covariance,
        "noise": noise,
        "error": error,
        "with": after,
        "without": before,
    }


def draw(results, path):
    """The path in the plane, and its first coordinate with a band of two deviations."""
    truth, mean = results["states"], results["mean"]
    deviation = np.sqrt(results["covariance"][:, 0, 0])
    times = STEP * np.arange(1, len(mean) + 1)
    with canvas(path, 270) as figure:
        plane, line = figure.subplots(1, 2)
        plane.plot(*truth[:, :2].T, color=GRAY, ls="--", label="truth")
        plane.plot(*mean[:, :2].T, color=BLUE, label="filter")
        plane.plot(*truth[:1, :2].T, "o", color=RED, ms=5, label="start")
        plane.set(xlabel="x", ylabel="y", title="path")
        plane.legend()
        line.fill_between(
            times,
            mean[:, 0] - 2 * deviation - truth[:, 0],
            mean[:, 0] + 2 * deviation - truth[:, 0],
            color=BLUE,
            alpha=0.2,
            lw=0,
            label="2 deviations",
        )
        line.plot(times, mean[:, 0] - truth[:, 0], color=BLUE, label="error of x")
        line.axhline(0, color=ORANGE, lw=0.8)
        line.set(xlabel="time", title=f"noise of the sensors {results['noise']:.2f}")
        line.legend()


if __name__ == "__main__":
    run(main, __doc__, draw)
