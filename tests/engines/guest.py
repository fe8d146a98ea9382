"""A process of a user who has jax code of their own, and uses features of ours beside it.

``python -m tests.engines.guest FEATURE ...`` prints, as JSON, what each feature has changed of the
process; nothing else may be printed. The first word may be ``alone``: then the user has not used
jax before, and its settings are compared with those of a jax that was only imported.
"""

import gc
import json
import locale
import logging
import os
import pickle
import random
import signal
import sys
import tempfile
import threading
import warnings
from pathlib import Path

import numpy as np

N = 40


def snapshot():
    """All that a library could change for those who share the process with it."""
    import jax
    from jax._src import compilation_cache
    from threadpoolctl import threadpool_info

    loggers = {"": logging.getLogger()}
    loggers |= {
        name: logger
        for name, logger in logging.root.manager.loggerDict.items()
        if isinstance(logger, logging.Logger) and not name.startswith("theano")
    }
    found = {
        "jax.config": {name: repr(value) for name, value in jax.config.values.items()},
        "jax.config here": {n: repr(getattr(jax.config, n, None)) for n in jax.config.values},
        "jax's cache": repr([compilation_cache._cache, compilation_cache._cache_initialized]),
        "environ": dict(os.environ),
        "threads of": {lib["filepath"]: lib["num_threads"] for lib in threadpool_info()},
        "signals": {str(s): repr(signal.getsignal(s)) for s in signal.valid_signals()},
        "hooks": repr([sys.excepthook, sys.unraisablehook, threading.excepthook, sys.displayhook]),
        "streams": repr([id(sys.stdout), id(sys.stderr), sys.gettrace(), sys.getprofile()]),
        "limits": repr([sys.getrecursionlimit(), sys.getswitchinterval(), os.getcwd()]),
        "gc": repr([gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), gc.get_debug()]),
        "warnings": repr([warnings.filters, warnings.showwarning]),
        "loggers": {n: repr([x.level, x.handlers, x.disabled]) for n, x in loggers.items()},
        "numpy": repr([np.geterr(), np.get_printoptions(), np.geterrcall()]),
        "random": repr([str(np.random.get_state()), hash(random.getstate())]),
        "locale": repr(locale.setlocale(locale.LC_ALL)),
    }
    return found


def changes(before, after):
    """What is not as it was; loggers and libraries that are new are nobody's yet."""
    found = []
    for name, old in before.items():
        new = after[name]
        if not isinstance(old, dict):
            found += [] if old == new else [f"{name}: {old} is now {new}"]
            continue
        added = set() if name in ("loggers", "threads of") else set(new) - set(old)
        found += [f"{name}: {key} is new" for key in added]
        found += [
            f"{name}: {key} was {value}, is now {new.get(key)}"
            for key, value in old.items()
            if new.get(key) != value
        ]
    return found


def stepped(mode=None):
    """A step of gradient descent that takes longer to compile than what is not kept."""
    import theano
    import theano.tensor as T

    x = T.dmatrix("x")
    w = theano.shared(np.full((N, N), 0.01), "w")
    y = x
    for k in range(4):
        y = T.tanh(T.dot(y, w) * (k + 1.0)) + T.sort(x, axis=1)
    cost = T.sqr(y).mean()
    step = theano.function([x], cost, updates=[(w, w - 0.1 * T.grad(cost, w))], mode=mode)
    value = np.linspace(-1, 1, N * N).reshape(N, N)
    assert np.isfinite([float(step(value)) for _ in range(3)]).all()
    return step, value


def numpy():
    import theano

    stepped(theano.Mode("cvm"))
    stepped("FAST_COMPILE")


def xla():
    import theano

    stepped(theano.Mode("xla"))


def switched():
    """Calls that begin on NumPy and go on with XLA, compiled in a thread and in the call."""
    import theano
    import theano.tensor as T
    from theano._src.engines import costs
    from theano._src.engines.choice import background

    known = list(costs._known)
    kinds = costs.KINDS | {"tanh": costs.KINDS["tanh"]._replace(numpy=1e-4)}
    costs._known[:] = [costs.Rates(load=0.0, kinds=kinds)]
    x = T.dvector("x")
    try:
        for aside in (True, False):
            with theano.config.change_flags({"xla.background": aside, "deterministic": "more"}):
                f = theano.function([x], T.tanh(x))
                for _ in range(20):
                    f(np.ones(20_000))
                    background.finish()
                assert f.fn.xla is not None and f.fn.xla.compilations
    finally:
        costs._known[:] = known


def scan():
    import theano
    import theano.tensor as T

    x = T.dvector("x")
    out, _ = theano.scan(lambda s, v: T.tanh(s + v), sequences=x, outputs_info=T.zeros(()))
    for mode in (theano.Mode("xla"), theano.Mode("cvm")):
        theano.function([x], [out[-1], T.grad(out[-1], x)], mode=mode)(np.ones(9))


def streams():
    import theano
    from theano.sandbox.rng_mrg import MRG_RandomStreams
    from theano.tensor.shared_randomstreams import RandomStreams

    for kind in (MRG_RandomStreams, RandomStreams):
        draws = kind(7).normal((50, 3))
        theano.function([], draws, mode=theano.Mode("xla"))()


def as_jax():
    import jax

    import theano
    import theano.tensor as T

    x = T.fvector("x")
    f = theano.as_jax(T.tanh(x).sum() + T.dot(x, x), [x])
    value = np.ones(5, "float32")
    f(value), jax.jit(f)(value), jax.jit(jax.grad(f))(value)


def from_jax():
    import jax.numpy as jnp

    import theano
    import theano.tensor as T

    x = T.dvector("x")
    y = theano.from_jax(lambda x: jnp.tanh(x) * jnp.sort(x).cumsum() + jnp.fft.fft(x).real)(x)
    for mode in (theano.Mode("xla"), theano.Mode("cvm")):
        theano.function([x], [y, T.grad(y.sum(), x)], mode=mode)(np.arange(6.0))


def mesh():
    import theano
    import theano.tensor as T
    from theano import In, distributed

    rows = distributed.mesh({"data": 2})["data"]
    x = T.dmatrix("x")
    w = theano.shared(np.full((N, N), 0.01), "w", sharding=rows.mesh.replicated)
    cost = T.tanh(T.dot(T.tanh(T.dot(x, w)), w)).mean()
    step = theano.function([In(x, sharding=rows)], cost, updates=[(w, w - 0.1 * T.grad(cost, w))])
    for _ in range(3):
        step(np.ones((N, N)))
    with open(os.devnull, "w") as nowhere:
        theano.printing.explain(step, file=nowhere)


def export():
    import theano

    step, _ = stepped(theano.Mode("xla"))
    with tempfile.TemporaryDirectory() as folder:
        for suffix in ("py", "stablehlo", "mlir"):
            theano.export(step, Path(folder, f"step.{suffix}"), params=True, shapes={"x": (N, N)})


def files():
    import theano
    from theano import checkpoint

    step, value = stepped(theano.Mode("xla"))
    with tempfile.TemporaryDirectory() as folder:
        theano.save(Path(folder, "step.theano"), step)
        theano.load(Path(folder, "step.theano"))(value)
        checkpoint.save(Path(folder, "points"), 1, step.get_shared())
        checkpoint.load(Path(folder, "points"), step.get_shared())
    pickle.loads(pickle.dumps(step))(value)


def profiled():
    import theano

    x = theano.tensor.dmatrix("x")
    y = theano.tensor.tanh(theano.tensor.dot(x, x))
    profile = theano.compile.ProfileStats(atexit_print=False)
    f = theano.function([x], y, mode=theano.Mode("xla"), profile=profile)
    f(np.ones((N, N)))
    with open(os.devnull, "w") as nowhere:
        profile.summary(file=nowhere)


def debugged():
    import theano
    import theano.tensor as T

    x = T.dvector("x")
    for mode in ("DebugMode", theano.compile.NanGuardMode(True, True, True)):
        theano.function([x], T.tanh(x) * 2, mode=mode)(np.ones(3))


def failed():
    """Errors, of the caller's and of the graph's, leave things as they were too."""
    import theano
    import theano.tensor as T

    x, i = T.dvector("x"), T.lscalar("i")
    for mode in (theano.Mode("xla"), theano.Mode("cvm")):
        f = theano.function([x, i], T.tanh(x)[i], mode=mode)
        for wrong in ((np.ones(3), 7), (np.ones((3, 3)), 0)):
            try:
                f(*wrong)
            except (IndexError, TypeError):
                continue
            raise AssertionError("nothing was raised")


def folded():
    """XLA would work out what is constant while it compiles, and print that this takes long."""
    import theano
    import theano.tensor as T

    n = T.lscalar("n")
    y = T.cumsum(T.ones((n,)))[-1] + T.sort(T.arange(n)[::-1] * 1.5)[0]
    assert theano.function([n], y, mode=theano.Mode("xla"))(200_000) == 200_000


def two_processes():
    """Run by theano-launch: as one of several processes."""
    from theano import distributed

    distributed.initialize()
    before = snapshot()
    mesh()
    return changes(before, snapshot())


FEATURES = [
    numpy, xla, switched, scan, streams, as_jax, from_jax, mesh, export, files, profiled, debugged,
    failed, folded,
]  # fmt: skip


def users_own():
    """A function of the user's that takes long to compile: it is none of ours."""
    import jax
    import jax.numpy as jnp

    def own_function(x):
        for k in range(6):
            x = jnp.tanh(x @ x) * k + jnp.sort(x, axis=0)
        return x

    jax.jit(own_function)(np.ones((N, N), "float32")).block_until_ready()


def main(names):
    import jax

    if names == ["two_processes"]:
        found = {"two_processes": two_processes()}
    else:
        if names[0] == "alone":
            names = names[1:]
        else:
            users_own()
        before = snapshot()
        import theano

        found = {"import theano": changes(before, snapshot())}
        by_name = {feature.__name__: feature for feature in FEATURES}
        for name in names:
            before = snapshot()
            by_name[name]()
            found[name] = changes(before, snapshot())
        assert theano.config.compiledir and jax.devices()
        users_own()
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
