"""NUTS without Python: the model is exported as C and linked with a sampler in C.

The log-density of eight schools is written as an expression. It is exported as C with its gradient,
and compiled together with the sampler in `nuts/nuts.c`. Calls of C release the interpreter's lock,
so chains run in threads. The results are compared with numerical integration.
"""

import ctypes
import os
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from digits import run
from drawing import BLUE, GRAY, GREEN, ORANGE, PURPLE, RED, canvas

import theano
import theano.tensor as T

HERE = Path(__file__).parent
SOURCES = ("nuts/nuts.h", "nuts/nuts.c", "nuts/target.c")
STATS = ("density", "energy", "acceptance", "step", "leapfrogs", "diverged")
# effects of coaching in eight schools, and their standard errors (Rubin 1981)
EFFECTS = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
ERRORS = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])
NAMES = ("mean", "log scale", *(f"school {letter}" for letter in "ABCDEFGH"))


def normal(x, mean, scale):
    return -T.sqr((x - mean) / scale) / 2 - T.log(scale)


def eight_schools(q):
    """The log-density of mean, log of the scale and eight standardised effects."""
    mean, log_scale, z = q[0], q[1], q[2:]
    scale = T.exp(log_scale)
    prior = normal(mean, 0.0, 5.0) - T.log1p(T.sqr(scale / 5)) + log_scale  # half-Cauchy
    return prior + normal(z, 0.0, 1.0).sum() + normal(EFFECTS, mean + scale * z, ERRORS).sum()


class Sampler:
    """A log-density of a vector, its gradient and NUTS as one shared library."""

    def __init__(self, q, density):
        model = theano.function([q], [density, T.grad(density, q)], name="model")
        with tempfile.TemporaryDirectory() as folder:
            theano.export(model, Path(folder, "model.c"))
            library = Path(folder, "sampler.so")
            sources = [Path(folder, "model.c"), *(HERE / s for s in SOURCES if s.endswith(".c"))]
            headers = ["-I", folder, "-I", HERE / "nuts"]
            command = [c_compiler(), "-std=c99", "-O2", "-shared", "-fPIC", *headers, *sources]
            subprocess.run([*command, "-o", library, "-lm"], check=True)
            self.library = ctypes.CDLL(str(library))
        number, array = ctypes.c_int64, ctypes.POINTER(ctypes.c_double)
        self.library.target_scratch.argtypes = [array, number]
        self.library.target_scratch.restype = number
        self.library.model_message.restype = ctypes.c_char_p
        self.library.nuts_sample.argtypes = [
            ctypes.c_void_p, ctypes.c_void_p, array, number, ctypes.c_int, ctypes.c_int,
            ctypes.c_uint64, array, array,
        ]  # fmt: skip

    def scratch(self, start):
        """Memory that the model needs, for one thread."""
        size = self.library.target_scratch(pointer(start), len(start))
        if size < 0:
            raise ValueError(f"the model takes no vector of {len(start)} numbers")
        return np.empty(size // 16 + 1, "complex128")  # aligned to 16 bytes

    def chain(self, start, n_draws, n_tune, seed):
        """The draws of one chain, and what is known of each: rows of STATS."""
        start = np.ascontiguousarray(start, "float64")
        draws, stats = np.empty((n_draws, len(start))), np.empty((n_draws, len(STATS)))
        scratch = self.scratch(start)
        code = self.library.nuts_sample(
            self.library.target, scratch.ctypes.data, pointer(start), len(start), n_draws,
            n_tune, int(seed), pointer(draws), pointer(stats),
        )  # fmt: skip
        if code:
            if code > 0:
                why = self.library.model_message(code).decode()
            else:
                why = "it is not finite" if code == -1 else "there is no memory"
            raise ValueError(f"a chain takes a start with a density, got {start}: {why}")
        return draws, stats

    def chains(self, starts, n_draws=1000, n_tune=1000, seed=0):
        """Draws and their stats of chains in threads: arrays by chain, draw and column."""
        seeds = np.random.SeedSequence(seed).generate_state(len(starts), "uint64")
        with ThreadPoolExecutor(len(starts)) as threads:
            chain = lambda start, seed: self.chain(start, n_draws, n_tune, seed)
            draws, stats = zip(*threads.map(chain, starts, seeds))
        return np.array(draws), np.array(stats)


def pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def c_compiler():
    command = os.environ.get("CC", "cc")
    if shutil.which(command) is None:
        raise RuntimeError(f"the sampler takes a C compiler, got CC={command!r}: install gcc")
    return command


def variances(draws):
    """Within chains, and of all draws as if the chains were one that has converged."""
    n = draws.shape[1]
    within = draws.var(axis=1, ddof=1).mean(axis=0)
    return within, within * (n - 1) / n + draws.mean(axis=1).var(axis=0, ddof=1)


def split_rhat(draws):
    """R-hat of the halves of chains; 1 where they agree."""
    half = draws.shape[1] // 2
    within, total = variances(np.concatenate([draws[:, :half], draws[:, -half:]]))
    return np.sqrt(total / within)


def effective_size(draws):
    """How many independent draws have means of the same error (Geyer's monotone sequence)."""
    m, n = draws.shape[:2]
    within, total = variances(draws)
    spectrum = np.fft.rfft(draws - draws.mean(axis=1, keepdims=True), 2 * n, axis=1)
    covariances = np.fft.irfft(np.abs(spectrum) ** 2, axis=1)[:, :n].mean(axis=0) / n
    correlations = 1 - (within - covariances) / total
    correlations[0] = 1
    pairs = correlations[: n // 2 * 2].reshape(n // 2, 2, -1).sum(axis=1)
    # in a reversible chain these fall and are positive: what follows a negative one is noise
    pairs = np.minimum.accumulate(np.maximum(pairs, 0), axis=0)
    return m * n / (2 * pairs.sum(axis=0) - 1)


def exact(n_scales=2001):
    """The posterior: normal for each scale of a fine grid, with the weight of that scale."""
    log_scale = np.linspace(-14, 6, n_scales)[:, None]
    scale = np.exp(log_scale)
    spread = ERRORS**2 + scale**2  # of what is measured around the mean
    precision = 1 / 5**2 + (1 / spread).sum(axis=1, keepdims=True)
    mean = (EFFECTS / spread).sum(axis=1, keepdims=True) / precision
    misfit = (EFFECTS**2 / spread).sum(axis=1, keepdims=True) - mean**2 * precision
    log_p = -(misfit + np.log(precision) + np.log(spread).sum(axis=1, keepdims=True)) / 2
    log_p += log_scale - np.log1p((scale / 5) ** 2)
    weight = np.exp(log_p - log_p.max())
    weight /= weight.sum()
    shrink = ERRORS**2 / spread
    effects = shrink * mean + (1 - shrink) * EFFECTS
    means = np.hstack([mean, log_scale, effects])
    within = np.hstack([1 / precision, 0 * scale, scale**2 * shrink + shrink**2 / precision])
    center = (weight * means).sum(axis=0)
    return {
        "mean": center,
        "deviation": np.sqrt((weight * (within + (means - center) ** 2)).sum(axis=0)),
        "weight": weight[:, 0],
        "means": means,
        "within": within,
    }


def main(n_chains=4, n_draws=10_000, n_tune=1000, seed=1, quiet=False):
    q = T.dvector("q")
    sampler = Sampler(q, eight_schools(q))
    starts = np.random.RandomState(seed).uniform(-2, 2, (n_chains, len(NAMES)))
    begun = time.perf_counter()
    draws, stats = sampler.chains(starts, n_draws, n_tune, seed)
    seconds = time.perf_counter() - begun
    mean, log_scale, z = draws[..., :1], draws[..., 1:2], draws[..., 2:]
    found = np.concatenate([mean, log_scale, mean + np.exp(log_scale) * z], axis=2)
    results = {
        "draws": found,  # by chain, draw, name
        "stats": dict(zip(STATS, np.moveaxis(stats, 2, 0))),
        "mean": found.mean(axis=(0, 1)),
        "deviation": found.std(axis=(0, 1)),
        "rhat": split_rhat(found),
        "size": effective_size(found),
        "seconds": seconds,
        "exact": exact(),
    }
    if not quiet:
        report(results)
    return results


def report(results):
    n_chains, n_draws, _ = results["draws"].shape
    diverged, leapfrogs = (results["stats"][name] for name in ("diverged", "leapfrogs"))
    print(f"{n_chains} chains of {n_draws:,} draws and their tuning: {results['seconds']:.2f} s,")
    print(f"{n_chains * n_draws / results['seconds']:,.0f} draws a second, ", end="")
    print(f"{leapfrogs.mean():.1f} leapfrog steps each, {diverged.sum():.0f} divergences")
    for i, name in enumerate(NAMES):
        both = (
            f"{r['mean'][i]:6.2f} ± {r['deviation'][i]:5.2f}" for r in (results, results["exact"])
        )
        sizes = f"R-hat {results['rhat'][i]:.4f}, effective size {results['size'][i]:,.0f}"
        print(f"{name:9} {', exact '.join(both)}, {sizes}")


def draw(results, path):
    """Posteriors of the schools with the exact ones and the data; traces; the scale."""
    draws, right = results["draws"], results["exact"]
    low, high, zoom = -25, 45, 11
    at = np.linspace(low, high, 281)[:, None]
    with canvas(path, 400) as figure:
        axes = figure.subplot_mosaic("AB\nAC", width_ratios=[1.25, 1])
        for i in range(2, len(NAMES)):
            means, within, floor = right["means"][:, i], right["within"][:, i], len(NAMES) - 1 - i
            parts = np.exp(-((at - means) ** 2) / (2 * within)) / np.sqrt(2 * np.pi * within)
            heights, edges = np.histogram(draws[..., i], 140, (low, high), density=True)
            found = axes["A"].stairs(
                floor + zoom * heights, edges, baseline=floor, fill=True, color=BLUE, alpha=0.4
            )
            (line,) = axes["A"].plot(at, floor + zoom * parts @ right["weight"], color=RED)
            data = axes["A"].errorbar(
                EFFECTS[i - 2], floor - 0.12, xerr=ERRORS[i - 2], fmt="o", color=GRAY, ms=3, lw=0.8
            )
        axes["A"].set(yticks=range(8), yticklabels=reversed(NAMES[2:]), xlim=(low, high))
        axes["A"].set(xlabel="effect of coaching", ylim=(-0.4, 8.3))
        names = "NUTS", "exact", "measured"
        axes["A"].legend(
            [found, line, data], names, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1)
        )
        for trace, colour in zip(draws[:, :300, 1], (BLUE, ORANGE, GREEN, PURPLE)):
            axes["B"].plot(trace, color=colour, lw=0.6)
        axes["B"].set(xlabel="draw", ylabel=NAMES[1], xlim=(0, 300))
        grid = right["means"][:, 1]
        values = draws[..., 1].reshape(-1)
        axes["C"].hist(values, 100, range=(-6, 4), density=True, color=BLUE, alpha=0.4)
        axes["C"].plot(grid, right["weight"] / (grid[1] - grid[0]), color=RED)
        axes["C"].set(xlabel=NAMES[1], yticks=[], xlim=(-6, 4))


if __name__ == "__main__":
    run(main, __doc__, draw)
