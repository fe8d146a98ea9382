"""Names that programs for Python 2 and 3 at once imported from here."""

import builtins as builtins
import configparser as configparser
from collections import OrderedDict as OrderedDict
from collections.abc import (
    Callable as Callable,
    Iterable as Iterable,
    Mapping as Mapping,
    MutableMapping as MutableMapping,
    ValuesView as ValuesView,
)
from importlib import reload as reload
from io import BytesIO as BytesIO
from operator import truediv as truediv

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.legacy.python2 import (
    PY3 as PY3,
    DefaultOrderedDict as DefaultOrderedDict,
    b as b,
    cmp as cmp,
    decode as decode,
    decode_iter as decode_iter,
    decode_with as decode_with,
    exc_message as exc_message,
    get_unbound_function as get_unbound_function,
)
from theano.compat import python2x as python2x, six as six

DictMixin = MutableMapping
ifilter = builtins.filter
imap = builtins.map
izip = builtins.zip
next = builtins.next
operator_div = truediv

__getattr__ = _module_getattr(__name__)
