"""Programs that know NumPy and nothing else, each with arrays to run on."""

import numpy as np

_rng = np.random.default_rng(3)


def _normal(*shape):
    return _rng.standard_normal(shape)


def softmax(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def log_sum_exp(x):
    top = np.max(x, axis=-1)
    return top + np.log(np.sum(np.exp(x - top[..., None]), axis=-1))


def layer_norm(x, gain, bias):
    mean, var = np.mean(x, axis=-1, keepdims=True), np.var(x, axis=-1, keepdims=True)
    return gain * (x - mean) / np.sqrt(var + 1e-5) + bias


def standardised_columns(x):
    return (x - x.mean(axis=0)) / np.std(x, axis=0, ddof=1)


def rbf_kernel(x, y, width):
    squares = np.sum(np.square(x[:, None, :] - y[None, :, :]), axis=2)
    return np.exp(-squares / (2 * width**2))


def gaussian_log_density(x, mean, cov):
    low = np.linalg.cholesky(cov)
    white = np.linalg.solve(low, (x - mean).T)
    logdet = 2 * np.sum(np.log(np.diagonal(low)))
    return -0.5 * (np.sum(white**2, axis=0) + logdet + x.shape[1] * np.log(2 * np.pi))


def best_plane(x):
    centre = np.mean(x, axis=0)
    u, s, vh = np.linalg.svd(x - centre, full_matrices=False)
    return centre + np.matmul(u[:, :2] * s[:2], vh[:2])


def k_means_step(points, centres):
    far = np.sum((points[:, None, :] - centres[None, :, :]) ** 2, axis=-1)
    nearest = np.argmin(far, axis=1)
    member = np.equal(nearest[:, None], np.arange(2)[None, :]).astype("float64")
    return np.dot(member.T, points) / np.sum(member, axis=0)[:, None]


def logistic_loss(w, x, y):
    return np.mean(np.logaddexp(0, -y * np.dot(x, w))) + 0.01 * np.dot(w, w)


def cross_entropy(x, labels):
    shifted = x - np.max(x, axis=1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return -np.mean(np.take_along_axis(logs, labels[:, None], axis=1))


def moving_average(v):
    total = np.cumsum(np.concatenate([np.zeros(1), v]))
    return (total[3:] - total[:-3]) / 3


def sliding_windows(v):
    n = np.shape(v)[0] - 2
    return np.stack([v[i : i + n] for i in range(3)], axis=1)


def horner(x, coefficients):
    found = np.zeros_like(x)
    for c in coefficients:
        found = found * x + c
    return found


def second_derivative(v):
    return np.gradient(np.gradient(v, 0.1), 0.1)


def attention(q, k, v):
    scores = np.einsum("id,jd->ij", q, k) / np.sqrt(q.shape[-1])
    scores = np.where(np.tri(4, 5, 1) > 0, scores, -np.inf)
    return softmax(scores) @ v


def huber(error):
    size = np.abs(error)
    return np.where(size < 1, 0.5 * error**2, size - 0.5)


def cosine_similarity(x, y):
    lengths = np.linalg.norm(x, axis=1)[:, None] * np.linalg.norm(y, axis=1)
    return np.inner(x, y) / lengths


def ridge(x, y):
    return np.linalg.solve(x.T @ x + 0.1 * np.eye(3), x.T @ y)


def mahalanobis(x, mean, cov):
    away = x - mean
    return np.sqrt(np.einsum("ni,ij,nj->n", away, np.linalg.inv(cov), away))


def gaussian_process(x, y, new):
    low = np.linalg.cholesky(rbf_kernel(x, x, 1.5) + 0.1 * np.eye(6))
    alpha = np.linalg.solve(low.T, np.linalg.solve(low, y))
    cross = rbf_kernel(new, x, 1.5)
    half = np.linalg.solve(low, cross.T)
    return cross @ alpha, 1 - np.sum(half**2, axis=0)


def power_spectrum(v):
    return np.abs(np.fft.rfft(v * np.hanning(8))) ** 2


def low_pass(v):
    half = np.fft.rfft(v)
    return np.fft.irfft(np.where(np.arange(5) < 2, half, 0), 8)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * np.power(x, 3))))


def perceptron(x, w1, b1, w2):
    return np.tanh(np.maximum(np.dot(x, w1) + b1, 0) @ w2)


def pendulum(angle, speed):
    for _ in range(5):
        speed = speed - 0.1 * np.sin(angle)
        angle = angle + 0.1 * speed
    return angle, speed


def newton_root(x):
    guess = np.ones_like(x)
    for _ in range(6):
        guess = 0.5 * (guess + x / guess)
    return guess


def kalman_update(mean, cov, seen, looks, noise):
    gain = np.linalg.solve(looks @ cov @ looks.T + noise, looks @ cov).T
    return mean + gain @ (seen - looks @ mean), (np.eye(3) - gain @ looks) @ cov


def ranks(v):
    return np.argsort(np.argsort(v)) + 1


def arc_length(t, x):
    return np.trapezoid(np.sqrt(1 + np.gradient(x, 0.5) ** 2), t)


def shrunk_covariance(x):
    c = np.cov(x, rowvar=False)
    return 0.9 * c + 0.1 * np.trace(c) / 3 * np.eye(3)


def great_circle(lat1, lon1, lat2, lon2):
    a, b, c, d = (np.radians(v) for v in (lat1, lon1, lat2, lon2))
    h = np.sin((c - a) / 2) ** 2 + np.cos(a) * np.cos(c) * np.sin((d - b) / 2) ** 2
    return 2 * 6371 * np.arcsin(np.sqrt(h))


def smoothed(v, kernel):
    return np.convolve(v, kernel / np.sum(kernel), mode="same")


def quartile_range(x):
    quartiles = np.percentile(x, [25, 75], axis=0)
    return np.clip((x - np.median(x, axis=0)) / (quartiles[1] - quartiles[0]), -1, 1)


def rotated(points, angle):
    c, s = np.cos(angle), np.sin(angle)
    return points @ np.stack([np.stack([c, -s]), np.stack([s, c])])


def markov_stationary(p):
    powered = np.linalg.matrix_power(p / np.sum(p, axis=1, keepdims=True), 32)
    return np.mean(powered, axis=0)


_SPD = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.0]])

PROGRAMS = [
    (softmax, _normal(3, 4)),
    (log_sum_exp, _normal(3, 4)),
    (layer_norm, _normal(3, 4), _normal(4), _normal(4)),
    (standardised_columns, _normal(5, 3)),
    (rbf_kernel, _normal(3, 2), _normal(4, 2), np.array(0.7)),
    (gaussian_log_density, _normal(4, 3), _normal(3), _SPD),
    (best_plane, _normal(5, 3)),
    (k_means_step, _normal(6, 2), np.array([[-1.0, 0.0], [1.0, 0.0]])),
    (logistic_loss, _normal(3), _normal(5, 3), np.array([1.0, -1, 1, 1, -1])),
    (cross_entropy, _normal(4, 3), np.array([0, 2, 1, 2])),
    (moving_average, _normal(7)),
    (sliding_windows, _normal(6)),
    (horner, _normal(3), [0.5, -1.0, 2.0]),
    (second_derivative, _normal(6)),
    (attention, _normal(4, 3), _normal(5, 3), _normal(5, 2)),
    (huber, 2 * _normal(6)),
    (cosine_similarity, _normal(3, 4), _normal(2, 4)),
    (ridge, _normal(6, 3), _normal(6)),
    (mahalanobis, _normal(4, 3), _normal(3), _SPD),
    (gaussian_process, _normal(6, 2), _normal(6), _normal(3, 2)),
    (power_spectrum, _normal(8)),
    (low_pass, _normal(8)),
    (gelu, _normal(5)),
    (perceptron, _normal(4, 3), _normal(3, 5), _normal(5), _normal(5, 2)),
    (pendulum, np.array(0.3), np.array(-0.1)),
    (newton_root, np.array([1.0, 2.0, 9.0])),
    (kalman_update, _normal(3), _SPD, _normal(2), _normal(2, 3), 0.1 * np.eye(2)),
    (ranks, _normal(6)),
    (arc_length, np.arange(5) / 2, _normal(5)),
    (shrunk_covariance, _normal(6, 3)),
    (great_circle, *(np.array(v) for v in (52.5, 13.4, 48.9, 2.4))),
    (smoothed, _normal(7), np.array([1.0, 2.0, 1.0])),
    (quartile_range, _normal(6, 2)),
    (rotated, _normal(3, 2), np.array(0.4)),
    (markov_stationary, np.abs(_normal(3, 3)) + 0.1),
]
