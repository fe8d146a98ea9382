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
    face = importlib.import_module(package)
    before = {name for name, thing in vars(face).items() if not isinstance(thing, types.ModuleType)}
    for module in pkgutil.iter_modules(face.__path__, f"{package}."):
        if module.name != "theano._src":
            importlib.import_module(module.name)
    hidden = [name for name in before if isinstance(getattr(face, name), types.ModuleType)]
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
