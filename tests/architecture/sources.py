"""Reads the package's sources for the architecture tests; imports none of them."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "theano"
SRC = PACKAGE / "_src"

# Bottom first: a layer imports only itself and those before it. Public modules stand above all.
LAYERS = (
    "ground",
    "c_code",
    "graph",
    "rewrite",
    "types",
    "ops",
    "show",
    "grad",
    "control",
    "rules",
    "engines",
    "compile",
    "legacy",
    "testing",
)

# Likewise the families of ops: each imports only itself and those before it.
OP_FAMILIES = (
    "core",
    "elementwise",
    "shape",
    "reduce",
    "index",
    "meta",
    "arrays",
    "linalg",
    "random",
    "conv",
    "nnet",
    "sparse",
    "numpy_api",
    "typed_list",
)

# And the rooms of engines; the files beside them, the contract, come before all.
ENGINE_ROOMS = ("numpy", "native", "jax", "mesh", "xla", "planning", "choice", "linkers", "export")


class Import(NamedTuple):
    """One imported module, and whether the import stands inside a function."""

    module: str
    line: int
    inside_function: bool


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def sources() -> list[Path]:
    return sorted(SRC.rglob("*.py"))


def public_modules() -> list[Path]:
    return sorted(p for p in PACKAGE.rglob("*.py") if SRC not in p.parents)


def where(path: Path, line: int) -> str:
    return f"{path.relative_to(ROOT)}:{line}"


def imports(module: ast.Module) -> Iterator[Import]:
    """Every module named by an import statement or by `at_first_use`.

    `from a import b` may name `a.b` too.
    """
    todo: list[tuple[ast.AST, bool]] = [(module, False)]
    while todo:
        node, inside = todo.pop()
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield Import(alias.name, node.lineno, inside)
            case ast.ImportFrom(module=base, names=names, level=level):
                base = "." * level + (base or "")
                yield Import(base, node.lineno, inside)
                for alias in names:
                    yield Import(f"{base}.{alias.name}", node.lineno, inside)
            case ast.Call(func=ast.Name(id="at_first_use"), args=[ast.Constant(value=str(place))]):
                yield Import(place.partition(":")[0], node.lineno, inside)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                inside = True
        todo.extend((child, inside) for child in ast.iter_child_nodes(node))


def modules() -> dict[str, Path]:
    """Every file of theano/_src by its dotted name."""
    found = {}
    for path in sources():
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


def imported_modules(path: Path) -> set[str]:
    """The files of theano/_src that a file imports, also only for types; not their packages."""
    every = modules()
    named = {i.module for i in imports(tree(path)) if i.module in every}
    longer = {n for n in named if any(m.startswith(f"{n}.") for m in named)}
    return {n for n in named if n not in longer or every[n].name != "__init__.py"}


def layer_of(module: str) -> str | None:
    """The layer of a dotted module under theano._src; None for anything else."""
    parts = module.split(".")
    if parts[:2] == ["theano", "_src"] and len(parts) > 2 and parts[2] in LAYERS:
        return parts[2]
    return None
