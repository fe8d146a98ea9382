"""Names of theano.compile and theano.gof that programs reach, by the paths they reach them by."""

import importlib
import pkgutil
import types

import numpy as np
import pytest

import theano
import theano.tensor as T

PACKAGES = ["theano", "theano.compile", "theano.gof", "theano.tensor", "theano.tensor.nnet"]


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_a_module_of_a_package_hides_no_function_of_it(package):
    top = importlib.import_module(package)
    before = {name for name, thing in vars(top).items() if not isinstance(thing, types.ModuleType)}
    for module in pkgutil.iter_modules(top.__path__, f"{package}."):
        if module.name != "theano._src":
            importlib.import_module(module.name)
    hidden = [name for name in before if isinstance(getattr(top, name), types.ModuleType)]
    assert hidden == []


def test_pfunc_is_a_function_of_the_package():
    x = T.dscalar("x")
    assert theano.compile.pfunc([x], x + 1)(2) == 3


@pytest.mark.parametrize(
    "path", ["configdefaults.python_int_bitwidth", "configparser.config", "tensor.blas_c.CGemv"]
)
def test_a_module_is_an_attribute_without_an_import_of_its_own(path):
    found = theano
    for name in path.split("."):
        found = getattr(found, name)
    assert found is not None


def test_the_width_of_a_python_int_is_that_of_numpy():
    assert theano.configdefaults.python_int_bitwidth() == 8 * np.dtype(int).itemsize


def test_a_graph_is_rebuilt_and_its_shared_variables_are_found():
    x, y = T.dscalars("xy")
    s, t = theano.shared(2.0, "s"), theano.shared(1.0, "t")
    t.default_update = t + s
    rebuild = theano.compile.rebuild_collect_shared
    ins, (out,), (known, changes, pairs, used) = rebuild(
        [x * t], [x], updates=[(s, s + x)], copy_inputs_over=True
    )
    assert ins == [x, *used] and set(used) == {s, t}
    assert set(changes) == {s, t} and pairs == list(changes.items())
    f = theano.function(ins[:1], out, updates=pairs, no_default_updates=True)
    assert f(3.0) == 3.0 and s.get_value() == 5.0 and t.get_value() == 3.0
    # other inputs, no default updates, a replacement, an Out
    ins, out, (known, changes, _, used) = rebuild(
        theano.Out(x * t + y, borrow=True),
        [theano.In(x, name="first"), y],
        replace={t: s + 1},
        copy_inputs_over=False,
        no_default_updates=True,
    )
    assert ins[0].name == "first" and ins[0].variable is known[x] is not x and ins[1] is known[y]
    assert changes == {} and used == [s] and out.borrow
    assert theano.function([ins[0].variable, ins[1]], out.variable)(2.0, 1.0) == 13.0
    assert rebuild(None, [x])[:2] == ([x], [])
