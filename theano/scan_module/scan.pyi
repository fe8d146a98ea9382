# Written by tools/stubs.py from scan.py: change that file.
from theano._src.control.scan.api import scan as scan
