"""Names of the original that are nobody's interface and that its tests use all the same.

They are given here, so that what a test says of documented names is still heard.
"""

import importlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np

# dtype: (absolute, relative)
TOLERANCES = {"float16": (1e-3, 1e-3), "float32": (1e-5, 1e-5), "float64": (1e-8, 1e-5)}
OF_SCIPY = {
    "theano.tensor.nnet.conv": "imported_scipy_signal",
    "theano.tensor.nnet.abstract_conv": "imported_scipy_signal",
    "theano.scalar.basic_scipy": "imported_scipy_special",
}
# Modules that tests reach through other modules of the original, which import them.
PASSED_ON: dict[str, Any] = {"logging": logging, "np": np, "imported_scipy": True}


def tolerances_of(basic: ModuleType) -> dict[str, Any]:
    """The tolerances of `theano.tensor.basic`, and the comparison that reads them there."""

    def get_atol_rtol(left: Any, right: Any) -> tuple[float, float]:
        dtypes = {str(np.asarray(value).dtype) for value in (left, right)}
        low = [name for name in ("float16", "float32") if name in dtypes]
        low += ["float32"] if "complex64" in dtypes else []
        dtype = (low or ["float64"])[0]
        return getattr(basic, f"{dtype}_atol"), getattr(basic, f"{dtype}_rtol")

    def allclose(left: Any, right: Any, rtol: Any = None, atol: Any = None) -> bool:
        usual = get_atol_rtol(left, right)
        return np.allclose(
            np.asarray(left),
            np.asarray(right),
            atol=usual[0] if atol is None else atol,
            rtol=usual[1] if rtol is None else rtol,
            equal_nan=True,
        )

    values = {f"{name}_atol": pair[0] for name, pair in TOLERANCES.items()}
    values |= {f"{name}_rtol": pair[1] for name, pair in TOLERANCES.items()}
    return {**values, "_get_atol_rtol": get_atol_rtol, "_allclose": allclose}


@contextmanager
def data_files(package: Path) -> Iterator[None]:
    """While a test module is imported, data that it looks for in ours is read from `package`."""
    loadtxt = np.loadtxt

    def load(name: Any, *args: Any, **kwargs: Any) -> Any:
        if not Path(name).exists():
            (name,) = package.rglob(Path(name).name)
        return loadtxt(name, *args, **kwargs)

    with mock.patch.object(np, "loadtxt", load):
        yield


def supply() -> None:
    """Give the names where they are absent."""
    import theano.compile
    import theano.gof.opt
    import theano.gof.utils
    import theano.gradient
    import theano.tensor as T
    import theano.tensor.basic as basic

    PASSED_ON.update(theano=theano, config=theano.config)
    PASSED_ON.update(opt=theano.gof.opt, utils=theano.gof.utils)
    for name, value in tolerances_of(basic).items():
        if not hasattr(basic, name):
            setattr(basic, name, value)
    # whether a call looks for arrays that are given twice; setting it changes nothing
    theano.compile.Function._check_for_aliased_inputs = property(
        lambda f: bool(f._overwritten), lambda f, value: None
    )
    if not hasattr(T.verify_grad, "E_grad"):
        T.verify_grad.E_grad = theano.gradient.GradientError
    for module_name, name in OF_SCIPY.items():
        module = importlib.import_module(module_name)
        if not hasattr(module, name):
            setattr(module, name, True)
