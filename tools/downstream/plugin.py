"""The pytest plugin of the processes that run a package's tests: records, and a time limit.

What it needs to know comes by environment variables; what it finds out goes, a line of JSON a test,
into the file that `DOWNSTREAM_RECORD` names. It runs with Theano 1.0.5 too.
"""

import functools
import inspect
import json
import os
import signal
import time

import pytest

RECORD = os.environ["DOWNSTREAM_RECORD"]
LIMIT = float(os.environ["DOWNSTREAM_LIMIT"])
BEGAN = {}


class TimeLimit(BaseException):
    """A test took too long; not an Exception, so that a test does not catch it."""


def record(**facts):
    with open(RECORD, "a", encoding="utf-8") as file:
        file.write(json.dumps(facts) + "\n")


def stop(number, frame):
    raise TimeLimit(f"took more than {LIMIT:g} s of processor time")


signal.signal(signal.SIGPROF, stop)


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector, name, obj):
    """A function that yields tests, as nose took them, is one test that runs each of them."""
    yields = isinstance(collector, pytest.Module) and inspect.isgeneratorfunction(obj)
    if not (yields and collector.istestfunction(obj, name)):
        return None

    @functools.wraps(obj)
    def run_each():
        for function, *arguments in obj():
            function(*arguments)

    # wraps keeps the setup and teardown that nose reads from a function
    del run_each.__wrapped__
    return pytest.Function.from_parent(collector, name=name, callobj=run_each)


def pytest_collection_modifyitems(config, items):
    wanted = os.environ.get("DOWNSTREAM_IDS")
    if wanted:
        with open(wanted, encoding="utf-8") as file:
            ids = set(file.read().splitlines())
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in ids])
        items[:] = [item for item in items if item.nodeid in ids]
    record(collected=[item.nodeid for item in items])


def pytest_collectreport(report):
    if report.failed:
        record(uncollected=report.nodeid, why=str(report.longrepr)[-600:])


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    record(started=item.nodeid)
    BEGAN[item.nodeid] = time.process_time()
    # the limit is on the processor's time: a busy machine fails no test
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.when != "call" and report.passed:
        return
    facts = {"id": item.nodeid, "outcome": report.outcome}
    facts["seconds"] = round(time.process_time() - BEGAN[item.nodeid], 2)
    if call.excinfo is not None:
        facts["kind"] = call.excinfo.type.__name__
        facts["message"] = str(call.excinfo.value)[:600]
        if call.excinfo.errisinstance(TimeLimit):
            facts["outcome"] = "timeout"
    record(**facts)
