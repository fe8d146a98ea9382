"""Log-densities of the three statistical models, once for all that have functions of arrays.

``xp`` is a framework's module of such functions: ``jax.numpy``, ``theano.tensor``, ``torch``... A
model takes the vector ``q`` of its parameters on the whole line, then its data.
"""

import math

#: of the radon model: two slices of ``q`` have a number for each
COUNTIES = 85


def normal(xp, x, mean, scale):
    """The log-density of a normal distribution; ``scale`` is an array or a Python number."""
    log = math.log if isinstance(scale, float) else xp.log
    return -0.5 * ((x - mean) / scale) ** 2 - log(scale) - 0.5 * math.log(2 * math.pi)


def eight_schools(xp, q, effects, errors):
    """Eight schools, not centred: the mean, the logarithm of the scale, and eight offsets."""
    mean, log_scale, z = q[0], q[1], q[2:]
    scale = xp.exp(log_scale)
    cauchy = math.log(2 / (math.pi * 5)) - xp.log1p((scale / 5) ** 2) + log_scale
    schools = normal(xp, effects, mean + scale * z, errors).sum()
    return normal(xp, mean, 0.0, 5.0) + cauchy + normal(xp, z, 0.0, 1.0).sum() + schools


def radon(xp, q, county, floor, level):
    """Intercepts and slopes of 85 counties: indices forwards, scattered sums backwards."""
    means, logs = [q[0], q[2]], [q[1], q[3], q[4]]
    z = q[5 : 5 + COUNTIES], q[5 + COUNTIES :]
    intercept = means[0] + xp.exp(logs[0]) * z[0]
    slope = means[1] + xp.exp(logs[1]) * z[1]
    fitted = intercept[county] + slope[county] * floor
    priors = sum(normal(xp, m, 0.0, 1.0) for m in means) + sum(s - xp.exp(s) for s in logs)
    priors = priors + sum(normal(xp, u, 0.0, 1.0).sum() for u in z)
    return priors + normal(xp, level, fitted, xp.exp(logs[2])).sum()


def negative_binomial(xp, gammaln, q, counts, x):
    """A regression of counts: intercept, slope, and the logarithm of the shape."""
    mean, shape = xp.exp(q[0] + q[1] * x), xp.exp(q[2])
    density = gammaln(counts + shape) - gammaln(shape) - gammaln(counts + 1)
    density = density + shape * xp.log(shape / (mean + shape))
    density = density + counts * xp.log(mean / (mean + shape))
    return density.sum() + normal(xp, q, 0.0, 2.0).sum()


def powers(x):
    """A polynomial of degree 16 by Horner's rule."""
    z = x
    for k in range(1, 16):
        z = z * x + 1.0 / k
    return z
