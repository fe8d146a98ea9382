"""Public modules carry names: a docstring, a table of names, and no logic.

That they carry the documented names is checked by `tools/names.py`.
"""

import ast
import re

import pytest

from tests.architecture.sources import public_modules, tree, where
from tools.stubs import stub

MAKERS = ("_public", "_enable_and_getattr")


def logic(module: ast.Module, command: bool = False) -> list[tuple[int, str]]:
    """(line, statement) of a public module for all but its docstring, imports, aliases and table.

    A command, which ``python -m`` runs, may call its main function and exit with what that
    returns.
    """
    imported = {
        (alias.asname or alias.name).split(".")[0]
        for node in module.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    found = []
    for index, node in enumerate(module.body):
        match node:
            case ast.Import() | ast.ImportFrom():
                continue
            case ast.Expr(value=ast.Constant(value=str())) if index == 0:
                continue
            case ast.If(test=test, body=[ast.Raise(exc=exit)], orelse=[]) if (
                command
                and ast.unparse(test) == "__name__ == '__main__'"
                and re.fullmatch(r"SystemExit\(\w+\(\)\)", ast.unparse(exit))
            ):
                continue
            case ast.Assign(targets=[ast.Name()], value=ast.Name()):
                continue
            case ast.Assign(
                targets=[ast.Name(id="__getattr__")],
                value=ast.Call(func=ast.Name(id=maker), args=args, keywords=keywords),
            ) if maker in MAKERS and maker in imported:
                given = [*args, *(k.value for k in keywords)]
                if all(isinstance(each, ast.Name | ast.Constant) for each in given):
                    continue
        found.append((node.lineno, ast.unparse(node).splitlines()[0]))
    return found


def test_public_modules_hold_no_logic():
    complaints = [
        f"{where(path, line)}: `{text}`; public modules only name, move it into theano/_src"
        for path in public_modules()
        for line, text in logic(tree(path), command=path.name == "__main__.py")
    ]
    assert not complaints, "\n" + "\n".join(complaints)


def test_a_command_exits_with_what_its_main_function_returns_and_does_no_more():
    source = "from a import b as _b\nif __name__ == '__main__':\n    raise SystemExit(_b())"
    assert logic(ast.parse(source), command=True) == []
    assert len(logic(ast.parse(source))) == 1
    for more in ("\n_b(1)", "\n    _b()"):
        assert len(logic(ast.parse(source + more), command=True)) == 1


def statements(module: ast.Module) -> list[tuple[int, str]]:
    """(line, statement) of imports from our own package that make public names: tables do that."""
    return [
        (node.lineno, ast.unparse(node))
        for node in module.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("theano")
        if not all((alias.asname or alias.name).startswith("_") for alias in node.names)
    ]


def test_public_names_are_stated_once_in_a_table():
    complaints = [
        f"{where(path, line)}: `{text}`; state the names in the table"
        for path in public_modules()
        for line, text in statements(tree(path))
    ]
    assert not complaints, "\n" + "\n".join(complaints)


def test_a_name_that_is_imported_instead_is_found():
    assert len(statements(ast.parse("from theano._src.graph.op import Op as Op"))) == 1
    assert statements(ast.parse("import numpy as np\nfrom theano import scan as _scan")) == []


def test_stubs_are_what_the_tables_say():
    complaints = [
        f"{path.with_suffix('.pyi')} is not what {path.name} says: run `make stubs`"
        for path in public_modules()
        if path.name != "__main__.py"
        if not path.with_suffix(".pyi").exists()
        or path.with_suffix(".pyi").read_text(encoding="utf-8")
        != stub(path.read_text(encoding="utf-8"), path.name)
    ]
    assert not complaints, "\n" + "\n".join(complaints)


def test_every_stub_has_a_module():
    modules = {path.with_suffix(".pyi") for path in public_modules()}
    folders = {path.parent for path in modules}
    assert {stub for folder in folders for stub in folder.glob("*.pyi")} <= modules


def test_a_stub_exports_every_name_as_strict_type_checkers_want_it():
    source = (
        '"""Names."""\n\nimport pickle as pickle\n'
        "from theano._src.ground.public import public as _public\n"
        "from theano._src.ops import methods as _methods\n\n"
        "cPickle = pickle\n"
        "__getattr__ = _public(__name__, 'a: b c=b d=e _f=f * g: _h', at_first_use='i: j')\n"
    )
    assert stub(source, "names.py").splitlines()[1:] == [
        "import pickle as pickle",
        "cPickle = pickle",
        "from a import *",
        "from a import b as b, e as _e, f as _f",
        "from g import _h as _h",
        "from i import j as j",
        "",
        "c = b",
        "d = _e",
    ]


@pytest.mark.parametrize(
    "source",
    [
        '__all__ = ["add", "mul"]',
        "def f(): pass",
        "class A: pass",
        "f = lambda: 1",
        "for name in (): pass",
        "if True:\n    from theano import x",
        "x = make()",
        "x = 1 + 1",
        "globals().update({})",
        "__getattr__ = _public(__name__)",  # nothing imports it
        "from a import b\nb.c = 3",
        "from a import _public\n__getattr__ = _public(__name__, a())",
    ],
)
def test_logic_in_a_public_module_is_found(source):
    assert len(logic(ast.parse(source))) == 1


@pytest.mark.parametrize(
    "source",
    [
        '"""Names."""\nimport pickle as pickle\ncPickle = pickle',
        "from a import p as _public\n__getattr__ = _public(__name__, 'b: c', at_first_use='d: e')",
    ],
)
def test_a_thin_public_module_is_let_be(source):
    assert logic(ast.parse(source)) == []
