"""Small models of packages that extend PyMC3: `pymc3_extensions.py NAME` fits one and checks it."""

import sys
import warnings

import numpy as np
import pymc3 as pm

import theano.tensor as tt

SAMPLING = {
    "cores": 1,
    "chains": 1,
    "progressbar": False,
    "random_seed": 1,
    "compute_convergence_checks": False,
}


def bambi():
    from bambi import Model
    from pandas import DataFrame

    rng = np.random.RandomState(0)
    group, x = rng.randint(0, 5, 200), rng.randn(200)
    y = 1 + 2 * x + rng.randn(5)[group] + 0.5 * rng.randn(200)
    data = DataFrame({"y": y, "x": x, "group": [f"g{i}" for i in group]})
    found = Model("y ~ x + (1|group)", data).fit(draws=100, tune=200, **SAMPLING)
    slope = float(found.posterior["x"].values.mean())
    print(slope)
    assert abs(slope - 2) < 0.3


def celerite2():
    from celerite2.theano import GaussianProcess, terms

    rng = np.random.RandomState(0)
    t = np.sort(rng.uniform(0, 10, 60))
    y = np.sin(3 * t) + 0.1 * rng.randn(60)
    with pm.Model():
        log_sigma, log_frequency = pm.Normal("log_sigma", 0, 1), pm.Normal("log_frequency", 1, 1)
        kernel = terms.SHOTerm(sigma=tt.exp(log_sigma), w0=tt.exp(log_frequency), Q=3.0)
        GaussianProcess(kernel, t=t, yerr=0.1).marginal("gp", observed=y)
        best = pm.find_MAP(progressbar=False)
        trace = pm.sample(50, tune=50, return_inferencedata=False, **SAMPLING)
    print(best, trace["log_frequency"].mean())
    assert abs(np.exp(best["log_frequency"]) - 3) < 0.5


def exoplanet():
    import exoplanet as xo
    import pymc3_ext

    rng = np.random.RandomState(0)
    t = np.linspace(-0.5, 10.5, 300)

    def curve(period, t0, radius, *limb):
        orbit = xo.orbits.KeplerianOrbit(period=period, t0=t0)
        return xo.LimbDarkLightCurve(*limb).get_light_curve(orbit=orbit, r=radius, t=t).sum(-1)

    y = curve(3.4, 0.2, 0.1, 0.3, 0.2).eval() + 5e-4 * rng.randn(300)
    with pm.Model():
        period, t0 = pm.Normal("period", 3.4, 0.01), pm.Normal("t0", 0.2, 0.02)
        radius, limb = pm.Uniform("radius", 0.01, 0.2), xo.QuadLimbDark("limb")
        pm.Normal("y", curve(period, t0, radius, limb[0], limb[1]), 5e-4, observed=y)
        best = pymc3_ext.optimize(verbose=False)
    print(best["radius"], best["period"])
    assert abs(best["radius"] - 0.1) < 0.01


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    globals()[sys.argv[1]]()
