"""Convolution in two dimensions under its older name, with the older arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.graph.graph import Variable
from theano._src.ground.documented import documented_in
from theano._src.ops.conv.conv import AbstractConv2d
from theano._src.ops.conv.conv_shape import BorderMode, PartialShape, get_conv_shape_1axis
from theano._src.ops.index.slices import int64
from theano._src.ops.shape.join import make_vector
from theano._src.ops.shape.shape import shape_i
from theano._src.ops.shape.static_values import known_int
from theano._src.types.aliases import TensorLike


@documented_in("theano.tensor.nnet.conv")
class ConvOp(AbstractConv2d):
    """A convolution in two dimensions, with its sizes given as separate arguments.

    Parameters
    ----------
    imshp : tuple, optional
        (channels, rows, columns) of the images, or (rows, columns) if there is one channel.
    kshp : pair, optional
        (rows, columns) of the filters.
    nkern, bsize : int, optional
        The numbers of filters and of images.
    dx, dy : int
        The steps between rows and between columns.
    output_mode : str
        The border mode.
    unroll_batch, unroll_kern, unroll_patch, verbose, version, direction_hint, openmp
        Selected a CPU implementation; without effect.
    imshp_logical, kshp_logical, kshp_logical_top_aligned
        Not supported: they must be left out.

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.conv import ConvOp
    >>> ConvOp(output_mode="full")(T.ones((1, 1, 2, 2)), T.ones((1, 1, 2, 2))).eval().sum().item()
    16.0
    """

    def __init__(
        self,
        imshp: PartialShape = None,
        kshp: PartialShape = None,
        nkern: int | None = None,
        bsize: int | None = None,
        dx: int = 1,
        dy: int = 1,
        output_mode: BorderMode = "valid",
        unroll_batch: int | None = None,
        unroll_kern: int | None = None,
        unroll_patch: bool | None = None,
        imshp_logical: PartialShape = None,
        kshp_logical: PartialShape = None,
        kshp_logical_top_aligned: bool = True,
        verbose: int = 0,
        version: int = -1,
        direction_hint: str = "forward",
        openmp: bool | None = None,
    ) -> None:
        if imshp_logical is not None or kshp_logical is not None:
            raise NotImplementedError(
                "ConvOp has no logical shapes; upsample the images or the filters instead of "
                "giving imshp_logical or kshp_logical"
            )
        images = (None, None, None) if imshp is None else tuple(imshp)
        images = (1, *images) if len(images) == 2 else images
        lengths = (None, None) if kshp is None else tuple(kshp)
        super().__init__(
            imshp=(bsize, *images),
            kshp=(nkern, images[0], *lengths),
            border_mode=output_mode,
            subsample=(dx, dy),
        )

    def _last(self, v: Variable, stated: Sequence[int | None]) -> Any:
        """Use the stated lengths: gradients then need no value of ``v``, as in Theano 1.0.5."""
        first = v.type.ndim - self.convdim
        lengths = enumerate(stated[-self.convdim :], first)
        return make_vector(*[shape_i(v, i) if n is None else int64(n) for i, n in lengths])

    @staticmethod
    def getOutputShape(
        inshp: Sequence[Any],
        kshp: Sequence[Any],
        stride: Sequence[int] = (1, 1),
        mode: str = "valid",
    ) -> tuple[Any, ...]:
        """Return (rows, columns) of the output for those of images and filters.

        Parameters
        ----------
        inshp, kshp : pair
            Ints, symbolic integers, or None for unknown lengths.
        stride : pair of int
        mode : str
            The border mode.

        Examples
        --------
        >>> from theano.tensor.nnet.conv import ConvOp
        >>> ConvOp.getOutputShape((28, 28), (5, 5), (2, 1), "full")
        (16, 32)
        """
        each = zip(inshp, kshp, stride, strict=True)
        return tuple(get_conv_shape_1axis(n, k, mode, step) for n, k, step in each)


@documented_in("theano.tensor.nnet.conv")
def conv2d(
    input: TensorLike,
    filters: TensorLike,
    image_shape: PartialShape = None,
    filter_shape: PartialShape = None,
    border_mode: BorderMode = "valid",
    subsample: Sequence[int] = (1, 1),
    **kargs: Any,
) -> Any:
    """Convolve images with filters: an older form of ``nnet.conv2d`` with fewer options.

    Parameters
    ----------
    input : 4-d tensor
        (batch size, input channels, rows, columns)
    filters : 4-d tensor
        (output channels, input channels, rows, columns)
    image_shape, filter_shape : tuple, optional
        The shapes of both, with None for unknown lengths; they are checked.
    border_mode : str
        'valid' or 'full'.
    subsample : pair of int
        The stride: the step between positions of the filters.
    **kargs
        Other arguments of ``ConvOp``; they selected an implementation and have no effect.

    Returns
    -------
    4-d tensor

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.conv import conv2d
    >>> conv2d(T.ones((1, 1, 3, 3)), T.ones((1, 1, 2, 2)), border_mode="full").eval().shape
    (1, 1, 4, 4)
    """
    images = (None,) * 4 if image_shape is None else tuple(image_shape)
    stated = (None,) * 4 if filter_shape is None else tuple(filter_shape)
    if len(images) != 4 or len(stated) != 4:
        raise ValueError(
            f"conv2d takes four lengths as image_shape and filter_shape, got {image_shape} and "
            f"{filter_shape}"
        )
    channels = [known_int(n) for n in (images[1], stated[1]) if n is not None]
    if len(set(channels)) > 1:
        raise ValueError(
            f"conv2d: image_shape {images} and filter_shape {stated} differ in their channels"
        )
    op = ConvOp(
        imshp=(channels[0] if channels else None, *images[2:]),
        kshp=stated[2:],
        nkern=stated[0],
        bsize=images[0],
        dx=subsample[0],
        dy=subsample[1],
        output_mode=border_mode,
        **kargs,
    )
    return op(input, filters)
