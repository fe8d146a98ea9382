"""The compiled C code of a node, as a function of the node's values."""

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
    """A function of the values of a node's inputs, then of its outputs: None, or what to reuse.

    It gives the output, or a tuple of several. Each such function has a struct of its own in C,
    which lives as long as the function.

    Raises
    ------
    MethodNotDefined, NotImplementedError
        There is no C code for this node.
    CompileError
        The compiler refuses it.
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
                # numbers of NumPy, and arrays inside records
                fit = list(values)
                for k in arrays:
                    fit[k] = np.require(values[k], requirements="A")
                return run(struct, *fit)
        return run(struct, *values)

    return call


@cache
def _module(source: NodeSource) -> Any:
    """The extension module of a text; nodes with the same text have the same."""
    return opened(source.text, partial(imported, MODULE), source.options)
