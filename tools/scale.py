"""How a training step would scale: the cost model of docs/internals/scale.md for real functions.

    XLA_FLAGS=--xla_force_host_platform_device_count=8 python -m tools.scale [NAME ...]

compiles programs of tests/distributed/programs.py on a mesh of the devices that there are, reads
what a step sends, times the step on one device, and prints the share of a step that is computing
for more devices, each with as much to compute (weak scaling), by kinds of networks.
"""

import importlib.util
import sys
import time
from pathlib import Path

from theano import distributed as dist
from theano._src.engines.mesh.collectives import LINKS, collectives_in, efficiency, summed

ROOT = Path(__file__).resolve().parents[1]
DEVICES = (8, 512, 10_000)


def programs():
    """The programs of the tests, by name."""
    path = ROOT / "tests" / "distributed" / "programs.py"
    spec = importlib.util.spec_from_file_location("programs", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.PROGRAMS


def sent_by(f):
    """The collectives of a compiled function that has run on a mesh."""
    texts = (stage.texts(key)[1] for stage in f.fn.stages for key in stage.table)
    return [each for text in texts for each in collectives_in(text)]


def seconds_of_step(f, data):
    """The least of ten calls, when it has settled."""
    for _ in range(20):
        f(*data)
    best = float("inf")
    for _ in range(10):
        start = time.perf_counter()
        f(*data)
        best = min(best, time.perf_counter() - start)
    return best


def table(f, seconds):
    """Lines: for each network the share of computing, by devices."""
    found = sent_by(f)
    sent = "; ".join(f"{n} {kind}, {total:,} B" for kind, (n, total) in summed(found).items())
    lines = [f"sends {sent or 'nothing'}; a step on one device takes {seconds * 1e3:.3g} ms"]
    for link in LINKS:
        shares = (f"{efficiency(found, seconds, n, link):.0%}" for n in DEVICES)
        lines.append(f"  {link.name:18} " + " / ".join(shares))
    return lines


def main():
    chosen = sys.argv[1:]
    print(f"share of computing at {' / '.join(f'{n:,}' for n in DEVICES)} devices")
    for name, (make, axes) in programs().items():
        if chosen and name not in chosen:
            continue
        alone, _, data = make(None)
        spread, _, _ = make(dist.mesh(axes))
        spread(*data)
        print("\n".join([name, *table(spread, seconds_of_step(alone, data))]), flush=True)


if __name__ == "__main__":
    main()
