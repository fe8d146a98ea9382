"""Public modules carry names: a docstring, imports and aliases, and no logic.

That they carry the documented names is checked by `tools/names.py`.
"""

import ast
import re

import pytest

from tests.architecture.sources import PACKAGE, public_modules, tree, where


def logic(module: ast.Module, command: bool = False) -> list[tuple[int, str]]:
    """(line, statement) of a public module for all but its docstring, imports and aliases.

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
            case ast.If(test=test, body=body, orelse=[]) if (
                ast.unparse(test) == "_typing.TYPE_CHECKING"
            ):
                found += logic(ast.Module(body, []))
                continue
            case ast.If(test=test, body=[ast.Raise(exc=exit)], orelse=[]) if (
                command
                and ast.unparse(test) == "__name__ == '__main__'"
                and re.fullmatch(r"SystemExit\(\w+\(\)\)", ast.unparse(exit))
            ):
                continue
            case ast.Assign(targets=[ast.Name(id="__version__")], value=ast.Constant()):
                continue
            case ast.Assign(targets=[ast.Name()], value=value) if dotted(value):
                continue
            case ast.Assign(
                targets=[ast.Name(id="__getattr__")],
                value=ast.Call(func=ast.Name(id=maker), args=args, keywords=[]),
            ) if maker in imported and all(isinstance(a, ast.Name | ast.Constant) for a in args):
                continue
        found.append((node.lineno, ast.unparse(node).splitlines()[0]))
    return found


def dotted(value: ast.expr) -> bool:
    """`name` or `name.attribute`: an alias, not a computation."""
    while isinstance(value, ast.Attribute):
        value = value.value
    return isinstance(value, ast.Name)


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


def implicit(module: ast.Module) -> list[tuple[int, str]]:
    """(line, name) of public names that a user's strict mypy would not find.

    It takes ``from m import name as name`` as an export, and ``name = other``; not a plain import.
    """
    return [
        (node.lineno, alias.asname or alias.name)
        for node in ast.walk(module)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if alias.name not in ("*", alias.asname)
        and not (alias.asname or alias.name).startswith("_")
    ]


def test_public_modules_export_what_they_import():
    complaints = [
        f"{where(path, line)}: {name} is not exported; write `{name} as {name}`, or an alias"
        for path in public_modules()
        for line, name in implicit(tree(path))
        if name not in ("np", "theano")  # a star import brings them along; they are not its own
    ]
    assert not complaints, "\n" + "\n".join(complaints)


def loaded_at_first_use(module: ast.Module) -> set[str]:
    """The names that a public module's `__getattr__` is told to load."""
    return {
        name.partition("=")[0]
        for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for entry in node.value.args
        if isinstance(entry, ast.Constant)
        for name in entry.value.partition(":")[2].split()
    }


def declared_for_types(module: ast.Module) -> set[str]:
    """The public names that type checkers alone see imported, or named."""
    body = [n for node in module.body if isinstance(node, ast.If) for n in node.body]
    imported = [a.asname or a.name for n in body if isinstance(n, ast.ImportFrom) for a in n.names]
    named = [n.targets[0].id for n in body if isinstance(n, ast.Assign)]
    return {name for name in imported + named if not name.startswith("_")}


def test_type_checkers_see_what_is_loaded_at_first_use():
    for path in public_modules():
        module = tree(path)
        assert loaded_at_first_use(module) == declared_for_types(module), path
    assert "scan" in loaded_at_first_use(tree(PACKAGE / "__init__.py"))


@pytest.mark.parametrize(
    "source", ["from m import a", "from m import a as b", "import a", "from m import (c as c, a)"]
)
def test_an_import_that_exports_nothing_is_found(source):
    assert len(implicit(ast.parse(source))) == 1


@pytest.mark.parametrize("source", ["from m import a as a", "from m import a as _a\nb = _a"])
def test_an_explicit_export_is_let_be(source):
    assert implicit(ast.parse(source)) == []


@pytest.mark.parametrize(
    "source",
    [
        '__all__ = ["add", "mul"]',
        "def f(): pass",
        "class A: pass",
        "f = lambda: 1",
        "if _typing.TYPE_CHECKING:\n    x = make()",
        "for name in (): pass",
        "if True:\n    from theano import x",
        "x = make()",
        "x = 1 + 1",
        "globals().update({})",
        "__getattr__ = unknown(__name__)",
        "from a import b\nb.c = 3",
    ],
)
def test_logic_in_a_public_module_is_found(source):
    assert len(logic(ast.parse(source))) == 1


@pytest.mark.parametrize(
    "source",
    [
        '"""Names."""\nfrom theano._src.ops import add as add, mul as mul',
        "from theano._src.ops import arith\nadd = arith.add\nplus = add",
        "from theano._src.ground import absent\nfrom a import b\n__getattr__ = b(__name__, 'c')",
        '__version__ = "0.1"',
    ],
)
def test_a_thin_public_module_is_let_be(source):
    assert logic(ast.parse(source)) == []
