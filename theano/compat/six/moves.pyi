# Written by tools/stubs.py from moves.py: change that file.
import builtins as builtins
import configparser as configparser
import pickle as pickle
import queue as queue
import urllib as urllib
cPickle = pickle
from builtins import filter as filter, input as input, map as map, range as range, zip as zip
from collections import UserDict as UserDict, UserList as UserList, UserString as UserString
from functools import reduce as reduce
from importlib import reload as _reload
from io import StringIO as StringIO
from itertools import filterfalse as filterfalse, zip_longest as zip_longest
from sys import intern as intern

xrange = range
reload_module = _reload
cStringIO = StringIO
