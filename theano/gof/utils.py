"""Small helpers."""

from theano._src.graph.source_line import add_tag_trace
from theano._src.graph.testvalue import get_test_value
from theano._src.ground.utils import (
    MethodNotDefined,
    Scratchpad,
    deprecated,
    difference,
    flatten,
    from_return_values,
    give_variables_names,
    hash_from_code,
    hash_from_file,
    hashtype,
    hist,
    memoize,
    object2,
    remove,
    simple_extract_stack,
    to_return_values,
    toposort,
    uniq,
    unique,
)

scratchpad = Scratchpad

__all__ = [
    "MethodNotDefined",
    "add_tag_trace",
    "deprecated",
    "difference",
    "flatten",
    "from_return_values",
    "get_test_value",
    "give_variables_names",
    "hash_from_code",
    "hash_from_file",
    "hashtype",
    "hist",
    "memoize",
    "object2",
    "remove",
    "scratchpad",
    "simple_extract_stack",
    "to_return_values",
    "toposort",
    "uniq",
    "unique",
]
