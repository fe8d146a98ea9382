"""Draws of MRG streams, as data: which are made, and how.

Run by the Python of Theano 1.0.5 this writes what it draws into ``mrg.npz``; its C code is meant,
as its Python code rounds float32 differently: ``THEANO_FLAGS=blas.ldflags= python ask_mrg.py``.
The tests make the same draws here.
"""

import hashlib
import json
import warnings
from pathlib import Path

import numpy as np

import theano
import theano.tensor as T
from theano.sandbox import rng_mrg

ANSWERS = Path(__file__).with_name("mrg.npz")

P3 = [[0.1, 0.6, 0.3], [0.25, 0.25, 0.5], [0.0, 1.0, 0.0], [0.9, 0.05, 0.05]]
P7 = [[0.05, 0.15, 0.3, 0.1, 0.2, 0.07, 0.13]] * 5


def case(name, *draws, seed=12345, calls=2, **more):
    """Draws from one stream object; all of them are outputs of one function unless told."""
    return {"name": name, "draws": list(draws), "seed": seed, "calls": calls, **more}


def u(size, **kwargs):
    return ["uniform", dict(kwargs, size=size)]


def n(size, **kwargs):
    return ["normal", dict(kwargs, size=size)]


def b(size, **kwargs):
    return ["binomial", dict(kwargs, size=size)]


SEEDS = (1, 2147462578, [1, 2, 3, 4, 5, 6], [2147483646, 0, 1, 0, 0, 2147462578])
DTYPES = ("float16", "float32", "float64")
SIZES = ((), (1,), (6,), (7,), (11,), (13,), (5, 7), (2, 3, 4), (1, 5))

CASES = [
    *(case(f"seed {s}", u([9]), u([3, 5], nstreams=4), n([5]), seed=s) for s in SEEDS),
    case("uniform, sizes", *(u(list(s)) for s in SIZES), calls=3),
    case("uniform, streams", *(u([4, 6], nstreams=k) for k in (1, 2, 5, 24, 100)), calls=3),
    case(
        "uniform, dtypes",
        *(u([50], dtype=d, nstreams=k) for d in DTYPES for k in (None, 7)),
        calls=3,
    ),
    case("floatX is float32", u([40]), b([40]), n([9]), floatX="float32"),
    case(
        "uniform, bounds",
        u([31], low=-2.0, high=3.5),
        u([4, 3], low=[1.0, 2.0, 5.0], high=9.0),
        u([31], low=-0.1, high=0.1, dtype="float32"),
    ),
    case(
        "uniform, sizes that are inputs",
        u({"vector": [3, 4]}, ndim=2),
        u({"vector": [0, 4]}, ndim=2),
        u({"scalars": [5, 2]}),
        u({"scalars": [2, 0]}, nstreams=3),
    ),
    case(
        "uniform, few streams", u([2500], nstreams=1), u([5003], nstreams=2), u([1024], nstreams=1)
    ),
    case("uniform, many", u([300, 320]), u([100, 930], dtype="float32")),
    case("binomial, sizes", *(b(list(s)) for s in SIZES), calls=3),
    case(
        "binomial, probabilities",
        b([40], p=0.1),
        b([4, 3], p=[0.9, 0.5, 0.05]),
        b([6], p=0.0),
        b([6], p=1.0),
        *(b([30], p=0.3, dtype=d) for d in ("int8", "float32", "bool")),
        b({"scalars": [3, 4]}, nstreams=5),
    ),
    *(
        case(
            f"multinomial, {d}",
            ["multinomial", {"pvals": P3, "as": d}],
            ["multinomial", {"pvals": P3 * 5, "as": d, "n": 3, "nstreams": 6}],
            ["multinomial", {"pvals": P7, "as": d, "n": 40, "dtype": "float32"}],
            ["multinomial", {"pvals": P3, "as": d, "dtype": "auto"}],
        )
        for d in ("float32", "float64")
    ),
    case("multinomial, no distribution", ["multinomial", {"pvals": [[-2.0, 2.0], [0.1, 0.1]]}]),
    *(
        case(
            f"choice, {d}",
            ["choice", {"p": P7, "as": d, "replace": False}],
            ["choice", {"p": P7 * 20, "as": d, "replace": False, "size": 3, "nstreams": 9}],
            ["choice", {"p": P7 * 20, "as": d, "replace": False, "size": 6, "dtype": "int32"}],
            ["multinomial_wo_replacement", {"pvals": P7, "as": d, "n": 2}],
        )
        for d in ("float32", "float64")
    ),
    case("normal, sizes", *(n(list(s)) for s in SIZES), n(5), n(6, nstreams=1), calls=3),
    case(
        "normal, means and deviations",
        n([3, 5], avg=-2.0, std=0.5),
        n([3, 5], avg=[1.0, 2.0, 3.0, 4.0, 5.0]),
        *(n([41], dtype=d, nstreams=5) for d in ("float32", "float64")),
    ),
    case(
        "normal, sizes that are inputs",
        n({"vector": [3, 3]}, ndim=2),
        n({"scalars": [7]}, nstreams=2),
    ),
    case(
        "normal, truncated",
        ["normal", {"size": [21], "truncate": True}],
        ["truncated_normal", {"size": [7, 15]}],
    ),
    *(
        case(
            f"truncated normal, {d}",
            ["truncated_normal", {"size": [60], "avg": 3.0, "std": 2.0, "dtype": d, "nstreams": 4}],
        )
        for d in ("float32", "float64")
    ),
    case(
        "two functions",
        u([8]),
        b([9]),
        n([3]),
        functions=[[0, 1], [1, 2]],
        order=[0, 1, 1, 0, 1, 0],
    ),
    case("seeded again", u([8]), n([3]), u([5], nstreams=2), reseed=[99, None]),
]


def build(case):
    """The stream object, inputs with their values, and samples."""
    rng = rng_mrg.MRG_RandomStreams(case["seed"])
    inputs, given, samples = [], [], []
    for method, kwargs in case["draws"]:
        kwargs = dict(kwargs)
        size, dtype = kwargs.get("size"), kwargs.pop("as", "float64")
        if isinstance(size, dict) and "vector" in size:
            kwargs["size"] = T.lvector()
            inputs.append(kwargs["size"])
            given.append(np.array(size["vector"]))
        elif isinstance(size, dict):
            kwargs["size"] = tuple(T.lscalar() for _ in size["scalars"])
            inputs += kwargs["size"]
            given += size["scalars"]
        elif isinstance(size, list):
            kwargs["size"] = tuple(size)
        for name in ("pvals", "p"):
            if isinstance(kwargs.get(name), list) and isinstance(kwargs[name][0], list):
                kwargs[name] = np.array(kwargs[name], dtype)
        for name in ("low", "high", "avg", "std", "p"):
            if isinstance(kwargs.get(name), list):
                kwargs[name] = np.array(kwargs[name])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            samples.append(getattr(rng, method)(**kwargs))
    return rng, inputs, given, samples


def kept(name, value):
    """An array by its name; of a large one, both ends and a digest of all its bytes."""
    value = np.ascontiguousarray(value) if np.ndim(value) else np.asarray(value)
    if value.size <= 2000:
        return {name: value}
    ends = np.concatenate([value.ravel()[:5], value.ravel()[-5:]])
    digest = np.frombuffer(hashlib.sha256(value.tobytes()).digest(), "uint8")
    return {name + ", ends": ends, name + ", sha256": digest}


def states(rng):
    """Some rows of each state, and the sum of all."""
    found = []
    for update in rng.state_updates:
        value = update[0].get_value()
        rows = [value[0], value[-1], value[len(value) // 2], value.sum(axis=0)]
        found.append(np.array(rows, "int64"))
    return np.array(found)


def draw(case, mode=None):
    """All arrays that a case gives, by name."""
    old = theano.config.floatX
    theano.config.floatX = case.get("floatX", "float64")
    try:
        rng, inputs, given, samples = build(case)
        picks = case.get("functions") or [range(len(samples))]
        functions = [
            theano.function(inputs, [samples[i] for i in pick], mode=mode, on_unused_input="ignore")
            for pick in picks
        ]
        found = {"first states": states(rng)}
        calls = [(i, "") for i in case.get("order") or [0] * case["calls"]]
        calls += [(0, seed) for seed in case.get("reseed", ())]
        for k, (i, seed) in enumerate(calls):
            if seed != "":
                rng.seed(seed)
            for j, value in zip(picks[i], functions[i](*given)):
                found.update(kept(f"call {k}, draw {j}", value))
        found["last states"] = states(rng)
        found["rstate"] = np.asarray(rng.rstate)
        return found
    finally:
        theano.config.floatX = old


if __name__ == "__main__":
    arrays = {}
    for one in CASES:
        for what, value in draw(one).items():
            arrays["{}: {}".format(one["name"], what)] = value
    arrays["cases"] = np.array(json.dumps(CASES))
    np.savez_compressed(str(ANSWERS), **arrays)
    print(len(CASES), "cases,", len(arrays), "arrays,", ANSWERS.stat().st_size, "bytes")
