"""Files stay short enough to read, and jax's private modules stay out but for one."""

import ast

import pytest

from tests.architecture.sources import ROOT, SRC, imports, sources, tree

LIMIT = 500
MOST = 10
# Longer files, each with the reason why it is one.
LONG = {
    "compile/function_object.py": "Function: the whole documented contract of one class",
    "ops/elementwise/arithmetic.py": "the nineteen ops of arithmetic, alike, with their equations",
    "ops/index/advanced.py": "reading and writing share the arrangement of indices",
    "ops/linalg/blas.py": "the six products of BLAS with one base class",
    "ops/linalg/dot.py": "Dot, TensorDot and BatchedDot are each other's derivatives",
    "ops/reduce/careduce.py": "CAReduce and the sums and products that it is made for",
}

LONG_TESTS = {
    "engines/xla/test_dynamic_values.py": "programs without a common subject but that of its title",
    "engines/xla/test_safety.py": "each way to share memory is tried with the same helpers",
    "engines/xla/test_state.py": "each kind of state is tried with the same helpers",
    "found/test_original_defects.py": "one record of what the tests of Theano 1.0.5 found",
    "grad/test_functions.py": "a table of derivatives, function by function",
    "graph/test_op_contract.py": "the whole documented contract of Op, Type and Variable",
    "ground/test_config.py": "the whole documented behaviour of flags",
    "ops/arrays/test_select.py": "the specs of one file of ops, each with its oracle",
    "ops/conv/test_conv.py": "one oracle by plain loops, for every form of convolution",
    "ops/index/test_index.py": "tables of index expressions, reading and writing",
    "ops/shape/test_shape.py": "the specs of one file of ops, each with its oracle",
    "properties/drawing.py": "drawing, listing and shrinking of programs share the steps",
    "properties/programs/plain.py": "the language once more, a line or two for each name",
    "properties/programs/steps.py": "a maker for each kind of line",
    "properties/view_steps.py": "a maker for each kind of step",
}


def over_limit(folder, paths):
    """{path in the folder: lines} of the files that are too long."""
    lengths = {p: len(p.read_text(encoding="utf-8").splitlines()) for p in paths}
    return {p.relative_to(folder).as_posix(): n for p, n in lengths.items() if n > LIMIT}


def test_files_are_short_or_have_a_reason():
    long = over_limit(SRC, sources())
    assert set(long) == set(LONG), f"over {LIMIT} lines: {long}"
    assert len(LONG) <= MOST


def test_tests_are_short_or_have_a_reason():
    tests = ROOT / "tests"
    long = over_limit(tests, tests.rglob("*.py"))
    assert set(long) == set(LONG_TESTS), f"over {LIMIT} lines: {long}"


def private_modules_of_jax(module):
    names = {name for name, _, _ in imports(module) if name.split(".")[0] in ("jax", "jaxlib")}
    return {".".join(n.split(".")[:2]) for n in names if n.split(".")[1:2] in (["_src"], ["_jax"])}


def test_one_file_imports_private_modules_of_jax():
    found = {p.relative_to(SRC).as_posix() for p in sources() if private_modules_of_jax(tree(p))}
    assert found == {"engines/jax/private_jax.py"}


@pytest.mark.parametrize("source", ["import jax._src.core", "from jax._src import core"])
def test_a_private_import_is_found(source):
    assert private_modules_of_jax(ast.parse(source)) == {"jax._src"}
