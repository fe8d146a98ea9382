"""What profiles print: the documented sections, headings and columns."""

import io
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.compile.profiled_programs import made

CLASS = "<% time> <sum %> <apply time> <time per call> <type> <#call> <#apply> <Class name>"
OPS = "<% time> <sum %> <apply time> <time per call> <type> <#call> <#apply> <Op name>"
APPLY = "<% time> <sum %> <apply time> <time per call> <#call> <id> <Apply name>"


def _text(profile, **flags):
    with theano.config.change_flags(flags):
        out = io.StringIO()
        profile.summary(out)
    return out.getvalue()


def _section(text, title):
    """The rows of a table, and its last line."""
    lines = text.split("\n")
    start = lines.index(title)
    end = next(i for i in range(start, len(lines)) if lines[i].startswith("   ... ("))
    return lines[start + 2], lines[start + 3 : end], lines[end]


def _documented():
    """The example of the documents: three nodes on vectors, as they were written."""
    x, y, z = T.dvectors("x", "y", "z")
    profile = theano.compile.ProfileStats(atexit_print=False)
    two = T.constant(np.array([2.0]))
    f = theano.function(
        [x, y, z], two * (x + y + z), mode=theano.Mode("numpy", None), profile=profile
    )
    f(*[np.ones(1000)] * 3)
    return f


def test_the_first_section_is_the_documented_one():
    f = _documented()
    number = r"\d\.\d{6}e[+-]\d\d"
    share = r"\(\d+\.\d{3}%\)"
    expected = (
        "Function profiling\n==================\n  Message: None\n"
        rf"  Time in 1 calls to Function.__call__: {number}s" "\n"
        rf"  Time in Function.fn.__call__: {number}s {share}" "\n"
        rf"  Time in thunks: {number}s {share}" "\n"
        rf"  Total compile time: {number}s" "\n"
        r"    Number of Apply nodes: 3" "\n"
        rf"    Theano Optimizer time: {number}s" "\n"
        rf"       Theano validate time: {number}s" "\n"
        r"    Theano Linker time \(includes C, CUDA code generation/compiling\): "
        rf"{number}s" "\n"
    )  # fmt: skip
    assert re.match(expected, _text(f.profile))


def test_tables_have_the_documented_columns():
    text = _text(_documented().profile)
    heading, rows, tail = _section(text, "Class")
    assert heading == CLASS
    assert len(rows) == 1 and rows[0].endswith("   <class 'theano.tensor.elemwise.Elemwise'>")
    assert rows[0].split()[:2] == ["100.0%", "100.0%"] and rows[0].split()[4:7] == ["C", "3", "3"]
    assert tail == "   ... (remaining 0 Classes account for   0.00%(0.00s) of the runtime)"
    heading, rows, tail = _section(text, "Ops")
    assert heading == OPS
    assert {row.split()[-1]: row.split()[4:7] for row in rows} == {
        "Elemwise{add,no_inplace}": ["C", "2", "2"],
        "Elemwise{mul,no_inplace}": ["C", "1", "1"],
    }
    assert tail == "   ... (remaining 0 Ops account for   0.00%(0.00s) of the runtime)"
    heading, rows, tail = _section(text, "Apply")
    assert heading == APPLY
    assert sorted(row.split()[5] for row in rows) == ["0", "1", "2"]
    assert any(row.endswith("Elemwise{add,no_inplace}(x, y)") for row in rows)
    assert tail == "   ... (remaining 0 Apply instances account for 0.00%(0.00s) of the runtime)"


@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_printed_shares_sum_to_a_hundred(engine):
    f, values = made("perceptron", theano.Mode(engine), n=60)
    for _ in range(3):
        f(*values)
    text = _text(f.profile, profiling__n_apply=1000, profiling__n_ops=1000)
    for title in ("Class", "Ops", "Apply", "Lines"):
        _, rows, _ = _section(text, title)
        shares = [float(row.split()[0].rstrip("%")) for row in rows]
        assert sum(shares) == pytest.approx(100, abs=0.05 * len(rows) + 0.01), title
        assert rows[-1].split()[1] == "100.0%"
        assert shares == sorted(shares, reverse=True)


def test_operations_are_shown_where_an_op_says_them():
    x, y = T.dmatrices("x", "y")
    profile = theano.compile.ProfileStats(atexit_print=False)
    f = theano.function([x, y], T.exp(T.dot(x, y)), profile=profile, mode=theano.Mode("numpy"))
    f(np.ones((100, 200)), np.ones((200, 300)))
    text = _text(profile)
    heading, rows, _ = _section(text, "Apply")
    assert "<id> <Mflops> <Gflops/s> <Apply name>" in heading
    (product,) = [row for row in rows if "ot" in row.split("(")[0]]
    assert product.split()[6] == "12.0"  # 2 * 100 * 200 * 300
    (op,) = [op for op in profile.op_flops() if "ot" in str(op)]
    assert profile.op_flops()[op] == pytest.approx(12e6 / profile.op_time()[op])


def test_an_op_of_a_user_may_say_its_operations():
    class Twice(theano.Op):
        __props__ = ()

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = 2 * inputs[0]

        def flops(self, inputs, outputs):
            assert inputs == outputs == [(1_000_000,)]
            return outputs[0][0]

    x = T.dvector("x")
    f = theano.function([x], Twice()(x), profile=theano.compile.ProfileStats(False))
    f(np.ones(1_000_000))
    _, (row,), _ = _section(_text(f.profile), "Apply")
    assert row.split()[6] == "1.0"
    assert _section(_text(f.profile), "Ops")[1][0].split()[4] == "Py"


def test_flags_say_how_much_is_printed():
    text = _text(_documented().profile, profiling__n_apply=1, profiling__n_ops=1)
    for title in ("Ops", "Apply"):
        _, rows, tail = _section(text, title)
        assert len(rows) == 1
    assert tail.startswith("   ... (remaining 2 Apply instances account for ")
    narrow = _text(_documented().profile, profiling__output_line_width=40)
    assert max(map(len, narrow.split("\n"))) == 40
    graph = _text(_documented().profile, profiling__debugprint=True)
    assert "Elemwise{mul,no_inplace} [@A]" in graph


def test_lines_of_the_program_have_their_time():
    x = T.dvector("x")
    slow = T.sort(x)  # this line
    quick = slow[0] * 2  # and that one
    f = theano.function([x], quick, profile=theano.compile.ProfileStats(False), mode="FAST_RUN")
    f(np.random.RandomState(0).randn(1_000_000))
    first, *rest = f.profile.line_time()
    assert re.search(r"test_profile_tables.py:\d+  slow = T.sort\(x\)  # this line", first)
    assert any("quick = slow[0] * 2" in line for line in rest)


@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_the_time_of_a_loop_goes_to_the_lines_of_its_step(engine):
    x = T.dtensor3("x")
    # large enough that what else the machine does in between does not change the order of the lines
    weights = theano.shared(np.eye(400), "u")

    def step(now, before):
        quick = now * 2
        slow = T.dot(T.dot(before, weights), weights)
        return T.tanh(quick + slow)

    out, _ = theano.scan(step, sequences=x, outputs_info=T.zeros((200, 400)))
    profile = theano.compile.ProfileStats(atexit_print=False)
    f = theano.function([x], out[-1].sum(), mode=theano.Mode(engine), profile=profile)
    expected = theano.function([x], out[-1].sum(), mode=theano.Mode(engine))
    values = np.random.RandomState(0).randn(20, 200, 400)
    for _ in range(3):
        assert f(values) == expected(values)
    (loop,) = [row for row in profile.rows() if row.inside]
    assert sum(row.seconds for row in loop.inside) <= loop.seconds
    assert {row.calls for row in loop.inside} == {3 * 20}
    lines = profile.line_time()
    slow = next(seconds for line, seconds in lines.items() if "slow = T.dot(" in line)
    assert slow > sum(seconds for line, seconds in lines.items() if "quick = now * 2" in line)
    assert "lines of its step share it as in one run on NumPy" in _text(profile)
    # others that have the op run it as before
    graph = loop.op.inner_graphs[0]
    assert "clock" not in getattr(graph.run, "__code__", step.__code__).co_names


def test_a_loop_with_effects_is_not_run_twice():
    seen = []

    @theano.as_op(itypes=[T.dscalar], otypes=[T.dscalar])
    def noted(value):
        seen.append(float(value))
        return value

    x = T.dvector("x")
    out, _ = theano.map(noted, x)
    f = theano.function([x], out, profile=theano.compile.ProfileStats(False))
    f([1.0, 2.0])
    assert seen == [1.0, 2.0]


def test_a_compiled_program_says_how_its_nodes_were_timed():
    f, values = made("perceptron", theano.Mode("xla"), n=30)
    f(*values)
    f(*values)
    text = _text(f.profile, profile_memory=True)
    row = next(line for line in text.split("\n") if "program 0, (400, 30)" in line)
    assert row.split()[4] == "2"
    assert "its nodes share it in proportion to a run of each alone" in text
    (program,) = f.profile._times[0].programs.values()
    assert program.shared_by == "node by node" and program.why == ""
    assert program.memory["arguments"] > 400 * 30 * 8
    assert program.compiling > 0 and "XLA compile time, in calls: " in text
    assert "<peak> <arguments> <results> <reused> <temporaries> <program, shapes>" in text


def test_the_memory_of_nodes_is_told_by_what_they_declare():
    x = T.fvector("x")
    outer = T.outer(x, x)
    mode = theano.Mode("numpy")
    f = theano.function(
        [x], [outer.sum(axis=1), x + x], mode=mode, profile=theano.compile.ProfileStats(False)
    )
    f(np.ones(1024, "float32"))
    text = _text(f.profile, profile_memory=True, profiling__min_peak_memory=True)
    assert "Memory Profile" in text
    peak = re.search(r"Max peak memory with current setting\n +CPU: (\d+)KB", text)
    assert int(peak[1]) in (4100, 4104)  # the matrix, and one or two vectors
    least = re.search(r"Minimum peak from all valid apply node order is (\d+)KB", text)
    assert int(least[1]) == 4100
    assert re.search(r"4194304B  \[\(1024, 1024\)\] [ci] ", text)
    assert "Memory Profile" not in _text(f.profile)
    small = _text(f.profile, profile_memory=True, profiling__min_memory_size=10_000)
    assert "4096B  [(1024,)]" in text and "4096B  [(1024,)]" not in small


def test_views_and_nodes_in_place_make_nothing():
    x = T.dvector("x")
    f = theano.function(
        [x],
        T.tanh(T.sort(x).dimshuffle("x", 0)).sum(),
        mode=theano.Mode("numpy"),
        profile=theano.compile.ProfileStats(False),
    )
    f(np.ones(128 * 1024))
    text = _text(f.profile, profile_memory=True)
    assert re.search(r"Max peak memory with current setting\n +CPU: 1024KB", text), text


def test_rewriting_is_profiled_by_pass_and_rule():
    x = T.dvector("x")
    with theano.config.change_flags(profile_optimizer=True):
        f = theano.function(
            [x], T.log(1 + T.exp(x)), profile=theano.compile.ProfileStats(False), mode="FAST_RUN"
        )
    f([1.0])
    text = _text(f.profile, profiling__n_ops=1000)
    assert re.search(r"Optimizer Profile\n-+\n  time \d\.\d{3}s for \d/1 nodes before/after", text)
    for title, name in (("Passes", "pass"), ("Rules", "rule")):
        heading, rows, _ = _section(text, title)
        assert heading == f"<% time> <sum %> <time> <#change> <{name}>"
        shares = [float(row.split()[0].rstrip("%")) for row in rows]
        assert sum(shares) == pytest.approx(100, abs=0.05 * len(rows) + 0.01)
    (report,) = f.profile.rewritings
    fired = {row.split()[4]: int(row.split()[3]) for row in rows if row.split()[3] != "0"}
    assert fired == report.uses and fired
    g = theano.function([x], T.exp(x), profile=theano.compile.ProfileStats(False))
    g([1.0])
    assert "Optimizer Profile" not in _text(g.profile)


def test_an_empty_profile_says_so():
    assert _text(theano.compile.ProfileStats(atexit_print=False)) == "Skipping empty Profile\n"


def test_linkers_that_run_nodes_in_their_own_way_are_named():
    linker = theano.gof.WrapLinker([theano.gof.PerformLinker()], lambda i, node, thunk: thunk())
    x = T.dvector("x")
    f = theano.function(
        [x], T.exp(x), mode=theano.Mode(linker), profile=theano.compile.ProfileStats(False)
    )
    f([1.0])
    assert f.profile.fct_callcount == 1
    assert "Single nodes are not timed: their linker runs them in its own way." in _text(f.profile)


def _run(program, flags, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={
            **os.environ,
            "THEANO_FLAGS": f"{flags},base_compiledir={tmp_path}",
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, done.stderr


TWO = (
    "import theano, theano.tensor as T\n"
    "x = T.dvector('x')\n"
    "f = theano.function([x], T.exp(x), name='one')\n"
    "g = theano.function([x], T.tanh(x), name='two')\n"
    "f([1]); g([1]); g([2])\n"
)


def test_at_the_end_each_function_is_printed_and_their_sum(tmp_path):
    out, err = _run(TWO, "profile=True,profiling.destination=stdout", tmp_path)
    found = re.findall(r"  Message: (.*)\n  Time in (\d) calls", out)
    assert found == [("one", "1"), ("two", "2"), ("Sum of all printed profiles at exit", "3")]
    assert err == ""


def test_totals_alone_are_printed_by_a_flag(tmp_path):
    out, err = _run(TWO, "print_global_stats=True", tmp_path)
    assert out == "" and "Function profiling" not in err
    assert re.search(r"Global stats\n=+\n  Time since theano import: [\d.]+s\n", err)
    assert re.search(r"  Time in 3 calls of 2 functions: [\d.]+s \([\d.]+%\)\n", err)


def test_the_mode_that_a_flag_names_prints_its_summary_at_the_end(tmp_path):
    for name in ("ProfileMode", "PROFILE_MODE"):
        out, err = _run(TWO, f"mode={name}", tmp_path)
        assert out.startswith("ProfileMode.print_summary()\n---------------------------\n\n")
        assert "Function profiling" not in out and err == ""
