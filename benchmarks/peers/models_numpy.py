"""The models of ``models.py`` in NumPy: log-densities with gradients that are derived by hand."""

import math

import numpy as np
from models import COUNTIES

HALF_LOG = 0.5 * math.log(2 * math.pi)


def eight_schools(effects, errors):
    constant = math.log(2 / (math.pi * 5)) - math.log(5) - np.log(errors).sum() - 17 * HALF_LOG

    def call(q):
        mean, log_scale, z = q[0], q[1], q[2:]
        scale = math.exp(log_scale)
        off = (effects - mean - scale * z) / errors
        pull = off / errors
        square = (scale / 5) ** 2
        density = constant + log_scale - math.log1p(square) - 0.5 * (mean / 5) ** 2
        density -= 0.5 * (z @ z + off @ off)
        slope = np.empty(10)
        slope[0] = pull.sum() - mean / 25
        slope[1] = 1 - 2 * square / (1 + square) + scale * (pull @ z)
        slope[2:] = scale * pull - z
        return density, slope

    return call


def radon(county, floor, level):
    n = len(level)
    constant = -(2 + 2 * COUNTIES + n) * HALF_LOG

    def call(q):
        scales = np.exp(q[[1, 3, 4]])
        z = q[5:].reshape(2, COUNTIES)
        intercept, slope = q[[0, 2], None] + scales[:2, None] * z
        off = (level - intercept[county] - slope[county] * floor) / scales[2]
        pull = off / scales[2]
        pulls = np.stack([np.bincount(county, p, minlength=COUNTIES) for p in (pull, pull * floor)])
        squares = off @ off
        priors = q[[1, 3, 4]].sum() - scales.sum() - 0.5 * (q[0] ** 2 + q[2] ** 2 + (z * z).sum())
        density = constant + priors - n * q[4] - 0.5 * squares
        gradient = np.empty(5 + 2 * COUNTIES)
        gradient[[0, 2]] = pulls.sum(axis=1) - q[[0, 2]]
        gradient[[1, 3]] = 1 - scales[:2] + scales[:2] * (pulls * z).sum(axis=1)
        gradient[4] = 1 - scales[2] + squares - n
        gradient[5:] = (scales[:2, None] * pulls - z).ravel()
        return density, gradient

    return call


def negative_binomial(counts, x):
    # no other program has a use for SciPy
    from scipy.special import gammaln, psi

    constant = -gammaln(counts + 1).sum() - 3 * (math.log(2) + HALF_LOG)

    def call(q):
        line, shape = q[0] + q[1] * x, math.exp(q[2])
        mean = np.exp(line)
        total, log_total = counts + shape, np.log(mean + shape)
        density = constant - 0.125 * (q @ q)
        density += (gammaln(total) + counts * line - total * log_total).sum()
        density += len(x) * (shape * q[2] - gammaln(shape))
        share = total / (mean + shape)
        pull = counts - share * mean
        slope = np.array([pull.sum(), pull @ x, 0.0])
        slope[2] = (psi(total) - log_total - share).sum() + len(x) * (q[2] + 1 - psi(shape))
        slope[2] *= shape
        return density, slope - q / 4

    return call
