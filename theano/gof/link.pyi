# Written by tools/stubs.py from link.py: change that file.
from theano._src.engines.error_report import raise_with_thunk as _raise_with_thunk
from theano._src.engines.link import (
    Linker as Linker,
    LocalLinker as LocalLinker,
    PerformLinker as PerformLinker,
    map_storage as map_storage,
)
from theano._src.engines.linkers.thunks import (
    add_clear_storage as add_clear_storage,
    gc_helper as gc_helper,
    streamline as streamline,
)
from theano._src.engines.linkers.wrap import (
    WrapLinker as WrapLinker,
    WrapLinkerMany as WrapLinkerMany,
)
from theano._src.graph.type import Type as Type
from theano._src.types.shared import Container as Container

raise_with_op = _raise_with_thunk
