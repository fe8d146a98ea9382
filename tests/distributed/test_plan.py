"""Plans for chips that are elsewhere: what is compiled, and what the report says.

``cpu:8`` goes the whole way without a plugin: eight devices made of the processor, compiled for in
the compiler's process. Plans for TPUs and GPUs need their compilers, in this Python or in the one
that THEANO_PLAN_PYTHON names; elsewhere these tests are skipped.
"""

import os
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

import theano
import theano.tensor as T
from tests.distributed import programs
from tests.distributed.test_mesh import COLLECTIVES
from theano import In, distributed as dist, sparse
from theano._src.engines.mesh.collectives import Collective, summed
from theano._src.engines.planning import compiler
from theano._src.engines.planning.compiler import Compiled
from theano._src.engines.planning.dry_call import Held, Traced, abstract, dry_call
from theano._src.engines.planning.report import ProgramPlan
from theano.tensor.shared_randomstreams import RandomStreams

ROOT = Path(__file__).resolve().parents[2]


def perceptron(axes=None, there=None, dtype="float32", second=None):
    """A step of 64-32-8; weights are split over both axes of a mesh."""
    mesh = None if axes is None else dist.mesh(axes, there)
    x, y = T.matrix("x", dtype), T.lvector("y")
    first = None if mesh is None else mesh["data", "model"]
    W = theano.shared(np.ones((64, 32), dtype), "W", sharding=first)
    V = theano.shared(np.ones((32, 8), dtype), "V", sharding=second and mesh[second])
    cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(T.tanh(T.dot(x, W)), V)), y).mean()
    inputs = [x, y] if mesh is None else [In(v, sharding=mesh["data"]) for v in (x, y)]
    rate = np.asarray(0.1, dtype)
    updates = [(p, p - rate * T.grad(cost, p)) for p in (W, V)]
    return theano.function(inputs, cost, updates=updates), [W, V]


SHAPES = {"x": (32, 64), "y": (32,)}


def on(there):
    return dist.topology(there)


# the dry call


def test_a_dry_call_has_the_programs_of_a_call_and_stores_nothing():
    f, params = perceptron({"data": 4, "model": 2}, on("cpu:8"))
    before = [p.get_value() for p in params]
    call = dry_call(
        f.fn.job, on("cpu:8"), [abstract((32, 64), "float32"), abstract((32,), "int64")]
    )
    (program,) = call.programs
    assert call.left is None
    held = {h.name: h for h in program.held}
    assert {name: (h.shape, h.parts, h.is_state) for name, h in held.items()} == {
        "x": ((32, 64), 4, False),
        "y": ((32,), 4, False),
        "W": ((64, 32), 8, True),
        "V": ((32, 8), 1, True),
    }
    assert held["W"].nbytes == 4 * 64 * 32 and held["W"].nbytes_each == 4 * 64 * 32 // 8
    assert sorted(program.held[i].name for i in program.donate) == ["V", "W"]
    assert f.fn.compilations == 0 and not f.fn.stages[0].table
    for p, value in zip(params, before, strict=True):
        np.testing.assert_array_equal(p.get_value(), value)
        assert isinstance(p.container.storage[0], np.ndarray)


def test_a_function_is_called_as_before_after_a_dry_call():
    f, params = perceptron()
    x, y = np.ones((32, 64), "float32"), np.zeros(32, int)
    alone, alone_params = perceptron()
    dry_call(f.fn.job, on("v5e:1x1"), [abstract(x.shape, "float32"), abstract(y.shape, "int64")])
    assert f(x, y) == alone(x, y)
    for p, q in zip(params, alone_params, strict=True):
        np.testing.assert_array_equal(p.get_value(), q.get_value())


def test_lengths_that_depend_on_a_value_take_the_value():
    x, n = T.fmatrix("x"), T.lscalar("n")
    f = theano.function([x, n], T.exp(x[:n]) + T.arange(x.shape[1]), mode=theano.Mode("xla"))
    call = dry_call(f.fn.job, on("cpu:1"), [abstract((9, 3), "float32"), np.asarray(2)])
    assert call.left is None and len(call.programs) == 1
    call = dry_call(f.fn.job, on("cpu:1"), [abstract((9, 3), "float32"), abstract((), "int64")])
    assert not call.programs and call.left == "the host reads the value of n: give it in shapes"
    with pytest.raises(ValueError, match="the host reads the value of n: give it in shapes"):
        dist.plan(f, {"x": (9, 3)}, "cpu:1")


def test_what_the_host_computes_of_results_is_left():
    x = T.fvector("x")
    f = theano.function([x], theano.printing.Print("x")(T.exp(x)), mode=theano.Mode("xla"))
    call = dry_call(f.fn.job, on("cpu:1"), [abstract((9,), "float32")])
    assert len(call.programs) == 1
    assert call.left == "the host reads a computed array of float32(9,)"


def is_wide(expression, x, there):
    f = theano.function([x], expression, mode=theano.Mode("xla"))
    (program,) = dry_call(f.fn.job, on(there), [abstract((9,), x.dtype)]).programs
    return program.is_wide


def test_what_the_host_computes_before_a_program_is_no_array_of_numbers():
    x = T.fmatrix("x")
    drawn = RandomStreams(1).normal(x.shape)
    table = theano.shared(scipy.sparse.eye(9, format="csr", dtype="float32"), "table")
    f = theano.function([x], T.tanh(sparse.dot(table, x)) * drawn)
    (program,) = dry_call(f.fn.job, on("v5e:1x1"), [np.ones((9, 3), "float32")]).programs
    assert "RandomFunction{normal}.1" in [h.name for h in program.held]


def test_float64_in_a_program_is_seen_where_xla_would_hide_it():
    x = T.fvector("x")
    assert not is_wide(T.exp(x), x, "v5e:1x1")
    assert is_wide(x.astype("float64"), x, "v5e:1x1")
    assert is_wide(T.exp(x).sum(), x, "h100:1x1") and is_wide(T.exp(x).sum(), x, "cpu:1")


@pytest.mark.parametrize("fold", [T.sum, T.prod, T.mean])
def test_a_fold_of_float32_is_wide_on_a_tpu_only_if_the_program_asks(fold):
    x = T.fvector("x")
    assert not is_wide(fold(x), x, "v5e:1x1")
    assert is_wide(fold(x, acc_dtype="float64"), x, "v5e:1x1")
    assert is_wide(fold(x, dtype="float64"), x, "v5e:1x1")
    z = T.cvector("z")
    assert not is_wide(fold(z), z, "v5e:1x1")


def test_a_graph_file_keeps_whether_an_accumulator_was_asked_for(tmp_path):
    x = T.fvector("x")
    for number, (s, wide) in enumerate([(x.sum(), False), (x.sum(acc_dtype="float64"), True)]):
        theano.save(tmp_path / f"{number}.graph", [x, s])
        v, kept = theano.load(tmp_path / f"{number}.graph")
        assert kept.owner.op == s.owner.op
        assert is_wide(kept, v, "v5e:1x1") == wide


# the whole way


@pytest.mark.parametrize("name", ["perceptron, fully sharded"])
def test_a_plan_sends_what_a_run_sends(name, monkeypatch):
    monkeypatch.setattr(theano.config, "floatX", "float64")
    make, axes = programs.PROGRAMS[name]
    f, _, (x, y) = make(dist.mesh(axes, on("cpu:8")))
    report = dist.plan(f, {"x": x.shape, "y": y.shape})
    sent = {kind: list(each) for kind, each in summed(report.collectives).items()}
    assert sent == COLLECTIVES[name]


def test_a_report_has_state_memory_and_work():
    f, _ = perceptron({"data": 4, "model": 2}, on("cpu:8"))
    report = dist.plan(f, shapes=SHAPES)
    assert report.topology == on("cpu:8") and report.axes == {"data": 4, "model": 2}
    assert [(h.name, h.nbytes_each) for h in report.state] == [("W", 1024), ("V", 1024)]
    (program,) = report.programs
    memory = program.compiled.memory
    # x and y are split in four, W in eight; V is whole
    assert memory["arguments"] == 4 * 32 * 64 // 4 + 8 * 32 // 4 + 1024 + 1024
    assert memory["reused"] == 2048
    assert report.nbytes == memory["arguments"] + memory["temporaries"] + (
        memory["results"] - memory["reused"]
    )
    assert report.fits is None and report.seconds == {} and report.cycles is None
    text = str(report)
    assert text.startswith("Compiled for cpu:8: 8 chips, mesh data=4 x model=2. Nothing has run.\n")
    assert "1.02 kB W, float32(64, 32), in 8 parts" in text
    assert "every chip has the whole of V, 1.02 kB, while other state is split" in text


def test_a_report_is_saved_with_its_programs(tmp_path):
    x = T.fmatrix("x")
    f = theano.function([x], T.dot(x, x.T))
    report = dist.plan(f, {x: (8, 4)}, topology="cpu:1")
    assert report.flops == 2 * 8 * 8 * 4
    text = theano.printing.explain(f, topology="cpu:1", shapes={x: (8, 4)}, file="str")
    assert text == f"{report}\n"
    report.save(tmp_path / "f.plan")
    with zipfile.ZipFile(tmp_path / "f.plan") as file:
        assert file.read("report.txt").decode() == f"{report}\n"
        assert file.read("report.svg").decode() == report.svg()
        assert file.read("program0.hlo").decode().startswith("HloModule")
        assert len(file.read("program0.executable")) > 1000


QUIET = """
import os
import numpy as np, theano, theano.tensor as T
from theano import distributed as dist
before = dict(os.environ)
x = T.fmatrix("x")
report = dist.plan(theano.function([x], T.tanh(x)), {"x": (4, 4)}, "cpu:2")
assert dict(os.environ) == before
import jax
assert len(jax.devices()) == 1 and not jax.config.jax_enable_x64
print(report.topology.name)
"""


def test_nothing_of_the_compiler_reaches_the_process_that_plans():
    environ = dict(os.environ, PYTHONPATH=str(ROOT), JAX_PLATFORMS="cpu")
    environ.pop("XLA_FLAGS", None)
    done = subprocess.run(
        [sys.executable, "-c", QUIET], env=environ, capture_output=True, text=True, timeout=600
    )
    assert (done.stdout, done.stderr) == ("cpu:2\n", "")


def test_a_program_of_a_file_is_planned_from_the_command_line(tmp_path):
    (tmp_path / "train.py").write_text(
        "import theano, theano.tensor as T\n"
        "x = T.fmatrix('x')\n"
        "step = theano.function([x], T.dot(x, x.T))\n"
        "if __name__ == '__main__':\n    raise SystemExit('it was run as a program')\n"
    )
    command = [sys.executable, "-m", "theano", "plan", "train.py", "step", "x=8,4"]
    done = subprocess.run(
        [*command, "--on", "cpu:1", "--svg", "step.svg"],
        cwd=tmp_path,
        env=dict(os.environ, PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "computes   512 floating-point operations" in done.stdout
    assert (tmp_path / "step.svg").read_text().startswith("<svg")


# errors


@pytest.mark.parametrize(
    ("shapes", "there", "error", "why"),
    [
        ({"x": (32, 65), "y": (32,)}, "cpu:1", ValueError, "Shape mismatch: x has 65 cols"),
        (
            {"x": (32,), "y": (32,)},
            "cpu:1",
            ValueError,
            r"takes the shape of x, of type .* \(32,\)",
        ),
        ({"x": (32, 64)}, "cpu:1", ValueError, r"shape of each input, and y .* shapes=\{'y': "),
        ({**SHAPES, "z": (1,)}, "cpu:1", ValueError, "got one of 'z'; the inputs are x, y"),
        (SHAPES, None, TypeError, "takes the chips to compile for, as in topology='v5e:16x16'"),
        (SHAPES, "v9:1", ValueError, "the kinds are v5e, v5p, a100, h100, cpu"),
        (SHAPES, 8, TypeError, "takes a topology or its text, as in 'v5e:16x16', got 8"),
    ],
)
def test_what_cannot_be_planned_is_refused_by_name(shapes, there, error, why):
    f, _ = perceptron()
    with pytest.raises(error, match=why):
        dist.plan(f, shapes, there)


def test_a_plan_takes_functions_and_their_own_chips():
    with pytest.raises(TypeError, match="plan takes a compiled function that may run on XLA"):
        dist.plan(lambda x: x, {}, "cpu:1")
    f, _ = perceptron({"data": 4, "model": 2}, on("cpu:8"))
    with pytest.raises(ValueError, match=r"plan is for v5e:2x4, and the function's mesh is mesh\("):
        dist.plan(f, SHAPES, "v5e:2x4")
    f, _ = perceptron({"data": 3, "model": 1}, on("cpu:3"))
    with pytest.raises(ValueError, match=r"x of shape .* its length, 32, is not a multiple of 3"):
        dist.plan(f, SHAPES)


@pytest.mark.parametrize(
    ("there", "why"),
    [
        ("v5e:2x2", "^planning for TPUs takes libtpu: pip install libtpu$"),
        (
            "h100:1x8",
            "^planning for GPUs takes jax-cuda12-plugin, jax-cuda12-pjrt and "
            "nvidia-cuda-nvcc-cu12: pip install jax-cuda12-plugin jax-cuda12-pjrt "
            "nvidia-cuda-nvcc-cu12$",
        ),
    ],
)
def test_a_compiler_that_is_missing_is_named(there, why, monkeypatch):
    monkeypatch.setattr(compiler, "find_spec", lambda module: None)
    f, _ = perceptron()
    with pytest.raises(ImportError, match=why):
        dist.plan(f, SHAPES, there)


def test_a_compiler_that_ends_is_an_error_with_what_it_printed(monkeypatch, tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho no such chip >&2\nexit 3\n")
    python.chmod(0o755)
    monkeypatch.setattr(theano.config.plan, "python", str(python))
    f, _ = perceptron()
    with pytest.raises(RuntimeError, match="the compiler for cpu:1 ended with 3:\nno such chip"):
        dist.plan(f, SHAPES, "cpu:1")


# reports of made-up figures


def report_of(
    held=(), text="", there="v5e:4x2", error=None, is_wide=False, precision="fast", **figures
):
    traced = Traced("program 0 of 3 nodes", [], list(held), b"", [], None, is_wide, precision)
    memory = dict.fromkeys(("arguments", "results", "reused", "temporaries"), 0)
    compiled = Compiled(text, {**memory, **figures.pop("memory", {})}, b"", error)
    return dist.Plan(on(there), {"data": 4, "model": 2}, [ProgramPlan(traced, compiled, **figures)])


def state(number, name, nbytes, parts):
    return Held(number, name, (nbytes // 4,), "float32", parts, True, True)


def test_memory_is_compared_with_that_of_a_chip():
    limit = on("v5e:4x2").chip.memory
    assert report_of(memory={"arguments": limit}).fits
    too_much = report_of(memory={"arguments": limit, "temporaries": 1})
    assert too_much.fits is False and "does NOT fit" in str(too_much)
    assert report_of(memory={"arguments": limit, "results": 9, "reused": 9}).fits


def test_a_program_that_the_compiler_refuses_does_not_fit():
    report = report_of(error="CompileTimeHbmOom: Used 17.03G of 15.75G hbm\nmore")
    assert report.fits is False
    assert report.warnings == [
        "the compiler refuses program 0 of 3 nodes: CompileTimeHbmOom: Used 17.03G of 15.75G hbm"
    ]


def test_state_that_is_replicated_beside_split_state_is_warned_of():
    split, small, large = state(0, "W", 8000, 8), state(1, "b", 40, 1), state(2, "m", 8000, 1)
    assert report_of([split, small]).warnings == []
    (warning,) = report_of([split, small, large]).warnings
    assert warning.startswith("every chip has the whole of m, b, 8.04 kB, while other state is")
    # where nothing is split, nothing is meant to be
    assert report_of([small, large]).warnings == []


@pytest.mark.parametrize("nbytes", [80_000, 40_000, 20_000])
def test_a_gather_of_a_parameter_is_no_warning_and_any_other_large_one_is(nbytes):
    def gathers(size):
        c = Collective("all-gather", size, (0, 2, 4, 6), 6)
        return report_of([state(0, "W", 80_000, 8)], collectives=(c,)).warnings

    assert gathers(nbytes) == []
    assert gathers(900) == []
    (warning,) = gathers(nbytes + nbytes // 3)
    assert "over data, 6 times, is no gather of a split parameter" in warning


def test_float64_and_digits_are_warned_of():
    narrow = [state(0, "W", 400, 1)]
    wide = [narrow[0]._replace(dtype="float64")]
    (text,) = report_of(narrow, is_wide=True).warnings
    assert "computes in float64, though nothing that it takes is" in text
    assert "pairs of float32" in report_of(wide, is_wide=True).warnings[0]
    assert "bfloat16" in report_of(narrow, flops=9).warnings[0]
    assert "TF32" in report_of(narrow, flops=9, there="h100:1x8").warnings[0]
    assert report_of(wide, flops=9, there="h100:1x8", is_wide=True).warnings == []


def test_a_gather_of_one_layer_of_stacked_parameters_is_no_warning():
    stacked = state(0, "W", 8 * 80_000, 8)._replace(shape=(8, 20_000))
    c = Collective("all-gather", 80_000, (0, 2, 4, 6), 8)
    assert report_of([stacked], collectives=(c,)).warnings == []


def test_a_collective_along_no_axis_is_listed_without_one():
    c = Collective("collective-permute", 4000, (0, 0))
    assert "\n  1 collective-permute, 4 kB" in str(report_of(collectives=(c,)))


@pytest.mark.parametrize(
    ("there", "precision", "kept", "times"),
    [
        ("v5e:4x2", "float32", "keep their digits, in six passes of bfloat16", 6),
        ("v5e:4x2", "high", "keep most of their digits, in three passes of bfloat16", 3),
        ("v5e:4x2", "fast", None, 1),
        ("h100:1x8", "float32", "keep their digits", 494 / 67),
        ("h100:1x8", "high", None, 1),
    ],
)
def test_the_precision_of_products_is_said_and_counted(there, precision, kept, times):
    report = report_of(
        [state(0, "W", 400, 1)], there=there, precision=precision, flops=int(on(there).chip.flops)
    )
    assert report.seconds["products"] == pytest.approx(times)
    if kept is None:
        (warning,) = report.warnings
        assert warning.endswith(f"(xla.precision={precision})")
    else:
        assert report.warnings == []
        assert f"  products of float32 {kept} (xla.precision={precision})\n" in str(report)


def test_times_are_those_of_the_data_sheet():
    chip = on("v5e:4x2").chip
    sent = Collective("all-gather", 9_000_000, (0, 2, 4, 6), 2)
    report = report_of(
        flops=int(chip.flops), cycles=3_000_000, collectives=(sent,), memory={"arguments": 819_000}
    )
    seconds = report.seconds
    assert seconds["products"] == pytest.approx(1) and seconds["cycles"] == pytest.approx(2e-3)
    assert seconds["memory"] == pytest.approx(1e-6)
    # a ring of four: three steps of latency, three quarters of the bytes
    assert seconds["sending"] == pytest.approx(2 * (3e-6 + 9e6 * 3 / 4 / chip.link))
    assert "of these three, computing products takes longest" in str(report)
    assert "2 all-gather over data, 18 MB" in str(report)


def test_groups_of_several_hosts_go_over_the_network():
    inside, across = (
        Collective("all-gather", 10**9, (0, 1)),
        Collective("all-gather", 10**9, (0, 2)),
    )
    chip = on("h100:4x2").chip
    for each, speed in ((inside, chip.link), (across, chip.network)):
        sending = report_of(there="h100:4x2", collectives=(each,)).seconds["sending"]
        assert sending == pytest.approx(10**9 / 2 / speed, rel=1e-2)


def test_a_loop_of_unknown_length_is_told():
    (warning,) = report_of(uncounted=1).warnings
    assert warning == (
        "1 loop of program 0 of 3 nodes of unknown length: the work and what is sent in there "
        "counts once"
    )


def test_a_picture_shows_each_purpose_and_the_limit():
    report = report_of([state(0, "W", 10**9, 1)], flops=10**12, memory={"arguments": 10**9})
    text = report.svg()
    assert "variables: 1 GB" in text and "16.9 GB" in text and "5.08 ms" in text
    assert text.count("<rect") == 1 + 1 + 3


# the compilers themselves

OTHER = os.environ.get("THEANO_PLAN_PYTHON", "")
COMPILERS = {"v5e:2x4": "libtpu", "h100:1x8": "jax_cuda12_plugin"}


@pytest.mark.parametrize("there", COMPILERS)
def test_a_step_compiles_for_chips_that_are_not_here(there, monkeypatch):
    if not OTHER and find_spec(COMPILERS[there]) is None:
        pytest.skip(f"{COMPILERS[there]} is not installed, and THEANO_PLAN_PYTHON is not set")
    monkeypatch.setattr(theano.config.plan, "python", OTHER)
    f, _ = perceptron({"data": 4, "model": 2}, on(there))
    report = dist.plan(f, SHAPES)
    assert report.fits
    # two products forward, three back, over eight chips; V's are not split over "model"
    assert report.flops >= 2 * 32 * 64 * 32 * 2 // 8
    assert {c.kind for c in report.collectives} >= {"all-reduce", "all-gather"}
    assert (report.cycles is not None) == (report.topology.platform == "tpu")
