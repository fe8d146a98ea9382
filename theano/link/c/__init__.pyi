# Written by tools/stubs.py from __init__.py: change that file.
from theano.link.c import (
    basic as basic,
    exceptions as exceptions,
    interface as interface,
    cmodule as cmodule,
)
