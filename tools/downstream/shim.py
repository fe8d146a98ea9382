"""Switches the shipped names of old packages on, in a process that runs tests or programs.

It runs with Theano 1.0.5 too, which needs some more.
"""

import os
from importlib import import_module

import numpy

_NAME = os.environ["DOWNSTREAM_SHIM"]
if _NAME == "old_packages":
    import_module("tools.downstream.older")


def load_boston(return_X_y=False):
    """Numbers in the shape of a data set that scikit-learn no longer has: tests of neupy ask."""
    from sklearn.utils import Bunch

    rng = numpy.random.RandomState(0)
    x = rng.randn(506, 13)
    y = x @ rng.randn(13) + 22
    return (x, y) if return_X_y else Bunch(data=x, target=y, feature_names=list("abcdefghijklm"))


import_module(f"{_NAME}.names").NAMES["sklearn.datasets"]["load_boston"] = f"{__name__}:load_boston"

_HOOK = import_module(f"{_NAME}.hook")
_HOOK.python2_files.extend(filter(None, os.environ["DOWNSTREAM_PYTHON2"].split(":")))
_HOOK.enable()

run_program = import_module(f"{_NAME}.program").run_program
