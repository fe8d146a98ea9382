"""The names of the package six, for Python 3."""

import builtins
from io import BytesIO, StringIO

from theano._src.legacy.python2 import (
    PY2,
    PY3,
    add_metaclass,
    b,
    binary_type,
    class_types,
    get_unbound_function,
    integer_types,
    iteritems,
    iterkeys,
    itervalues,
    reraise,
    string_types,
    text_type,
    viewitems,
    viewkeys,
    viewvalues,
    with_metaclass,
)
from theano.compat.six import moves

Iterator = builtins.object
advance_iterator = builtins.next
callable = builtins.callable
next = builtins.next
print_ = builtins.print
u = builtins.str
