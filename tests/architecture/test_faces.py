"""Faces carry names: a docstring, imports, `__all__` and aliases, and no logic."""

import ast

import pytest

from tests.architecture.sources import faces, tree, where


def logic(module: ast.Module) -> list[tuple[int, str]]:
    """(line, statement) for everything in a face that is not a docstring, import or alias."""
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
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value) if literal_names(value):
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


def literal_names(value: ast.expr) -> bool:
    if not isinstance(value, ast.List | ast.Tuple):
        return False
    return all(isinstance(e, ast.Constant) and isinstance(e.value, str) for e in value.elts)


def dotted(value: ast.expr) -> bool:
    """`name` or `name.attribute`: an alias, not a computation."""
    while isinstance(value, ast.Attribute):
        value = value.value
    return isinstance(value, ast.Name)


def test_faces_hold_no_logic():
    complaints = [
        f"{where(path, line)}: `{text}`; a face only imports and names, move it into theano/_src"
        for path in faces()
        for line, text in logic(tree(path))
    ]
    assert not complaints, "\n" + "\n".join(complaints)


@pytest.mark.parametrize(
    "source",
    [
        "def f(): pass",
        "class A: pass",
        "f = lambda: 1",
        "for name in (): pass",
        "if True:\n    from theano import x",
        "x = make()",
        "x = 1 + 1",
        "globals().update({})",
        "__getattr__ = unknown(__name__)",
        "from a import b\nb.c = 3",
    ],
)
def test_logic_in_a_face_is_found(source):
    assert len(logic(ast.parse(source))) == 1


@pytest.mark.parametrize(
    "source",
    [
        '"""A face."""\nfrom theano._src.ops import add, mul\n__all__ = ["add", "mul"]',
        "from theano._src.ops import arith\nadd = arith.add\nplus = add",
        "from theano._src.ground import absent\nfrom a import b\n__getattr__ = b(__name__, 'c')",
        '__version__ = "0.1"',
    ],
)
def test_a_thin_face_is_let_be(source):
    assert logic(ast.parse(source)) == []
