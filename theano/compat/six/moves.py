"""Things that Python 3 has elsewhere, or under another name."""

import builtins
import configparser
import pickle
import queue
import urllib
from collections import UserDict, UserList, UserString
from functools import reduce
from importlib import reload as reload_module
from io import StringIO
from itertools import filterfalse, zip_longest
from sys import intern

cPickle = pickle
cStringIO = StringIO
filter = builtins.filter
input = builtins.input
map = builtins.map
range = builtins.range
xrange = builtins.range
zip = builtins.zip
