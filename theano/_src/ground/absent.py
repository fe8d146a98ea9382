"""Documented names that are not carried: why, and what to use instead."""

from collections.abc import Callable
from typing import NoReturn

# A name ending in `.*` stands for itself and everything below it. The longest match answers.
# fmt: off
ABSENT: dict[str, tuple[str, str]] = {
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
    "theano.tensor.nnet.ctc.*": (
        "it called the C library warp-ctc, which is not maintained",
        "write the recursion over time with theano.scan and theano.tensor.logaddexp",
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
# fmt: on


def reason(name: str) -> str | None:
    """Why the documented `name` is not carried, or None when it should be.

    >>> reason("theano.tensor.dot") is None
    True
    >>> print(reason("theano.sandbox.cuda.blas.GpuGemm"))
    theano.sandbox.cuda.blas.GpuGemm is not carried: it is an internal of ... device.
    """
    parts = name.split(".")
    keys = [name] + [".".join(parts[:n]) + ".*" for n in range(len(parts), 0, -1)]
    for key in keys:
        if key in ABSENT:
            why, instead = ABSENT[key]
            return f"{name} is not carried: {why}; {instead}."
    return None


def absent_names(module: str) -> Callable[[str], NoReturn]:
    """A `__getattr__` for a face: a documented but absent name says why it is absent.

    >>> missing = absent_names("theano.sandbox.cuda")
    >>> missing("GpuOp")
    Traceback (most recent call last):
    ...
    AttributeError: theano.sandbox.cuda.GpuOp is not carried: it is an internal of ... device.
    """

    def __getattr__(name: str) -> NoReturn:
        text = reason(f"{module}.{name}") or f"module {module!r} has no attribute {name!r}"
        raise AttributeError(text, name=name)

    return __getattr__
