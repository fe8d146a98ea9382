"""The documented functions of cuDNN, computed by equivalent functions without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from theano._src.ground.documented import documented_in
from theano._src.ground.tracebacks import warn_user
from theano._src.ops.conv.conv_functions import (
    conv2d,
    conv2d_grad_wrt_inputs,
    conv2d_grad_wrt_weights,
    conv3d,
    conv3d_grad_wrt_inputs,
    conv3d_grad_wrt_weights,
)
from theano._src.ops.conv.conv_shape import get_conv_output_shape
from theano._src.ops.conv.pool_functions import pool_2d, pool_3d
from theano._src.ops.nnet.batchnorm import batch_normalization_test, batch_normalization_train
from theano._src.ops.nnet.softmax import logsoftmax, softmax
from theano._src.ops.shape.alloc import lengths_of

_ABSENT = "cuDNN is not used here: theano.tensor.nnet and theano.tensor.signal run on any device"


@documented_in("theano.gpuarray.dnn")
def dnn_available(context_name: Any = None) -> bool:
    """Return False: cuDNN is not used; ``dnn_available.msg`` says why.

    Parameters
    ----------
    context_name : str, optional

    >>> from theano.gpuarray.dnn import dnn_available
    >>> dnn_available()
    False
    """
    return False


@documented_in("theano.gpuarray.dnn")
def dnn_present() -> bool:
    """Return False: cuDNN is not searched for; ``dnn_present.msg`` says why.

    >>> from theano.gpuarray.dnn import dnn_present
    >>> dnn_present()
    False
    """
    return False


for _predicate in (dnn_available, dnn_present):
    _predicate.avail = False  # type: ignore[attr-defined]
    _predicate.msg = _ABSENT  # type: ignore[attr-defined]


@documented_in("theano.gpuarray.dnn")
def version(raises: bool = True) -> int:
    """Raise RuntimeError, or return -1 if ``raises`` is False: cuDNN is not used.

    Parameters
    ----------
    raises : bool

    >>> from theano.gpuarray.dnn import version
    >>> version(raises=False)
    -1
    """
    if raises:
        raise RuntimeError(f"cuDNN has no version to tell: {_ABSENT}")
    return -1


def _by(name: str, ours: str) -> None:
    warn_user(f"{name} computes by {ours}: {_ABSENT}")


def _flips(conv_mode: str) -> bool:
    if conv_mode not in ("conv", "cross"):
        raise ValueError(f"cuDNN takes 'conv' or 'cross' as conv_mode, got {conv_mode!r}")
    return conv_mode == "conv"


@documented_in("theano.gpuarray.dnn")
def dnn_conv(
    img: Any,
    kerns: Any,
    border_mode: Any = "valid",
    subsample: Any = (1, 1),
    dilation: Any = (1, 1),
    conv_mode: str = "conv",
    direction_hint: Any = None,
    workmem: Any = None,
    algo: Any = None,
    precision: Any = None,
    num_groups: int = 1,
) -> Any:
    """Call ``theano.tensor.nnet.conv2d``, with a warning.

    Parameters
    ----------
    img, kerns : 4-d tensors
    border_mode, subsample, num_groups
        As for ``conv2d``.
    dilation : pair of int
        The ``filter_dilation`` of ``conv2d``.
    conv_mode : {'conv', 'cross'}
        Whether to convolve or to correlate.
    direction_hint, workmem, algo, precision
        They have no effect.

    >>> import warnings, theano.tensor as T
    >>> from theano.gpuarray.dnn import dnn_conv
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     y = dnn_conv(T.ones((1, 1, 3, 3)), T.ones((1, 1, 2, 2)))
    >>> y.eval().tolist()
    [[[[4.0, 4.0], [4.0, 4.0]]]]
    """
    _by("dnn_conv", "theano.tensor.nnet.conv2d")
    return conv2d(
        img,
        kerns,
        border_mode=border_mode,
        subsample=subsample,
        filter_flip=_flips(conv_mode),
        filter_dilation=dilation,
        num_groups=num_groups,
    )


@documented_in("theano.gpuarray.dnn")
def dnn_conv3d(
    img: Any,
    kerns: Any,
    border_mode: Any = "valid",
    subsample: Any = (1, 1, 1),
    dilation: Any = (1, 1, 1),
    conv_mode: str = "conv",
    direction_hint: Any = None,
    algo: Any = None,
    precision: Any = None,
    num_groups: int = 1,
    workmem: Any = None,
) -> Any:
    """Call ``theano.tensor.nnet.conv3d``, with a warning.

    Parameters
    ----------
    img, kerns : 5-d tensors
    border_mode, subsample, num_groups
        As for ``conv3d``.
    dilation : three ints
        The ``filter_dilation`` of ``conv3d``.
    conv_mode : {'conv', 'cross'}
        Whether to convolve or to correlate.
    direction_hint, workmem, algo, precision
        They have no effect.

    >>> import warnings, theano.tensor as T
    >>> from theano.gpuarray.dnn import dnn_conv3d
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     y = dnn_conv3d(T.ones((1, 1, 2, 2, 3)), T.ones((1, 1, 2, 2, 2)))
    >>> y.eval().ravel().tolist()
    [8.0, 8.0]
    """
    _by("dnn_conv3d", "theano.tensor.nnet.conv3d")
    return conv3d(
        img,
        kerns,
        border_mode=border_mode,
        subsample=subsample,
        filter_flip=_flips(conv_mode),
        filter_dilation=dilation,
        num_groups=num_groups,
    )


@documented_in("theano.gpuarray.dnn")
def dnn_pool(img: Any, ws: Any, stride: Any = None, mode: str = "max", pad: Any = None) -> Any:
    """Call ``theano.tensor.signal.pool.pool_2d`` or ``pool_3d``, with a warning.

    Parameters
    ----------
    img : 4-d or 5-d tensor
    ws : two or three ints
        The size of a window.
    stride : two or three ints
        The distance between windows; one cell by default.
    mode : {'max', 'average_inc_pad', 'average_exc_pad', 'sum', 'max_deterministic', 'average'}
        The last is the older name of the second.
    pad : two or three ints

    >>> import warnings, theano.tensor as T
    >>> from theano.gpuarray.dnn import dnn_pool
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     y = dnn_pool(T.arange(9).reshape((1, 1, 3, 3)), (2, 2))
    >>> y.eval().tolist()
    [[[[4, 5], [7, 8]]]]
    """
    name = f"pool_{len(ws)}d"
    _by("dnn_pool", f"theano.tensor.signal.pool.{name}")
    pool = pool_2d if len(ws) == 2 else pool_3d
    return pool(
        img,
        ws,
        ignore_border=True,
        stride=(1,) * len(ws) if stride is None else stride,
        pad=(0,) * len(ws) if pad is None else pad,
        mode="average_inc_pad" if mode == "average" else mode,
    )


@documented_in("theano.gpuarray.dnn")
def dnn_batch_normalization_train(
    inputs: Any,
    gamma: Any,
    beta: Any,
    mode: str = "per-activation",
    epsilon: float = 1e-4,
    running_average_factor: float = 0.1,
    running_mean: Any = None,
    running_var: Any = None,
) -> Any:
    """Call ``theano.tensor.nnet.bn.batch_normalization_train``, with a warning.

    Parameters
    ----------
    inputs, gamma, beta : tensors
    mode : {'per-activation', 'spatial'}
        The ``axes`` of that function.
    epsilon, running_average_factor, running_mean, running_var
        As for that function.

    >>> import warnings, theano.tensor as T
    >>> from theano.gpuarray.dnn import dnn_batch_normalization_train
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     y, mean, invstd = dnn_batch_normalization_train(
    ...         T.constant([[1.0], [3.0]]), T.constant([[1.0]]), T.constant([[0.0]])
    ...     )
    >>> mean.eval().tolist()
    [[2.0]]
    """
    _by("dnn_batch_normalization_train", "theano.tensor.nnet.bn.batch_normalization_train")
    return batch_normalization_train(
        inputs,
        gamma,
        beta,
        axes=mode,
        epsilon=epsilon,
        running_average_factor=running_average_factor,
        running_mean=running_mean,
        running_var=running_var,
    )


@documented_in("theano.gpuarray.dnn")
def dnn_batch_normalization_test(
    inputs: Any,
    gamma: Any,
    beta: Any,
    mean: Any,
    var: Any,
    mode: str = "per-activation",
    epsilon: float = 1e-4,
) -> Any:
    """Call ``theano.tensor.nnet.bn.batch_normalization_test``, with a warning.

    Parameters
    ----------
    inputs, gamma, beta, mean, var : tensors
    mode : {'per-activation', 'spatial'}
        The ``axes`` of that function.
    epsilon : float

    >>> import warnings, theano.tensor as T
    >>> from theano.gpuarray.dnn import dnn_batch_normalization_test
    >>> one, no = T.constant([[1.0]]), T.constant([[0.0]])
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     y = dnn_batch_normalization_test(T.constant([[2.0]]), one, no, no, one)
    >>> y.eval().round(3).tolist()
    [[2.0]]
    """
    _by("dnn_batch_normalization_test", "theano.tensor.nnet.bn.batch_normalization_test")
    return batch_normalization_test(inputs, gamma, beta, mean, var, axes=mode, epsilon=epsilon)


class _Description(NamedTuple):
    """The parameters of a convolution, except its arrays."""

    border_mode: Any
    subsample: Any
    conv_mode: str


@documented_in("theano.gpuarray.dnn")
class GpuDnnConvDesc:
    """The parameters of a convolution, for the ops below; called with the shapes of its arrays.

    Parameters
    ----------
    border_mode, subsample
        As for ``conv2d`` and ``conv3d``.
    conv_mode : {'conv', 'cross'}
    precision : str, optional
        It has no effect.
    """

    def __init__(
        self,
        border_mode: Any,
        subsample: Any = (1, 1),
        conv_mode: str = "conv",
        precision: Any = None,
    ) -> None:
        _flips(conv_mode)
        self.description = _Description(border_mode, subsample, conv_mode)

    def __call__(self, *shapes: Any) -> _Description:
        return self.description


class _DnnConvOp:
    """A convolution or its gradient, computed by the function for 2 or 3 dimensions."""

    functions: tuple[tuple[str, Callable[..., Any]], tuple[str, Callable[..., Any]]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # options of cuDNN's algorithms have no effect
        pass

    def call(self, ndim: int, desc: _Description, *args: Any) -> Any:
        name, function = self.functions[ndim == 5]
        _by(type(self).__name__, f"theano.tensor.nnet.abstract_conv.{name}")
        return function(
            *args,
            border_mode=desc.border_mode,
            subsample=desc.subsample,
            filter_flip=_flips(desc.conv_mode),
        )


@documented_in("theano.gpuarray.dnn")
class GpuDnnConv(_DnnConvOp):
    """A convolution: called with images, filters, an array to write to, and a description."""

    functions = (("conv2d", conv2d), ("conv3d", conv3d))

    def __call__(self, img: Any, kern: Any, output: Any, desc: Any, *more: Any) -> Any:
        return self.call(img.ndim, desc, img, kern)

    @staticmethod
    def get_out_shape(
        ishape: Sequence[Any], kshape: Sequence[Any], border_mode: Any, subsample: Any
    ) -> tuple[Any, ...]:
        """Return the shape of a convolution, in numbers or symbolic."""
        return tuple(get_conv_output_shape(ishape, kshape, border_mode, subsample))


@documented_in("theano.gpuarray.dnn")
class GpuDnnConvGradI(_DnnConvOp):
    """The gradient for images: called with filters, the gradient, an output, a description."""

    functions = (
        ("conv2d_grad_wrt_inputs", conv2d_grad_wrt_inputs),
        ("conv3d_grad_wrt_inputs", conv3d_grad_wrt_inputs),
    )

    def __call__(self, kern: Any, topgrad: Any, output: Any, desc: Any, *more: Any) -> Any:
        return self.call(kern.ndim, desc, topgrad, kern, tuple(lengths_of(output)))


@documented_in("theano.gpuarray.dnn")
class GpuDnnConvGradW(_DnnConvOp):
    """The gradient for filters: called with images, the gradient, an output, a description."""

    functions = (
        ("conv2d_grad_wrt_weights", conv2d_grad_wrt_weights),
        ("conv3d_grad_wrt_weights", conv3d_grad_wrt_weights),
    )

    def __call__(self, img: Any, topgrad: Any, output: Any, desc: Any, *more: Any) -> Any:
        return self.call(img.ndim, desc, img, topgrad, tuple(lengths_of(output)))


@documented_in("theano.gpuarray.dnn")
class GpuDnnSoftmax:
    """``theano.tensor.nnet.softmax`` over whole images, or over their channels.

    Parameters
    ----------
    algo : {'fast', 'accurate', 'log'}
        'log' computes its logarithm.
    mode : {'instance', 'channel'}
    tensor_format : {'bc01'}
        The first argument of the older form.
    """

    def __init__(self, *args: str, algo: str = "accurate", mode: str = "instance") -> None:
        words = [*args, algo, mode]
        if "b01c" in words:
            raise NotImplementedError("GpuDnnSoftmax takes images of the layout bc01, got b01c")
        self.log = "log" in words
        self.axes = (1,) if "channel" in words else None

    def __call__(self, x: Any) -> Any:
        axes = self.axes or tuple(range(1, x.ndim))
        return (logsoftmax if self.log else softmax)(x, axis=axes)


@documented_in("theano.gpuarray.blas")
class GpuCorrMM:
    """``theano.tensor.nnet.conv2d`` with ``filter_flip=False``: called with images and filters.

    Parameters
    ----------
    border_mode, subsample, filter_dilation, num_groups, unshared
        As for ``conv2d``.
    pad : pair of int
        The older form of a ``border_mode`` of two ints.
    """

    def __init__(
        self,
        border_mode: Any = "valid",
        subsample: Any = (1, 1),
        filter_dilation: Any = (1, 1),
        num_groups: int = 1,
        unshared: bool = False,
        pad: Any = (0, 0),
    ) -> None:
        self.options = {
            "border_mode": border_mode if pad == (0, 0) else pad,
            "subsample": subsample,
            "filter_dilation": filter_dilation,
            "num_groups": num_groups,
            "unshared": unshared,
        }

    def __call__(self, img: Any, kern: Any) -> Any:
        _by("GpuCorrMM", "theano.tensor.nnet.conv2d")
        return conv2d(img, kern, filter_flip=False, **self.options)


@documented_in("theano.sandbox.cuda.fftconv")
def conv2d_fft(
    input: Any,
    filters: Any,
    image_shape: Any = None,
    filter_shape: Any = None,
    border_mode: str = "valid",
    pad_last_dim: bool = False,
) -> Any:
    """Call ``theano.tensor.nnet.conv2d``, with a warning.

    Parameters
    ----------
    input, filters : 4-d tensors
    image_shape, filter_shape, border_mode
        As for that function.
    pad_last_dim : bool
        It has no effect.

    >>> import warnings, theano.tensor as T
    >>> from theano.sandbox.cuda.fftconv import conv2d_fft
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     y = conv2d_fft(T.ones((1, 1, 2, 2)), T.ones((1, 1, 2, 2)))
    >>> y.eval().tolist()
    [[[[4.0]]]]
    """
    _by("conv2d_fft", "theano.tensor.nnet.conv2d")
    return conv2d(input, filters, image_shape, filter_shape, border_mode)
