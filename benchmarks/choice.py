"""What choosing the engine costs, and saves: sequences of calls, each in a process of its own.

Many sizes: 200 batch sizes of a perceptron's step and 200 lengths of a reduction, five calls each
in random order, beside bare ``jax.jit``. Memory: the peak after 1,000 shapes. Hindsight: sequences
in the default mode beside the better of NumPy alone and XLA alone, what they compile included;
some are written against the rule. First results: of the perceptron's step, beyond imports.

``--quick`` measures briefly; ``--only TEXT|TEXT`` picks rows; ``--rounds N`` takes the least of
N runs; ``--busy`` goes by the processor's time, on one thread, where others use the machine too;
``--assert`` fails on a row that misses its aim.
"""

import argparse
import json
import logging
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

RATE = np.float32(0.1)
MOST = 20.0  # seconds of a run of one engine; what takes longer is not worth waiting for

# programs: what to call with a size, and the arrays of that size


class Perceptron:
    """A training step of 784-500-10 in float32; the size is that of the batch."""

    @staticmethod
    def ours(mode):
        import theano
        import theano.tensor as T

        x, t = T.fmatrix("x"), T.lvector("t")
        W, b, V, c = params = [theano.shared(v) for v in Perceptron.state()]
        z = T.dot(T.tanh(T.dot(x, W) + b), V) + c
        z = z - z.max(axis=1, keepdims=True)
        logp = z - T.log(T.exp(z).sum(axis=1, keepdims=True))
        cost = -logp[T.arange(t.shape[0]), t].mean()
        grads = T.grad(cost, params)
        updates = [(p, p - RATE * g) for p, g in zip(params, grads, strict=True)]
        return theano.function([x, t], cost, updates=updates, mode=mode)

    @staticmethod
    def jax():
        import jax
        import jax.numpy as jnp

        def loss(params, x, t):
            W, b, V, c = params
            z = jnp.dot(jnp.tanh(jnp.dot(x, W) + b), V) + c
            z = z - z.max(axis=1, keepdims=True)
            logp = z - jnp.log(jnp.exp(z).sum(axis=1, keepdims=True))
            return -logp[jnp.arange(t.shape[0]), t].mean()

        def step(params, x, t):
            cost, grads = jax.value_and_grad(loss)(params, x, t)
            return cost, [p - RATE * g for p, g in zip(params, grads, strict=True)]

        jitted = jax.jit(step, donate_argnums=0)
        held = [[jnp.array(p) for p in Perceptron.state()]]

        def call(x, t):
            cost, held[0] = jitted(held[0], x, t)
            return np.array(cost)

        return call

    @staticmethod
    def state() -> list[np.ndarray]:
        random = np.random.default_rng(0)
        shapes = (784, 500), (500,), (500, 10), (10,)
        return [np.float32(0.05) * random.normal(size=s).astype("float32") for s in shapes]

    @staticmethod
    def arguments(n: int) -> list[np.ndarray]:
        random = np.random.default_rng(n)
        return [random.normal(size=(n, 784)).astype("float32"), random.integers(0, 10, n)]


class OfVector:
    """A function of one vector of float64; the size is its length."""

    def __init__(self, formula: Callable) -> None:
        self.formula = formula  # of the namespace and the vector

    def ours(self, mode):
        import theano
        import theano.tensor as T

        x = T.dvector("x")
        return theano.function([x], self.formula(T, x), mode=mode)

    def jax(self):
        import jax
        import jax.numpy as jnp

        jax.config.update("jax_enable_x64", True)
        jitted = jax.jit(lambda x: self.formula(jnp, x))
        return lambda x: np.array(jitted(x))

    def arguments(self, n: int) -> list[np.ndarray]:
        return [np.random.default_rng(n).normal(size=n)]


def polynomial(xp, x):
    """Light steps, which XLA does in one loop and NumPy one by one."""
    y = x
    for k in range(15):
        y = y * x + 1.0 / (k + 1)
    return y


PROGRAMS = {
    "perceptron": Perceptron,
    "reduction": OfVector(lambda xp, x: xp.log(xp.sum(xp.exp(x))) * x.max()),
    "x + 1": OfVector(lambda xp, x: x + 1),
    "expression": OfVector(lambda xp, x: xp.log(1 + xp.exp(-(x**2))) + xp.sin(x) * xp.tanh(x)),
    "polynomial": OfVector(polynomial),
    "sort": OfVector(lambda xp, x: xp.sort(x)),
    "sort between": OfVector(lambda xp, x: polynomial(xp, xp.sort(polynomial(xp, x)))),
    "outer": OfVector(lambda xp, x: xp.exp(-((x[:, None] - x[None, :]) ** 2)).sum(axis=0)),
    "gram": OfVector(lambda xp, x: xp.dot(x.reshape((-1, 100)).T, x.reshape((-1, 100)))),
}


# one run, in a process of its own: it prints what it found as JSON


def run(asked: dict) -> dict:
    """Call a program with sizes one after another; the clock runs within calls only."""
    program, engine = PROGRAMS[asked["program"]], asked["engine"]
    started = time.perf_counter()
    if engine == "jax":
        import jax
    else:
        import theano

        for name, value in asked.get("flags", {}).items():
            holder, _, last = name.rpartition(".")
            setattr(getattr(theano.config, holder), last, value)
        if asked.get("loaded"):
            import jax  # noqa: F401
    imported, imported_work = time.perf_counter(), time.process_time()
    if engine == "jax":
        f = program.jax()
    else:
        f = program.ours({"default": None}.get(engine, engine) and theano.Mode(engine))
    built, built_work = time.perf_counter(), time.process_time()
    if asked.get("used"):
        program.ours(theano.Mode("xla"))(*program.arguments(7))
    compiled = Compilations()
    largest = program.arguments(max(asked["sizes"]))
    arguments = {n: [a[:n] for a in largest] for n in dict.fromkeys(asked["sizes"])}
    walls, total, work, first, counts = [], 0.0, 0.0, 0, []
    for n in asked["sizes"]:
        count = 0
        while True:
            before, args = time.process_time(), arguments[n]
            start = time.perf_counter()
            f(*args)
            walls.append(time.perf_counter() - start)
            work += time.process_time() - before
            total += walls[-1]
            first = first or peak()
            count += 1
            if not asked.get("until_compiled") or compiled.number > len(counts) or count >= 20_000:
                break
            if total > MOST:
                break
        counts.append(count)
        if total > MOST and not asked.get("patient"):
            return {"late": True, "total": total, "work": work, "compiled": compiled.number}
    return {
        "imports": imported - started,
        "build": built - imported,
        "build work": built_work - imported_work,
        "total": total,
        "work": work,
        "longest": max(walls),
        "first": walls[0],
        "peaks": [first, peak()],
        "compiled": compiled.number,
        "calls": counts,
    }


def peak() -> int:
    """The most memory held so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


class Compilations(logging.Handler):
    """Counts the programs that the XLA engine compiles, by what it logs."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.number = 0
        log = logging.getLogger("theano.xla")
        log.setLevel(logging.INFO)
        log.propagate = False
        log.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.number += "compiling" in record.getMessage()


class Bench:
    """Runs and their aims."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self.asked, self.met = asked, True
        self.clock = "work" if asked.busy else "total"
        self.rounds = asked.rounds or (1 if asked.quick else 2)
        self.environment = os.environ | {"JAX_PLATFORMS": "cpu"}
        if asked.busy:
            self.environment |= {
                "OPENBLAS_NUM_THREADS": "1",
                "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
            }

    def once(self, **request) -> dict:
        request["flags"] = {"xla.disk_cache": False} | request.get("flags", {})
        request["sizes"] = list(map(int, request["sizes"]))
        again = [sys.executable, __file__, "--run"]
        environment = self.environment | request.pop("environment", {})
        found = subprocess.run(
            again, input=json.dumps(request), env=environment, capture_output=True, text=True
        )
        if found.returncode:
            raise RuntimeError(f"{request['program']} on {request['engine']}:\n{found.stderr}")
        return json.loads(found.stdout.splitlines()[-1])

    def least(self, **request) -> dict:
        """The run of a few that took least: what else the machine does only adds."""
        found = [self.once(**request) for _ in range(self.rounds)]
        while len(found) < 3 and found[-1]["total"] < 0.1:
            found.append(self.once(**request))
        return min(found, key=lambda r: r[self.clock])

    def wanted(self, name: str) -> bool:
        return any(text in name for text in self.asked.only.split("|"))

    def line(self, name: str, text: str, found: float, aim: float, unit: str = "") -> None:
        missed = found > aim
        self.met &= not missed
        print(f"{name:46}{text}  {found:.2f}{unit}, aim {aim:g}{unit}{' missed' * missed}")
        sys.stdout.flush()


def many_sizes(bench: Bench) -> None:
    """All sizes in random order beside bare JAX, which compiles each when it first comes."""
    number = 12 if bench.asked.quick else 200
    random = np.random.default_rng(1)
    for name, program, most in (
        ("batch sizes of the perceptron", "perceptron", 256),
        ("lengths of a reduction", "reduction", 20_000),
    ):
        if not bench.wanted(name):
            continue
        sizes = random.permutation(np.arange(1, most + 1))[:number]
        calls = random.permutation(np.repeat(sizes, 5))
        ours = bench.least(program=program, engine="default", sizes=calls, patient=True)
        bare = bench.once(program=program, engine="jax", sizes=calls, patient=True)
        one = [
            bench.once(program=program, engine="xla", sizes=sizes[:1], loaded=loaded)["first"]
            for loaded in (False, True)
        ]
        title = f"{number} {name}"
        text = f"ours {ours['total']:.2f} s, jax {bare['total']:.2f} s, ratio"
        bench.line(title, text, ours[bench.clock] / bare[bench.clock], 0.1)
        text = f"processor {ours['work']:.2f} s, {bare['work']:.2f} s; {ours['compiled']} compiled;"
        text += f" a compilation {one[1]:.2f} s; longest call over one with jax's import"
        bench.line("", text, ours["longest"] / one[0], 1.0)


def memory(bench: Bench) -> None:
    """The peak after many shapes, above that after the first.

    jax's own libraries are no part of it, so they are loaded and used before; the first batch is
    the largest.
    """
    if not bench.wanted("memory"):
        return
    number = 100 if bench.asked.quick else 1000
    for title, program, sizes in (
        ("batch sizes of the perceptron", "perceptron", range(number, 0, -1)),
        ("lengths of an expression", "expression", range(20_000 + number, 20_000, -1)),
    ):
        calls = np.repeat(np.array(sizes), 2)
        common = {"program": program, "engine": "default", "used": True, "patient": True}
        found = [bench.once(sizes=asked, **common) for asked in (calls[:2], calls)]
        first, last = (f["peaks"][-1] for f in found)
        text = f"{first} MB, then {last} MB ({found[1]['compiled']} compiled); above"
        bench.line(f"memory: {number} {title}", text, last - first, 100, " MB")


def sequences(quick: bool) -> dict[str, dict]:
    """Sequences of calls by name."""
    few = 4 if quick else 1
    random = np.random.default_rng(2)
    grown = np.unique(np.geomspace(10, 1_000_000, 40).astype(int))
    new = random.permutation(np.arange(100_000, 101_000))
    found = {}
    for title, n, times in (
        ("cheap", 10, (1, 10, 1_000, 100_000)),
        ("middling", 3_000, (1, 10, 1_000, 30_000)),
        ("dear", 100_000, (1, 10, 100, 1_000)),
    ):
        for count in times:
            program = "x + 1" if title == "cheap" else "expression"
            found[f"{title}, {count:,} times"] = {"program": program, "sizes": [n] * count}
    found |= {
        "two dear shapes in turn": {"program": "polynomial", "sizes": [100_000, 90_000] * 300},
        "six shapes in turn, room for four": {
            "program": "polynomial",
            "sizes": list(range(100_000, 100_006)) * 60,
            "flags": {"xla.max_keys": 4},
        },
        "ever new shapes": {"program": "polynomial", "sizes": new[: 120 // few]},
        "each new shape twice": {"program": "polynomial", "sizes": np.repeat(new[: 120 // few], 2)},
        "new shapes among one that repeats": {
            "program": "polynomial",
            "sizes": np.ravel([(n, 100_000) for n in new[: 60 // few] + 1000]),
        },
        "many small, then a burst of large": {
            "program": "polynomial",
            "sizes": [100] * 20_000 + [200_000] * 200,
        },
        "growing": {"program": "polynomial", "sizes": np.repeat(grown, 5)},
        "until compiled, then no more": {
            "program": "polynomial",
            "sizes": [100_000],
            "until_compiled": True,
        },
        "until compiled, four shapes one after another": {
            "program": "polynomial",
            "sizes": range(100_000, 100_004),
            "until_compiled": True,
        },
        "polynomial, 1,000 times": {"program": "polynomial", "sizes": [100_000] * 1_000},
        "sort, 300 times": {"program": "sort", "sizes": [50_000] * 300},
        "sort between light steps, 300 times": {"program": "sort between", "sizes": [50_000] * 300},
        "square of a short vector, 300 times": {"program": "outer", "sizes": [600] * 300},
        "product of matrices, 1,000 times": {"program": "gram", "sizes": [100_000] * 1_000},
        "reduction, 3,000 times": {"program": "reduction", "sizes": [20_000] * 3_000},
        "step of the perceptron, 300 times": {"program": "perceptron", "sizes": [60] * 300},
    }
    return found


def hindsight(bench: Bench) -> None:
    """Sequences in the default mode beside the better of both engines, in processes of their own.

    jax is loaded in all of them, except where the name says otherwise.
    """
    head = f"{'hindsight: seconds':46}{'ours':>8}{'numpy':>8}{'xla':>8}"
    other = "by the clock" if bench.asked.busy else "by processor"
    print(f"{head}  compiled  {other}")
    worst = []
    for name, asked in sequences(bench.asked.quick).items():
        for loaded in (True, False) if name == "dear, 1,000 times" else (True,):
            title = name + ("" if loaded else ", jax not loaded before")
            if not bench.wanted("hindsight: " + title):
                continue
            ours = bench.least(engine="default", loaded=loaded, **asked)
            if asked.get("until_compiled"):
                if ours.get("late"):
                    print(f"{title:46}nothing moved within {MOST:g} s: left out")
                    continue
                sizes = np.repeat(np.array(asked["sizes"]), ours["calls"])
                asked = {"program": asked["program"], "sizes": sizes}
            alone = [bench.least(engine=e, loaded=loaded, **asked) for e in ("numpy", "xla")]
            cells = "".join(_cell(found) for found in (ours, *alone))
            best = [found for found in alone if not found.get("late")]
            if not best:
                print(f"{title:46}{cells}  both longer than {MOST:g} s: left out")
                continue
            # what was given up has taken too long already, whatever was left of it
            enough = 2.2 * min(found["total"] for found in best)
            if ours.get("late") and ours["total"] < enough:
                print(f"{title:46}{cells}  given up too soon to tell")
                continue
            ratio, other = (
                ours[clock] / min(found[clock] for found in best)
                for clock in (bench.clock, "work" if bench.clock == "total" else "total")
            )
            text = f"{cells}{ours['compiled']:10}{other:14.2f}"
            worst.append(ratio)
            bench.line(title, text, ratio, 2.2)
    if worst:
        print(f"{'':46}worst {max(worst):.2f}, median {statistics.median(worst):.2f}")


def _cell(found: dict) -> str:
    return f"{'late' if found.get('late') else format(found['total'], '.4f'):>8}"


def first_results(bench: Bench) -> None:
    """From the end of imports to the first cost: building, compiling and calling."""
    if not bench.wanted("first result"):
        return
    rounds = 2 if bench.asked.quick else 5

    def seconds(**request) -> tuple[float, float, float]:
        found = [bench.once(program="perceptron", sizes=[60], **request) for _ in range(rounds)]
        build = "build work" if bench.asked.busy else "build"
        after = [r[build] + r[bench.clock] for r in found]
        return min(after), statistics.median(after), min(r["imports"] for r in found)

    ours, middle, imports = seconds(engine="default")
    text = f"least of {rounds}, median {middle:.2f}, import theano {imports:.2f};"
    bench.line("first result, interpreted", text, ours, 0.3, " s")
    cold, cold_middle, _ = seconds(engine="xla", loaded=True)
    bare, bare_middle, _ = seconds(engine="jax")
    text = f"{cold:.2f} s (median {cold_middle:.2f}), jax {bare:.2f} s ({bare_middle:.2f});"
    bench.line("first result, compiled", text, cold / bare, 1.3)
    with tempfile.TemporaryDirectory() as folder:
        given = {
            "engine": "xla",
            "loaded": True,
            "flags": {"xla.disk_cache": True},
            "environment": {"THEANO_FLAGS": f"base_compiledir={folder}"},
        }
        bench.once(program="perceptron", sizes=[60], **given)
        warm, warm_middle, _ = seconds(**given)
    text = f"{warm:.2f} s (median {warm_middle:.2f}), jax compiling {bare:.2f} s;"
    bench.line("first result, compiled before, from disk", text, warm / bare, 0.5)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--busy", action="store_true")
    parser.add_argument("--assert", dest="check", action="store_true")
    parser.add_argument("--run", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.run:
        print(json.dumps(run(json.load(sys.stdin))))
        return 0
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
    print(f"{versions}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start")
    bench = Bench(asked)
    for part in (first_results, many_sizes, memory, hindsight):
        part(bench)
    return 0 if bench.met or not asked.check else 1


if __name__ == "__main__":
    sys.exit(main())
