# Written by tools/stubs.py from __init__.py: change that file.
import builtins as builtins
from builtins import (
    object as _object,
    next as next,
    callable as callable,
    print as _print,
    str as _str,
)
from io import BytesIO as BytesIO, StringIO as StringIO
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

Iterator = _object
advance_iterator = next
print_ = _print
u = _str
