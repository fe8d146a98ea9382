# Written by tools/stubs.py from utils.py: change that file.
from theano._src.graph.source_line import (
    add_tag_trace as add_tag_trace,
    get_variable_trace_string as get_variable_trace_string,
)
from theano._src.graph.testvalue import get_test_value as get_test_value
from theano._src.ground.c_keywords import c_cpp_keywords as c_cpp_keywords
from theano._src.ground.utils import (
    MethodNotDefined as MethodNotDefined,
    deprecated as deprecated,
    difference as difference,
    flatten as flatten,
    from_return_values as from_return_values,
    give_variables_names as give_variables_names,
    hash_from_code as hash_from_code,
    hash_from_file as hash_from_file,
    hashtype as hashtype,
    hist as hist,
    memoize as memoize,
    object2 as object2,
    remove as remove,
    simple_extract_stack as simple_extract_stack,
    to_return_values as to_return_values,
    toposort as toposort,
    uniq as uniq,
    unique as unique,
    Scratchpad as _Scratchpad,
)

scratchpad = _Scratchpad
