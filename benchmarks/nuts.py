"""NUTS on the sixteen models of PyMC3 3.11.6: here, without machine code, and on Theano-PyMC.

    python benchmarks/nuts.py [--only TEXT] [--seconds 15] [--explain] [--shared FOLDER]

The models are those of the programs in `tests/downstream/data/pymc3_models.py`, whatever these do
with them. Each runs on each side in a process of its own, the sides in turns:

- here: the default mode, with llvmlite
- NumPy: the default mode with `native.enabled=False`, so without machine code; or XLA, by choice
- original: Theano-PyMC 1.1.2 with its C code by g++, and OpenBLAS

A process draws as `pm.sample(chains=1)` does: with its NUTS, and with the steps that it takes for
discrete variables, which are the second number of parameters. Draws are counted for `--seconds`
after tuning and a third of that time, when all is compiled. Seeds are the same on all sides. The
last bits of numbers are not, so tuning may end with other steps: *steps* are the mean leapfrog
steps of a draw on the three sides, each a call of the log-density and its gradient. This function
alone, called again and again with one array, takes the microseconds of a call: the least mean of
blocks of calls.

Ratios are to the original. Those of a call are of times: less than 1 is faster. Those of draws and
of leapfrog steps in a second are of rates: more than 1 is faster. The C code is kept in the
environment of the original, so that a second run begins sooner.
"""

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any
from unittest.mock import patch

from packages import ROOT, apart, can_run, compiler_flags, options, places_of

PACKAGE = "pymc3-3.11.6"
MODELS = ROOT / "tests" / "downstream" / "data"
#: what the programs do with a model that is complete
FITS = ("find_MAP", "fit", "sample", "sample_prior_predictive", "sample_smc")
SIDES = HERE, NUMPY, ORIGINAL = "here", "NumPy", "original"
#: seconds of a block of calls
BLOCK = 0.01
#: more draws than any model gives in a second
MOST = 20_000
SEED = 1


class Complete(Exception):
    """A program has built its model: the argument."""


def model_of(program: str) -> Any:
    """Build the model of a program, and leave out the rest of it."""
    import pymc3 as pm

    sys.path.append(str(MODELS))
    import pymc3_models

    def stop(*args: object, **kwargs: object) -> None:
        raise Complete(pm.modelcontext(None))

    with patch.multiple(pm, **dict.fromkeys(FITS, stop)):
        try:
            getattr(pymc3_models, program)()
        except Complete as complete:
            return complete.args[0]
    raise ValueError(f"{program} fits no model")


def measure(program: str, tune: int, seconds: float) -> dict:
    """Figures of a model: draws in a second when they have settled, and microseconds of a call."""
    import pymc3 as pm

    model = model_of(program)
    with model:
        if pm.model.all_continuous(model.vars):
            (start,), nuts = pm.init_nuts(chains=1, random_seed=SEED, progressbar=False)
            step = nuts
        else:
            start, steps = {}, pm.sampling.assign_step_methods(model)
            step = pm.CompoundStep(steps if isinstance(steps, list) else [steps])
            (nuts,) = (method for method in step.methods if isinstance(method, pm.NUTS))
        most = tune + int(2 * MOST * seconds)
        # the loop of pm.sample, which need not be told how many draws there will be
        drawing = pm.sampling._iter_sample(
            most, step, start, tune=tune, model=model, random_seed=SEED
        )
        try:
            figures = settled(drawing, tune, seconds)
        except Exception as error:  # a call can be timed all the same
            figures = {"failure": last_line(f"{type(error).__name__}: {error}")}
    function = nuts._logp_dlogp_func
    array = function.dict_to_array(model.test_point)
    return figures | {
        "parameters": [int(function.size), int(model.ndim - function.size)],
        "call": 1e6 * least(lambda: function(array), seconds / 3),
        "engine": engine_of(function._theano_function),
    }


def settled(drawing: Iterator[Any], tune: int, seconds: float) -> dict:
    """Draws in a second after tuning, and their leapfrog steps."""
    for _ in range(tune):
        next(drawing)
    before = tune + draw(drawing, seconds / 3)[0]
    count, took = draw(drawing, seconds)
    trace, _ = next(drawing)
    steps = float(trace.get_sampler_stats("tree_size")[before : before + count].mean())
    return {"draws": count / took, "steps": steps, "leapfrogs": steps * count / took}


def draw(drawing: Iterator[Any], seconds: float) -> tuple[int, float]:
    """Draw for some time; return how many draws there were, and the seconds that they took."""
    begun, took, count = time.perf_counter(), 0.0, 0
    while took < seconds:
        next(drawing)
        count += 1
        took = time.perf_counter() - begun
    return count, took


def least(call: Callable[[], object], seconds: float) -> float:
    """Seconds of a call: the least mean of blocks of calls."""
    times, means = 1, []
    until = time.perf_counter() + seconds
    while len(means) < 3 or time.perf_counter() < until:
        begun = time.perf_counter()
        for _ in range(times):
            call()
        took = time.perf_counter() - begun
        if took < BLOCK:
            times, means = 2 * times, []
        else:
            means.append(took / times)
    return min(means)


def engine_of(function: Any) -> str:
    """How a function runs and why, and what machine code leaves to NumPy; nothing in the original.

    It is a part of what `theano.printing.explain` says.
    """
    try:
        from theano._src.show.plan import plan_of
    except ImportError:
        return ""
    sentences, sections = plan_of(function.fn)
    facts = [fact for section in sections for fact in section.facts]
    left = [f"  on host {text}" for word, texts in facts if word == "on host" for text in texts]
    return "\n".join([*sentences, *left])


def last_line(text: str) -> str:
    return text.strip().splitlines()[-1]


def compare(chosen: argparse.Namespace) -> None:
    """Print a table with a row for each model, and below it what failed."""
    ours, original = places_of(PACKAGE, chosen)
    rows: list[dict[str, dict]] = []
    notes: list[str] = []
    print(HEADING, flush=True)
    for script in original.package.scripts:
        if chosen.only not in script.name:
            continue
        sides: dict[str, dict] = {}
        for side in SIDES:
            place = original if side == ORIGINAL else ours
            try:
                sides[side] = measure_apart(place, side, script.run, chosen)
            except RuntimeError as error:
                sides[side] = {"failure": last_line(str(error))}
            notes += [
                f"{script.name}, {side}: {sides[side][key]}"
                for key in ("failure", "engine")
                if sides[side].get(key) and (key == "failure" or chosen.explain)
            ]
        rows.append(sides)
        print(line(script.name, *cells(sides)), flush=True)
    print(line("median", *means(rows, statistics.median)))
    print(line("geometric mean", *means(rows, statistics.geometric_mean)))
    print("", *notes, sep="\n")


def measure_apart(place: Any, side: str, run: str, chosen: argparse.Namespace) -> dict:
    """Figures of the model of a program, on a side, from a process of its own."""
    _, program = run.split()
    words = [__file__, "--measure", program]
    words += ["--seconds", str(chosen.seconds), "--tune", str(chosen.tune)]
    with tempfile.TemporaryDirectory() as folder:
        if side == ORIGINAL:
            flags = f"base_compiledir={place.env / 'compiled'},{compiler_flags(place)}"
        else:
            # what a process of ours keeps on disk would decide for the next where calls run
            flags = f"base_compiledir={folder},native.enabled={side == HERE}"
        return apart(place, words, flags)


#: the heads of what has a column for each of our sides, of the ratio to the original
RATIOS = {"call": "ratio of a call", "draws": "of draws/s", "leapfrogs": "of leapfrog steps/s"}
#: the heads of what has a column for each side
FIGURES = {"call": "us a call", "draws": "draws/s"}


def line(*texts: str) -> str:
    return f"| {' | '.join(texts)} |"


HEADS = [
    "model",
    "parameters",
    *(f"{head}, {side}" for head in FIGURES.values() for side in SIDES),
    "steps",
    *(f"{head}, {side}" for head in RATIOS.values() for side in SIDES[:2]),
]
HEADING = f"{line(*HEADS)}\n{line(*['---'] * len(HEADS))}"


def cells(sides: dict[str, dict]) -> Iterator[str]:
    """The texts of a row after its name."""
    counts = next((side["parameters"] for side in sides.values() if "parameters" in side), [])
    yield " and ".join(str(count) for count in counts if count)
    for key in FIGURES:
        for side in SIDES:
            yield digits(sides[side][key]) if key in sides[side] else "failed"
    yield ", ".join(f"{sides[side].get('steps', math.nan):.1f}" for side in SIDES)
    for key, side in product(RATIOS, SIDES[:2]):
        yield "".join(f"{ratio:.2f}" for ratio in ratios([sides], key, side))


def digits(number: float) -> str:
    """Three digits, and all those before the point.

    >>> digits(1234.5), digits(12.345)
    ('1,234', '12.3')
    """
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def means(rows: list[dict[str, dict]], mean: Callable[[list[float]], float]) -> Iterator[str]:
    """The texts of a row of means of the ratios, over the models that ran on both sides."""
    yield from [""] * (len(HEADS) - 1 - 2 * len(RATIOS))
    for key, side in product(RATIOS, SIDES[:2]):
        values = ratios(rows, key, side)
        yield f"{mean(values):.2f}" if values else ""


def ratios(rows: list[dict[str, dict]], key: str, side: str) -> list[float]:
    """Ratios of a side to the original, of the models that have this figure on both."""
    both = [(sides[side], sides[ORIGINAL]) for sides in rows]
    return [one[key] / other[key] for one, other in both if key in one and key in other]


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--seconds", type=float, default=15.0, help="for which draws are counted")
    parser.add_argument("--tune", type=int, default=500, help="draws of tuning")
    parser.add_argument("--explain", action="store_true", help="how our sides run the function")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        print(json.dumps(measure(chosen.measure, chosen.tune, chosen.seconds)))
    elif can_run(chosen):
        compare(chosen)


if __name__ == "__main__":
    main()
