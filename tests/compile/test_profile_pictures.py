"""Profiles as traces, pictures and tables; what pickles and copies of them keep; HLO."""

import copy
import io
import json
import pickle
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.compile.profiled_programs import made
from theano._src.compile.profile.flame import flame
from theano._src.compile.profile.node_rows import opened

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module", params=["numpy", "xla"])
def profile(request):
    f, values = made("perceptron", theano.Mode(request.param), n=40)
    for _ in range(5):
        f(*values)
    return f.profile


def test_a_trace_is_json_whose_durations_add_up(profile, tmp_path):
    path = tmp_path / "trace.json"
    profile.trace(path)
    events = json.loads(path.read_text())["traceEvents"]
    whole = [e for e in events if e["ph"] == "X"]
    assert all({"name", "cat", "ts", "dur", "pid", "tid", "args"} <= set(e) for e in whole)
    seconds = {
        kind: sum(e["dur"] for e in whole if e["cat"] == kind) / 1e6
        for kind in ("call", "program", "node")
    }
    assert seconds["node"] == pytest.approx(sum(profile.apply_time.values()))
    if seconds["program"]:
        inside = sum(p.seconds for t in profile._times for p in t.programs.values())
        assert seconds["program"] == pytest.approx(inside)
    assert sum(e["cat"] == "call" for e in whole) == 5
    assert profile.fct_call_time <= seconds["call"]


def test_events_lie_within_those_that_hold_them(profile):
    stack = []
    for e in profile.events():
        while stack and stack[-1] <= e["ts"] + 1e-3:
            stack.pop()
        end = e["ts"] + e["dur"]
        assert not stack or end <= stack[-1] + 1e-2, e
        stack.append(end)
    nodes = [e for e in profile.events() if e["cat"] == "node"]
    assert all(e["args"]["line"].startswith("tests/compile/profiled_programs.py:")
               for e in nodes if "line" in e["args"])  # fmt: skip
    assert any("line" in e["args"] for e in nodes)


def test_a_flame_is_svg_whose_bars_are_time(profile, tmp_path):
    path = tmp_path / "flame.svg"
    text = profile.flame(path, width=800)
    assert path.read_text(encoding="utf-8") == text
    root = ET.fromstring(text)
    assert root.tag == SVG + "svg" and root.get("width") == "800"
    bars = [(g.find(SVG + "title").text, g.find(SVG + "rect")) for g in root.iter(SVG + "g")]
    (whole,) = [rect for title, rect in bars if title.startswith("all\n")]
    assert float(whole.get("width")) == pytest.approx(800 - 24)
    below = [r for _, r in bars if float(r.get("y")) == float(whole.get("y")) + 22]
    # bars that are too narrow to be seen are left out
    assert sum(float(r.get("width")) for r in below) == pytest.approx(776, abs=6)
    assert "<script" not in text and not re.search(r"(href|src)=", text)


def test_a_flame_shows_the_lines_of_the_user(profile):
    # of equal times: a line that took a thousandth of another is too narrow to be seen
    rows = [replace(row, seconds=1.0) for row in opened(profile.rows())]
    text = flame(rows, "all alike")
    assert "profiled_programs.py" in text and "hidden = T.tanh" in text


def test_a_flame_escapes_what_lines_say():
    x = T.dvector("x")
    y = T.switch(x < 1, x, x & x if False else -x)  # <&> in a line
    f = theano.function([x], y, profile=theano.compile.ProfileStats(False, message="<f & g>"))
    f([1.0])
    root = ET.fromstring(f.profile.flame())
    assert root.find(SVG + "title").text == "<f & g>: 1 calls"


def test_an_empty_profile_has_a_picture_and_a_trace(tmp_path):
    empty = theano.compile.ProfileStats(atexit_print=False)
    ET.fromstring(empty.flame())
    empty.trace(tmp_path / "trace.json")
    assert [e["ph"] for e in json.loads((tmp_path / "trace.json").read_text())["traceEvents"]] == [
        "M"
    ]


def test_a_notebook_shows_a_table(profile):
    table = profile._repr_html_()
    ET.fromstring(f"<div>{table}</div>")
    assert "perceptron" in table and "calls 5" in table and "profiled_programs.py:" in table


@pytest.mark.parametrize("how", ["pickle", "deepcopy"])
def test_a_pickled_profile_has_the_same_figures(profile, how):
    found = pickle.loads(pickle.dumps(profile)) if how == "pickle" else copy.deepcopy(profile)
    assert found.fct_callcount == 5 and found.xla_time == profile.xla_time
    assert [(str(k), v) for k, v in found.apply_time.items()] == [
        (str(k), v) for k, v in profile.apply_time.items()
    ]
    assert found.line_time() == profile.line_time()
    assert found.events() == profile.events()
    assert found.flame() == profile.flame()
    ours, its = io.StringIO(), io.StringIO()
    profile.summary_nodes(ours)
    found.summary_nodes(its)
    assert its.getvalue() == ours.getvalue()


def test_profiles_add_up():
    x = T.dvector("x")
    f, g = (
        theano.function([x], y, profile=theano.compile.ProfileStats(False))
        for y in (T.exp(x), T.tanh(x))
    )
    f([1.0]), g([1.0]), g([1.0])
    both = f.profile + g.profile
    assert both.fct_callcount == 3
    assert both.apply_time == {**f.profile.apply_time, **g.profile.apply_time}


def test_copies_of_a_function_count_for_themselves():
    f, values = made("chain", theano.Mode("numpy"), n=10)
    g = copy.deepcopy(f)
    f(*values), g(*values), g(*values)
    # a deep copy has the same profile, and nodes of its own
    assert f.profile is g.profile and f.profile.fct_callcount == 3
    assert set(f.profile.apply_callcount.values()) == {1, 2}
    h = f.copy(profile=theano.compile.ProfileStats(False))
    h(*values)
    assert h.profile.fct_callcount == 1 and f.profile.fct_callcount == 3


# what XLA compiled


def test_hlo_shows_each_program_for_each_key():
    x, n = T.dvector("x"), T.lscalar("n")
    f = theano.function([x, n], T.exp(x)[:n].sum() * x, mode=theano.Mode("xla"))
    f(np.ones(4), 2)
    f(np.ones(5), 2)
    text = theano.printing.hlo(f, file="str")
    titles = re.findall(r"^// program \d+, compiled for shapes .*$", text, re.M)
    assert len(titles) == f.fn.compilations == 2
    assert text.count("HloModule") == 2 and "f64[5]" in text and "f64[4]" in text
    assert "metadata=" not in text and "StackFrames" not in text and ".py" not in text
    before = theano.printing.hlo(f, before=True, file="str")
    assert "stablehlo.exponential" in before and "HloModule" not in before
    out = io.StringIO()
    theano.printing.hlo(f, file=out)
    assert out.getvalue() == text


def test_hlo_shows_programs_with_state_and_of_profiled_functions():
    f, values = made("perceptron", theano.Mode("xla"), n=20)
    f(*values)
    text = theano.printing.hlo(f, file="str")
    assert "input_output_alias" in text  # the new state takes the memory of the old
    assert f.fn.compilations == 1
    f(*values)
    assert f.fn.compilations == 1


def test_hlo_says_why_there_is_nothing_to_show():
    x = T.dvector("x")
    for mode, said in (
        ("xla", "Nothing is compiled yet: call the function first"),
        ("cvm", "Nothing is compiled yet: calls run on NumPy so far"),
        ("numpy", "Nothing is compiled: the function runs on NumPy, as its linker says so."),
    ):
        f = theano.function([x], T.exp(x), mode=theano.Mode(mode))
        assert theano.printing.hlo(f, file="str").startswith(said)
