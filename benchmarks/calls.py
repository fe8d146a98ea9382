"""What a call costs beside its work: small programs against the same written in plain NumPy.

Blocks of calls take turns, ours in both modes and NumPy's, so that a busy machine slows all; given
are the least and the median time of a call over the blocks, and the median ratio to NumPy's block
of the same turn. ``--pytensor PYTHON`` adds PyTensor's figures, measured by an interpreter that
has it (the environment's ``PYTENSOR_FLAGS=linker=cvm`` chooses its C backend); ``--quick`` measures
briefly; ``--assert`` fails where an aim is missed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

#: microseconds a call that a row aims at, by its name and form
AIMS = {("x + 1", "checked"): 2.5, ("x + 1", "trusted"): 1.5}

ten = np.linspace(0.1, 1.0, 10)
one = np.array(0.7)


def programs(tensor, compile, share) -> dict[str, tuple[Callable, tuple]]:
    """The programs in a symbolic language: functions, and the arguments they are called with."""
    x, y, s = tensor.dvector("x"), tensor.dvector("y"), tensor.dscalar("s")
    w = share(np.zeros(10))
    return {
        "x + 1": (compile([x], x + 1), (ten,)),
        "s + 1": (compile([s], s + 1), (one,)),
        "s * x": (compile([s, x], s * x), (one, ten)),
        "five ops": (compile([x, y], tensor.tanh(x * y + 1) / (2 + x * x)), (ten, ten)),
        "sum": (compile([x, y], (x - y).sum()), (ten, ten)),
        "w += x": (compile([x], [], updates=[(w, w + x)]), (ten,)),
    }


def by_hand() -> dict[str, Callable]:
    """The same in NumPy; numbers come out as arrays, as they do from compiled functions."""
    state = [np.zeros(10)]

    def add(x):
        state[0] = state[0] + x

    return {
        "x + 1": lambda x: x + 1.0,
        "s + 1": lambda s: np.asarray(s + 1.0),
        "s * x": lambda s, x: s * x,
        "five ops": lambda x, y: np.tanh(x * y + 1.0) / (2.0 + x * x),
        "sum": lambda x, y: np.asarray((x - y).sum()),
        "w += x": add,
    }


def block(call: Callable, args: tuple, times: int) -> float:
    """Microseconds a call, over a few."""
    turns = range(times)
    if len(args) == 1:
        (a,) = args
        started = time.perf_counter()
        for _ in turns:
            call(a)
    else:
        a, b = args
        started = time.perf_counter()
        for _ in turns:
            call(a, b)
    return (time.perf_counter() - started) / times * 1e6


def in_turns(calls: dict[str, tuple[Callable, tuple]], blocks: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in calls}
    for call, args in calls.values():
        block(call, args, 100)
    for _ in range(blocks):
        for name, (call, args) in calls.items():
            found[name].append(block(call, args, 300))
    return found


def measure(blocks: int, peer: dict[str, list[float]]) -> bool:
    import theano
    import theano.tensor as T

    def made(mode):
        return programs(T, lambda *a, **k: theano.function(*a, mode=mode, **k), theano.shared)

    forms = {"numpy": made(theano.Mode("numpy")), "default": made(None), "trusted": made(None)}
    for function, _ in forms["trusted"].values():
        function.trust_input = True
    hand = by_hand()
    heads = ("numpy", "default", "trusted", "NumPy", "ratio", "PyTensor", "trusted", "aims")
    print(f"{'us a call: least, median':26}" + "".join(f"{h:>13}" for h in heads))
    met = True
    for name in hand:
        calls = {form: found[name] for form, found in forms.items()}
        calls["NumPy"] = (hand[name], calls["numpy"][1])
        found = in_turns(calls, blocks)
        pairs = zip(found["default"], found["NumPy"], strict=True)
        ratio = statistics.median(a / b for a, b in pairs)
        aims = [AIMS.get((name, form)) for form in ("checked", "trusted")]
        least = [min(found["default"]), min(found["trusted"])]
        missed = any(aim and got > aim for aim, got in zip(aims, least, strict=True))
        met &= not missed
        cells = [text(found[form]) for form in calls] + [f"{ratio:.2f}"]
        cells += [text(peer.get(f"{name} {form}")) for form in ("checked", "trusted")]
        cells.append(f"{aims[0]} {aims[1]}{' missed' if missed else ''}" if any(aims) else "")
        print(f"{name:26}" + "".join(f"{cell:>13}" for cell in cells))
    return met


def text(times: list[float] | None) -> str:
    return f"{min(times):.2f} {statistics.median(times):.2f}" if times else ""


def measure_pytensor(blocks: int) -> None:
    """Print PyTensor's times as JSON; called in an interpreter that has it."""
    import pytensor
    import pytensor.tensor as pt

    calls = {}
    for form in ("checked", "trusted"):
        for name, (function, args) in programs(pt, pytensor.function, pytensor.shared).items():
            function.trust_input = form == "trusted"
            calls[f"{name} {form}"] = (function, args)
    print(json.dumps(in_turns(calls, blocks)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--assert", dest="check", action="store_true")
    parser.add_argument("--pytensor", metavar="PYTHON", help="an interpreter that has PyTensor")
    parser.add_argument("--as-pytensor", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    blocks = 20 if asked.quick else 300
    if asked.as_pytensor:
        measure_pytensor(blocks)
        return 0
    peer = {}
    if asked.pytensor:
        again = [asked.pytensor, __file__, "--as-pytensor", *["--quick"] * asked.quick]
        peer = json.loads(subprocess.run(again, capture_output=True, check=True).stdout)
    print(f"NumPy {np.__version__}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    met = measure(blocks, peer)
    return 0 if met or not asked.check else 1


if __name__ == "__main__":
    sys.exit(main())
