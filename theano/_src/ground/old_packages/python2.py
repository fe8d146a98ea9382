"""Convert Python 2 sources by fissix or lib2to3, with the division and pickles of Python 2.

The code keeps the line numbers of the file, so that tracebacks show the original lines.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import warnings
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cache
from types import CodeType
from typing import Any

import numpy as np

__all__ = ["compile_python2", "compile_with_lines_of", "divide"]

_PICKLE = "theano._src.ground.old_packages.stand_ins.python2_pickle"
_INSTALL = (
    "A program in Python 2 needs a converter, which this Python does not have: pip install fissix"
)


def compile_python2(text: str, path: str) -> CodeType:
    """Compile a Python 2 source.

    Raises SyntaxError if no converter is installed (with a note), or if it cannot be converted.
    """
    text = _without_tabs(text if text.endswith("\n") else text + "\n")
    tool = _converter()
    if tool is None:
        error = _error_of(text, path) or SyntaxError(f"{path} is Python 2")
        error.add_note(_INSTALL)
        raise error
    try:
        converted = str(tool.refactor_string(text, path))
    except Exception as error:
        # neither Python 2 nor Python 3: Python's own error is the clearest
        raise (_error_of(text, path) or error) from None
    return compile_with_lines_of(text, converted, path, python2=True)


def compile_with_lines_of(
    written: str, changed: str, path: str, *, python2: bool = False
) -> CodeType:
    """Compile ``changed`` with the line numbers of ``written``."""
    with warnings.catch_warnings():
        # old sources have invalid escapes and compare texts by `is`
        warnings.simplefilter("ignore", SyntaxWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        tree = ast.parse(changed, path)
        if changed != written:
            _place(tree, _lines(written, changed))
        if python2:
            vars(builtins).update(_HELPERS)
            tree = ast.fix_missing_locations(_Python2(_true_division(tree)).visit(tree))
        return compile(tree, path, "exec", dont_inherit=True)


def divide(a: Any, b: Any) -> Any:
    """Return ``a / b`` as in Python 2: the quotient of integers is an integer.

    >>> divide(7, 2), divide(7.0, 2), divide(np.array([7]), 2)
    (3, 3.5, array([3]))
    """
    for method, other, value in (("__div__", b, a), ("__rdiv__", a, b)):
        answer = getattr(type(value), method, None)
        if answer is not None and (result := answer(value, other)) is not NotImplemented:
            return result
    return a // b if _is_integer(a) and _is_integer(b) else a / b


def divide_in_place(a: Any, b: Any) -> Any:
    """Return ``a`` after ``a /= b`` as in Python 2."""
    if not isinstance(a, np.ndarray):
        return divide(a, b)
    if _is_integer(a) and _is_integer(b):
        a //= b
    else:
        a /= b
    return a


def _is_integer(value: Any) -> bool:
    if isinstance(value, int):
        return True
    return isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "iub"


_HELPERS = {"__divide__": divide, "__divide_in_place__": divide_in_place}


class _Python2(ast.NodeTransformer):
    """Converts what the converter does not: integer division, pickles, comparison with None."""

    def __init__(self, true_division: bool) -> None:
        self._true_division = true_division

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if self._true_division or not isinstance(node.op, ast.Div):
            return node
        return _call("__divide__", node.left, node.right, node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if self._true_division or not isinstance(node.op, ast.Div):
            return node
        before, read, write = _once(node.target)
        new = ast.Assign([write], _call("__divide_in_place__", read, node.value, node))
        return [ast.copy_location(statement, node) for statement in (*before, new)]

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        # old NumPy compared an array with None as a whole
        self.generic_visit(node)
        match node:
            case ast.Compare(ops=[ast.Eq()], comparators=[ast.Constant(value=None)]):
                node.ops = [ast.Is()]
            case ast.Compare(ops=[ast.NotEq()], comparators=[ast.Constant(value=None)]):
                node.ops = [ast.IsNot()]
        return node

    def visit_Import(self, node: ast.Import) -> Any:
        for alias in node.names:
            if alias.name == "pickle" or (alias.name == "six.moves.cPickle" and alias.asname):
                alias.name, alias.asname = _PICKLE, alias.asname or "pickle"
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        names = [alias.name for alias in node.names]
        if node.module == "pickle" and not node.level:
            node.module = _PICKLE
        elif node.module == "six.moves" and "cPickle" in names:
            alias = node.names.pop(names.index("cPickle"))
            result = ast.Import([ast.alias(_PICKLE, alias.asname or "cPickle")])
            return [node] * bool(node.names) + [ast.copy_location(result, node)]
        return node


def _call(function: str, a: ast.expr, b: ast.expr, where: ast.AST) -> ast.Call:
    return ast.copy_location(ast.Call(ast.Name(function, ast.Load()), [a, b], []), where)


def _once(target: Any) -> tuple[list[ast.Assign], ast.expr, ast.expr]:
    """Return statements that evaluate the target's parts once, and the target to read and write."""

    def kept(name: str, value: ast.expr) -> ast.Assign:
        return ast.Assign([ast.Name(name, ast.Store())], value)

    def in_context(context: ast.expr_context) -> ast.expr:
        match target:
            case ast.Name(id=name):
                return ast.Name(name, context)
            case ast.Attribute(attr=name):
                return ast.Attribute(ast.Name("_divided", ast.Load()), name, context)
        index = ast.Name("_index", ast.Load()) if indexed else target.slice
        return ast.Subscript(ast.Name("_divided", ast.Load()), index, context)

    # a slice is not an expression: its parts are evaluated twice
    indexed = isinstance(target, ast.Subscript) and not isinstance(
        target.slice, ast.Slice | ast.Tuple
    )
    before = [] if isinstance(target, ast.Name) else [kept("_divided", target.value)]
    before += [kept("_index", target.slice)] if indexed else []
    return before, in_context(ast.Load()), in_context(ast.Store())


def _true_division(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "division" for alias in node.names)
        for node in tree.body
    )


@cache
def _converter() -> Any:
    """Return the refactoring tool of fissix or lib2to3; None if neither is installed."""
    for package in ("fissix", "lib2to3"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                refactor = importlib.import_module(f"{package}.refactor")
        except ImportError:
            continue
        fixers = refactor.get_fixers_from_package(f"{package}.fixes")
        # keep `from __future__ import division`, which decides how a file divides, and `execfile`,
        # for which we have a substitute that converts the file
        kept = [n for n in fixers if not n.endswith((".fix_future", ".fix_execfile"))]
        return refactor.RefactoringTool(kept)
    return None


def _error_of(text: str, path: str) -> SyntaxError | None:
    """Return Python's SyntaxError for a source; None if it compiles."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        return error
    return None


def _without_tabs(text: str) -> str:
    """Replace tabs in indentation if tabs and spaces are mixed, as only Python 2 allows."""
    if not isinstance(_error_of(text, "<tabs>"), TabError):
        return text
    lines = text.splitlines(keepends=True)
    starts = [len(line) - len(line.lstrip(" \t")) for line in lines]
    return "".join(line[:n].expandtabs(8) + line[n:] for line, n in zip(lines, starts, strict=True))


def _place(tree: ast.Module, lines: Sequence[int]) -> None:
    """Set the lines of nodes to those of the file; remove columns, which would be wrong."""
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt | ast.excepthandler):
            node.lineno, last = lines[node.lineno], lines[node.end_lineno or node.lineno]
            node.end_lineno = max(node.lineno, last)
            node.col_offset = node.end_col_offset = -1


def _lines(written: str, changed: str) -> Sequence[int]:
    """Return the line in ``written`` of each line of ``changed``, counted from 1."""
    old, new = written.splitlines(), changed.splitlines()
    if len(old) == len(new):
        return range(len(new) + 1)
    numbers = [1]
    for _, old_start, old_end, new_start, new_end in SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        last = max(old_start, old_end - 1)
        numbers += [min(old_start + k, last) + 1 for k in range(new_end - new_start)]
    return numbers
