"""Documented names that are not carried, or not yet: why, and what to use instead."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from theano._src.ground.suggest import asked_as_written, meant, refusal

Reasons = dict[str, tuple[str, str]]

# A name ending in `.*` stands for itself and everything below it. The longest match answers.
# fmt: off
ABSENT: Reasons = {
    "theano.graph.*": (
        "it is the layout of forks of Theano that came after 1.0",
        "theano.gof has the same classes: Apply, Op, Variable, FunctionGraph",
    ),
    "theano.gof.COp": (
        "it reads the C code of an op from files, and there is no C compiler here",
        "write a theano.Op with perform, or wrap a function with theano.as_op",
    ),
    "theano.sandbox.cuda.*": (
        "it is an internal of the CUDA back-end of Theano 0.7",
        "write the expression with theano.tensor; the engine chooses the device",
    ),
    "theano.gpuarray.*": (
        "it is an internal of the libgpuarray back-end",
        "write the expression with theano.tensor; the engine chooses the device",
    ),
    "theano.sandbox.gpuarray.*": (
        "it is an internal of the libgpuarray back-end",
        "write the expression with theano.tensor; the engine chooses the device",
    ),
} | {
    f"theano.tensor.io.{name}": (
        "messages between processes as nodes of a graph need an order that no engine promises",
        "exchange the values with mpi4py between calls of a function",
    )
    for name in (
        "MPIRecv", "MPIRecvWait", "MPISend", "MPISendWait", "irecv", "isend", "recv", "send",
        "mpi_send_wait_key", "mpi_tag_key",
    )
} | {
    f"theano.tensor.signal.{name}.fft": (
        "the documents list it as work to be done",
        "multiply Fourier transforms by theano.tensor.fft, or convolve by conv2d",
    )
    for name in ("conv", "downsample")
}

# Likewise, of what is still to be built.
LATER: Reasons = {
    "theano.sparse.*": (
        "sparse matrices are not built yet",
        "use dense ones, or compute with scipy.sparse outside of the graph",
    ),
    "theano.typed_list.*": (
        "lists as values of a graph are not built yet",
        "keep a Python list of variables, or stack them with theano.tensor.stack",
    ),
}
# fmt: on


def reason(name: str, *tables: Reasons) -> str | None:
    """Why the documented `name` is not carried, or None when it should be.

    `tables` are those to look in; without any, what is still to be built has no reason.

    >>> reason("theano.tensor.dot") is None
    True
    >>> print(reason("theano.sandbox.cuda.blas.GpuGemm"))
    theano.sandbox.cuda.blas.GpuGemm is not carried: it is an internal of ... device.
    """
    parts = name.split(".")
    keys = [name] + [".".join(parts[:n]) + ".*" for n in range(len(parts), 0, -1)]
    for table in tables or (ABSENT,):
        for key in keys:
            if key in table:
                why, instead = table[key]
                return f"{name} is not carried: {why}; {instead}."
    return None


def module_getattr(module: str, *at_first_use: str) -> Callable[[str], Any]:
    """A `__getattr__` for a public module: names loaded at first use, and why others are absent.

    Parameters
    ----------
    module : str
        The ``__name__`` of the module.
    *at_first_use : str
        ``"module.that.has.them: name name"``; a submodule is a name too, and ``new=name`` gives
        ``name`` another one.

    >>> import theano
    >>> get = module_getattr("theano.compile", "theano._src.rules.pipeline: optdb")
    >>> get("optdb") is theano.compile.optdb
    True
    >>> module_getattr("theano.sandbox.cuda")("GpuOp")
    Traceback (most recent call last):
    ...
    AttributeError: theano.sandbox.cuda.GpuOp is not carried: it is an internal of ... device.
    """
    homes = dict(entry.split(":") for entry in at_first_use)
    where = {
        new: (home, name or new)
        for home, names in homes.items()
        for new, _, name in (each.partition("=") for each in names.split())
    }

    def __getattr__(name: str) -> Any:
        if name in where:
            return vars(sys.modules[module]).setdefault(name, _imported(*where[name]))
        text = reason(f"{module}.{name}", ABSENT, LATER)
        if text is None:
            text = f"module {module!r} has no attribute {name!r}"
            if asked_as_written(1):
                text += meant(name, module, {*vars(sys.modules[module]), *where})
        raise refusal(text, name, module, 1)

    if where:
        # for dir() and completion, and for `from module import *`
        own = vars(sys.modules[module])
        own.setdefault("__dir__", lambda: sorted({*own, *where}))
        own.setdefault("__all__", sorted({*(n for n in own if not n.startswith("_")), *where}))
    return __getattr__


def _imported(home: str, name: str) -> Any:
    """What ``from home import name`` gives."""
    found = vars(import_module(home)).get(name)
    return import_module(f"{home}.{name}") if found is None else found


class _AbsentModules:
    """Asked last for a module: one that is documented and absent says why it is absent."""

    # importlib.abc has a base class for this: importing it takes a tenth of the import of theano
    @staticmethod
    def find_spec(fullname: str, path: Any = None, target: Any = None) -> None:
        if fullname.startswith("theano.") and (text := reason(fullname, ABSENT, LATER)):
            # without a name: `from theano import X` passes over an error that names theano.X
            raise ModuleNotFoundError(text)


sys.meta_path.append(_AbsentModules)
