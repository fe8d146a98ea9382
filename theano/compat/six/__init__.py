"""The names of the package six, for Python 3."""

import builtins as builtins
from io import BytesIO as BytesIO, StringIO as StringIO

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.legacy.python2 import (
    PY2 as PY2,
    PY3 as PY3,
    add_metaclass as add_metaclass,
    b as b,
    binary_type as binary_type,
    class_types as class_types,
    get_unbound_function as get_unbound_function,
    integer_types as integer_types,
    iteritems as iteritems,
    iterkeys as iterkeys,
    itervalues as itervalues,
    reraise as reraise,
    string_types as string_types,
    text_type as text_type,
    viewitems as viewitems,
    viewkeys as viewkeys,
    viewvalues as viewvalues,
    with_metaclass as with_metaclass,
)
from theano.compat.six import moves as moves

Iterator = builtins.object
advance_iterator = builtins.next
callable = builtins.callable
next = builtins.next
print_ = builtins.print
u = builtins.str

__getattr__ = _module_getattr(__name__)
