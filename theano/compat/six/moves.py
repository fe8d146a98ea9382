"""Things that Python 3 has elsewhere, or under another name."""

import builtins as builtins
import configparser as configparser
import importlib as _importlib
import pickle as pickle
import queue as queue
import urllib as urllib
from collections import UserDict as UserDict, UserList as UserList, UserString as UserString
from functools import reduce as reduce
from io import StringIO as StringIO
from itertools import filterfalse as filterfalse, zip_longest as zip_longest
from sys import intern as intern

from theano._src.ground.absent import module_getattr as _module_getattr

reload_module = _importlib.reload

cPickle = pickle
cStringIO = StringIO
filter = builtins.filter
input = builtins.input
map = builtins.map
range = builtins.range
xrange = builtins.range
zip = builtins.zip

__getattr__ = _module_getattr(__name__)
