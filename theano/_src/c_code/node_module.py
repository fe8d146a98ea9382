"""The compiled C code of a node as a Python function."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from theano._src.c_code.library_cache import imported, opened
from theano._src.c_code.node_source import MODULE, NodeSource, node_source
from theano._src.c_code.tensor_text import TensorInC
from theano._src.ground.config import config

__all__ = ["node_function"]


def node_function(node: Any, params: Any = None) -> Callable[..., Any]:
    """Return a function that runs the C code of a node.

    It takes the values of the inputs, then for each output None or a value to reuse. It returns
    the output, or a tuple of several. Each function has its own C struct, which lives as long as
    the function.

    Raises
    ------
    MethodNotDefined, NotImplementedError
        There is no C code for this node.
    CompileError
        The compiler rejects it.
    """
    source = node_source(node)
    if source.unversioned and config.cmodule.warn_no_version:
        warnings.warn(
            f"{node.op} or a type of its variables gives no c_code_cache_version", stacklevel=2
        )
    module = _module(source)
    run, struct = module.run, module.make(params)
    arrays = [i for i, v in enumerate(node.inputs) if isinstance(v.type, TensorInC)]

    def call(*values: Any) -> Any:
        for i in arrays:
            value = values[i]
            if value.__class__ is not np.ndarray or not value.flags.aligned:
                # NumPy scalars, and unaligned arrays, as fields of structured arrays are
                fit = list(values)
                for k in arrays:
                    fit[k] = np.require(values[k], requirements="A")
                return run(struct, *fit)
        return run(struct, *values)

    return call


@cache
def _module(source: NodeSource) -> Any:
    """Return the extension module of a text; nodes with the same text share it."""
    return opened(source.text, partial(imported, MODULE), source.options)
