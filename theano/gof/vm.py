"""The linker called vm, and what runs thunks."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.engines.linkers.documented: VM_Linker
    theano._src.engines.linkers.vm: VM Loop LoopGC Stack
    """,
)
