# Written by tools/stubs.py from basic.py: change that file.
from theano._src.engines.link import (
    Linker as Linker,
    LocalLinker as LocalLinker,
    PerformLinker as PerformLinker,
)
from theano._src.engines.linkers.wrap import (
    WrapLinker as WrapLinker,
    WrapLinkerMany as WrapLinkerMany,
)
from theano._src.types.shared import Container as Container
