"""What every test shares: a repeatable Hypothesis, and no flags from outside."""

import atexit
import os
import tempfile
import zlib

from hypothesis import HealthCheck, settings

# Whoever runs the tests may have flags or an rc file of their own: results must not depend on them.
# compiled programs of a test run are kept apart, and go with it
_room = tempfile.TemporaryDirectory(prefix="theano-tests-")
atexit.register(_room.cleanup)
os.environ["THEANO_FLAGS"] = f"base_compiledir={_room.name}"
os.environ["THEANORC"] = os.devnull

# One example may be slow by chance: no deadline, and the same examples each run.
settings.register_profile(
    "theano", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("theano")


def pytest_addoption(parser) -> None:
    parser.addoption(
        "--one-in", type=int, default=1, metavar="N", help="run a part of the tests: one in N"
    )


def pytest_collection_modifyitems(config, items) -> None:
    """With `--one-in N` the same tests each time, by their names, from every file."""
    n = config.getoption("--one-in")
    left = [item for item in items if zlib.crc32(item.nodeid.encode()) % n]
    if left:
        items[:] = [item for item in items if zlib.crc32(item.nodeid.encode()) % n == 0]
        config.hook.pytest_deselected(items=left)


def pytest_report_header() -> str:
    return f"THEANO_TEST_SEED={os.environ.get('THEANO_TEST_SEED', 'default')}"


def pytest_terminal_summary(terminalreporter) -> None:
    """How many specs were checked, and by how many checks."""
    ran = [
        (report.nodeid.split("::")[0], name)
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "call"
        for key, name in report.user_properties
        if key == "opspec"
    ]
    if ran:
        terminalreporter.write_line(f"OpSpec: {len(set(ran))} specs, {len(ran)} checks")
