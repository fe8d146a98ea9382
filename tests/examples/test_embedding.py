"""The programs of `examples/embedded` compile, run, and compute what NumPy does."""

import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

from tests.compile.c_toolchain import (
    SANITIZERS,
    STRICT,
    STRICT_CPP,
    compiled,
    needed,
    needed_flags,
    needed_program,
    printed,
    size_of_object,
    valgrind,
)

HOME = Path(__file__).parents[2]
PROGRAMS = HOME / "examples" / "embedded"
PAGE = HOME / "docs" / "tutorial" / "embedding.md"
SPARSE_PAGE = PAGE.with_name("sparse-derivatives.md")
Q, X, Y = np.array([0.5, 2.0, -1.0]), np.arange(4.0), np.array([0.4, 2.7, 4.4, 6.5])


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder with the programs and the C files that `models.py` writes."""
    folder = tmp_path_factory.mktemp("embedded") / "programs"
    shutil.copytree(PROGRAMS, folder, ignore=shutil.ignore_patterns("target", "__pycache__"))
    subprocess.run([sys.executable, "models.py"], cwd=folder, check=True)
    return folder


@pytest.fixture
def folder(written, tmp_path):
    """A copy of these for one test."""
    return shutil.copytree(written, tmp_path / "programs")


def expected():
    """The density and its gradient, by their formulas."""
    residuals = (Y - Q[0] - Q[1] * X) * np.exp(-Q[2])
    density = -0.5 * np.sum(residuals**2) - len(Y) * Q[2] - 0.5 * np.sum(Q**2)
    slopes = [sum(residuals) * np.exp(-Q[2]), sum(residuals * X) * np.exp(-Q[2])]
    return [density, *(np.array([*slopes, sum(residuals**2) - len(Y)]) - Q)]


def agrees(text):
    """The first line is the density and its gradient; return the others."""
    first, *others = text.splitlines()
    np.testing.assert_allclose([float(word) for word in first.split()], expected(), rtol=1e-12)
    return others


@pytest.mark.parametrize("name", ["gcc", "clang", "zig"])
def test_a_program_in_c_prints_the_density(name, folder):
    sources = [folder / "main.c", folder / "model.c"]
    made = compiled(needed(name), sources, folder / "main", "-O2", *STRICT)
    assert agrees(printed(made)) == []


def test_the_program_in_c_has_no_error_that_sanitizers_or_valgrind_find(folder):
    compiler, sources = needed("gcc", "clang"), [folder / "main.c", folder / "model.c"]
    flags = needed_flags(compiler, *SANITIZERS)
    assert agrees(printed(compiled(compiler, sources, folder / "main", *flags))) == []
    plain = compiled(compiler, sources, folder / "plain", "-g", "-O1")
    assert agrees(printed(plain, under=valgrind())) == []


def bratu(n):
    """The largest element of the solution of -Laplace(u) = exp(u), by SciPy."""
    line = sp.diags([np.full(n - 1, -1.0), np.full(n, 2.0), np.full(n - 1, -1.0)], [-1, 0, 1])
    laplace = sp.kronsum(line, line, format="csc") * (n + 1) ** 2
    u = np.zeros(n * n)
    for _ in range(6):
        u -= spsolve(laplace - sp.diags(np.exp(u), format="csc"), laplace @ u - np.exp(u))
    return u.max()


def test_newton_in_c_solves_the_equation_with_the_sparse_jacobian(folder):
    compiler, sources = needed("gcc", "clang"), [folder / "newton.c", folder / "equation.c"]
    plain = printed(compiled(compiler, sources, folder / "plain", "-O2", *STRICT))
    assert abs(float(plain) - bratu(20)) < 1e-6
    assert f"It prints {plain.strip()}," in SPARSE_PAGE.read_text()
    header = (folder / "equation.h").read_text()
    block = re.search(r"```c\n(/\*\n.*?)```", SPARSE_PAGE.read_text(), re.S)[1]
    assert all(part.strip() in header for part in block.split("\n\n"))
    flags = needed_flags(compiler, *SANITIZERS)
    assert printed(compiled(compiler, sources, folder / "newton", *flags)) == plain


@pytest.mark.parametrize("name", ["gcc", "clang", "zig"])
def test_a_program_in_c_plus_plus_prints_the_density_and_raises(name, folder):
    compiler = needed(name)
    # the C file as C and as C++
    as_c = compiled(compiler, [folder / "model.c"], folder / "c.o", "-c", *STRICT)
    as_cpp = compiled(compiler, [folder / "model.c"], folder / "cpp.o", "-c", *STRICT_CPP, cpp=True)
    for model in (as_c, as_cpp):
        flags = ("-std=c++11", "-Wall", "-Wextra", "-Werror")
        sources = [folder / "main.cpp", model]
        made = compiled(compiler, sources, folder / "main", *flags, cpp=True)
        (message,) = agrees(printed(made))
        assert message


def test_a_program_in_rust_prints_the_density_and_returns_an_error(folder):
    cargo, _ = needed_program("cargo"), needed("gcc")
    built = subprocess.run(
        [cargo, "run", "--quiet", "--release", "--offline"],
        cwd=folder / "rust",
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    assert not built.stderr
    (message,) = agrees(built.stdout)
    assert message


def test_cmake_builds_the_programs_in_c_and_c_plus_plus(folder):
    cmake, _ = needed_program("cmake"), needed("gcc")
    for command in ([cmake, "-S", folder, "-B", folder / "b"], [cmake, "--build", folder / "b"]):
        made = subprocess.run(command, capture_output=True, text=True)
        assert made.returncode == 0, made.stdout + made.stderr
    assert agrees(printed(folder / "b" / "from_c")) == []
    assert len(agrees(printed(folder / "b" / "from_cpp"))) == 1


@pytest.mark.parametrize("name", ["with_ctypes", "with_cffi"])
def test_a_program_in_python_prints_the_density(name, folder):
    if name == "with_cffi":
        pytest.importorskip("cffi")
    flags = ("-O2", "-shared", "-fPIC")
    compiled(needed("gcc", "clang"), [folder / "model.c"], folder / "libmodel.so", *flags)
    program = [sys.executable, "-W", "error", f"{name}.py"]
    made = subprocess.run(program, cwd=folder, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    assert agrees(made.stdout) == []


# the controller

CALLS = """#include <stdio.h>
void start(void);
float force_on_cart(float position, float angle);
static const float given[][2] = {NUMBERS};
int main(void)
{
    size_t i;
    start();
    for (i = 0; i < sizeof given / sizeof *given; i++)
        printf("%.9g\\n", force_on_cart(given[i][0], given[i][1]));
    return 0;
}
"""


@pytest.mark.parametrize("name", ["gcc", "clang", "zig"])
def test_the_firmware_keeps_the_pole_upright(name, folder):
    sources = [folder / f"{stem}.c" for stem in ("firmware", "controller", "plant")]
    text = printed(compiled(needed(name), sources, folder / "plant", "-Os", *STRICT))
    lines = [re.findall(r"-?\d+\.\d+", line) for line in text.splitlines()]
    angles = [abs(float(angle)) for _, angle in lines]
    assert len(angles) == 11
    assert angles[0] == 0.3 and angles[-1] < 0.001


def test_the_controller_computes_what_the_function_does(folder):
    rng = np.random.RandomState(3)
    measured = rng.uniform(-0.1, 0.1, (20, 2)).astype("float32")
    control = runpy.run_path(str(folder / "models.py"))["controller"]()
    want = [float(control(*pair)) for pair in measured]
    numbers = ",\n".join(f"{{{a:.9e}f, {b:.9e}f}}" for a, b in measured.tolist())
    (folder / "calls.c").write_text(CALLS.replace("NUMBERS", numbers))
    sources = [folder / f"{stem}.c" for stem in ("firmware", "controller", "calls")]
    text = printed(compiled(needed(), sources, folder / "calls", *STRICT))
    got = [float(line) for line in text.splitlines()]
    assert np.abs(want).max() > 1
    np.testing.assert_allclose(got, want, rtol=2e-6, atol=2e-6)


def test_the_firmware_asks_nothing_of_a_c_library_but_copies_and_mathematics(folder):
    compiler, names = needed("gcc", "clang"), set()
    for stem in ("firmware", "controller"):
        made = compiled(compiler, [folder / f"{stem}.c"], folder / f"{stem}.o", "-Os", "-c")
        lines = printed(needed_program("nm"), "-u", str(made)).splitlines()
        names |= {line.split()[-1] for line in lines}
    own = {"control", "control_sizes", "controller_init", "_GLOBAL_OFFSET_TABLE_"}
    assert names - own <= {"memcpy", "memset", "memmove", "fminf", "fmaxf"}


def test_the_page_states_the_size_of_the_controller(folder):
    stated = re.search(r"`controller.o` has (\d\.\d) kB", PAGE.read_text())
    made = compiled(needed("gcc"), [folder / "controller.c"], folder / "c.o", "-Os", "-c")
    assert size_of_object(made) / 1000 == pytest.approx(float(stated[1]), rel=0.3)


# the page


def test_the_pages_show_every_program():
    pages = PAGE.read_text() + SPARSE_PAGE.read_text()
    shown = set(re.findall(r"examples/embedded/([\w./]+)$", pages, re.MULTILINE))
    files = {str(path.relative_to(PROGRAMS)) for path in PROGRAMS.rglob("*.*") if path.is_file()}
    kinds = (".c", ".cpp", ".rs", ".txt", ".py")
    sources = {name for name in files if name.endswith(kinds) and "target" not in name}
    assert sources - {"plant.c"} == shown


def test_included_lines_begin_and_end_once_in_their_file():
    parts = re.findall(
        r"examples/embedded/([\w./]+)\n((?::[\w-]+: .*\n)*)",
        PAGE.read_text() + SPARSE_PAGE.read_text(),
        re.MULTILINE,
    )
    marks = [
        (name, text)
        for name, options in parts
        for text in re.findall(r":(?:start-at|end-at|end-before): (.*)", options)
    ]
    assert len(marks) >= 8
    for name, text in marks:
        lines = (PROGRAMS / name).read_text().splitlines()
        assert sum(text.strip('"') in line for line in lines) == 1, (name, text)
