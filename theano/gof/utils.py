"""Small helpers."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.graph.source_line: add_tag_trace get_variable_trace_string
    theano._src.graph.testvalue: get_test_value
    theano._src.ground.c_keywords: c_cpp_keywords
    theano._src.ground.utils: MethodNotDefined deprecated difference flatten from_return_values
        give_variables_names hash_from_code hash_from_file hashtype hist memoize object2 remove
        simple_extract_stack to_return_values toposort uniq unique scratchpad=Scratchpad
    """,
)
