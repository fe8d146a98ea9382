"""Imports only point down, jax lives in one layer, and nothing is imported late to dodge that."""

import ast

import pytest

from tests.architecture.sources import (
    ENGINE_ROOMS,
    LAYERS,
    OP_FAMILIES,
    SRC,
    imported_modules,
    imports,
    layer_of,
    modules,
    sources,
    tree,
    where,
)


def wrong_arrows(layer: str, module: ast.Module) -> list[tuple[int, str]]:
    """(line, complaint) for each import that a file of `layer` may not have."""
    found = {}
    for name, line, inside in imports(module):
        if name.startswith("."):
            found[line] = f"relative import of {name}; write it absolute"
        elif name.split(".")[0] != "theano":
            continue
        elif inside:
            found[line] = f"{name} imported inside a function; move the code instead"
        elif not name.startswith("theano._src"):
            # `from theano import _src...` never happens; a bare `theano` imports public modules
            found[line] = f"layer {layer} imports the public module {name}"
        elif (target := layer_of(name)) is None:
            if name != "theano._src":
                found[line] = f"{name} belongs to no layer"
        elif LAYERS.index(target) > LAYERS.index(layer):
            found[line] = f"layer {layer} imports {name}, of the higher layer {target}"
    return sorted(found.items())


def test_every_file_of_src_belongs_to_a_layer():
    strays = [p for p in sources() if p.parent == SRC and p.name != "__init__.py"]
    strays += [p for p in SRC.iterdir() if p.is_dir() and p.name not in (*LAYERS, "__pycache__")]
    assert not strays


def test_imports_only_point_down():
    complaints = []
    for path in sources():
        layer = path.relative_to(SRC).parts[0]
        if layer not in LAYERS:
            continue
        module = ast.parse(path.read_text(encoding="utf-8"))
        complaints += [f"{where(path, line)}: {text}" for line, text in wrong_arrows(layer, module)]
    assert not complaints, "\n" + "\n".join(complaints)


#: layers whose folders have an order; files beside the folders come before all of them
ORDERED = {"ops": OP_FAMILIES, "engines": ENGINE_ROOMS}


def wrong_folders(layer: str, folder: str, module: ast.Module) -> list[tuple[int, str]]:
    """(line, complaint) for each import of a folder of the layer that comes after ``folder``."""
    order = ("", *ORDERED[layer])
    files = {p.stem for p in (SRC / layer).glob("*.py")}
    found = {}
    for name, line, _ in imports(module):
        parts = name.split(".")
        if parts[:3] != ["theano", "_src", layer] or len(parts) < 4 or parts[3] in files:
            continue
        if parts[3] not in order:
            found[line] = f"{name} belongs to no folder of {layer}"
        elif order.index(parts[3]) > order.index(folder):
            found[line] = f"{layer}/{folder} imports {name}, of the later folder {parts[3]}"
    return sorted(found.items())


@pytest.mark.parametrize("layer", ORDERED)
def test_folders_of_a_layer_import_only_those_before_them(layer):
    complaints = []
    for path in sorted((SRC / layer).rglob("*.py")):
        *folders, _ = path.relative_to(SRC / layer).parts
        folder = folders[0] if folders else ""
        assert folder in ("", *ORDERED[layer]), f"{path} belongs to no folder of {layer}"
        found = wrong_folders(layer, folder, tree(path))
        complaints += [f"{where(path, line)}: {text}" for line, text in found]
    assert not complaints, "\n" + "\n".join(complaints)


@pytest.mark.parametrize(
    ("layer", "folder", "source", "complaint"),
    [
        ("ops", "core", "from theano._src.ops.shape.dims import dimshuffle", "later folder shape"),
        ("ops", "shape", "from theano._src.ops import linalg", "later folder linalg"),
        ("ops", "shape", "from theano._src.ops.extra import x", "belongs to no folder"),
        ("engines", "numpy", "from theano._src.engines.xla import linker", "later folder xla"),
        ("engines", "", "from theano._src.engines.numpy import plan", "later folder numpy"),
    ],
)
def test_a_folder_that_may_not_be_imported_is_found(layer, folder, source, complaint):
    ((_, text),) = wrong_folders(layer, folder, ast.parse(source))
    assert complaint in text


@pytest.mark.parametrize("layer", ["engines", "compile"])
def test_folders_have_at_most_fifteen_files(layer):
    folders = [SRC / layer, *(p for p in (SRC / layer).rglob("*") if p.is_dir())]
    counts = {p.relative_to(SRC).as_posix(): len(list(p.glob("*.py"))) for p in folders}
    assert sum(counts.values()) > 60, "the files were not found"
    assert {folder: n for folder, n in counts.items() if n > 15} == {}


def circles(arrows: dict[str, set[str]]) -> list[str]:
    """The names that cannot be put into an order in which each comes after what it imports."""
    left = {name: set(targets) & set(arrows) for name, targets in arrows.items()}
    while free := [name for name, targets in left.items() if not targets]:
        for name in free:
            del left[name]
        for targets in left.values():
            targets.difference_update(free)
    return sorted(left)


def test_no_files_import_each_other_in_a_circle():
    arrows = {name: imported_modules(path) - {name} for name, path in modules().items()}
    assert sum(map(len, arrows.values())) > 1000, "the imports were not found"
    assert circles(arrows) == []


def test_a_circle_is_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == ["a", "b", "c", "d"]
    assert circles({"a": {"b"}, "b": set()}) == []


def test_jax_is_imported_in_engines_only():
    complaints = []
    for path in sources():
        if path.relative_to(SRC).parts[0] == "engines":
            continue
        for name, line, _ in imports(ast.parse(path.read_text(encoding="utf-8"))):
            if name.split(".")[0] in ("jax", "jaxlib"):
                complaints.append(f"{where(path, line)}: {name}; jax stays in engines/")
    assert not complaints, "\n" + "\n".join(complaints)


@pytest.mark.parametrize(
    ("layer", "source", "complaint"),
    [
        ("graph", "from theano._src.ops.core.elemwise import Elemwise", "higher layer ops"),
        ("graph", "import theano._src.compile", "higher layer compile"),
        ("graph", "from theano._src import types", "higher layer types"),
        ("ops", "import theano", "the public module theano"),
        ("ops", "from theano import tensor", "the public module theano"),
        ("ops", "def f():\n    from theano._src.graph import op", "inside a function"),
        ("types", "if TYPE_CHECKING:\n    from theano._src.ops import dot", "higher layer ops"),
        ("ops", "from . import elemwise", "relative import"),
        ("ops", "rules = at_first_use('theano._src.rules.pipeline:optdb')", "higher layer rules"),
        ("ops", "def f():\n    at_first_use('theano._src.graph.op:Op')", "inside a function"),
        ("ops", "from theano._src.extra import x", "belongs to no layer"),
    ],
)
def test_an_arrow_that_may_not_be_is_found(layer, source, complaint):
    ((_, text),) = wrong_arrows(layer, ast.parse(source))
    assert complaint in text


@pytest.mark.parametrize(
    "source",
    [
        "from theano._src.graph.op import Op\nfrom theano._src.ground import config",
        "from theano._src.ops.core.elemwise import Elemwise",
        "def f():\n    import scipy.special",
        "op = at_first_use('theano._src.graph.op:Op')",
    ],
)
def test_an_arrow_that_may_be_is_let_be(source):
    assert wrong_arrows("ops", ast.parse(source)) == []
