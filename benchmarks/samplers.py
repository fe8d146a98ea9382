"""NUTS on eight schools (non-centred): the sampler in C of the gallery, and other samplers.

    python benchmarks/samplers.py [--folder build/samplers] [--turns 3] [--draws 5000]

- *C*: `examples/native_sampler.py`, with the density as C that `theano.export` wrote
- *walnutpie*: its WALNUTS sampler with the same C function, by a pointer
- *PyMC3*: 3.11.6 on this package, from the recipe of `python -m theano recipe pymc3-3.11.6`
- *nutpie*: PyMC with nutpie, by Numba
- *NumPyro*: JAX on the CPU

Each side has an environment of its own in the folder, which the first run makes, and runs in a
process of its own; the sides take turns. A run is 1,000 draws of tuning and `--draws` that count,
of one chain and of four at the same time: threads in C, walnutpie and nutpie, a batch of chains
in NumPyro, processes in PyMC3. A first, short run compiles and is not counted.

Given are medians over turns. Rates count the draws after tuning, and are divided by the seconds of
the whole run. A second of CPU is one that the threads and processes of a side had, together: it
depends little on what else the machine does. A leapfrog step is a call of the density and its
gradient. The effective size is the least of ten: of the mean, of the logarithm of the scale, and
of the eight schools. *Error* is the largest difference of ten means from the exact ones, in
standard errors: it is 2 or 3 where a sampler is right. The load is that of the machine before the
first run.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import platform
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
TUNE = 1000
EFFECTS = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
ERRORS = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])
#: what counts calls of a target; the memory of a chain begins with the number
COUNTED = """#include "nuts.h"
int target(size_t n, const double *q, double *grad, double *density, void *user);
int counted(size_t n, const double *q, double *grad, double *density, void *user)
{
    *(int64_t *)user += 1;
    return target(n, q, grad, density, (char *)user + 16);
}
"""
#: draws by chain, draw and quantity (mean, log scale, z), and leapfrog steps of all draws
Run = tuple[np.ndarray, float]
#: a run of so many chains and draws with a seed
Sampler = Callable[[int, int, int], Run]


def in_c(folder: Path) -> Sampler:
    import native_sampler as example

    sampler = example.Sampler.__new__(example.Sampler)
    sampler.library = library_of(folder)

    def run(chains: int, draws: int, seed: int) -> Run:
        found, stats = sampler.chains(starts(chains, seed), draws, TUNE, seed)
        return found, float(stats[..., 4].sum())

    return run


def in_walnutpie(folder: Path) -> Sampler:
    import walnutpie

    library = library_of(folder)
    target = walnutpie.logp_cfunc_type(("counted", library))

    def chain(start: np.ndarray, draws: int, seed: int) -> tuple[np.ndarray, int]:
        size = library.target_scratch(start.ctypes.data, len(start))
        scratch = np.zeros(size // 16 + 2, "complex128")
        # it counts all calls; those of its tuning are in the share that draws have
        (found,) = walnutpie.walnuts_pyfunc(
            (target, scratch.ctypes.data), inits=start, num_chains=1, seed=seed,
            min_warmup_iter=TUNE, max_warmup_iter=TUNE, min_sampling_iter=draws,
            max_sampling_iter=draws,
        )  # fmt: skip
        return np.asarray(found), int(scratch.view("int64")[0])

    def run(chains: int, draws: int, seed: int) -> Run:
        with ThreadPoolExecutor(chains) as threads:
            one = lambda k: chain(starts(chains, seed)[k], draws, 1000 * seed + k)
            found, calls = zip(*threads.map(one, range(chains)), strict=True)
        return np.array(found), sum(calls) * draws / (draws + TUNE)

    return run


def in_nutpie(folder: Path) -> Sampler:
    import nutpie
    import pymc as pm

    with pm.Model() as model:
        build_pymc(pm)
    compiled = nutpie.compile_pymc_model(model, backend="numba")

    def run(chains: int, draws: int, seed: int) -> Run:
        trace = nutpie.sample(
            compiled, draws=draws, tune=TUNE, chains=chains, cores=chains, seed=seed,
            progress_bar=False,
        )  # fmt: skip
        steps = float(np.sum(trace.sample_stats["n_steps"].values))
        return of_pymc(trace.posterior), steps

    return run


def in_pymc3(folder: Path) -> Sampler:
    import pymc3 as pm

    with pm.Model() as model:
        build_pymc(pm)

    methods: dict[int, Any] = {}

    def run(chains: int, draws: int, seed: int) -> Run:
        with model:
            if chains not in methods:
                methods[chains] = pm.init_nuts(
                    chains=chains, random_seed=list(range(chains)), progressbar=False
                )
            start, step = methods[chains]
            trace = pm.sample(
                draws, tune=TUNE, chains=chains, cores=chains, start=start, step=step,
                random_seed=[seed * chains + k for k in range(chains)], progressbar=False,
                return_inferencedata=False, compute_convergence_checks=False,
            )  # fmt: skip
        values = {n: np.array(trace.get_values(n, combine=False, squeeze=False)) for n in NAMES}
        steps = float(np.sum(trace.get_sampler_stats("tree_size")))
        return of_pymc(values), steps

    return run


def in_numpyro(folder: Path) -> Sampler:
    import jax
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer import MCMC, NUTS

    jax.config.update("jax_enable_x64", True)

    def model() -> None:
        mu = numpyro.sample("mu", dist.Normal(0, 5))
        tau = numpyro.sample("tau", dist.HalfCauchy(5))
        z = numpyro.sample("z", dist.Normal(0, 1).expand([8]))
        numpyro.sample("y", dist.Normal(mu + tau * z, ERRORS), obs=EFFECTS)

    @functools.partial(jax.jit, static_argnums=(1, 2))
    def sampled(key: Any, chains: int, draws: int) -> Any:
        # without jit around it, each run compiles its loop again
        method = "vectorized" if chains > 1 else "sequential"
        mcmc = MCMC(
            NUTS(model), num_warmup=TUNE, num_samples=draws, num_chains=chains,
            chain_method=method, progress_bar=False,
        )  # fmt: skip
        mcmc.run(key, extra_fields=("num_steps",))
        return mcmc.get_samples(group_by_chain=True), mcmc.get_extra_fields()["num_steps"]

    def run(chains: int, draws: int, seed: int) -> Run:
        values, steps = sampled(jax.random.PRNGKey(seed), chains, draws)
        return of_pymc({n: np.asarray(v) for n, v in values.items()}), float(np.sum(steps))

    return run


NAMES = ("mu", "tau", "z")
#: what this package needs
OURS = (
    "numpy<2.5", "scipy", "llvmlite", "jax==0.10.1", "opt_einsum", "filelock", "threadpoolctl",
    "safetensors",
)  # fmt: skip
#: by name: what runs, and what its environment needs besides this package
SIDES: dict[str, tuple[Callable[[Path], Sampler], tuple[str, ...]]] = {
    "C": (in_c, ()),
    "walnutpie": (in_walnutpie, ("walnutpie==0.0.3", "numpy==2.4.6")),
    "PyMC3": (in_pymc3, ("recipe",)),
    "nutpie": (in_nutpie, ("nutpie==0.16.8", "pymc==5.28.5", "numba")),
    "NumPyro": (in_numpyro, ("numpyro==0.22.0", "jax==0.10.1")),
}


def build_pymc(pm: Any) -> None:
    """The model, in the words that PyMC3 and PyMC share."""
    mu = pm.Normal("mu", 0, sigma=5)
    tau = pm.HalfCauchy("tau", beta=5)
    z = pm.Normal("z", 0, sigma=1, shape=8)
    pm.Normal("y", mu=mu + tau * z, sigma=ERRORS, observed=EFFECTS)


def of_pymc(values: Any) -> np.ndarray:
    """The draws of named variables as those of the sampler in C."""
    mu, tau, z = (np.asarray(values[n]) for n in NAMES)
    return np.concatenate([mu[..., None], np.log(tau)[..., None], z], axis=-1)


def starts(chains: int, seed: int) -> np.ndarray:
    return np.random.RandomState(seed).uniform(-2, 2, (chains, 10))


def library_of(folder: Path) -> Any:
    import ctypes

    library = ctypes.CDLL(str(folder / "sampler.so"))
    number, pointer = ctypes.c_int64, ctypes.c_void_p
    library.target_scratch.argtypes, library.target_scratch.restype = [pointer, number], number
    library.nuts_sample.argtypes = [
        pointer, pointer, pointer, number, ctypes.c_int, ctypes.c_int, ctypes.c_uint64, pointer,
        pointer,
    ]  # fmt: skip
    return library


def build_library(folder: Path) -> None:
    """Export the density of the example, and compile it with the sampler as `sampler.so`."""
    import native_sampler as example

    import theano
    import theano.tensor as T

    q = T.dvector("q")
    density = example.eight_schools(q)
    model = theano.function([q], [density, T.grad(density, q)], name="model")
    theano.export(model, folder / "model.c")
    (folder / "counted.c").write_text(COUNTED)
    sources = [example.HERE / s for s in example.SOURCES if s.endswith(".c")]
    command = [example.c_compiler(), "-std=c99", "-O2", "-shared", "-fPIC", "-I", folder]
    command += ["-I", example.HERE / "nuts", folder / "model.c", folder / "counted.c", *sources]
    subprocess.run([*command, "-o", folder / "sampler.so", "-lm"], check=True)


def python_of_recipe(folder: Path) -> str:
    """The interpreter of PyMC3, with what the recipe installs."""
    from peers.envs import Framework, python_of

    command = [sys.executable, "-m", "theano", "recipe", "pymc3-3.11.6"]
    recipe = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    first, second = (
        shlex.split(line)[2:] for line in recipe.splitlines() if line.startswith("pip install")
    )
    python = python_of(Framework("PyMC3", "", "", (*first, *OURS)), folder)
    subprocess.run([python, "-m", "pip", "install", "-q", *second], check=True)
    return python


def python_of_side(name: str, folder: Path) -> list[str]:
    """The command that runs a program for a side."""
    from peers.envs import Framework, python_of

    _, needs = SIDES[name]
    if needs == ("recipe",):
        return [python_of_recipe(folder), "-m", "theano", "run"]
    return [python_of(Framework(name, "", "", needs), folder)]


def measure(side: str, chains: int, draws: int, seed: int, folder: Path) -> None:
    """Run a side; write its draws and figures."""
    begun = time.perf_counter()
    run = SIDES[side][0](folder)
    # NumPyro compiles for a number of draws
    run(chains, draws if side == "NumPyro" else 100, seed + 1000)
    ready, before = time.perf_counter(), cpu_seconds()
    found, leapfrogs = run(chains, draws, seed)
    seconds, cpu = time.perf_counter() - ready, cpu_seconds() - before
    np.save(folder / "draws.npy", found)
    result = {"seconds": seconds, "cpu": cpu, "leapfrogs": leapfrogs, "ready": ready - begun}
    print(json.dumps(result))


def cpu_seconds() -> float:
    """What this process has used, with its threads and the processes that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def figures(command: list[str], side: str, chains: int, seed: int, chosen: Any) -> dict:
    """The figures of a run in a process of its own."""
    import native_sampler as example

    words = [__file__, "--measure", side, "--chains", str(chains), "--seed", str(seed)]
    words += ["--draws", str(chosen.draws), "--library", str(chosen.library)]
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'examples'}"}
    environment["OMP_NUM_THREADS"] = "1"
    done = subprocess.run(
        [*command, *words], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-2000:])
    result: dict = json.loads(done.stdout.splitlines()[-1])
    draws = np.load(chosen.library / "draws.npy")
    mean, log_scale, z = draws[..., :1], draws[..., 1:2], draws[..., 2:]
    found = np.concatenate([mean, log_scale, mean + np.exp(log_scale) * z], axis=2)
    # halves of chains, as one chain has no variance between chains
    halves = found.reshape(2 * len(found), found.shape[1] // 2, -1)
    size, exact = example.effective_size(halves), example.exact()
    error = np.abs(found.mean(axis=(0, 1)) - exact["mean"]) / exact["deviation"] * np.sqrt(size)
    seconds, count = result["seconds"], draws.shape[0] * draws.shape[1]
    return {
        "draws": count / seconds,
        "draws_cpu": count / result["cpu"],
        "steps": result["leapfrogs"] / count,
        "leapfrogs": result["leapfrogs"] / result["cpu"],
        "size": float(size.min()) / result["cpu"],
        "error": float(error.max()),
        "ready": result["ready"],
    }


def compare(chosen: argparse.Namespace) -> None:
    chosen.folder.mkdir(parents=True, exist_ok=True)
    names = chosen.only or list(SIDES)
    commands = {}
    for name in names:
        try:
            commands[name] = python_of_side(name, chosen.folder)
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"{name} cannot be installed: {error}")
    load = os.getloadavg()[0]
    rows: dict[tuple[str, int], list[dict]] = {}
    with tempfile.TemporaryDirectory() as folder:
        chosen.library = Path(folder)
        build_library(chosen.library)
        for turn in range(chosen.turns):
            for chains in (1, 4):
                for name, command in commands.items():
                    try:
                        one = figures(command, name, chains, turn + 1, chosen)
                    except RuntimeError as error:
                        print(f"{name}, {chains}: {error}", flush=True)
                        continue
                    rows.setdefault((name, chains), []).append(one)
                    print(f"  {name}, {chains}: {one}", file=sys.stderr, flush=True)
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} CPUs, load {load:.1f}")
    heads = ["sampler", "chains", "draws/s", "steps a draw", "draws/s of CPU", "steps/s of CPU"]
    heads += ["effective size/s of CPU", "error"]
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    for (name, chains), runs in sorted(rows.items(), key=lambda row: row[0][1]):
        m = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        print(
            f"| {name} | {chains} | {m['draws']:,.0f} | {m['steps']:.1f} | {m['draws_cpu']:,.0f} "
            f"| {m['leapfrogs']:,.0f} | {m['size']:,.0f} | {m['error']:.1f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path("build/samplers"))
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--draws", type=int, default=5000)
    parser.add_argument("--only", nargs="+", choices=SIDES, help="some of the sides")
    for name, kind in (("measure", str), ("chains", int), ("seed", int), ("library", Path)):
        parser.add_argument(f"--{name}", type=kind, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    sys.path.insert(0, str(ROOT / "examples"))
    if chosen.measure:
        measure(chosen.measure, chosen.chains, chosen.draws, chosen.seed, chosen.library)
    else:
        chosen.folder = chosen.folder.resolve()
        compare(chosen)


if __name__ == "__main__":
    main()
