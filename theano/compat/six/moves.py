"""Things that Python 3 has elsewhere, or under another name."""

import builtins as builtins
import configparser as configparser
import pickle as pickle
import queue as queue
import urllib as urllib

from theano._src.ground.public import public as _public

cPickle = pickle

__getattr__ = _public(
    __name__,
    """
    builtins: filter input map range xrange=range zip
    collections: UserDict UserList UserString
    functools: reduce
    importlib: reload_module=reload
    io: StringIO cStringIO=StringIO
    itertools: filterfalse zip_longest
    sys: intern
    """,
)
