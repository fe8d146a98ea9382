"""Sparse Jacobians and Hessians beside CasADi, and beside dense ones of JAX where these fit.

    python benchmarks/sparse_derivatives.py [--only TEXT] [--casadi PYTHON] [--seconds 2] [--assert]

- banded: a Jacobian of three diagonals, and the Hessian of a sum over neighbours (Rosenbrock)
- Laplace: the Jacobian of a discretized equation on 300 x 300 points, Bratu's
- chain of masses: the Hessian of the energy of a hanging chain in the plane
- control: the Jacobian of the constraints of an optimal control problem (van der Pol's oscillator,
  Runge-Kutta steps between all points)

*matrix* is a function for all lengths, which looks its pattern up at each call; *fixed* has the
pattern of this length as a constant; both return a SciPy matrix, as a call of CasADi's function
returns one of its own. *values* are the stored elements of *fixed* alone, as solvers take them, and
CasADi's through its buffers, without a copy. CasADi runs SX graphs in the interpreter `--casadi`.
Milliseconds a call are the best of many, all sides in turns, and those of the CPU (`--wall` for
those of the clock): a busy machine adds the turns of others.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import theano
import theano.sparse
import theano.tensor as T
from theano import gradient

AIM = 0.5


@dataclass(frozen=True)
class Problem:
    """A function of a vector in three languages; ``hessian`` of a cost, else a Jacobian."""

    name: str
    size: int
    function: Callable[[Any, Any], Any]
    hessian: bool = False
    dense: bool = False


# `m` is a namespace with tanh, exp, sqrt, sum and concatenate


def banded(m: Any, x: Any) -> Any:
    return m.tanh(x[2:] - 2 * x[1:-1] + x[:-2]) * x[1:-1]


def rosenbrock(m: Any, x: Any) -> Any:
    return m.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def laplace(side: int) -> Callable[[Any, Any], Any]:
    def equation(m: Any, x: Any) -> Any:
        """Bratu's equation inside, zero on the boundary: rows of the grid one after another."""
        u = m.grid(x, side)
        inner = u[1:-1, 1:-1]
        neighbours = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
        return m.flat(4 * inner - neighbours - m.exp(inner) / side**2)

    return equation


def chain(m: Any, x: Any) -> Any:
    """Springs between masses, which hang between two points."""
    n = x.shape[0] // 2
    x, y = x[:n], x[n:]
    dx, dy = x[1:] - x[:-1], y[1:] - y[:-1]
    length = m.sqrt(dx**2 + dy**2 + 1e-3)
    return m.sum(50 * (length - 0.01) ** 2) + m.sum(0.1 * y)


def control(m: Any, w: Any) -> Any:
    """Van der Pol's oscillator: the state after a step less the state that the problem has."""
    n = (w.shape[0] - 2) // 3
    p, v, u = w[: n + 1], w[n + 1 : 2 * n + 2], w[2 * n + 2 :]
    h = 10.0 / 500

    def rate(p: Any, v: Any) -> Any:
        return (1 - v * v) * p - v + u, p

    a, b = p[:-1], v[:-1]
    k1, l1 = rate(a, b)
    k2, l2 = rate(a + h / 2 * k1, b + h / 2 * l1)
    k3, l3 = rate(a + h / 2 * k2, b + h / 2 * l2)
    k4, l4 = rate(a + h * k3, b + h * l3)
    at_p = a + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4) - p[1:]
    at_v = b + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4) - v[1:]
    return m.concatenate([at_p, at_v])


PROBLEMS = [
    Problem("banded Jacobian 2,000", 2000, banded, dense=True),
    Problem("banded Jacobian 100,000", 100_000, banded),
    Problem("banded Hessian 2,000", 2000, rosenbrock, hessian=True, dense=True),
    Problem("banded Hessian 100,000", 100_000, rosenbrock, hessian=True),
    Problem("Laplace 300 x 300", 90_000, laplace(300)),
    Problem("chain of 1,000 masses", 2000, chain, hessian=True, dense=True),
    Problem("chain of 20,000 masses", 40_000, chain, hessian=True),
    Problem("control, 500 steps", 1502, control, dense=True),
    Problem("control, 10,000 steps", 30_002, control),
]

#: what a process with CasADi runs: its problem is an index of PROBLEMS
CASADI = """
import sys, time, importlib.util, types
for name in ("theano", "theano.tensor", "theano.sparse"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["theano"].gradient = None
sys.modules["theano"].tensor = sys.modules["theano.tensor"]
import casadi as ca, numpy as np
spec = importlib.util.spec_from_file_location("problems", sys.argv[1])
problems = sys.modules["problems"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(problems)
problem = problems.PROBLEMS[int(sys.argv[2])]
clock = time.perf_counter if sys.argv[3] == "wall" else time.process_time

class M:
    tanh, exp, sqrt, sum = ca.tanh, ca.exp, ca.sqrt, ca.sum1
    concatenate = staticmethod(lambda parts: ca.vertcat(*parts))
    grid = staticmethod(lambda x, n: ca.reshape(x, n, n).T)
    flat = staticmethod(lambda u: ca.vec(u.T))

start = clock()
x = ca.SX.sym("x", problem.size)
y = problem.function(M, x)
matrix = ca.hessian(y, x)[0] if problem.hessian else ca.jacobian(y, x)
function = ca.Function("f", [x], [matrix])
value = problems.point(problem)
result = np.empty(matrix.nnz())
buffer, call = function.buffer()
buffer.set_arg(0, memoryview(value))
buffer.set_res(0, memoryview(result))
call()
print(clock() - start, matrix.nnz(), float(abs(result).sum()), flush=True)
for line in sys.stdin:
    count, kind = line.split()
    f = call if kind == "buffers" else lambda: function(value)
    best = 1e9
    for _ in range(int(count)):
        begin = clock()
        f()
        best = min(best, clock() - begin)
    print(best, flush=True)
"""


def point(problem: Problem) -> Any:
    return np.random.RandomState(0).uniform(0.1, 1.0, problem.size)


class M:
    """The problems in our language."""

    tanh, exp, sqrt, sum, concatenate, flat = (
        getattr(T, name, None) for name in ("tanh", "exp", "sqrt", "sum", "concatenate", "flatten")
    )

    @staticmethod
    def grid(x: Any, n: int) -> Any:
        return x.reshape((n, n))


class Casadi:
    """A process with CasADi that has one problem."""

    def __init__(self, python: str, index: int, clock: str) -> None:
        self._process = subprocess.Popen(
            [python, "-c", CASADI, __file__, str(index), clock],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.first, self.stored, self.total = map(float, self._line().split())

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def best(self, kind: str) -> Callable[[int], float]:
        def best(calls: int) -> float:
            print(calls, kind, file=self._process.stdin, flush=True)
            return float(self._line())

        return best

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def best_of(call: Callable[[], Any], clock: Callable[[], float]) -> Callable[[int], float]:
    def best(calls: int) -> float:
        least = 1e9
        for _ in range(calls):
            begin = clock()
            call()
            least = min(least, clock() - begin)
        return least

    return best


def jax_dense(problem: Problem) -> Callable[[], Any]:
    import jax
    import jax.numpy as jnp

    class Namespace:
        tanh, exp, sqrt, sum, concatenate = jnp.tanh, jnp.exp, jnp.sqrt, jnp.sum, jnp.concatenate

    kind = jax.hessian if problem.hessian else jax.jacfwd
    with jax.enable_x64(True):
        compiled = jax.jit(kind(lambda x: problem.function(Namespace, x)))
        value = jnp.asarray(point(problem))
        compiled(value).block_until_ready()

    def call() -> None:
        with jax.enable_x64(True):
            compiled(value).block_until_ready()

    return call


def matrices(problem: Problem, clock: Callable[[], float]) -> tuple[Any, dict[str, Any], float]:
    """The input, what is computed of it, and the seconds that patterns and graphs take."""
    begin = clock()
    x = T.dvector("x")
    y = problem.function(M, x)
    pattern = gradient.sparsity(T.grad(y, x) if problem.hessian else y, x, problem.size)
    kind = gradient.sparse_hessian if problem.hessian else gradient.sparse_jacobian
    fixed = kind(y, x, pattern)
    outputs = {"matrix": kind(y, x), "fixed": fixed, "values": theano.sparse.csm_data(fixed)}
    return x, outputs, clock() - begin


def run(problem: Problem, args: argparse.Namespace) -> bool:
    """Print the row of a problem; whether it is within its aims."""
    clock = time.perf_counter if args.wall else time.process_time
    value = point(problem)
    x, outputs, seconds = matrices(problem, clock)
    calls: dict[str, list[tuple[str, Callable[[int], float]]]] = {}
    total = 0.0
    for name, output in outputs.items():
        for engine in args.engines.split(","):
            f = theano.function([x], output, mode=theano.Mode(engine))
            result = f(value)
            total = abs(getattr(result, "data", result)).sum() if name == "fixed" else total
            calls.setdefault(name, []).append((engine, best_of(lambda f=f: f(value), clock)))
    if args.casadi:
        other = Casadi(args.casadi, PROBLEMS.index(problem), "wall" if args.wall else "cpu")
        calls["CasADi"] = [("", other.best("call"))]
        calls["CasADi values"] = [("", other.best("buffers"))]
        assert np.isclose(total, other.total), f"{total} here, {other.total} in CasADi"
    if problem.dense and args.jax:
        calls["JAX dense"] = [("", best_of(jax_dense(problem), clock))]
    least = {name: dict.fromkeys((e for e, _ in sides), 1e9) for name, sides in calls.items()}
    end = time.monotonic() + args.seconds * sum(map(len, calls.values()))
    while time.monotonic() < end:
        for name, sides in calls.items():
            for engine, best in sides:
                least[name][engine] = min(least[name][engine], best(3))
    print(f"{problem.name}: graphs and pattern {seconds:.2f} s", end="")
    if args.casadi:
        other.stop()
        print(f", CasADi ready in {other.first:.2f} s, {other.stored:,.0f} stored", end="")
    print("\n  ms a call:")
    for name, times in least.items():
        print(f"    {name:14}", "  ".join(f"{t * 1e3:9.3f} {e}" for e, t in times.items()))
    if not args.casadi:
        return True
    ratios = [
        min(least[ours].values()) / least[theirs][""]
        for ours, theirs in (("matrix", "CasADi"), ("fixed", "CasADi"), ("values", "CasADi values"))
    ]
    print("    ratios: matrix {:.2f}, fixed {:.2f}, values {:.2f}".format(*ratios), flush=True)
    return min(ratios) <= AIM


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="problems whose name has this text")
    parser.add_argument("--casadi", help="a Python interpreter with casadi and numpy")
    parser.add_argument("--engines", default="numpy,native,xla")
    parser.add_argument("--no-jax", dest="jax", action="store_false")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each side")
    parser.add_argument("--wall", action="store_true", help="time of the clock, not of the CPU")
    parser.add_argument("--assert", dest="check", action="store_true", help="fail beyond an aim")
    args = parser.parse_args()
    within = [run(p, args) for p in PROBLEMS if args.only in p.name]
    return int(args.check and not all(within))


if __name__ == "__main__":
    sys.exit(main())
