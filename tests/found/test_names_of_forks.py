"""The names of Theano-PyMC and of PyTensor: what docs/library/porting.md says is true."""

import importlib
import inspect
import pickle
import pkgutil
import re
import subprocess
import sys

import numpy as np
import pytest
import scipy.linalg
import scipy.special

import theano
import theano.tensor as T
from tests.architecture.sources import ROOT
from theano.graph import basic
from theano.graph.utils import TestValueError

PAGE = (ROOT / "docs" / "library" / "porting.md").read_text(encoding="utf-8")


def rows(heading):
    """The rows of the table below a heading, each as texts in backquotes by column."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [line.split("|")[1:-1] for line in lines]


def quoted(text):
    return re.findall(r"`([\w.]+)`", text)


MODULES = {
    quoted(row[0])[0]: (quoted(row[1]), dict(re.findall(r"`(\w+)` is `(\w+)`", row[-1])), row[-1])
    for row in rows("Theano-PyMC 1.1.2")
}


def resolved(path):
    """What a dotted path leads to, by imports and attributes."""
    parts = path.split(".")
    for n in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:n]))
        except ImportError:
            continue
        for name in parts[n:]:
            found = getattr(found, name)
        return found
    raise AttributeError(path)


def public(module):
    listed = vars(module).get("__all__") or vars(module)
    found = {n: getattr(module, n) for n in listed if not n.startswith("_")}
    return {n: thing for n, thing in found.items() if not inspect.ismodule(thing)}


@pytest.mark.parametrize("path", [p for p, (homes, *_) in MODULES.items() if homes])
def test_each_name_of_a_module_is_that_of_its_counterpart(path):
    homes, renamed, others = MODULES[path]
    names = public(importlib.import_module(path))
    assert names
    for name, thing in names.items():
        own = renamed.get(name, name)
        if f"`{name}`" in others and name not in renamed:
            continue
        found = [vars(m)[own] for m in map(importlib.import_module, homes) if own in public(m)]
        assert any(thing is each for each in found), f"{path}.{name}"


@pytest.mark.parametrize("path", MODULES)
def test_each_name_that_the_page_lists_with_a_module_is_there(path):
    _, renamed, others = MODULES[path]
    module = importlib.import_module(path)
    assert {n for n in quoted(others) if n not in renamed.values()} <= public(module).keys()
    if not MODULES[path][0]:
        assert all(getattr(module, new) is getattr(module, old) for new, old in renamed.items())


@pytest.mark.parametrize("package", ["theano.graph", "theano.link", "theano.scan"])
def test_each_module_of_the_packages_is_on_the_page(package):
    folder = importlib.import_module(package).__path__
    found = [m.name for m in pkgutil.walk_packages(folder, f"{package}.") if not m.ispkg]
    assert len(found) > 3
    assert set(found) <= set(MODULES)


@pytest.mark.parametrize("name", ["graph", "link", "utils"])
def test_the_new_modules_are_attributes_of_the_package(name):
    assert getattr(theano, name) is importlib.import_module(f"theano.{name}")


def test_a_star_brings_no_module_in_the_place_of_the_builtin_breakpoint():
    code = "from theano import *; import builtins; assert breakpoint is builtins.breakpoint"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


# scan: a function, and a package


@pytest.mark.parametrize(
    "first",
    [
        "",
        "from theano.scan import until",
        "from theano.scan.utils import until",
        "import theano.scan.op",
        "from theano import scan",
        "from theano.scan import scan",
        "import theano.scan_module",
    ],
)
def test_scan_is_the_function_whatever_was_imported_before(first):
    code = (
        f"import theano, pickle\n{first}\n"
        "import theano.tensor as T\n"
        "out, _ = theano.scan(lambda s: 2 * s, outputs_info=T.constant(1.0), n_steps=3)\n"
        "assert out.eval().tolist() == [2, 4, 8]\n"
        "from theano import scan as again\n"
        "from theano.scan_module import scan as third\n"
        "assert theano.scan is again is third is pickle.loads(pickle.dumps(again))\n"
        "from theano.scan.utils import until\n"
        "from theano.scan.op import Scan\n"
        "assert theano.scan is again and issubclass(type(out.owner.op), Scan)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_functions_of_the_compile_package_stay_when_its_modules_are_imported():
    types = importlib.import_module("theano.compile.function.types")
    assert theano.compile.function is theano.function
    assert types.Function is theano.compile.Function
    assert inspect.isfunction(theano.compile.pfunc)


# walks


x, y, z = T.dscalars("xyz")
E = T.exp(x)
OUT = E * y + E


def texts(found):
    return [str(each) for each in found]


def test_walks_over_graphs_yield_as_theano_pymc_does():
    # as Theano-PyMC 1.1.2 answers
    assert list(basic.ancestors([x, y])) == [y, x]
    assert list(basic.graph_inputs([x, T.exp(x) + y * z])) == [x, y, z]
    between = ["Elemwise{add,no_inplace}.0", "Elemwise{exp,no_inplace}.0"]
    between += ["Elemwise{mul,no_inplace}.0", "x", "y"]
    assert texts(basic.vars_between([x, y], [OUT])) == between
    assert texts(basic.orphans_between([x], [OUT + 1.5])) == ["TensorConstant{1.5}", "y"]
    nodes = [OUT.owner, E.owner, OUT.owner.inputs[0].owner]
    assert list(basic.applys_between([x, y], [OUT])) == nodes
    assert list(basic.applys_between([E], [OUT])) == [nodes[0], nodes[2]]


@pytest.mark.parametrize(
    "name", "ancestors graph_inputs vars_between orphans_between applys_between walk".split()
)
def test_walks_yield_one_by_one(name):
    function = getattr(basic, name)
    given = {"walk": ([OUT], lambda v: None), "ancestors": ([OUT],), "graph_inputs": ([OUT],)}
    found = function(*given.get(name, ([x], [OUT])))
    assert iter(found) is found


def test_a_walk_stops_where_it_is_told_to():
    assert texts(basic.ancestors([OUT], [E])) == [
        "Elemwise{add,no_inplace}.0",
        "Elemwise{mul,no_inplace}.0",
        "Elemwise{exp,no_inplace}.0",
        "y",
    ]
    assert list(basic.graph_inputs([OUT], [E])) == [y]


def test_a_walk_tells_what_follows_each_thing():
    found = list(basic.walk([1], lambda n: [n + 1] if n < 3 else None, return_children=True))
    assert found == [(1, [2]), (2, [3]), (3, None)]
    ones = list(basic.walk(["a", "A"], lambda s: None, hash_fn=str.lower))
    assert ones == ["a"]


# test values


def test_a_missing_test_value_has_an_error_of_its_own():
    with pytest.raises(TestValueError, match="x has no test value"):
        theano.graph.op.get_test_value(x)
    with theano.config.change_flags(compute_test_value="raise"), pytest.raises(TestValueError):
        theano.graph.op.get_test_values(x)
    assert issubclass(TestValueError, AttributeError)
    assert pickle.loads(pickle.dumps(TestValueError("no"))).args == ("no",)


# shapes


def test_the_shape_of_tensors_together():
    m, v, c = T.dmatrix("m"), T.dvector("v"), T.dcol("c")
    given = {m: np.ones((2, 3)), v: np.ones(3), c: np.ones((2, 1))}
    for ours in ([m, v], [c, v], [v, m, c], [c, x], [x, v]):
        f = theano.function(
            ours,
            list(map(T.as_tensor_variable, T.extra_ops.broadcast_shape(*ours))),
            on_unused_input="ignore",
        )
        values = [given.get(each, 0.0) for each in ours]
        assert tuple(map(int, f(*values))) == np.broadcast(*values).shape
    assert T.extra_ops.broadcast_shape(x, y) == ()


def test_lengths_that_do_not_fit_are_refused():
    m, v = T.dmatrix("m"), T.dvector("v")
    f = theano.function([m, v], T.extra_ops.broadcast_shape(m, v)[1])
    assert f(np.ones((2, 3)), np.ones(3)) == 3
    with pytest.raises(AssertionError, match="neither 1 nor the same"):
        f(np.ones((2, 3)), np.ones(4))
    with pytest.raises(ValueError, match="got 3, 4"):
        T.extra_ops.broadcast_shape((2, 3), (4,), arrays_are_shapes=True)


def test_shapes_may_mix_numbers_and_variables():
    n = T.lscalar("n")
    first, second = T.extra_ops.broadcast_shape((n, 1), (5, 4), arrays_are_shapes=True)
    assert second == 4
    assert theano.function([n], first)(5) == 5
    with pytest.raises(AssertionError):
        theano.function([n], first)(6)


# PyTensor


@pytest.mark.parametrize("path", [quoted(row[1])[0] for row in rows("PyTensor")])
def test_what_the_page_names_for_a_name_of_pytensor_is_there(path):
    assert callable(resolved(path))


def test_names_that_the_page_shortens_are_beside_the_one_that_it_writes_out():
    shortened = 0
    for row in rows("PyTensor"):
        home = quoted(row[1])[0].rpartition(".")[0]
        for name in re.findall(r"`\.(\w+)`", row[0]):
            shortened += 1
            assert name == "graph_replace" or callable(resolved(f"{home}.{name}"))
    assert shortened > 10


SAME = """
    function shared In Out Mode grad Lop Rop gradient.jacobian gradient.hessian map ifelse.ifelse
    gradient.disconnected_grad gradient.verify_grad compile.builders.OpFromGraph compile.get_mode
    printing.debugprint printing.pp graph.basic.Apply graph.op.Op graph.fg.FunctionGraph
    tensor.as_tensor_variable tensor.constant tensor.dmatrix tensor.exp tensor.log1p tensor.sqr
    tensor.sum tensor.std tensor.argmax tensor.cumsum tensor.dot tensor.matmul tensor.tensordot
    tensor.stack tensor.concatenate tensor.where tensor.switch tensor.clip tensor.zeros tensor.full
    tensor.tril tensor.broadcast_to tensor.broadcast_arrays tensor.specify_shape tensor.erfcx
    tensor.set_subtensor tensor.inc_subtensor tensor.gammaln tensor.gammainc tensor.log1mexp
    tensor.logsumexp tensor.logaddexp tensor.einsum tensor.pad tensor.linspace tensor.meshgrid
    tensor.expand_dims tensor.moveaxis tensor.take_along_axis tensor.roll tensor.diff tensor.i0
    tensor.extra_ops.broadcast_shape tensor.slinalg.cholesky tensor.nlinalg.det tensor.fft.rfft
    sparse.structured_dot
""".split()


@pytest.mark.parametrize("path", SAME)
def test_names_of_pytensor_at_the_same_path_are_there(path):
    assert callable(resolved(f"theano.{path}"))


def test_blocks_stand_on_the_diagonal():
    a, b = T.dmatrix("a"), T.fmatrix("b")
    out = T.slinalg.block_diag(a, b, a)
    left, right = np.arange(6.0).reshape(2, 3), np.ones((1, 2), "float32")
    expected = scipy.linalg.block_diag(left, right, left)
    found = theano.function([a, b], out)(left, right)
    assert found.dtype == "float64"
    np.testing.assert_array_equal(found, expected)
    # each element goes to one place: its weight there is its gradient, twice for a
    weights = np.arange(float(expected.size)).reshape(expected.shape)
    grads = theano.function([a, b], theano.grad((out * weights).sum(), [a, b]))(left, right)
    np.testing.assert_array_equal(grads[0], weights[:2, :3] + weights[3:, 5:])
    np.testing.assert_array_equal(grads[1], weights[2:3, 3:5])


@pytest.mark.parametrize("given", [(), (T.dvector("v"),)])
def test_blocks_are_matrices(given):
    with pytest.raises(TypeError, match="block_diag takes one or more matrices, got"):
        T.slinalg.block_diag(*given)


def test_the_logarithm_of_the_beta_function():
    a, b = T.dvectors("ab")
    left, right = np.array([0.5, 2.0, 30.0]), np.array([1.5, 2.0, 0.1])
    f = theano.function([a, b], T.betaln(a, b))
    np.testing.assert_allclose(f(left, right), scipy.special.betaln(left, right), rtol=1e-13)
    T.verify_grad(T.betaln, [left, right], rng=np.random.RandomState(0))
