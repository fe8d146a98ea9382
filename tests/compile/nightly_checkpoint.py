"""`python -m tests.compile.nightly_checkpoint`: a process that saves is killed, 200 times.

After each kill every checkpoint that is seen must be whole, hold one step's values, and be no older
than the last one that the process had been told is on the disk.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

import theano
from theano import checkpoint
from theano._src.engines.mesh.checkpoint_reader import checkpoints_in, problem_of

ROOT = Path(__file__).parents[2]
SIZE = 200_000

SAVING = f"""
import sys, numpy as np, theano
from theano import checkpoint
w = theano.shared(np.zeros({SIZE}), "w")
count = theano.shared(0, "count")
k = checkpoint.latest(sys.argv[1])
k = -1 if k is None else k
print("ready", flush=True)
while True:
    k += 1
    w.set_value(np.full({SIZE}, float(k)))
    count.set_value(k)
    checkpoint.save(sys.argv[1], k, [w, count], wait=True)
    print(k, flush=True)
    assert "jax" not in sys.modules
"""


class Found(NamedTuple):
    """What is wrong, the last step, and how many kills came while a file was being written."""

    wrong: list
    steps: int
    unfinished: int


def kills(folder, n, seed):
    """Kill a process that does nothing but save, at random moments."""
    rng = random.Random(seed)
    w, count = theano.shared(np.zeros(SIZE), "w"), theano.shared(0, "count")
    environ = dict(os.environ, PYTHONPATH=str(ROOT), THEANO_FLAGS="")
    wrong, last, during = [], -1, 0
    for trial in range(n):
        command = [sys.executable, "-c", SAVING, str(folder)]
        with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            time.sleep(0.02 + 0.1 * rng.random())
            process.kill()
            told = [int(line) for line in process.stdout if line.endswith("\n")]
        during += any(Path(folder).glob("*/*.unfinished"))
        whole = [c for c in checkpoints_in(folder) if c.is_whole]
        for c in whole:
            said = problem_of(c)
            if said is not None:
                wrong.append(f"kill {trial}: {c.path} {said}")
            checkpoint.load(folder, [w, count], step=c.step)
            if set(w.get_value()) != {float(c.step)} or count.get_value() != c.step:
                wrong.append(f"kill {trial}: other values at step {c.step}")
        found = whole[-1].step if whole else -1
        if found < max([last, *told]):
            wrong.append(f"kill {trial}: the last is {found}, and {max([last, *told])} was written")
        last = found
        for left in Path(folder).glob("*/*.unfinished"):
            left.unlink()  # so that the next kill is counted by itself
    return Found(wrong, last, during)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        found = kills(folder, options.kills, options.seed)
    print(
        f"{options.kills} kills, {found.unfinished} of them within the writing of a file, "
        f"{found.steps + 1} checkpoints, {time.monotonic() - begin:.0f} s"
    )
    print("\n".join(found.wrong) or "nothing is wrong")
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
