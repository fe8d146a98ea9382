"""Models as PyMC3's users write them: `pymc3_models.py NAME` fits one and checks what comes out."""

import sys
import warnings

import numpy as np
import pymc3 as pm

import theano.tensor as tt

QUIET = {"progressbar": False, "random_seed": 1}
SAMPLING = QUIET | {
    "cores": 1,
    "compute_convergence_checks": False,
    "return_inferencedata": False,
}


def near(found, expected, within):
    print(found)
    assert np.all(np.abs(np.asarray(found) - expected) < within), (found, expected)


def rng():
    return np.random.RandomState(0)


def eight_schools():
    effects = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
    errors = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
    with pm.Model():
        mu, tau = pm.Normal("mu", 0, 5), pm.HalfCauchy("tau", 5)
        theta = pm.Normal("theta", 0, 1, shape=8)
        pm.Normal("effect", mu + tau * theta, errors, observed=effects)
        trace = pm.sample(300, tune=300, chains=1, **SAMPLING)
    near(trace["mu"].mean(), 4.5, 2.5)


def linear_regression():
    x, weights = rng().randn(200, 3), np.array([1.0, -2, 0.5])
    y = x @ weights + 0.3 * rng().randn(200)
    with pm.Model():
        w = pm.Normal("w", 0, 10, shape=3)
        sigma = pm.HalfNormal("sigma", 1)
        pm.Normal("y", pm.Normal("a", 0, 10) + pm.math.dot(x, w), sigma, observed=y)
        near(pm.find_MAP(progressbar=False)["w"], weights, 0.2)
        trace = pm.sample(200, tune=300, chains=1, **SAMPLING)
    near(trace["w"].mean(0), weights, 0.2)


def metropolis():
    seen = rng().binomial(1, 0.7, 100)
    with pm.Model():
        p, z = pm.Beta("p", 1, 1), pm.Bernoulli("z", 0.5)
        pm.Bernoulli("y", p, observed=seen)
        steps = [pm.Metropolis([p]), pm.BinaryGibbsMetropolis([z])]
        trace = pm.sample(1000, tune=500, chains=1, step=steps, **SAMPLING)
    near(trace["p"].mean(), seen.mean(), 0.05)
    near(trace["z"].mean(), 0.5, 0.2)


def compound_step():
    counts = np.r_[rng().poisson(4, 40), rng().poisson(1, 30)]
    with pm.Model():
        switch = pm.DiscreteUniform("switch", 0, len(counts))
        early, late = pm.Exponential("early", 1.0), pm.Exponential("late", 1.0)
        rate = pm.math.switch(switch >= np.arange(len(counts)), early, late)
        pm.Poisson("counts", rate, observed=counts)
        trace = pm.sample(300, tune=300, chains=1, **SAMPLING)
    near(trace["switch"].mean(), 40, 5)
    near(trace["early"].mean() - trace["late"].mean(), 3, 1.5)


def variational():
    y = rng().randn(100) + 2
    with pm.Model():
        mu = pm.Normal("mu", 0, 10, testval=0.1)
        pm.Normal("y", mu, pm.HalfNormal("sigma", 2), observed=y)
        for method in ("advi", "fullrank_advi"):
            found = pm.fit(12000, method=method, **QUIET)
            near(found.sample(500)["mu"].mean(), y.mean(), 0.5)
        found = pm.fit(
            300,
            method="svgd",
            inf_kwargs={"n_particles": 50},
            obj_optimizer=pm.adam(learning_rate=0.1),
            **QUIET,
        )
        near(found.sample(500)["mu"].mean(), y.mean(), 0.5)


def minibatches():
    x = rng().randn(5000, 2)
    y = x @ [1.0, -1] + 0.1 * rng().randn(5000)
    some_x, some_y = pm.Minibatch(x, 100), pm.Minibatch(y, 100)
    with pm.Model():
        w = pm.Normal("w", 0, 1, shape=2)
        pm.Normal("y", tt.dot(some_x, w), 0.1, observed=some_y, total_size=5000)
        found = pm.fit(5000, **QUIET)
    near(found.mean.eval(), [1, -1], 0.1)


def marginal_gaussian_process():
    x = np.linspace(0, 10, 40)[:, None]
    y = np.sin(x.ravel()) + 0.1 * rng().randn(40)
    with pm.Model():
        length, eta = pm.Gamma("length", 2, 1), pm.HalfCauchy("eta", 5)
        gp = pm.gp.Marginal(cov_func=eta**2 * pm.gp.cov.Matern52(1, length))
        gp.marginal_likelihood("y", X=x, y=y, noise=pm.HalfCauchy("noise", 5))
        best = pm.find_MAP(progressbar=False)
        gp.conditional("f", x[::8])
        drawn = pm.sample_posterior_predictive(
            [best], var_names=["f"], samples=20, progressbar=False
        )
    near(drawn["f"].mean(0), np.sin(x[::8].ravel()), 0.3)


def latent_gaussian_process():
    x = np.linspace(0, 10, 20)[:, None]
    y = (np.sin(x.ravel()) > 0).astype(int)
    with pm.Model():
        kernel = 2**2 * pm.gp.cov.ExpQuad(1, ls=pm.Gamma("length", 2, 1))
        f = pm.gp.Latent(cov_func=kernel).prior("f", X=x)
        pm.Bernoulli("y", logit_p=f, observed=y)
        trace = pm.sample(60, tune=100, chains=1, **SAMPLING)
    near(np.mean((trace["f"].mean(0) > 0) == y), 1.0, 0.2)


def predictive():
    y = rng().randn(50) + 1
    with pm.Model():
        mu = pm.Normal("mu", 0, 1)
        pm.Deterministic("square", mu**2)
        pm.Normal("y", mu, 1, observed=y)
        assert pm.sample_prior_predictive(100, random_seed=1)["y"].shape == (100, 50)
        trace = pm.sample(200, tune=200, chains=1, **SAMPLING)
        drawn = pm.sample_posterior_predictive(trace, **QUIET)
        near(drawn["y"].mean(), y.mean(), 0.2)
        drawn = pm.fast_sample_posterior_predictive(trace, random_seed=1)
        near(drawn["y"].mean(), y.mean(), 0.2)


def exchanged_data():
    with pm.Model():
        x, y = pm.Data("x", [1.0, 2, 3, 4]), pm.Data("y", [2.0, 4, 6, 8])
        pm.Normal("z", pm.Normal("slope", 0, 10) * x, 0.1, observed=y)
        trace = pm.sample(200, tune=200, chains=1, **SAMPLING)
        pm.set_data({"x": [5.0, 6.0], "y": [0.0, 0.0]})
        drawn = pm.sample_posterior_predictive(trace, **QUIET)
    near(drawn["z"].mean(0), [10, 12], 0.3)


def sequential_monte_carlo():
    with pm.Model():
        x = pm.Uniform("x", -2, 2, shape=2)
        near_one, near_other = (-50 * ((x - c) ** 2).sum() for c in (0.5, -0.5))
        pm.Potential("two_modes", tt.log(0.5 * tt.exp(near_one) + 0.5 * tt.exp(near_other)))
        trace = pm.sample_smc(300, chains=1, random_seed=1)
    near(np.abs(trace["x"]).mean(0), 0.5, 0.1)


def correlated_normals():
    drawn = rng().multivariate_normal([1, -1], [[1, 0.6], [0.6, 1]], 150)
    with pm.Model():
        factor, _, _ = pm.LKJCholeskyCov(
            "factor", n=2, eta=2.0, sd_dist=pm.Exponential.dist(1.0), compute_corr=True
        )
        mu = pm.Normal("mu", 0, 5, shape=2)
        pm.MvNormal("y", mu, chol=factor, observed=drawn)
        trace = pm.sample(100, tune=200, chains=1, **SAMPLING)
    near(trace["mu"].mean(0), [1, -1], 0.3)
    near(trace["factor_corr"].mean(0)[0, 1], 0.6, 0.2)


def mixture():
    drawn = np.r_[rng().randn(100) - 3, rng().randn(150) + 3]
    with pm.Model():
        w = pm.Dirichlet("w", np.ones(2))
        mu = pm.Normal("mu", [-1.0, 1.0], 5, shape=2)
        pm.NormalMixture("y", w, mu, sigma=np.ones(2), observed=drawn)
        trace = pm.sample(100, tune=200, chains=1, **SAMPLING)
    near(sorted(trace["mu"].mean(0)), [-3, 3], 0.4)


def random_walk():
    path = np.cumsum(0.1 * rng().randn(60))
    with pm.Model():
        walk = pm.GaussianRandomWalk("walk", sigma=pm.Exponential("s", 10.0), shape=60)
        pm.StudentT("y", 4, mu=walk, sigma=0.1, observed=path)
        trace = pm.sample(100, tune=200, chains=1, **SAMPLING)
    near(trace["walk"].mean(0), path, 0.4)


def differential_equation():
    from pymc3.ode import DifferentialEquation

    times = np.linspace(0.5, 4, 8)
    with pm.Model():
        rate = pm.HalfNormal("rate", 1)
        solve = DifferentialEquation(
            func=lambda y, t, p: [-p[0] * y[0]], times=times, n_states=1, n_theta=1, t0=0
        )
        seen = 3 * np.exp(-0.7 * times)[:, None]
        pm.Normal("y", solve(y0=[3.0], theta=[rate]), 0.05, observed=seen)
        best = pm.find_MAP(progressbar=False)
    near(best["rate"], 0.7, 0.05)


def two_processes():
    with pm.Model():
        x = pm.Normal("x", 0, 1, shape=3)
        pm.Normal("y", x, 1, observed=[1.0, 2, 3])
        trace = pm.sample(300, tune=300, chains=2, **(SAMPLING | {"cores": 2}))
    near(trace["x"].mean(0), [0.5, 1, 1.5], 0.3)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    globals()[sys.argv[1]]()
