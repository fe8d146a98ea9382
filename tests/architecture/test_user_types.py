"""What a user's type checker sees of the package: `mypy --strict` on annotated programs."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import SRC
from tests.architecture.user_types import program
from theano._src.ops.numpy_api.operators import _TENSOR

ROOT = SRC.parent.parent
PROGRAM = Path(__file__).parent / "user_types" / "program.py"
STUB = SRC / "types" / "tensor_methods.pyi"
# Operators that only Python 2 asks for or that refuse, and a name documented by mistake.
NOT_DECLARED = set(
    "__bool__ __float__ __int__ __index__ __setitem__ __array_priority__ "
    "__complex__ __contains__ __eq__ __format__ __getattr__ __len__ __round__ "
    "__div__ __rdiv__ __dot__ __rdot__ conf".split()
)


def mypy(path: Path, cache: Path) -> str:
    """What strict mypy says about a file that imports the package as it is installed."""
    options = ["--strict", "--follow-imports=silent", "--config-file=", "--no-error-summary"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, f"--cache-dir={cache}", path.name],
        cwd=path.parent,
        env={"MYPYPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    pytest.importorskip("mypy", reason="mypy is one of the development tools")
    return tmp_path_factory.mktemp("mypy")


@pytest.mark.slow
def test_strict_mypy_has_nothing_to_say_about_an_annotated_program(cache):
    assert mypy(PROGRAM, cache) == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mistake", "complaint"),
    [
        ("theano.shared(1.0).no_such_method()", "no_such_method"),
        ("T.vector('v').no_such_method()", "no_such_method"),
        ("(T.dmatrix() + 1).no_such_method()", "no_such_method"),
        ("T.dot(T.dmatrix(), 2).no_such_method()", "no_such_method"),
        ("T.exp(T.dmatrix()).sum(axes=0)", "axes"),
        ("theano.grad(T.dscalar(), [T.dscalar()]).name", "name"),
        ("float(T.dscalar())", "float"),
    ],
)
def test_strict_mypy_reports_a_mistake(mistake, complaint, cache, tmp_path):
    path = tmp_path / "mistaken.py"
    path.write_text(f"import theano\nimport theano.tensor as T\n\n{mistake}\n", encoding="utf-8")
    said = mypy(path, cache).splitlines()
    assert len(said) >= 1
    assert said[0].startswith("mistaken.py:4: error:")
    assert complaint in said[0]


def test_the_annotated_program_runs():
    assert program.train() == pytest.approx(6.0, abs=1.0)
    assert program.running_totals().tolist()[-1] == [4.0] * 3
    assert program.doubled().tolist() == [3.0, 5.0]
    assert len(program.variables()) == 28


def declared() -> dict[str, ast.FunctionDef]:
    """The methods of tensor variables that type checkers see, by name."""
    (methods,) = (n for n in ast.parse(STUB.read_text("utf-8")).body if isinstance(n, ast.ClassDef))
    found: dict[str, ast.FunctionDef] = {}
    for node in methods.body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign):
            found.update((name.id, found[node.value.id]) for name in node.targets)
    return {
        name: node for name, node in found.items() if name not in ("_unary", "_binary", "_divmod")
    }


def test_the_declared_methods_are_those_that_variables_have():
    assert set(declared()) == set(_TENSOR) - NOT_DECLARED


@pytest.mark.parametrize("name", sorted(set(_TENSOR) - NOT_DECLARED))
def test_a_declared_method_takes_what_the_method_takes(name):
    node, method = declared()[name], _TENSOR[name]
    if isinstance(method, property):
        assert [ast.unparse(d) for d in node.decorator_list] == ["property"]
        return
    if hasattr(method, "make_node"):
        # an op takes as many inputs as its scalar op, and none by name
        assert len([*node.args.posonlyargs, *node.args.args]) == method.nin
        return
    _, *wanted = inspect.signature(method).parameters.values()
    named = [p.name.rstrip("_") for p in wanted if p.kind is not p.VAR_POSITIONAL]
    if node.args.posonlyargs:
        assert len(node.args.posonlyargs) == 1 + len(named)
    else:
        assert [a.arg for a in node.args.args[1:] + node.args.kwonlyargs] == named
