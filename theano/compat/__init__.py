"""Names that programs for Python 2 and 3 at once imported from here."""

import builtins
import configparser
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, MutableMapping, ValuesView
from importlib import reload
from io import BytesIO
from operator import truediv

from theano._src.legacy.python2 import (
    PY3,
    DefaultOrderedDict,
    b,
    cmp,
    decode,
    decode_iter,
    decode_with,
    exc_message,
    get_unbound_function,
)
from theano.compat import python2x, six

DictMixin = MutableMapping
ifilter = builtins.filter
imap = builtins.map
izip = builtins.zip
next = builtins.next
operator_div = truediv
