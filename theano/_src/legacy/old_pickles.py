"""Functions that Theano 1.0 pickled.

A function there was its maker and its values. Here it is made anew, of the inputs and outputs that
the maker was given; the graph that they were rewritten to is left aside, with what described it.
"""

from __future__ import annotations

from typing import Any

from theano._src.compile.function_object import Function, remade
from theano._src.compile.io import In, SymbolicOutput
from theano._src.compile.maker import FunctionMaker
from theano._src.graph.old_state import made_of_names
from theano._src.types.shared import Container


def constructor_of_functions(
    maker: Any, input_storage: Any, inputs_data: list[Any], trust_input: bool = False
) -> Function | None:
    """A function that Theano 1.0 pickled, compiled by the default mode of now."""
    specs = [made_of_names(In, vars(spec)) for spec in maker.inputs]
    outputs: Any = [made_of_names(SymbolicOutput, vars(spec)) for spec in maker.outputs]
    if maker.return_none:
        outputs = None
    elif maker.unpack_single:
        (outputs,) = outputs
    options = {
        "accept_inplace": maker.accept_inplace,
        "output_keys": getattr(maker, "output_keys", None),
        "name": getattr(maker, "name", None),
        "trust_input": trust_input,
    }
    values = [
        None if isinstance(spec.value, Container) else data
        for spec, data in zip(specs, inputs_data, strict=True)
    ]
    return remade(FunctionMaker, specs, outputs, options, values)
