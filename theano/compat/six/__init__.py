"""The names of the package six, for Python 3."""

import builtins as builtins

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    builtins: Iterator=object advance_iterator=next callable next print_=print u=str
    io: BytesIO StringIO
    theano._src.legacy.python2: PY2 PY3 add_metaclass b binary_type class_types
        get_unbound_function integer_types iteritems iterkeys itervalues reraise string_types
        text_type viewitems viewkeys viewvalues with_metaclass
    theano.compat.six: moves
    """,
)
