"""Imports only point down, jax lives in one layer, and nothing is imported late to dodge that."""

import ast

import pytest

from tests.architecture.sources import (
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


def wrong_families(family: str, module: ast.Module) -> list[tuple[int, str]]:
    """(line, complaint) for each import of a family of ops that comes after ``family``."""
    found = {}
    for name, line, _ in imports(module):
        parts = name.split(".")
        if parts[:3] != ["theano", "_src", "ops"] or len(parts) < 4:
            continue
        if parts[3] not in OP_FAMILIES:
            found[line] = f"{name} belongs to no family"
        elif OP_FAMILIES.index(parts[3]) > OP_FAMILIES.index(family):
            found[line] = f"family {family} imports {name}, of the later family {parts[3]}"
    return sorted(found.items())


def test_families_of_ops_import_only_those_before_them():
    complaints = []
    for path in sources():
        layer, *inner = path.relative_to(SRC).parts
        if layer != "ops" or inner == ["__init__.py"]:
            continue
        assert inner[0] in OP_FAMILIES, f"{path} belongs to no family of ops"
        found = wrong_families(inner[0], tree(path))
        complaints += [f"{where(path, line)}: {text}" for line, text in found]
    assert not complaints, "\n" + "\n".join(complaints)


@pytest.mark.parametrize(
    ("family", "source", "complaint"),
    [
        ("core", "from theano._src.ops.shape.dims import dimshuffle", "later family shape"),
        ("shape", "from theano._src.ops import linalg", "later family linalg"),
        ("shape", "from theano._src.ops.extra import x", "belongs to no family"),
    ],
)
def test_a_family_that_may_not_be_imported_is_found(family, source, complaint):
    ((_, text),) = wrong_families(family, ast.parse(source))
    assert complaint in text


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
