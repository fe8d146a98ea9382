"""Runs a program, and lowers each function that it calls.

It runs in a process of its own, for programs change flags, and is stopped after a while: what a
program calls, it calls at its beginning.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import runpy
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from theano._src.compile.function_object import Function
from theano._src.compile.planning.plan import _job_of, _values
from theano._src.engines.jax.devices import compiling_for
from theano._src.engines.jax.mesh_devices import lengths_of
from theano._src.engines.mesh.plan import mesh_of
from theano._src.engines.planning.dry_call import DryCall, dry_call
from theano._src.graph.graph import Variable
from theano._src.types.topology import topology
from tools.hardware.lists import CHIPS, ROOT, SEVERAL

#: seconds after which a program is stopped
LIMIT = 30.0

#: a function and what it was called with first: arrays by variable
Call = tuple[Function, dict[Variable, Any]]


class _Enough(BaseException):
    """The program has run for long enough; it is no Exception, which programs may catch."""


def _enough(*_: Any) -> None:
    raise _Enough


@contextlib.contextmanager
def recorded() -> Iterator[list[Call]]:
    """Keep each function that is made and called here, with copies of its first arguments.

    A call that raises is left out.
    """
    seen: list[Call] = []
    first_call = Function._first_call

    def kept(f: Function, *args: Any, **kwargs: Any) -> Any:
        given = _given(f, args, kwargs)
        results = first_call(f, *args, **kwargs)
        seen.append((f, given))
        return results

    Function._first_call = kept  # type: ignore[method-assign]
    try:
        yield seen
    finally:
        Function._first_call = first_call  # type: ignore[method-assign]


def _given(f: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[Variable, Any]:
    specs = f.maker.inputs
    explicit = [s for s in specs if not s.implicit]
    by_name = {s.name: s for s in specs}
    pairs = [*zip(explicit, args, strict=False)]
    pairs += [(by_name[k], value) for k, value in kwargs.items() if k in by_name]
    return {
        s.variable: np.array(value) if isinstance(value, np.ndarray) else value
        for s, value in pairs
    }


class Lowered(NamedTuple):
    """What a program calls, for chips on a mesh with these axes, or for one chip.

    ``failed`` has a line for each function that cannot be lowered.
    """

    topology: str
    axes: dict[str, int] | None
    calls: list[DryCall]
    failed: list[str]


def lowered(seen: list[Call], chip: str) -> Lowered:
    """The programs of each function on a chip."""
    result = Lowered(CHIPS[chip], None, [], [])
    there = topology(result.topology)
    for f, given in seen:
        if not hasattr(getattr(f, "fn", None), "job"):
            continue  # its mode names another engine
        job = _job_of(f)
        if mesh_of(job.fgraph, job.cells) is not None:
            continue  # for as many chips as there are in its mesh
        try:
            result.calls.append(_light(dry_call(job, there, _values(f, job, given))))
        except Exception as error:
            result.failed.append(f"{f}: {type(error).__name__}: {error}")
    return result


def _light(call: DryCall) -> DryCall:
    """A call that can be pickled: what the compiler takes, without the graph."""
    return call._replace(programs=[p._replace(nodes=[], held=[]) for p in call.programs])


def distributed(name: str, chip: str) -> Lowered:
    """A program of `tests/distributed` on a mesh of several chips."""
    from tests.distributed.programs import PROGRAMS
    from theano import config, distributed as dist

    config.floatX = "float32"
    there = topology(SEVERAL[chip])
    program, given = PROGRAMS[name]
    mesh = dist.mesh(given, there)
    f, _, data = program(mesh)
    call = _light(dry_call(_job_of(f), there, [np.asarray(d) for d in data]))
    with compiling_for(there):
        axes = lengths_of(mesh)
    return Lowered(there.name, axes, [call], [])


def run_gallery(name: str) -> None:
    path = ROOT / "examples" / f"{name}.py"
    sys.path.insert(0, str(path.parent))
    sys.argv = [str(path)]
    runpy.run_path(str(path), run_name="__main__")


def run_page(name: str) -> None:
    import doctest

    from tests.docs.test_examples import FLAGS, examples

    sys.path.insert(0, str(ROOT / "examples"))
    source = examples((ROOT / f"{name}.md").read_text(encoding="utf-8"))
    test = doctest.DocTestParser().get_doctest(source, {}, name, name, 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    # its functions may call functions of the page once more
    runner.run(test, out=lambda _: None, clear_globs=False)


RUNS: dict[str, Callable[[str], None]] = {"gallery": run_gallery, "page": run_page}


def write(out: str | Path, run: Callable[[], Any], seconds: float = LIMIT) -> None:
    """Run a program and write what its functions are on each chip."""
    with recorded() as seen, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = signal.signal(signal.SIGALRM, _enough)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            run()
        except (_Enough, SystemExit):
            pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    _save(out, {chip: lowered(seen, chip) for chip in CHIPS})


def _save(out: str | Path, found: dict[str, Lowered]) -> None:
    # as tuples: the modules of `tools` may have been unloaded for the program
    Path(out).write_bytes(pickle.dumps({chip: tuple(one) for chip, one in found.items()}))


def saved(out: Path) -> dict[str, Lowered]:
    """What a recorded program has written."""
    return {chip: Lowered(*one) for chip, one in pickle.loads(out.read_bytes()).items()}


def main(out: str, group: str, name: str) -> None:
    """Write what a program of this project calls on each chip."""
    if group == "distributed":
        _save(out, {chip: distributed(name, chip) for chip in CHIPS})
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # programs write files
        write(out, lambda: RUNS[group](name))
