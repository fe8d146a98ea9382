"""Files stay short enough to read, and jax's private modules stay out but for one."""

import ast

import pytest

from tests.architecture.sources import SRC, imports, sources, tree

LIMIT = 500
MOST = 10
# Longer files, each with the reason why it is one.
LONG = {
    "compile/function_object.py": "Function: the whole documented contract of one class",
    "ops/conv/conv.py": "the convolution and its two gradients refer to each other",
    "ops/conv/pool.py": "pooling and its gradients refer to each other",
    "ops/elementwise/arithmetic.py": "the nineteen ops of arithmetic, alike, with their equations",
    "ops/index/advanced.py": "reading and writing share the arrangement of indices",
    "ops/index/subtensor.py": "reading and writing share the arrangement of slices",
    "ops/linalg/blas.py": "the six products of BLAS with one base class",
    "ops/linalg/dot.py": "Dot, TensorDot and BatchedDot are each other's derivatives",
    "ops/reduce/careduce.py": "CAReduce and the sums and products that it is made for",
}


def test_files_are_short_or_have_a_reason():
    lengths = {
        p.relative_to(SRC).as_posix(): len(p.read_text(encoding="utf-8").splitlines())
        for p in sources()
    }
    long = {name: n for name, n in lengths.items() if n > LIMIT}
    assert set(long) == set(LONG), f"over {LIMIT} lines: {long}"
    assert len(LONG) <= MOST


def private_modules_of_jax(module):
    names = {name for name, _, _ in imports(module) if name.split(".")[0] in ("jax", "jaxlib")}
    return {".".join(n.split(".")[:2]) for n in names if n.split(".")[1:2] in (["_src"], ["_jax"])}


def test_one_file_imports_private_modules_of_jax():
    found = {p.relative_to(SRC).as_posix() for p in sources() if private_modules_of_jax(tree(p))}
    assert found == {"engines/xla/backend.py"}


@pytest.mark.parametrize("source", ["import jax._src.core", "from jax._src import core"])
def test_a_private_import_is_found(source):
    assert private_modules_of_jax(ast.parse(source)) == {"jax._src"}
