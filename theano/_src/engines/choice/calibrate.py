"""Measure the cost of work on this machine (`theano-cache calibrate`)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from theano._src.engines import costs
from theano._src.engines.jax.arrays.jax_xp import jax_xp, jit, x64
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.xp import numpy_xp

_LENGTH = 100_000


class _Sample(NamedTuple):
    """Work of one kind: a function of a vector of numbers between 0.1 and 1; its units."""

    run: Callable[[Any, Any], Any]
    units: float = _LENGTH


def _chain(step: Callable[[Any, Any], Any], times: int) -> Callable[[Any, Any], Any]:
    def run(xp: ArrayNamespace, x: Array) -> Any:
        for _ in range(times):
            x = step(xp, x)
        return x

    return run


def _repeated(step: Callable[[Any, Any], Any], times: int = 4) -> _Sample:
    return _Sample(_chain(step, times), times * _LENGTH)


def _square(x: Any) -> Any:
    return x[:90_000].reshape(300, 300)


_SORTED = _LENGTH * math.log2(_LENGTH)

# kinds that are not listed keep the rates that ship
_SAMPLES: dict[str, _Sample] = {
    "light": _repeated(lambda xp, x: x * x + 0.25, 8)._replace(units=16 * _LENGTH),
    "root": _repeated(lambda xp, x: xp.sqrt(x)),
    # the values of a chain must stay in their initial range
    "exp": _repeated(lambda xp, x: xp.exp(x) * 0.3),
    "log": _repeated(lambda xp, x: xp.log1p(x)),
    "sin": _repeated(lambda xp, x: xp.sin(x)),
    "arc": _repeated(lambda xp, x: xp.arctan(x)),
    "power": _repeated(lambda xp, x: xp.power(x, x)),
    "tanh": _repeated(lambda xp, x: xp.tanh(x)),
    "reduction": _Sample(lambda xp, x: xp.sum(x)),
    "search": _Sample(lambda xp, x: xp.argmax(x)),
    "cumulative": _Sample(lambda xp, x: xp.cumsum(x)),
    "sort": _Sample(lambda xp, x: xp.sort(x), _SORTED),
    "argsort": _Sample(lambda xp, x: xp.argsort(x), _SORTED),
    "gather": _Sample(lambda xp, x: x[xp.astype(x * 1e4, "int64")]),
    "product": _Sample(lambda xp, x: xp.dot(_square(x), _square(x)), 2 * 300**3),
}


def calibrate(keep: bool = True, xla: bool = True) -> costs.Rates:
    """Measure the rates of this machine, in some seconds.

    Parameters
    ----------
    keep : bool
        Whether to write them to ``rates.json`` under ``config.compiledir``: functions compiled
        from now on, in any process, use them.
    xla : bool
        Whether to measure XLA too, not only NumPy.

    Returns
    -------
    Rates

    >>> calibrate(keep=False, xla=False).numpy_call > 0
    True
    """
    tiny = np.ones(4)
    x = np.random.default_rng(0).uniform(0.1, 1.0, _LENGTH)
    slow = _seconds(lambda: np.power(x, 1.7)) / _LENGTH
    rates = costs.Rates(numpy_call=_seconds(lambda: np.add(tiny, tiny)), numpy_slow=max(slow, 1e-8))
    kinds = dict(rates.kinds)
    for name, sample in _SAMPLES.items():
        for dtype, form in (("float64", ""), ("float32", "_short")):
            data = x.astype(dtype)
            took = {f"numpy{form}": _on_numpy(sample, data) / sample.units}
            if xla:
                took[f"xla{form}"] = _on_xla(sample, data) / sample.units
            kinds[name] = kinds[name]._replace(**took)
    rates = replace(rates, kinds=kinds)
    if xla:
        call, into, out = _of_calls()
        rates = replace(rates, xla_call=call, xla_in=into, xla_out=out)
    if keep:
        costs.keep(rates)
    return rates


def _on_numpy(sample: _Sample, data: Any) -> float:
    return _seconds(lambda: sample.run(numpy_xp, data))


def _on_xla(sample: _Sample, data: Any) -> float:
    import jax

    with x64():
        run = jit(lambda x: sample.run(jax_xp, x))
        there = jax.numpy.array(data)
        run(there).block_until_ready()
        return _seconds(lambda: run(there).block_until_ready())


def _of_calls() -> tuple[float, float, float]:
    """Seconds per call of a compiled program, per byte that goes in, and per byte that comes out.

    On a device other than the host these decide.
    """
    import jax

    with x64():
        run = jit(lambda x: x + 1)
        tiny, large = np.ones(4), np.ones(1 << 20)
        there = jax.numpy.array(large)
        for x in (tiny, large, there):
            run(x).block_until_ready()
        call = min(_seconds(lambda: np.asarray(run(tiny))) for _ in range(10))
        inside = _seconds(lambda: run(there).block_until_ready())
        into = _seconds(lambda: run(large).block_until_ready())
        result = run(there).block_until_ready()
        # jax caches a transferred array with the result: only the copy is made every time
        out = _seconds(lambda: np.array(jax.device_get(result), copy=True))
    # on a busy machine the difference may be zero or negative: assume at most 1 TB/s
    return call, max(1e-12, (into - inside) / large.nbytes), out / large.nbytes


def _seconds(call: Callable[[], Any]) -> float:
    """The least of a few times: other load on the machine only adds."""
    best = math.inf
    for _ in range(5):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return max(best, 1e-9)
