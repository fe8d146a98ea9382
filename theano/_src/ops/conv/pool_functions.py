"""The public functions for pooling, under their current and older names and keywords."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.ground.documented import documented_in
from theano._src.ground.tracebacks import warn_user
from theano._src.ops.conv.pool import MaxPoolGrad, Pool
from theano._src.ops.conv.pool_sizes import Numbers, spelled
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable


def _pool(
    name: str,
    ndim: int,
    input: TensorLike,
    ignore_border: bool | None,
    mode: str,
    *spelling: Numbers,
) -> Any:
    ws, stride, pad = spelled(ndim, *spelling)
    input = as_tensor_variable(input)
    if input.ndim < ndim:
        raise NotImplementedError(
            f"{name} takes a tensor of at least {ndim} dimensions, got {input} of {input.type}"
        )
    if ignore_border is None:
        warn_user(
            f"{name} was called without ignore_border, which is False then and keeps windows that "
            "stick out of the images; pass ignore_border=True or False"
        )
        ignore_border = False
    return Pool(ignore_border, mode, ndim)(input, ws, stride, pad)


@documented_in("theano.tensor.signal.pool")
def pool_2d(
    input: TensorLike,
    ws: Numbers = None,
    ignore_border: bool | None = None,
    stride: Numbers = None,
    pad: Numbers = (0, 0),
    mode: str = "max",
    ds: Numbers = None,
    st: Numbers = None,
    padding: Numbers = None,
) -> Any:
    """Return the maximum, the sum or the mean of each window over the last two dimensions.

    Parameters
    ----------
    input : tensor
        Images, of two dimensions or more; windows lie in the last two.
    ws : two ints, or an integer vector of two
        The height and the width of a window.
    ignore_border : bool
        Whether to leave out windows that extend past the image. If not given, it is False, and
        there is a warning.
    stride : two ints, or an integer vector of two
        The step between windows; ``ws`` by default.
    pad : two ints, or an integer vector of two
        The number of cells to add above and below, and left and right: fewer than the length of
        a window, and only with ``ignore_border=True``. Padding is never the maximum.
    mode : {'max', 'sum', 'average_inc_pad', 'average_exc_pad'}
        ``average_inc_pad`` counts padding as zeros, ``average_exc_pad`` leaves it out.
    ds, st, padding
        Older names of ``ws``, ``stride`` and ``pad``.

    >>> import theano.tensor as T
    >>> from theano.tensor.signal.pool import pool_2d
    >>> x = T.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> pool_2d(x, (2, 2), ignore_border=True).eval()
    array([[5.]])
    >>> pool_2d(x, (2, 2), ignore_border=False, mode="average_exc_pad").eval()
    array([[3. , 4.5]])
    """
    return _pool("pool_2d", 2, input, ignore_border, mode, ws, stride, pad, ds, st, padding)


@documented_in("theano.tensor.signal.pool")
def pool_3d(
    input: TensorLike,
    ws: Numbers = None,
    ignore_border: bool | None = None,
    stride: Numbers = None,
    pad: Numbers = (0, 0, 0),
    mode: str = "max",
    ds: Numbers = None,
    st: Numbers = None,
    padding: Numbers = None,
) -> Any:
    """Return the maximum, the sum or the mean of each window over the last three dimensions.

    Parameters
    ----------
    input : tensor
        Volumes, of three dimensions or more; windows lie in the last three.
    ws, stride, pad : three ints, or integer vectors of three
        As for ``pool_2d``.
    ignore_border : bool
        As for ``pool_2d``.
    mode : {'max', 'sum', 'average_inc_pad', 'average_exc_pad'}
    ds, st, padding
        Older names of ``ws``, ``stride`` and ``pad``.

    >>> import theano.tensor as T
    >>> from theano.tensor.signal.pool import pool_3d
    >>> pool_3d(T.arange(8).reshape((2, 2, 2)), (2, 2, 1), ignore_border=True).eval()
    array([[[6, 7]]])
    """
    return _pool("pool_3d", 3, input, ignore_border, mode, ws, stride, pad, ds, st, padding)


@documented_in("theano.tensor.signal.pool")
def max_pool_2d_same_size(input: TensorLike, patch_size: Numbers) -> Any:
    """Return the input with all elements set to zero except the maxima of each patch.

    Parameters
    ----------
    input : tensor
        Images, of two dimensions or more.
    patch_size : two ints, or an integer vector of two
        The height and the width of a patch. Cells after the last whole patch become zero.

    >>> import theano.tensor as T
    >>> from theano.tensor.signal.pool import max_pool_2d_same_size
    >>> max_pool_2d_same_size(T.constant([[1.0, 2.0, 6.0], [3.0, 4.0, 5.0]]), (2, 2)).eval()
    array([[0., 0., 0.],
           [0., 4., 0.]])
    """
    top = Pool(ignore_border=True)(input, patch_size)
    return MaxPoolGrad(ignore_border=True)(input, top, top, patch_size)


@documented_in("theano.tensor.signal.downsample")
def max_pool_2d(
    input: TensorLike,
    ds: Numbers,
    ignore_border: bool = False,
    st: Numbers = None,
    padding: Numbers = (0, 0),
    mode: str = "max",
) -> Any:
    """Pool images: ``pool_2d`` under its original name and with its original keywords.

    Parameters
    ----------
    input : tensor
        Images, of two dimensions or more.
    ds : two ints, or an integer vector of two
        The height and the width of a window.
    ignore_border : bool
        Whether to leave out windows that extend past the image.
    st : two ints, or an integer vector of two
        The step between windows; ``ds`` by default.
    padding : two ints, or an integer vector of two
        The number of cells to add on each side; only with ``ignore_border=True``.
    mode : {'max', 'sum', 'average_inc_pad', 'average_exc_pad'}

    >>> import theano.tensor as T
    >>> from theano.tensor.signal.downsample import max_pool_2d
    >>> max_pool_2d(T.arange(9).reshape((3, 3)), (2, 2)).eval()
    array([[4, 5],
           [7, 8]])
    """
    # None means the default
    return _pool("max_pool_2d", 2, input, bool(ignore_border), mode, ds, st, padding)


@documented_in("theano.tensor.signal.downsample")
class DownsampleFactorMax:
    """The older form of pooling: constructed with the window, then called with images.

    Parameters
    ----------
    ds : two ints
        The height and the width of a window.
    ignore_border : bool
    st : two ints, optional
        The step between windows; ``ds`` by default.
    padding : two ints
    mode : {'max', 'sum', 'average_inc_pad', 'average_exc_pad'}

    >>> import theano.tensor as T
    >>> from theano.tensor.signal.downsample import DownsampleFactorMax
    >>> DownsampleFactorMax((1, 2), ignore_border=True)(T.constant([[1, 2, 3, 4]])).eval()
    array([[2, 4]])
    """

    def __init__(
        self,
        ds: Numbers,
        ignore_border: bool = False,
        st: Numbers = None,
        padding: Numbers = (0, 0),
        mode: str = "max",
    ) -> None:
        self.ds, self.st, self.padding = ds, st, padding
        self.ignore_border, self.mode = ignore_border, mode

    def __call__(self, x: TensorLike) -> Any:
        return Pool(self.ignore_border, self.mode)(x, self.ds, self.st, self.padding)

    @staticmethod
    def out_shape(
        imgshape: Sequence[Any],
        ds: Numbers,
        ignore_border: bool = False,
        st: Numbers = None,
        padding: Numbers = (0, 0),
    ) -> list[Any]:
        """Return the shape of the result; arguments as for ``Pool.out_shape``."""
        return Pool.out_shape(imgshape, ds, ignore_border, st, padding)
