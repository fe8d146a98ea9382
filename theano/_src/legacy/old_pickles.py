"""Load functions that were pickled by Theano 1.0.

Such a pickle has the maker of the function and its values. The function is compiled again from the
maker's inputs and outputs; the rewritten graph, and all that describes it, is ignored.
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
    """Return a function pickled by Theano 1.0, compiled in the current default mode."""
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
