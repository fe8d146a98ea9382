"""How right formulas are at extreme arguments: before and after rewriting, in JAX, in PyTensor.

``python -m tools.stability`` prints a table; ``--write`` puts it into docs/internals/stability.md.
The truth is the formula itself, worked out by mpmath with so many digits that 50 are right.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "internals" / "stability.md"
PEERS = ("jax", "pytensor")
PYTENSOR = "pytensor==3.0.7"


@dataclass(frozen=True)
class Case:
    """A formula of ``x`` as text, where to try it, and whether its gradient is meant.

    A case with ``rows`` is a function of each row of a matrix; its points are rows.
    """

    formula: str
    points: tuple[Any, ...]
    grad: bool = False
    rows: bool = False
    #: the same in Python on mpmath's numbers, where the text does not say it: rows
    truth: str = ""

    @property
    def name(self) -> str:
        return f"d/dx {self.formula}" if self.grad else self.formula


def _cases(*given: tuple[str, tuple[Any, ...]], grad: bool = False) -> list[Case]:
    return [Case(formula, points, grad) for formula, points in given]


XENT = "-(0.25 * log(sigmoid(x)) + 0.75 * log(1 - sigmoid(x)))"
XENT_WRITTEN = XENT.replace("sigmoid(x)", "1 / (1 + exp(-x))", 1).replace(
    "1 - sigmoid(x)", "1 - 1 / (1 + exp(-x))"
)
SOFT = "[exp(v) / sum_(exp(w) for w in x) for v in x]"
LOG_SOFT = "[log(exp(v) / sum_(exp(w) for w in x)) for v in x]"
TOTAL = "[log(sum_(exp(w) for w in x))]"
# their differences are floats: what softmax subtracts is not rounded
ROWS = ((1000.0, 1001.0, 990.0), (-1000.0, 0.0, -1001.0), (0.0, 0.0078125, -40.0))

# fmt: off
CASES: tuple[Case, ...] = (
    # named by the documents
    *_cases(
        ("log(1 + exp(x))",                    (-700.0, -40.0, 1.0, 40.0, 800.0)),
        ("1 / (1 + exp(-x))",                  (-700.0, -1.0, 40.0, 800.0)),
        ("log(1 - sigmoid(x))",                (-40.0, 1.0, 40.0, 800.0)),
        ("log(sigmoid(x))",                    (-800.0, -1.0, 40.0)),
        ("log(1 + x)",                         (-1e-20, 1e-20, 1e-9, 2.0)),
    ),
    Case("log(softmax(x))",                    ROWS, rows=True, truth=LOG_SOFT),
    Case("exp(x) / total(exp(x))",             ROWS, rows=True, truth=SOFT),
    Case("log(total(exp(x)))",                 ROWS, rows=True, truth=TOTAL),
    # of the same families
    *_cases(
        ("log(1 - x)",                         (-1e-20, 1e-20, 1e-9, 0.75)),
        ("log1p(exp(x))",                      (-700.0, 1.0, 800.0)),
        ("log1p(-sigmoid(x))",                 (-40.0, 40.0, 800.0)),
        ("exp(x) / (1 + exp(x))",              (-700.0, 1.0, 800.0)),
        ("1 - sigmoid(x)",                     (-40.0, 40.0, 700.0)),
        ("sigmoid(x) - 1",                     (40.0, 700.0)),
        ("2 * sigmoid(x) - 1",                 (1e-10, -1e-5, 3.0)),
        ("exp(x) - 1",                         (-1e-20, 1e-10, 1.0)),
        ("1 - exp(x)",                         (-1e-20, 1e-10, 1.0)),
        ("log(1 - exp(x))",                    (-1e-20, -1e-5, -1.0, -50.0)),
        ("log(exp(x) - 1)",                    (1e-20, 1.0, 50.0, 800.0)),
        ("log(exp(x) + exp(2 * x))",           (-800.0, 3.0, 800.0)),
        ("log(1 + exp(x) + exp(2 * x))",       (-40.0, 3.0, 800.0)),
        ("exp(x) / (exp(x) + exp(2 * x))",     (-800.0, 3.0, 600.0)),
        ("log(1 + exp(x)) - x",                (3.0, 40.0, 600.0)),
        ("exp(-log(1 + exp(-x)))",             (-700.0, 1.0, 40.0)),
        ("log(exp(-x**2 / 2) / 2.5)",          (1.0, 40.0, 1e5)),
        ("log(exp(x))",                        (-800.0, 800.0)),
        ("log(x**2)",                          (-1e-200, 3.0, 1e200)),
        ("log(sqrt(x))",                       (1e-300, 3.0)),
        ("sqrt(x**2)",                         (-1e-200, 3.0, 1e200)),
        ("sqrt(x**2 + (3 * x)**2)",            (-1e-200, 3.0, 1e200)),
        ("sqrt(1 + x) - 1",                    (1e-20, -1e-9, 3.0)),
        ("x / sqrt(x)",                        (1e-300, 1e300)),
        ("1 - cos(x)",                         (1e-10, 1e-3, 2.0)),
        ("(exp(x) - exp(-x)) / 2",             (1e-10, -1e-3, 3.0, 710.0)),
        ("(exp(x) + exp(-x)) / 2",             (1e-10, 3.0, 710.0)),
        ("(exp(x) - exp(-x)) / (exp(x) + exp(-x))", (1e-10, -1e-3, 3.0, 800.0)),
        ("(exp(2 * x) - 1) / (exp(2 * x) + 1)", (1e-10, -1e-3, 3.0, 800.0)),
        ("log(cosh(x))",                       (1e-8, 1e-3, 2.0, 800.0)),
        ("log((1 + x) / (1 - x))",             (1e-10, -1e-3, 0.9)),
        ("log(x + sqrt(x**2 + 1))",            (-1e5, 1e-10, 1e200)),
        ("1 - erf(x)",                         (1e-10, 1.0, 8.0)),
        ("1 + erf(x)",                         (-8.0, -1.0)),
        ("1 - erfc(x)",                        (1e-10, -1e-3)),
        ("log(erfc(x))",                       (-2.0, 1e-10, 30.0, 1e5)),
        ("log((1 + erf(x)) / 2)",              (-30.0, -1.0)),
        ("exp(-x**2) / erfc(x)",               (1.0, 30.0, 1e5)),
        (XENT,                                 (-800.0, -40.0, 1.0, 800.0)),
        (XENT_WRITTEN,                         (-800.0, -40.0, 1.0, 800.0)),
    ),
    Case("log(exp(x) / total(exp(x)))",        ROWS, rows=True, truth=LOG_SOFT),
    # gradients: what they are made of overflows where the function is tame
    *_cases(
        ("log(1 + exp(x))",                    (-700.0, 1.0, 800.0)),
        ("1 / (1 + exp(-x))",                  (-700.0, 1.0, 40.0, 600.0)),
        ("exp(x) / (1 + exp(x))",              (-700.0, 1.0, 40.0, 600.0)),
        ("log(1 - sigmoid(x))",                (-700.0, 1.0, 800.0)),
        ("log(1 - exp(x))",                    (-1e-10, -1.0, -600.0)),
        ("log(exp(x) - 1)",                    (1e-10, 1.0, 800.0)),
        ("log(exp(x) + exp(2 * x))",           (-40.0, 3.0, 800.0)),
        ("log(cosh(x))",                       (1e-10, 1.0, 800.0)),
        ("log(erfc(x))",                       (-3.0, 1.0, 30.0, 1e5)),
        (XENT,                                 (-800.0, 3.0, 800.0)),
        (XENT_WRITTEN,                         (-800.0, 3.0, 800.0)),
        grad=True,
    ),
    Case("log(total(exp(x)))",                 ROWS, True, True, truth=SOFT),
    Case("log(softmax(x))",                    ROWS, True, True,
         truth="[1 - len(x) * exp(v) / sum_(exp(w) for w in x) for v in x]"),
)
# fmt: on


def truth(case: Case, dtype: str) -> list[Any]:
    """The exact value at each point, as mpmath's numbers: 50 of their digits are right."""
    import mpmath as mp
    import numpy as np

    def value(formula: str, x: Any) -> Any:
        names = {n: getattr(mp, n) for n in ("exp", "log", "log1p", "sqrt", "cos", "cosh")}
        names |= {"erf": mp.erf, "erfc": mp.erfc, "sum_": mp.fsum, "len": len}
        names["sigmoid"] = lambda v: 1 / (1 + mp.exp(-v))
        return eval(formula, {"__builtins__": {}} | names | {"x": x})

    found = []
    # exp(-1600) beside 1 takes 700 digits
    with mp.workdps(900):
        for point in case.points:
            if case.rows:
                row = [mp.mpf(float(v)) for v in np.asarray(point, dtype)]
                found += [+v for v in value(case.truth, row)]
                continue
            x = mp.mpf(float(np.asarray(point, dtype)))
            if case.grad:
                found.append(mp.diff(lambda v: value(case.formula, v), x))
            else:
                found.append(value(case.formula, x))
    return found


def ulps(values: Sequence[float], exact: Sequence[Any], dtype: str) -> float:
    """The largest relative error, in units of the last place; infinite where there is no number."""
    import mpmath as mp
    import numpy as np

    kind, worst = np.finfo(dtype), 0.0
    for value, wanted in zip(values, exact, strict=True):
        if abs(wanted) < float(kind.tiny) or abs(wanted) > float(kind.max):
            # no float is near, or it has fewer digits: zero, or infinity
            limit = 0.0 if abs(wanted) < 1 else math.inf
            error = 0.0 if abs(value) <= float(kind.tiny) or abs(value) == limit else math.inf
        elif not math.isfinite(value):
            error = math.inf
        else:
            with mp.workdps(60):
                error = float(abs(mp.mpf(value) - wanted) / abs(wanted) / mp.mpf(float(kind.eps)))
        worst = max(worst, error)
    return worst


def _inputs(case: Case, dtype: str) -> Any:
    import numpy as np

    return np.asarray(case.points, dtype)


def ours(cases: Sequence[Case], dtype: str, mode: Any) -> list[Any]:
    """The values that a mode of Theano gives: one function of all formulas."""
    import theano
    import theano.tensor as T

    names = {n: getattr(T, n) for n in ("exp", "log", "log1p", "sqrt", "cos", "cosh")}
    names |= {"erf": T.erf, "erfc": T.erfc, "sigmoid": T.nnet.sigmoid, "softmax": T.nnet.softmax}
    names["total"] = lambda v: T.sum(v, axis=1, keepdims=True)
    ins, outs = [], []
    for case in cases:
        x = (T.matrix if case.rows else T.vector)("x", dtype=dtype)
        y = eval(case.formula, {"__builtins__": {}}, names | {"x": x})
        ins.append(x)
        outs.append(T.grad(y.sum(), x) if case.grad else y)
    f = theano.function(ins, outs, mode=mode)
    return [y.ravel().tolist() for y in f(*[_inputs(c, dtype) for c in cases])]


def jax_values(cases: Sequence[Case]) -> tuple[str, list[Any]]:
    """The version of JAX, and its values in float64."""
    import jax
    import jax.numpy as jnp
    from jax.scipy import special

    jax.config.update("jax_enable_x64", True)
    names = {n: getattr(jnp, n) for n in ("exp", "log", "log1p", "sqrt", "cos", "cosh")}
    names |= {"erf": special.erf, "erfc": special.erfc, "sigmoid": jax.nn.sigmoid}
    names |= {"softmax": jax.nn.softmax, "total": lambda v: jnp.sum(v, axis=1, keepdims=True)}
    made = []
    for case in cases:

        def value(x: Any, case: Case = case) -> Any:
            return eval(case.formula, {"__builtins__": {}}, names | {"x": x})

        f = jax.grad(lambda x, value=value: value(x).sum()) if case.grad else value
        made.append([float(v) for v in jax.jit(f)(_inputs(case, "float64")).ravel()])
    return jax.__version__, made


def pytensor_values(cases: Sequence[Case]) -> tuple[str, list[Any]]:
    """The version of PyTensor, and its values in float64."""
    import pytensor
    import pytensor.tensor as pt

    names = {n: getattr(pt, n) for n in ("exp", "log", "log1p", "sqrt", "cos", "cosh")}
    names |= {"erf": pt.erf, "erfc": pt.erfc, "sigmoid": pt.sigmoid}
    names["softmax"] = lambda v: pt.special.softmax(v, axis=1)
    names["total"] = lambda v: pt.sum(v, axis=1, keepdims=True)
    ins, outs = [], []
    for case in cases:
        x = (pt.dmatrix if case.rows else pt.dvector)("x")
        y = eval(case.formula, {"__builtins__": {}}, names | {"x": x})
        ins.append(x)
        outs.append(pytensor.grad(y.sum(), x) if case.grad else y)
    f = pytensor.function(ins, outs)
    made = f(*[_inputs(c, "float64") for c in cases])
    return pytensor.__version__, [[float(v) for v in y.ravel()] for y in made]


def peer(name: str, python: str) -> tuple[str, list[Any]]:
    """What a peer answers, run by the Python of its own environment."""
    command = [python, "-W", "ignore", "-m", "tools.stability", "--answer", name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} does not run under {python}:\n{done.stderr[-2000:]}")
    version, values = json.loads(done.stdout.splitlines()[-1])
    return version, values


def environment(folder: str) -> str:
    """The Python of a new environment in ``folder`` that has PyTensor."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = str(Path(folder) / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "-q", PYTENSOR], check=True)
    return python


def measured(cases: Sequence[Case], python: str | None = None) -> dict[str, list[float]]:
    """Errors in units of the last place, in float64, by column; peers if ``python`` runs one."""
    import theano

    exact = [truth(case, "float64") for case in cases]

    def errors(values: Sequence[Any]) -> list[float]:
        return [ulps(v, e, "float64") for v, e in zip(values, exact, strict=True)]

    found = {
        "as written": errors(ours(cases, "float64", theano.Mode("numpy", optimizer=None))),
        "NumPy": errors(ours(cases, "float64", theano.Mode("numpy"))),
        "XLA": errors(ours(cases, "float64", theano.Mode("xla"))),
    }
    if python is not None:
        for name, runs in (("JAX", sys.executable), ("PyTensor", python)):
            version, values = peer(name.lower(), runs)
            found[f"{name} {version}"] = errors(values)
    return found


def shown(error: float) -> str:
    """An error as the table has it: none, tenths, powers of ten, or no number at all."""
    if not math.isfinite(error):
        return "wrong"
    return f"{error:.1f}" if error < 100 else f"{error:.0e}".replace("e+0", "e").replace("e+", "e")


def table(cases: Sequence[Case], columns: Mapping[str, Sequence[float]]) -> str:
    """The errors as a table in Markdown."""
    lines = [f"| formula | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
    for i, case in enumerate(cases):
        cells = " | ".join(shown(errors[i]) for errors in columns.values())
        lines.append(f"| `{case.name}` | {cells} |")
    return "\n".join(lines) + "\n"


def write(text: str, page: Path = PAGE) -> None:
    """Put a table between the marks of the page."""
    begin, end = "<!-- table -->\n", "<!-- end of table -->"
    old = page.read_text()
    before, _, rest = old.partition(begin)
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    parser.add_argument("--alone", action="store_true", help="leave the peers out")
    parser.add_argument("--pytensor", help="the Python of an environment that has PyTensor")
    parser.add_argument("--answer", choices=PEERS, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.answer:
        answers: dict[str, Callable[..., Any]] = {"jax": jax_values, "pytensor": pytensor_values}
        print(json.dumps(answers[given.answer](CASES)))
        return
    with tempfile.TemporaryDirectory() as folder:
        python = None if given.alone else given.pytensor or environment(folder)
        made = table(CASES, measured(CASES, python))
    print(made)
    if given.write:
        write(made)


if __name__ == "__main__":
    main()
