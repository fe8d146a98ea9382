"""What was measured of a machine, and what the next process makes of it."""

import json

import pytest

from theano._src.engines import measured_rates as module
from theano._src.engines.measured_rates import MeasuredRates


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(module.sys, "modules", {})
    return tmp_path / "folder" / "measured.json"


def test_what_a_process_measured_the_next_one_goes_by(file):
    first = MeasuredRates(lambda: file)
    assert first.loading() == module.rates().load
    assert first.slowness() == 1
    first.loaded(2.5)
    for seconds in (0.4, 5.0, 0.2):
        first.compiled(seconds, 0.1)
    assert first.slowness() == 4
    first.write()
    second = MeasuredRates(lambda: file)
    assert second.loading() == 2.5
    assert second.slowness() == 2


@pytest.mark.parametrize("seconds, expected", [(0.01, 1), (0.19, 1), (0.3, 4), (10.0, 4)])
def test_compilations_are_believed_to_be_slow_within_bounds(seconds, expected):
    found = MeasuredRates()
    found.compiled(seconds, 0.1)
    assert found.slowness() == expected


def test_jax_that_is_loaded_takes_no_time(monkeypatch):
    monkeypatch.setitem(module.sys.modules, "jax", object())
    assert MeasuredRates().loading() == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"load": 1}',
        '{"load": -1, "compiling": 1}',
        '{"load": 1e999, "compiling": 1}',
    ],
)
def test_a_damaged_file_is_as_none(file, text):
    file.parent.mkdir()
    file.write_text(text)
    found = MeasuredRates(lambda: file)
    assert (found.loading(), found.slowness()) == (module.rates().load, 1)


def test_nothing_is_written_before_there_is_something_to_tell(file):
    found = MeasuredRates(lambda: file)
    found.compiled(1.0, 0.1)
    found.write()
    assert not file.exists()
    found.loaded(1.0)
    found.write()
    assert json.loads(file.read_text()) == {"load": 1.0, "compiling": 10.0}
