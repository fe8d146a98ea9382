# Written by tools/stubs.py from __init__.py: change that file.
import builtins as builtins
import configparser as configparser
from builtins import filter as _filter, map as _map, zip as _zip, next as next
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

ifilter = _filter
imap = _map
izip = _zip
DictMixin = MutableMapping
operator_div = truediv
