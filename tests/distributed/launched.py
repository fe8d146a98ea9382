"""Programs in several processes, started and killed: what tests and `make nightly` share."""

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
END = re.compile(r"cost (\S+) sum (\S+)")
#: steps between two checkpoints of train.py
INTERVAL = 5


def environment():
    environ = dict(os.environ, PYTHONPATH=str(ROOT), THEANO_FLAGS="")
    environ.pop("XLA_FLAGS", None)
    return environ


def launched(folder, *program, n=2, options=(), devices=1):
    """A launcher with train.py, started."""
    command = [sys.executable, "-m", "theano.distributed", "-n", str(n), "--devices", str(devices)]
    command += [*options, str(HERE / "train.py"), str(folder), *map(str, program)]
    return subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def run(folder, *program, **options):
    """What a launched program prints."""
    with launched(folder, *program, **options) as process:
        text, _ = process.communicate(timeout=300)
    assert process.returncode == 0, text[-3000:]
    return text


def ends(text):
    """The costs and sums that processes print at the end."""
    return {tuple(map(float, found)) for found in END.findall(text)}


def children_of(pid):
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in found]


def random_kills(folder, kills, steps, seed, n=3):
    """Train while processes are killed, any of them at any time: what went wrong.

    The end is to be that of a run in one process that is left alone, and no kill is to cost more
    steps than there are between two checkpoints.
    """
    rng = random.Random(seed)
    wrong = []
    with tempfile.TemporaryDirectory() as quiet:
        (expected,) = ends(run(quiet, "steps", steps, n=1))
    done, left, begun, strike = -1, kills, 0, None
    text = []
    options = ["--restarts", str(kills)]
    with launched(folder, "split", "slowly", "steps", steps, n=n, options=options) as process:
        for line in process.stdout:
            text.append(line)
            step = re.search(r"did step (\d+)", line)
            begins = re.search(r"begins at step (\d+)", line)
            if step is not None:
                done = max(done, int(step[1]))
            elif begins is not None:
                begun += 1
                if done + 1 - int(begins[1]) > INTERVAL:
                    wrong.append(f"step {done} was done, and a process {line.strip()}")
                if begun % n == 0 and left:
                    # at a random step that it has not reached, or while it compiles
                    strike = int(begins[1]) + rng.randrange(0, steps // (kills + 1))
            if strike is not None and (step is None or int(step[1]) >= strike):
                if step is None and rng.random() < 0.8:
                    continue
                os.kill(rng.choice(children_of(process.pid)), signal.SIGKILL)
                strike, left = None, left - 1
    whole = "".join(text)
    if process.returncode != 0 or left:
        wrong.append(f"ended with {process.returncode}, {left} kills left: {whole[-2000:]}")
    elif not all(np.allclose(end, expected, rtol=1e-12, atol=0) for end in ends(whole)):
        wrong.append(f"ended with {ends(whole)}, not {expected}")
    return wrong
