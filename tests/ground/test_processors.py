"""How many processors a process may use: affinity, quotas of containers, the user's word."""

import math

import pytest

from theano._src.ground import processors
from theano._src.ground.processors import asked_threads, quota


def group(tmp_path, **files):
    for name, text in files.items():
        path = tmp_path / name.replace("__", "/").replace("_max", ".max")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(tmp_path)


@pytest.mark.parametrize(
    "text, expected", [("150000 100000\n", 1.5), ("max 100000\n", math.inf), ("", math.inf)]
)
def test_the_quota_of_a_control_group(tmp_path, text, expected):
    assert quota(group(tmp_path, cpu_max=text)) == expected


@pytest.mark.parametrize("time, expected", [("200000", 2.0), ("-1", math.inf)])
def test_the_quota_of_an_old_control_group(tmp_path, time, expected):
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu" / "cpu.cfs_quota_us").write_text(time)
    (tmp_path / "cpu" / "cpu.cfs_period_us").write_text("100000")
    assert quota(str(tmp_path)) == expected


def test_no_control_group_is_no_limit(tmp_path):
    assert quota(str(tmp_path / "nowhere")) == math.inf


@pytest.mark.parametrize(
    "seen, part, expected", [(64, 1.5, 2), (64, math.inf, 64), (2, 8.0, 2), (4, 0.3, 1)]
)
def test_processors_are_those_that_are_seen_within_the_quota(monkeypatch, seen, part, expected):
    monkeypatch.setattr(processors, "visible", lambda: seen)
    monkeypatch.setattr(processors, "quota", lambda: part)
    assert processors.processors.__wrapped__() == expected


@pytest.mark.parametrize(
    "text, expected",
    [("0.1 0.2 0.3 1/85 99\n", 1.0), ("9 9 9 5/85 99\n", 2.5), ("nothing", 1.0), (None, 1.0)],
)
def test_crowding_is_the_tasks_for_each_processor_now(monkeypatch, tmp_path, text, expected):
    path = tmp_path / "loadavg"
    if text is not None:
        path.write_text(text)
    monkeypatch.setattr(processors, "_LOAD", str(path))
    monkeypatch.setattr(processors.os, "cpu_count", lambda: 2)
    assert processors.crowding() == expected


@pytest.mark.parametrize(
    "environment, expected",
    [
        ({}, None),
        ({"OMP_NUM_THREADS": "3"}, 3),
        ({"OMP_NUM_THREADS": "4,2"}, 4),
        ({"OMP_NUM_THREADS": "3", "OPENBLAS_NUM_THREADS": "1"}, 1),
        ({"OMP_NUM_THREADS": "many"}, None),
        ({"OMP_NUM_THREADS": "0"}, None),
    ],
)
def test_the_user_may_ask_for_a_number_of_threads(environment, expected):
    assert asked_threads(environment) == expected
