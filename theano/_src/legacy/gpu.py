"""Names of Theano's CUDA back-ends, for programs that use them.

Flags and predicates, which such programs test first, are False. Functions that only move values to
the back-end leave them where the engine keeps them. Names that need CUDA code raise an error when
they are used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from theano._src.graph.op import Op
from theano._src.graph.type import SingletonType
from theano._src.ground.absent import explaining
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.tracebacks import warn_user
from theano._src.ops.shape.alloc import AllocEmpty
from theano._src.ops.shape.ranges import eye
from theano._src.types.convert import as_tensor_variable

_OLD, _NEW = "theano.sandbox.cuda", "theano.gpuarray"
_WHY = "there is no CUDA back-end of Theano here; XLA runs the same expressions on its devices"

cuda_available = False
cuda_enabled = False
pygpu_activated = False
pycuda_available = False


def gpu_only(path: str, instead: str) -> Any:
    """Return a placeholder for a name of the CUDA back-ends, which raises when it is used.

    Parameters
    ----------
    path : str
        Its documented module and name.
    instead : str
        What to use instead.
    """
    return explaining(path, _WHY, instead)


@documented_in(_OLD)
def use(
    device: str,
    force: bool = False,
    default_to_move_computation_to_gpu: bool = True,
    move_shared_float32_to_gpu: bool = True,
    enable_cuda: bool = True,
    test_driver: bool = False,
    move_shared_to_gpu: bool = True,
    preallocate: float | None = None,
) -> None:
    """Request a GPU of the CUDA back-end: there is none, so this warns.

    Parameters
    ----------
    device : str
        ``"cpu"`` is available.
    force : bool
        Whether to raise EnvironmentError if there is no such device; ``config.force_device`` has
        the same effect.
    default_to_move_computation_to_gpu, move_shared_float32_to_gpu, enable_cuda, test_driver
        They have no effect.
    move_shared_to_gpu, preallocate
        They have no effect.

    >>> from theano.sandbox import cuda
    >>> cuda.use("cpu")
    >>> cuda.use("gpu0", force=True)
    Traceback (most recent call last):
    ...
    OSError: the device gpu0 is not available; there is no CUDA back-end ...
    """
    if device == "cpu":
        return
    text = f"the device {device} is not available; {_WHY}"
    if force or config.force_device:
        raise OSError(text)
    warn_user(text)


use.device_number = None  # type: ignore[attr-defined]


@documented_in(_OLD)
def unuse() -> None:
    """Stop using a GPU: does nothing, as there is none.

    >>> from theano.sandbox import cuda
    >>> cuda.unuse()
    """


@documented_in(_OLD)
def synchronize() -> None:
    """Wait for the GPU: does nothing, as every call has finished its work when it returns.

    >>> from theano.sandbox import cuda
    >>> cuda.synchronize()
    """


@documented_in("theano.gpuarray.type")
class ContextNotDefined(ValueError):
    """Raised when no device has the given name."""


@documented_in("theano.gpuarray.type")
def get_context(name: str | None) -> NoReturn:
    """Raise ContextNotDefined: no device is defined.

    Parameters
    ----------
    name : str or None

    >>> from theano.gpuarray import get_context
    >>> get_context("dev0")
    Traceback (most recent call last):
    ...
    theano.gpuarray.type.ContextNotDefined: context name 'dev0' is not defined: there is no ...
    """
    raise ContextNotDefined(f"context name {name!r} is not defined: {_WHY}")


@documented_in("theano.gpuarray.type")
class GpuContextType(SingletonType):
    """The type of devices, which the params of GPU ops mention; it has no values."""

    def filter(
        self, data: Any, strict: bool = False, allow_downcast: bool | None = None
    ) -> NoReturn:
        raise TypeError(f"{data!r:.80} is no device: {_WHY}")


@documented_in("theano.gpuarray.type")
def list_contexts() -> list[str]:
    """Return the names of the devices: an empty list.

    >>> from theano.gpuarray.type import list_contexts
    >>> list_contexts()
    []
    """
    return []


@documented_in("theano.gpuarray.basic_ops")
def infer_context_name(*vars: Any) -> NoReturn:
    """Raise ValueError: no variable is on a device of its own.

    Parameters
    ----------
    *vars : variables

    >>> from theano.gpuarray.basic_ops import infer_context_name
    >>> infer_context_name()
    Traceback (most recent call last):
    ...
    ValueError: no variable is on a device of its own: there is no CUDA back-end ...
    """
    raise ValueError(f"no variable is on a device of its own: {_WHY}")


class _Moves:
    """Moves values to a GPU or back: returns the variable itself, as the engine keeps values."""

    def __init__(self, context_name: Any = None) -> None:
        self.context_name = context_name

    def __call__(self, x: Any, context_name: Any = None) -> Any:
        return as_tensor_variable(x)


@documented_in("theano.sandbox.cuda.basic_ops")
class GpuFromHost(_Moves):
    """Moves a value to the GPU; here it returns the variable itself."""


@documented_in("theano.sandbox.cuda.basic_ops")
class HostFromGpu(_Moves):
    """Moves a value from the GPU; here it returns the variable itself."""


@documented_in("theano.sandbox.cuda.basic_ops")
class GpuContiguous(_Moves):
    """Makes a value contiguous; here it returns the variable, as engines manage their memory."""


gpu_from_host = GpuFromHost()
host_from_gpu = HostFromGpu()
gpu_contiguous = GpuContiguous()


@documented_in("theano.sandbox.cuda.basic_ops")
def as_cuda_ndarray_variable(x: Any) -> Any:
    """Return ``x`` as a variable of ``theano.tensor``.

    Parameters
    ----------
    x : variable, array or number

    >>> from theano.sandbox.cuda.basic_ops import as_cuda_ndarray_variable
    >>> as_cuda_ndarray_variable([1.0]).type
    TensorType(float64, (True,))
    """
    return as_tensor_variable(x)


@documented_in("theano.gpuarray.basic_ops")
def as_gpuarray_variable(x: Any, context_name: Any = None) -> Any:
    """Return ``x`` as a variable of ``theano.tensor``.

    Parameters
    ----------
    x : variable, array or number
    context_name : str, optional
        It has no effect.

    >>> from theano.gpuarray.basic_ops import as_gpuarray_variable
    >>> as_gpuarray_variable([1.0], None).type
    TensorType(float64, (True,))
    """
    return as_tensor_variable(x)


@documented_in("theano.gpuarray.basic_ops")
class GpuAllocEmpty(AllocEmpty):
    """Uninitialized memory, as ``theano.tensor.AllocEmpty`` returns it.

    Parameters
    ----------
    dtype : str
    context_name : str, optional
        It has no effect.

    >>> from theano.sandbox.cuda.basic_ops import gpu_alloc_empty
    >>> gpu_alloc_empty(2, 3).shape.eval().tolist()
    [2, 3]
    """

    def __init__(self, dtype: str = "float32", context_name: Any = None) -> None:
        super().__init__(dtype)


gpu_alloc_empty = GpuAllocEmpty()


@documented_in("theano.gpuarray.basic_ops")
class GpuEye:
    """``theano.tensor.eye`` with a given dtype.

    Parameters
    ----------
    dtype : str, optional
    context_name : str, optional
        It has no effect.
    """

    def __init__(self, dtype: str | None = None, context_name: Any = None) -> None:
        self.dtype = dtype

    def __call__(self, n: Any, m: Any = None, k: Any = 0) -> Any:
        return eye(n, m, k, self.dtype)


@documented_in(_OLD)
class GpuOp(Op):
    """Base class of ops written in CUDA: they can be created and put in graphs, but not run."""

    def make_thunk(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise OSError(f"{self} is written in CUDA: {_WHY}; write its meaning as compute()")


@documented_in("theano.gpuarray.basic_ops")
class GpuKernelBase:
    """Base class of ops with their own kernels: they can be created, but not run."""

    def make_thunk(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise OSError(f"{self} is written in CUDA: {_WHY}; write its meaning as compute()")


@documented_in("theano.gpuarray.basic_ops")
class CGpuKernelBase(GpuKernelBase, Op):
    """Base class of ops with kernels in files: they can be created, but not run."""

    def __init__(self, func_files: Any = None, func_name: Any = None) -> None:
        self.func_files, self.func_name = func_files, func_name


def _registers_nothing(*args: Any, **kwargs: Any) -> Callable[[Any], Any]:
    return lambda rule: rule


@documented_in("theano.gpuarray.opt")
def register_opt(*tags: Any, **kwargs: Any) -> Callable[[Any], Any]:
    """Return a decorator for rewrites that move work to a GPU; it leaves them unused.

    Parameters
    ----------
    *tags : str
    **kwargs

    >>> from theano.sandbox.cuda.opt import register_opt
    >>> register_opt("fast_compile")(len) is len
    True
    """
    return _registers_nothing()


@documented_in("theano.gpuarray.opt")
def register_opt2(tracks: Any, *tags: Any, **kwargs: Any) -> Callable[[Any], Any]:
    """Return a decorator for rewrites that move work to a GPU; it leaves them unused.

    Parameters
    ----------
    tracks : list of ops
    *tags : str
    **kwargs

    >>> from theano.gpuarray.opt import register_opt2
    >>> register_opt2([], "fast_compile")(len) is len
    True
    """
    return _registers_nothing()


@documented_in("theano.gpuarray.opt")
def op_lifter(OP: Any, cuda_only: bool = False) -> Callable[[Any], Any]:
    """Return a decorator for functions that create the GPU form of a node; they stay unused.

    Parameters
    ----------
    OP : list of ops
    cuda_only : bool

    >>> from theano.gpuarray.opt import op_lifter
    >>> op_lifter([])(len) is len
    True
    """
    return _registers_nothing()


class _UnusedRules:
    """A collection of rewrites for GPUs that accepts them and uses none."""

    def register(self, *args: Any, **kwargs: Any) -> None:
        """Accept a rewrite; it is not used."""


gpu_optimizer = _UnusedRules()
gpu_optimizer2 = _UnusedRules()
gpu_seqopt = _UnusedRules()


def is_nvcc_available() -> bool:
    """Return False: NVIDIA's compiler is not searched for.

    >>> from theano.sandbox.cuda.nvcc_compiler import is_nvcc_available
    >>> is_nvcc_available()
    False
    """
    return False


def _no_device(path: str) -> Any:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(f"{path}: {_WHY}; ask jax.devices() for theirs")

    refuse.__doc__ = "Says that there is no device to ask."
    module, _, refuse.__name__ = path.rpartition(".")
    refuse.__qualname__ = refuse.__name__
    return documented_in(module)(refuse)


mem_info = _no_device(f"{_OLD}.mem_info")
device_properties = _no_device(f"{_OLD}.device_properties")

_TYPE = "use theano.tensor.TensorType: the engine has values where it computes"
_CODE = "write the op's meaning as compute(xp, ...), which compiles for XLA's devices too"
_VARIABLE = "variables are those of theano.tensor, wherever the engine has their values"
_ARRAY = "values are NumPy arrays here"

CudaNdarray = gpu_only(f"{_OLD}.CudaNdarray", _ARRAY)
CudaNdarrayType = gpu_only(f"{_OLD}.type.CudaNdarrayType", _TYPE)
CudaNdarrayVariable = gpu_only(f"{_OLD}.var.CudaNdarrayVariable", _VARIABLE)
CudaNdarrayConstant = gpu_only(f"{_OLD}.var.CudaNdarrayConstant", _VARIABLE)
CudaNdarraySharedVariable = gpu_only(f"{_OLD}.var.CudaNdarraySharedVariable", _VARIABLE)
from_gpu_pointer = gpu_only(f"{_OLD}.from_gpu_pointer", _ARRAY)
NVCC_compiler = gpu_only(f"{_OLD}.nvcc_compiler.NVCC_compiler", _CODE)
add_standard_rpath = gpu_only(f"{_OLD}.nvcc_compiler.add_standard_rpath", _CODE)
rpath_defaults: list[str] = []

GpuArrayType = gpu_only(f"{_NEW}.type.GpuArrayType", _TYPE)
GpuArrayVariable = gpu_only(f"{_NEW}.type.GpuArrayVariable", _VARIABLE)
GpuArrayConstant = gpu_only(f"{_NEW}.type.GpuArrayConstant", _VARIABLE)
GpuArraySharedVariable = gpu_only(f"{_NEW}.type.GpuArraySharedVariable", _VARIABLE)
gpu_context_type = GpuContextType()
Kernel = gpu_only(f"{_NEW}.basic_ops.Kernel", _CODE)
gpuarray_helper_inc_dir = gpu_only(f"{_NEW}.basic_ops.gpuarray_helper_inc_dir", _CODE)
load_w = gpu_only(f"{_NEW}.fp16_help.load_w", _CODE)
write_w = gpu_only(f"{_NEW}.fp16_help.write_w", _CODE)
work_dtype = gpu_only(f"{_NEW}.fp16_help.work_dtype", _CODE)
GpuAdvancedSubtensor1 = gpu_only(f"{_NEW}.subtensor.GpuAdvancedSubtensor1", "write x[indices]")

to_gpuarray = gpu_only("theano.misc.pycuda_utils.to_gpuarray", _ARRAY)
to_cudandarray = gpu_only("theano.misc.pycuda_utils.to_cudandarray", _ARRAY)
cudandarray_to_garray = gpu_only("theano.misc.gnumpy_utils.cudandarray_to_garray", _ARRAY)
garray_to_cudandarray = gpu_only("theano.misc.gnumpy_utils.garray_to_cudandarray", _ARRAY)
