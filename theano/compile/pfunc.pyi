# Written by tools/stubs.py from pfunc.py: change that file.
from theano._src.compile.function import (
    pfunc as pfunc,
    rebuild_collect_shared as rebuild_collect_shared,
)
from theano._src.compile.io import In as In, Out as Out, Param as Param
