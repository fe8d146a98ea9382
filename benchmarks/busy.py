"""The default mode while other processes use the processors too, beside both engines by force.

For each program and for 0, 2 and 4 busy processes beside it, a process of its own calls the program
in the default mode for ten seconds. Then the default mode and both engines by force take turns: the
first ratio is the default mode's median call over the better engine's. The second is what the first
ten seconds took, over what their calls take on the better engine by its mean; on XLA with its
compilation, and the loading of jax as a process beside takes it. Last is the longest call of these
ten seconds, and 5 times the median call plus 50 ms.

``--only TEXT|TEXT`` picks programs; ``--busy N,N`` numbers of processes; ``--seconds N`` the length
of the first part; ``--assert`` fails on a row that misses an aim.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = (
    "mlp", "lenet", "logistic", "rnn",
    "polynomial", "transcendental", "logsoftmax", "matmul", "sort",
)  # fmt: skip
STEP_AIM, TOTAL_AIM = 1.25, 2.2
TURNS, TURN = 8, 0.25


def measure(name: str, seconds: float) -> dict[str, float]:
    """What one program takes, in this process."""
    sys.path.insert(0, str(HERE / "peers"))
    import in_theano
    from tasks import BY_NAME

    import theano

    theano.config.xla.disk_cache = False
    task = BY_NAME[name]
    state, (args,) = task.data(quick=False)

    def make(linker: str | None):
        if linker is None:
            return getattr(in_theano, task.program)(*state)
        with theano.config.change_flags(linker=linker):
            return getattr(in_theano, task.program)(*state)

    f = make(None)
    took, start = [], time.perf_counter()
    while time.perf_counter() - start < seconds:
        before = time.perf_counter()
        f(*args)
        took.append(time.perf_counter() - before)
    whole = time.perf_counter() - start
    forced = {linker: make(linker) for linker in ("numpy", "xla")}
    compiling = time.perf_counter()
    forced["xla"](*args)
    compiling = time.perf_counter() - compiling
    times: dict[str, list[float]] = {"default": [], "numpy": [], "xla": []}
    for _ in range(TURNS):
        for who, g in {"default": f, **forced}.items():
            end = time.perf_counter() + TURN
            while True:
                before = time.perf_counter()
                g(*args)
                now = time.perf_counter()
                times[who].append(now - before)
                if now > end:
                    break
    found = {who: statistics.median(times[who]) for who in times}
    # means: other processes take their share of a second, which the median of short calls hides
    mean = {who: statistics.fmean(times[who]) for who in forced}
    on_xla = len(took) * mean["xla"] + compiling + _loading()
    found["step"] = found["default"] / min(found["numpy"], found["xla"])
    found["total"] = whole / min(len(took) * mean["numpy"], on_xla)
    found["longest"] = max(took)
    found["bound"] = 5 * statistics.median(took) + 0.05
    found["engine"] = in_theano.engine(f)
    return found


def _loading() -> float:
    """Seconds to load jax, which the first program waits for, beside what else runs here."""
    script = "import time; t = time.perf_counter(); import jax; jax.numpy.zeros(1)\n"
    script += "print(time.perf_counter() - t)"
    return float(subprocess.check_output([sys.executable, "-c", script]))


def beside(name: str, busy: int, seconds: float) -> dict[str, float]:
    """The same in a process of its own, with so many others that only count."""
    limit = seconds + 120
    spin = f"import time; end = time.time() + {limit}\nwhile time.time() < end: pass"
    others = [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(busy)]
    try:
        ran = subprocess.run(
            [sys.executable, __file__, "--worker", name, "--seconds", str(seconds)],
            env=os.environ,
            capture_output=True,
            text=True,
            timeout=limit,
        )
    finally:
        for other in others:
            other.kill()
            other.wait()
    if ran.returncode:
        raise RuntimeError(ran.stderr)
    return json.loads(ran.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--worker")
    parser.add_argument("--only", default="")
    parser.add_argument("--busy", default="0,2,4")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--assert", action="store_true", dest="strict")
    chosen = parser.parse_args()
    if chosen.worker:
        print(json.dumps(measure(chosen.worker, chosen.seconds)))
        return
    names = [n for n in PROGRAMS if not chosen.only or n in chosen.only.split("|")]
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before")
    print(
        f"{'program':15}{'busy':>5}{'default':>9}{'numpy':>9}{'xla':>9}"
        f"{'step':>7}{'total':>7}{'longest':>9}{'bound':>8}  engine"
    )
    missed = []
    for name in names:
        for busy in map(int, chosen.busy.split(",")):
            row = beside(name, busy, chosen.seconds)
            ms = [f"{row[who] * 1e3:9.3g}" for who in ("default", "numpy", "xla")]
            print(
                f"{name:15}{busy:5}{''.join(ms)}{row['step']:7.2f}{row['total']:7.2f}"
                f"{row['longest'] * 1e3:9.0f}{row['bound'] * 1e3:8.0f}  {row['engine']}",
                flush=True,
            )
            if row["step"] > STEP_AIM or row["total"] > TOTAL_AIM:
                missed.append((name, busy))
    if missed:
        print("aims missed:", *(f"{name} with {busy} busy" for name, busy in missed))
        if chosen.strict:
            raise SystemExit(1)


if __name__ == "__main__":
    main()
