"""Functions as C: what is written compiles without a warning, and computes what the engines do.

THEANO_TEST_C says how many random programs and cases of specs are compiled; ``all`` are more than
300, by two compilers.
"""

import os
import re
import runpy
import subprocess
import sys
import threading

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.compile.c_toolchain import (
    BITS_32,
    SANITIZERS,
    STRICT,
    STRICT_CPP,
    compiled,
    needed,
    needed_flags,
)
from tests.compile.programs_in_c import PLAIN, programs_of_specs, random_programs, run
from theano._src.testing.opspec import SEED

ALL = os.environ.get("THEANO_TEST_C") == "all"


@pytest.fixture
def build(tmp_path):
    """Export functions and load them by ctypes: the module, whose text is in ``folder``."""

    def build(f, name="model", **options):
        compiler = needed()
        theano.export(f, tmp_path / f"{name}.c", ctypes=True, **options)
        library = tmp_path / f"{name}.so"
        source = [tmp_path / f"{name}.c"]
        compiled(compiler, source, library, "-shared", "-fPIC", *PLAIN, *STRICT)
        return runpy.run_path(str(tmp_path / f"{name}.py"))["load"](str(library))

    build.folder = tmp_path
    return build


def density():
    """A log-density of a vector, and its gradient."""
    q, y = T.dvectors("q", "y")
    value = -0.5 * T.sqr((y - q[0]) * T.exp(-q[1])).sum() - y.shape[0] * q[1]
    value.name = "density"
    slope = T.grad(value, q)
    slope.name = "slope"
    return theano.function([q, y], [value, slope])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_cases_of_specs_give_the_numbers_of_the_native_engine(tmp_path):
    needed("gcc", "clang")
    programs = list(programs_of_specs(0, 1, 2) if ALL else programs_of_specs(SEED % 24, 24, 1))
    report = run(programs, tmp_path, is_quick=not ALL)
    assert not report.wrong, "\n".join(report.wrong)
    assert report.counts["written"] > (300 if ALL else 6), report.counts
    assert report.counts["called from C"] > 0.7 * report.counts["written"], report.counts


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_random_programs_give_the_numbers_of_the_native_engine(tmp_path):
    needed("gcc", "clang")
    first = SEED * 1_000_000
    programs = list(random_programs(range(first, first + (300 if ALL else 16))))
    report = run(programs, tmp_path, is_quick=not ALL)
    assert not report.wrong, "\n".join(report.wrong)
    assert report.counts["written"] > 0.3 * len(programs), (report.counts, report.reasons)


def test_names_and_lines_of_the_user_are_in_the_text(build):
    f = density()
    build(f)
    text = (build.folder / "model.c").read_text()
    header = (build.folder / "model.h").read_text()
    signature = "int model(const double *q, int64_t q_n, const double *y, int64_t y_n, "
    assert signature in " ".join(header.split())
    assert "test_export_c.py" in text and "T.sqr((y - q[0])" in text


def test_a_failed_check_is_a_code_with_a_message(build):
    model = build(density())
    assert model.model([0.1, 0.2], np.arange(3.0))[1].shape == (2,)
    with pytest.raises(ValueError, match=r"Subtensor stops.*test_export_c.py"):
        model.model([0.1], np.arange(3.0))


def test_indices_are_checked(build):
    x, i = T.dvector("x"), T.lvector("i")
    f = theano.function([x, i], x[i])
    model = build(f)
    assert model.model([1.0, 2.0, 3.0], [2, -1, 0]).tolist() == [3, 3, 1]
    with pytest.raises(ValueError, match="indices do not fit"):
        model.model([1.0, 2.0], [2])


def test_several_functions_share_their_state_and_kernels(build):
    w = theano.shared(np.array([1.0, 2.0]), name="w")
    x = T.dvector("x")
    cost = T.sqr(w - x).sum()
    step = theano.function([x], cost, updates=[(w, w - 0.1 * T.grad(cost, w))])
    look = theano.function([x], T.sqr(w - x).sum())
    model = build({"step": step, "look": look})
    point = np.zeros(2)
    for _ in range(3):
        assert model.step(point) == float(step(point))
    assert model.state.w.tolist() == w.get_value().tolist()
    assert model.look(point) == float(look(point))
    text = (build.folder / "model.c").read_text()
    assert len(re.findall(r"^static double leaf_f64", text, re.M)) <= 1


def test_a_call_that_stops_leaves_the_state_as_it_was(build):
    w = theano.shared(np.zeros(3), name="w")
    x, i = T.dvector("x"), T.lscalar("i")
    f = theano.function([x, i], x[i], updates=[(w, w + x)])
    model = build(f)
    assert model.model(np.ones(3), 1) == 1
    with pytest.raises(ValueError):
        model.model(np.ones(3), 3)
    with pytest.raises(ValueError):
        model.model(np.ones(2), 1)  # the new value has another length
    assert model.state.w.tolist() == [1, 1, 1]


def test_lengths_that_are_given_are_constants(build):
    x, y = T.dvector("x"), T.dvector("y")
    f = theano.function([x, y], [x + y, (x * y).sum()])
    model = build(f, shapes={x: (4,), "y": (4,)})
    header = (build.folder / "model.h").read_text()
    assert "#define MODEL_SCRATCH" in header
    assert "x_n" not in header
    assert model.model(np.arange(4.0), np.ones(4))[1] == 6


def test_a_name_for_two_lengths_is_one_argument(build):
    x, y = T.dmatrix("x"), T.dvector("y")
    f = theano.function([x, y], T.dot(y, x))
    model = build(f, shapes={x: ("rows", 3), y: ("rows",)})
    header = (build.folder / "model.h").read_text()
    assert header.count("int64_t rows") == 2  # of the function and of its sizes
    X = np.arange(12.0).reshape(4, 3)
    np.testing.assert_allclose(model.model(X, np.ones(4)), X.sum(0), rtol=1e-15)


def test_float64_may_be_float(build):
    f = density()
    model = build(f, dtype="float32")
    text = (build.folder / "model.c").read_text()
    assert "double" not in re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    q, y = np.array([0.1, 0.2]), np.arange(5.0)
    for got, want in zip(model.model(q, y), f(q, y), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5)


def test_loops_and_branches(build):
    from theano.ifelse import ifelse

    x, n = T.dvector("x"), T.lscalar("n")
    powers, _ = theano.scan(
        lambda p, x: p * x, outputs_info=T.ones_like(x), non_sequences=x, n_steps=n
    )
    f = theano.function([x, n], [powers[-1], ifelse(n > 3, x.sum(), x.max())])
    model = build(f)
    for steps in (2, 5):
        for got, want in zip(model.model([1.5, -0.5], steps), f([1.5, -0.5], steps), strict=True):
            assert got.tolist() == want.tolist()


def test_a_size_that_depends_on_computed_values_is_refused(tmp_path):
    x = T.dvector("x")
    f = theano.function([x], x[: T.argmax(x)])
    with pytest.raises(NotImplementedError, match="size of an array depends on values"):
        theano.export(f, tmp_path / "model.c")
    assert list(tmp_path.iterdir()) == []


def test_what_c_does_not_have_is_refused_by_name_and_line(tmp_path):
    x = T.dmatrix("x")
    f = theano.function([x], T.nlinalg.matrix_inverse(x))
    with pytest.raises(NotImplementedError, match=r"MatrixInverse.*test_export_c.py:\d+"):
        theano.export(f, tmp_path / "model.c")
    z = T.zvector("z")
    g = theano.function([z], z * 2)
    with pytest.raises(NotImplementedError, match="C has no complex128"):
        theano.export(g, tmp_path / "model.c")
    assert list(tmp_path.iterdir()) == []


def test_variables_take_their_inputs(build):
    x = T.dvector("x")
    with pytest.raises(TypeError, match="takes inputs"):
        theano.export(x * 2, build.folder / "model.c")
    model = build(x * 2, inputs=[x])
    assert model.model([1.0, 2.0]).tolist() == [2, 4]


def test_names_of_c_and_python_are_made_different(build):
    x, y = T.dvector("int"), T.dvector("v1")
    z = T.exp(x) + y
    z.name = "double"
    f = theano.function([x, y], z)
    model = build(f, name="while")
    (name,) = (n for n in vars(model) if n.startswith("while"))
    got = getattr(model, name)([0.0, 1.0], [1.0, 1.0])
    np.testing.assert_allclose(got, f([0.0, 1.0], [1.0, 1.0]), rtol=1e-15)


def test_it_compiles_as_cpp_and_for_32_bits(tmp_path):
    compiler = needed("gcc", "clang")
    source = tmp_path / "model.c"
    theano.export(density(), source)
    compiled(compiler, [source], tmp_path / "cpp.o", "-c", *STRICT_CPP, cpp=True)
    flags = needed_flags(compiler, *BITS_32)
    compiled(compiler, [source], tmp_path / "narrow.o", "-c", *STRICT, *flags)


def test_the_program_reads_its_inputs_and_prints_its_outputs(tmp_path):
    compiler = needed("gcc", "clang")
    x = T.dmatrix("x")
    theano.export(theano.function([x], x.sum(axis=0)), tmp_path / "model.c", main=True)
    flags = needed_flags(compiler, *SANITIZERS)
    sources = [tmp_path / "model.c", tmp_path / "model_main.c"]
    program = compiled(compiler, sources, tmp_path / "model", *STRICT, *flags)
    run = subprocess.run([program], input="2 3 1 2 3 4 5 6", capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("5 7 9\n", "")


def test_threads_call_one_function_at_the_same_time(build):
    model, f = build(density()), density()
    y = np.arange(200.0)
    points = [np.array([0.01 * k, -0.1 * k]) for k in range(8)]
    want = [as_numbers(f(q, y)) for q in points]
    wrong = []

    def work(k):
        for _ in range(300):
            if not np.allclose(as_numbers(model.model(points[k], y)), want[k], rtol=1e-12):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def as_numbers(outputs):
    return np.concatenate([np.ravel(x) for x in outputs])


def test_a_large_state_is_stored_as_text_of_every_digit(build):
    rng = np.random.RandomState(0)
    values = rng.randn(50) * 10.0 ** rng.randint(-300, 300, 50)
    values[:4] = [np.inf, -np.inf, 0.0, -0.0]
    w = theano.shared(values, name="w")
    model = build(theano.function([], w * 1.0))
    assert model.model().tobytes() == values.tobytes()


def test_exporting_takes_no_jax(tmp_path):
    program = (
        "import sys, theano, theano.tensor as T\n"
        "x = T.dvector('x')\n"
        "f = theano.function([x], T.exp(x).sum())\n"
        f"theano.export(f, {str(tmp_path / 'model.c')!r})\n"
        "assert 'jax' not in sys.modules and 'llvmlite' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_blas_multiplies_where_that_is_asked_for(tmp_path):
    a, b = T.dmatrices("a", "b")
    theano.export(theano.function([a, b], T.dot(a, b)), tmp_path / "model.c", cblas=True)
    text = (tmp_path / "model.c").read_text()
    assert "cblas_dgemm(" in text and "#include <cblas.h>" in text


# what C leaves open, and NumPy does not


def test_integers_wrap_where_c_leaves_overflow_undefined(build):
    least, most = np.iinfo("int64").min, np.iinfo("int64").max
    x, short, wide = T.lvector("x"), T.bvector("short"), T.TensorType("uint16", (False,))("wide")
    outputs = [x.sum(), x + x, x * x, -x, abs(x), T.switch(short > 0, short, -short).sum()]
    f = theano.function([x, short, wide], [*outputs, wide * wide, short * short])
    model = build(f, main=True)
    values = (
        np.array([most, least, least, 2**40]),
        np.array([-128, 127, 5, 0], "int8"),
        np.array([65535, 2, 0, 1], "uint16"),
    )
    want = f(*values)
    for got, expected in zip(model.model(*values), want, strict=True):
        assert got.tolist() == expected.tolist()
    # the same under the sanitizers, from a program that reads whole numbers
    compiler = needed("gcc", "clang")
    flags = needed_flags(compiler, *SANITIZERS)
    sources = [build.folder / "model.c", build.folder / "model_main.c"]
    program = compiled(compiler, sources, build.folder / "program", *STRICT, *flags)
    words = " ".join(f"{len(v)} " + " ".join(map(str, v.tolist())) for v in values)
    done = subprocess.run([program], input=words, capture_output=True, text=True)
    assert done.stderr == ""
    printed = [[int(word) for word in line.split()] for line in done.stdout.splitlines()]
    assert printed == [np.ravel(x).tolist() for x in want]


def test_sums_of_integers_have_64_bits(build):
    x = T.ivector("x")
    values = np.full(1000, 2**31 - 1, "int32")
    f = theano.function([x], x.sum())
    assert build(f).model(values) == f(values) == 1000 * (2**31 - 1)


def test_a_shared_variable_may_be_an_output_with_its_name(build):
    a, b = theano.shared(np.arange(2.0), "a"), theano.shared(np.arange(2.0) + 5, "b")
    model = build(theano.function([], [a, b], updates=[(a, b), (b, a)]))
    assert [x.tolist() for x in model.model()] == [[0, 1], [5, 6]]
    assert [x.tolist() for x in model.model()] == [[5, 6], [0, 1]]
    assert model.state.a.tolist() == [0, 1]


NAMES = (
    "first nest0 leaf_f64 room1 v1 x1 sums INT64_MIN FP_NAN MATH_ERRNO M_PI int64_t uint8_t tanhf "
    "model_c0 model_sizes model_message model_init model_state memory printf malloc number room "
    "code i sizes scratch state context step0 th_sign matmul_f64 main errno NULL I class real"
).split()


@pytest.mark.parametrize("names", [NAMES[k::3] for k in range(3)])
def test_names_of_headers_and_of_our_own_are_made_different(names, build):
    inputs = [T.dvector(name) for name in names]
    shared = [theano.shared(np.arange(9.0) + k, name) for k, name in enumerate(names)]
    constant = T.constant(np.linspace(1, 2, 9))
    total = sum(T.tanh(x * w) for x, w in zip(inputs, shared, strict=True)) + constant
    outputs = [total, total.sum(), *shared[:2]]
    for output, name in zip(outputs, names, strict=False):
        output.name = name
    values = [np.arange(9.0) / (k + 2) for k in range(len(names))]
    updates = [(w, w + 1) for w in shared]
    f = theano.function(inputs, outputs, updates=updates)
    model = build(f, main=True)
    for got, want in zip(model.model(*values), f(*values), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-14)
    sources = [build.folder / "model.c", build.folder / "model_main.c"]
    compiled(needed(), sources, build.folder / "program", *STRICT)


def test_functions_whose_names_are_those_of_others_get_new_ones(build):
    x = T.dvector("x")
    doubled, halved = theano.function([x], x * 2), theano.function([x], x / 2)
    model = build({"f": doubled, "f_sizes": halved, "model_message": doubled, "nest0": halved})
    functions = [g for name, g in vars(model).items() if name != "state"]
    assert [g([4.0]).tolist() for g in functions] == [[8], [2], [8], [2]]


def test_empty_arrays_and_loops_of_no_steps(build):
    x, m = T.dvector("x"), T.dmatrix("m")
    sums, _ = theano.scan(lambda a, s: a + s, x, T.constant(np.float64(0)))
    outputs = [
        x.sum(),
        T.exp(x),
        x[::-1],
        T.dot(m.T, m),
        m.sum(0),
        m.sum(1),
        T.set_subtensor(x[1:], 2),
    ]
    f = theano.function([x, m], outputs)
    model = build(f)
    for given in ((np.zeros(0), np.zeros((0, 3))), (np.ones(1), np.zeros((3, 0)))):
        for got, want in zip(model.model(*given), f(*given), strict=True):
            assert (got.shape, got.tolist()) == (want.shape, want.tolist())
    loop = build(theano.function([x], sums), name="loop")
    assert loop.loop([1.0, 2.0]).tolist() == [1, 3]
