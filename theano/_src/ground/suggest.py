"""Suggestions for names that do not exist: the name that was probably meant, and its module."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable
from importlib import import_module
from types import FrameType
from typing import Any

#: public modules that are searched, in this order, for a name that another module lacks
_ELSEWHERE = (
    "theano",
    "theano.tensor",
    "theano.tensor.nnet",
    "theano.tensor.nlinalg",
    "theano.tensor.slinalg",
    "theano.tensor.extra_ops",
    "theano.tensor.signal.pool",
    "theano.tensor.shared_randomstreams",
    "theano.tensor.fft",
    "theano.gradient",
    "theano.printing",
    "theano.ifelse",
    "theano.compile",
    "theano.gof",
    "theano.scalar",
    "theano.sandbox.rng_mrg",
)

#: names in NumPy, JAX, PyTorch and TensorFlow, and what to use here instead
_FOREIGN = {
    "array": "theano.tensor.as_tensor_variable for expressions, or theano.shared for state",
    "asarray": "theano.tensor.as_tensor_variable for expressions, or theano.shared for state",
    "backward": "theano.grad(cost, variables), which returns expressions",
    "batch_norm": "theano.tensor.nnet.bn.batch_normalization_train",
    "bmm": "theano.tensor.batched_dot or theano.tensor.matmul",
    "cat": "theano.tensor.concatenate",
    "cond": "theano.ifelse.ifelse",
    "cross_entropy": "theano.tensor.nnet.categorical_crossentropy",
    "detach": "theano.gradient.disconnected_grad",
    "device_put": "theano.shared; config.device says which device",
    "dropout": "a mask of theano.tensor.shared_randomstreams.RandomStreams().binomial",
    "float16": "the name 'float16' as a dtype",
    "float32": "the name 'float32' as a dtype",
    "float64": "the name 'float64' as a dtype",
    "fori_loop": "theano.scan",
    "gather": "indexing with integers, as x[i], or theano.tensor.take_along_axis",
    "index_select": "theano.tensor.take",
    "inf": "numpy.inf",
    "int32": "the name 'int32' as a dtype",
    "int64": "the name 'int64' as a dtype",
    "inv": "theano.tensor.inv for 1 / x, or theano.tensor.nlinalg.matrix_inverse",
    "jit": "theano.function(inputs, outputs), which compiles a graph",
    "lax": "theano.scan, theano.ifelse.ifelse and theano.tensor",
    "linalg": "theano.tensor.nlinalg and theano.tensor.slinalg",
    "log_softmax": "theano.tensor.nnet.logsoftmax",
    "manual_seed": "theano.tensor.shared_randomstreams.RandomStreams(seed)",
    "max_pool2d": "theano.tensor.signal.pool.pool_2d",
    "mm": "theano.tensor.dot",
    "mse_loss": "theano.tensor.sqr(prediction - target).mean()",
    "nan": "numpy.nan",
    "newaxis": "numpy.newaxis, or x.dimshuffle(0, 'x')",
    "nn": "theano.tensor.nnet",
    "no_grad": "theano.gradient.disconnected_grad(x); functions compute no gradient unless asked",
    "norm": "x.norm(2)",
    "one_hot": "theano.tensor.extra_ops.to_one_hot",
    "optim": "theano.function(..., updates=[(w, w - rate * theano.grad(cost, w))])",
    "permute": "x.dimshuffle",
    "pi": "numpy.pi",
    "placeholder": "theano.tensor.matrix and its like",
    "random": "theano.tensor.shared_randomstreams.RandomStreams",
    "scatter": "theano.tensor.set_subtensor or theano.tensor.inc_subtensor",
    "softmax": "theano.tensor.nnet.softmax",
    "stop_gradient": "theano.gradient.disconnected_grad",
    "Tensor": "theano.tensor.matrix and its like for inputs, theano.shared for state",
    "unsqueeze": "theano.tensor.expand_dims",
    "value_and_grad": "theano.function([x], [cost, theano.grad(cost, x)])",
    "Variable": "theano.shared for state, theano.tensor.matrix and its like for inputs",
    "view": "x.reshape",
    "vmap": "theano.vectorize",
    "while_loop": "theano.scan with theano.scan_module.until",
}


def meant(name: str, module: str, names: Collection[str]) -> str:
    """Return the end of a sentence that suggests another name, or "" if none is similar.

    Parameters
    ----------
    name : str
        The missing name.
    module : str
        The public module that lacks it.
    names : collection of str
        The names of the module.

    >>> meant("fucntion", "theano", ["function", "grad"])
    '; did you mean theano.function?'
    >>> meant("sigmoid", "theano.tensor", ["sgn"])
    '; did you mean theano.tensor.nnet.sigmoid?'
    >>> meant("zzz", "theano", ["function"])
    ''
    """
    if name.startswith("_"):
        return ""
    if module in _ELSEWHERE[:3] and name in _FOREIGN:
        return f"; use {_FOREIGN[name]}"
    own = [n for n in names if not n.startswith("_")]
    if spelled := nearest(name, own, 0.85):
        return f"; did you mean {module}.{spelled}?"
    places = [p for p in _ELSEWHERE if p != module and name in _names_of(p)][:1]
    if places:
        return f"; did you mean {places[0]}.{name}?"
    if spelled := nearest(name, own):
        return f"; did you mean {module}.{spelled}?"
    for place in _ELSEWHERE:
        if place != module and (spelled := nearest(name, _names_of(place), 0.85)):
            return f"; did you mean {place}.{spelled}?"
    return ""


def nearest(name: str, names: Iterable[str], cutoff: float = 0.75) -> str | None:
    """Return the known name with the most similar spelling, or None.

    >>> nearest("Fucntion", ["function", "grad"])
    'function'
    """
    import difflib  # slow to import

    # of an op and its class, prefer the one with the same case
    order = sorted(names, reverse=name[:1].isupper())
    by_lower = {n.lower(): n for n in order if abs(len(n) - len(name)) <= 3}
    near = difflib.get_close_matches(name.lower(), by_lower, 1, cutoff)
    return by_lower[near[0]] if near else None


# fmt: off
#: names of arguments in NumPy, SciPy, JAX, PyTorch and TensorFlow, and their names here
_KEYWORDS = {
    "a_max": "max", "a_min": "min", "argnums": "wrt", "axes": "axis", "body_fun": "fn",
    "dim": "axis", "dims": "axis", "f": "fn", "high": "max", "init": "outputs_info",
    "init_val": "outputs_info", "keep_dims": "keepdims", "keepdim": "keepdims",
    "length": "n_steps", "loc": "avg", "low": "min", "maxval": "high", "mean": "avg",
    "minval": "low", "mu": "avg", "scale": "std", "shape": "size", "sigma": "std",
    "size": "shape", "stddev": "std", "steps": "n_steps", "xs": "sequences",
}
# fmt: on


def explain_call(error: TypeError, function: Callable[..., Any], kwargs: Iterable[str]) -> None:
    """Add the accepted arguments to the error of a call with wrong arguments.

    >>> def total(x, axis=None): ...
    >>> error = TypeError("total() got an unexpected keyword argument 'dim'")
    >>> explain_call(error, total, {"dim": 1})
    >>> error
    TypeError("total() got an unexpected keyword argument 'dim'; use axis. It takes x, axis")
    """
    import inspect  # slow to import

    names = [n for n in inspect.signature(function).parameters if n != "self"]
    text = str(error)
    for wrong in kwargs:
        if wrong not in names and repr(wrong) in text:
            right = _KEYWORDS.get(wrong)
            right = right if right in names else nearest(wrong, names)
            text += "" if right is None else f"; use {right}"
    error.args = (f"{text}. It takes {', '.join(names)}",)


def _names_of(module: str) -> list[str]:
    result = import_module(module)
    return [n for n in dir(result) if not n.startswith("_")]


def instruction(frame: FrameType | None) -> str:
    """Return the name of the bytecode instruction that a frame executes.

    >>> def here():
    ...     return instruction(sys._getframe())
    >>> here().startswith("CALL")
    True
    """
    import opcode  # needed only for errors

    if frame is None:
        return ""
    code, at = frame.f_code.co_code, frame.f_lasti
    while at > 0 and opcode.opname[code[at]] == "CACHE":
        at -= 2  # cache entries follow the instruction that they belong to
    return opcode.opname[code[at]]


def asked_by_import(depth: int) -> bool:
    """Whether the frame ``depth`` levels up executes ``from module import name``."""
    return instruction(sys._getframe(depth + 1)) == "IMPORT_FROM"


def asked_as_written(depth: int) -> bool:
    """Whether the frame executes ``module.name`` or an import; not hasattr or getattr.

    Programs that probe for names do not show the suggestion.
    """
    return instruction(sys._getframe(depth + 1)) in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM")


def refusal(text: str, name: str, module: str, depth: int) -> Exception:
    """Return the exception for a name that a module lacks: ImportError for an import.

    ``from module import name`` replaces the text of an AttributeError by its own.
    """
    if asked_by_import(depth + 1):
        where: Any = getattr(sys.modules[module], "__file__", None)
        return ImportError(text, name=module, path=where)
    return AttributeError(text, name=name)
