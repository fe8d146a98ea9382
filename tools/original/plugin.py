"""The pytest plugin of the processes that run the tests: collection, time limit, records.

What it needs to know comes by environment variables, see `running.start`; what it finds out goes,
a line of JSON a test, into the file that `ORIGINAL_RECORD` names.
"""

import functools
import importlib
import inspect
import json
import os
import random
import signal
import sys
import time
import traceback
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import numpy as np
import pytest

from tools.original import loading, outdated, private

SUITE = Path(os.environ["ORIGINAL_SUITE"])
ON_ORACLE = bool(os.environ["ORIGINAL_ON_ORACLE"])
RECORD = Path(os.environ["ORIGINAL_RECORD"])
LIMIT = float(os.environ["ORIGINAL_LIMIT"])
SEED = 666
BEGAN = pytest.StashKey[float]()

outdated.restore()
loading.install(
    SUITE,
    package=Path(os.environ["ORIGINAL_PACKAGE"]),
    plain=ON_ORACLE,
    soften=bool(os.environ.get("ORIGINAL_SOFTEN")),
)
import theano  # noqa: E402

if not ON_ORACLE:
    private.supply()
    # Theano makes it when it is imported, and tests write there
    Path(theano.config.compiledir).mkdir(parents=True, exist_ok=True)


class TimeLimit(BaseException):
    """A test took too long; not an Exception, so that a test does not catch it."""


def record(**facts: Any) -> None:
    with RECORD.open("a", encoding="utf-8") as file:
        file.write(json.dumps(facts) + "\n")


# Collection


class OriginalModule(pytest.Module):
    """A test file, imported under the name that it has in Theano."""

    def _getobj(self) -> ModuleType:
        name = ".".join(self.path.relative_to(SUITE).with_suffix("").parts)
        import_parents(name)
        try:
            module = importlib.import_module(name)
        except unittest.SkipTest as skip:
            raise pytest.skip.Exception(str(skip), allow_module_level=True) from skip
        adapt(module)
        return module


def import_parents(name: str) -> None:
    """Import the packages above a test module; one that ours lacks is an empty stand-in."""
    parts = name.split(".")
    for depth in range(2, len(parts)):
        parent = ".".join(parts[:depth])
        try:
            importlib.import_module(parent)
        except ImportError:
            package = ModuleType(parent)
            package.__path__ = []
            sys.modules[parent] = package


def adapt(module: ModuleType) -> None:
    """Turn what nose runs into what pytest runs: generators, set-up methods, made classes."""
    for name, value in list(vars(module).items()):
        if inspect.isgeneratorfunction(value) and "test" in name.lower():
            setattr(module, name, run_all(value))
        elif not inspect.isclass(value):
            continue
        elif issubclass(value, unittest.TestCase):
            home = sys.modules.get(value.__module__)
            if home is not None and not hasattr(home, value.__name__):
                # made by a helper in another module: it belongs to the one that holds it
                value.__module__ = module.__name__
        elif type(value) is type and "test" in name.lower():
            adapt_class(value)


def adapt_class(cls: type) -> None:
    for name in dir(cls):
        method = getattr(cls, name, None)
        if name.lower().startswith("test") and inspect.isgeneratorfunction(method):
            setattr(cls, name, run_all(method))
    for old, new in (("setUp", "setup_method"), ("tearDown", "teardown_method")):
        method = getattr(cls, old, None) or getattr(cls, old.lower(), None)
        if callable(method) and not hasattr(cls, new):
            setattr(cls, new, without_arguments(method))


def without_arguments(method: Callable) -> Callable:
    return lambda self, tested=None: method(self)


def run_all(generator: Callable) -> Callable:
    """The tests that a generator yields, as one test."""

    @functools.wraps(generator)
    def test(*args: Any, **kwargs: Any) -> None:
        for step in generator(*args, **kwargs):
            if callable(step):
                step()
            else:
                step[0](*step[1:])

    del test.__wrapped__  # pytest would see a generator
    return test


def pytest_pycollect_makemodule(module_path: Path, parent: Any) -> OriginalModule:
    return OriginalModule.from_parent(parent, path=module_path)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted = os.environ.get("ORIGINAL_IDS")
    if wanted:
        ids = set(Path(wanted).read_text(encoding="utf-8").splitlines())
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in ids])
        items[:] = [item for item in items if item.nodeid in ids]
    record(collected=[item.nodeid for item in items])


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        record(uncollected=report.nodeid, why=str(report.longrepr)[-600:])


# Running


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """One test: its own random numbers, its own flags, and a time limit.

    The limit is on the processor's time: a busy machine fails no test.
    """
    record(started=item.nodeid)
    item.stash[BEGAN] = time.process_time()
    random.seed(SEED)
    np.random.seed(SEED)
    flags = flags_now()
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    restore_flags(flags)


def stop(number: int, frame: FrameType | None) -> None:
    raise TimeLimit(f"took more than {LIMIT:g} s of processor time")


signal.signal(signal.SIGPROF, stop)


def sections() -> list[dict[str, Any]]:
    """The values of `theano.config`, section by section, where ours holds them."""
    if ON_ORACLE:
        return []
    held = [theano.config, *vars(theano.config).values()]
    return [vars(one) for one in held if isinstance(one, type(theano.config).__mro__[1])]


def flags_now() -> list[dict[str, Any]]:
    return [dict(section) for section in sections()]


def restore_flags(flags: list[dict[str, Any]]) -> None:
    """Set the flags back that a test has changed and left so."""
    for section, values in zip(sections(), flags):
        section.clear()
        section.update(values)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    report = (yield).get_result()
    if report.when != "call" and report.passed:
        return
    seconds = time.process_time() - item.stash[BEGAN]
    facts = {"id": item.nodeid, "outcome": report.outcome, "seconds": round(seconds, 2)}
    if call.excinfo is not None:
        facts["kind"] = call.excinfo.type.__name__
        facts["message"] = printed(call.excinfo.value)
        facts["line"] = last_line(call.excinfo.tb)
        if call.excinfo.errisinstance(TimeLimit):
            facts["outcome"] = "timeout"
    record(**facts)


def printed(error: BaseException) -> str:
    try:
        return str(error)[:600]
    except Exception as second:
        return f"not printable: {second!r}"


def last_line(trace: Any) -> str:
    """Where the test was: the innermost line of the suite on the way to the error."""
    frames = [f for f in traceback.extract_tb(trace) if f.filename.startswith(str(SUITE))]
    if not frames:
        return ""
    frame = frames[-1]
    return f"{Path(frame.filename).relative_to(SUITE)}:{frame.lineno} {(frame.line or '')[:120]}"
