"""Convolution by sparse matrices: ``theano.sparse.sandbox.sp``."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import scipy.sparse as sp

from theano._src.ground.documented import documented_in
from theano._src.ops.conv.conv_functions import conv2d
from theano._src.ops.conv.pool_functions import pool_2d
from theano._src.ops.shape.shape import reshape
from theano._src.ops.sparse.csm import CSC
from theano._src.ops.sparse.products import structured_dot
from theano._src.types.convert import as_tensor_variable

Structure = tuple[np.ndarray, np.ndarray, tuple[int, int], str, tuple[int, int, int]]


@documented_in("theano.sparse.sandbox.sp")
class ConvolutionIndices:
    """The structure of sparse matrices whose product with images extracts their patches."""

    @staticmethod
    def evaluate(
        inshp: Sequence[int],
        kshp: Sequence[int],
        strides: Sequence[int] = (1, 1),
        nkern: int = 1,
        mode: str = "valid",
        ws: bool = True,
    ) -> Structure:
        """Return indices, indptr and shape of the matrix, its format, and the output image shape.

        Row ``o * k + j`` of the matrix selects pixel ``j`` of the patch for output ``o``, where
        ``k`` is the number of pixels in a patch over all input maps. Without weight sharing there
        is one row for each output, which selects its whole patch.

        Parameters
        ----------
        inshp : (height, width) or (maps, height, width)
        kshp : (height, width)
        strides : pair of int
            The step between patches, in pixels.
        nkern : int
        mode : 'valid' or 'full'
            ``'full'`` includes patches that extend past the image.
        ws : bool
            Whether all patches share their weights.

        >>> from theano.sparse.sandbox.sp import ConvolutionIndices
        >>> indices, indptr, shape, kind, out = ConvolutionIndices.evaluate((3, 3), (2, 2))
        >>> indices[:4].tolist(), shape, kind, out
        ([0, 1, 3, 4], (16, 9), 'csr', (1, 2, 2))
        """
        maps, height, width = _image(inshp)
        out, patches = _patches((maps, height, width), kshp, strides, mode)
        k = patches.shape[1]
        if ws:
            rows = np.arange(patches.size)
        else:
            patches = np.tile(patches, (nkern, 1))
            rows = np.repeat(np.arange(len(patches)), k)
        inside = patches.reshape(-1) >= 0
        shape = (patches.size if ws else len(patches), maps * height * width)
        result = sp.csr_matrix(
            (np.ones(int(inside.sum())), (rows[inside], patches.reshape(-1)[inside])), shape=shape
        )
        return result.indices, result.indptr, shape, "csr", (nkern, *out)


def _image(shape: Sequence[int]) -> tuple[int, int, int]:
    result = tuple(int(n) for n in shape)
    if len(result) not in (2, 3):
        raise ValueError(
            f"an image has a shape (height, width) or (maps, height, width), got {shape}"
        )
    return (1, *result) if len(result) == 2 else result  # type: ignore[return-value]


def _patches(
    image: tuple[int, int, int], kshp: Sequence[int], strides: Sequence[int], mode: str
) -> tuple[tuple[int, int], np.ndarray]:
    """Return the output shape, and for each output pixel the indices of its patch (-1: outside)."""
    if mode not in ("valid", "full"):
        raise ValueError(f"a convolution takes the mode 'valid' or 'full', got {mode!r}")
    maps, height, width = image
    kh, kw = kshp
    pad = (kh - 1, kw - 1) if mode == "full" else (0, 0)
    padded = np.full((maps, height + 2 * pad[0], width + 2 * pad[1]), -1)
    inner = np.arange(prod(image)).reshape(image)
    padded[:, pad[0] : pad[0] + height, pad[1] : pad[1] + width] = inner
    seen = np.lib.stride_tricks.sliding_window_view(padded, (kh, kw), axis=(1, 2))
    seen = seen[:, :: strides[0], :: strides[1]]
    out = seen.shape[1:3]
    return out, seen.transpose(1, 2, 0, 3, 4).reshape(prod(out), -1)


convolution_indices = ConvolutionIndices()


@documented_in("theano.sparse.sandbox.sp")
def convolve(
    kerns: Any,
    kshp: Sequence[int],
    nkern: int,
    images: Any,
    imgshp: Sequence[int],
    step: Sequence[int] = (1, 1),
    bias: Any = None,
    mode: str = "valid",
    flatten: bool = True,
) -> tuple[Any, tuple[int, int, int]]:
    """Return the products of all patches of images with kernels, and the shape of the output.

    Parameters
    ----------
    kerns : matrix
        One row for each kernel, with its pixels in order; kernels are not flipped.
    kshp, imgshp : tuples
        The shapes of a kernel and of an image.
    nkern : int
        The number of kernels.
    images : matrix
        One row for each image.
    step : pair of int
        The step between patches, in pixels.
    bias : vector, optional
        One element for each kernel.
    mode : 'valid' or 'full'
    flatten : bool
        Whether the output maps of an image are concatenated to one row; otherwise the output has
        shape ``batch x kernel x pixel``.

    >>> import theano.sparse.sandbox.sp as sp
    >>> out, shape = sp.convolve([[1.0, 0.0, 0.0, 1.0]], (2, 2), 1, [[1.0, 2.0, 3.0, 4.0]], (2, 2))
    >>> out.eval().tolist(), shape
    ([[5.0]], (1, 1, 1))
    """
    kerns, images = as_tensor_variable(kerns), as_tensor_variable(images)
    image = _image(imgshp)
    (oh, ow), _ = _patches(image, kshp, step, mode)
    result = conv2d(
        reshape(images, (images.shape[0], *image)),
        reshape(kerns, (nkern, image[0], *kshp)),
        border_mode=mode,
        subsample=tuple(step),
        filter_flip=False,
    )
    if bias is not None:
        result = result + as_tensor_variable(bias).dimshuffle("x", 0, "x", "x")
    batch = images.shape[0]
    shape = (batch, nkern * oh * ow) if flatten else (batch, nkern, oh * ow)
    return reshape(result, shape), (nkern, oh, ow)


@documented_in("theano.sparse.sandbox.sp")
def applySparseFilter(
    kerns: Any,
    kshp: Sequence[int],
    nkern: int,
    images: Any,
    imgshp: Sequence[int],
    step: Sequence[int] = (1, 1),
    bias: Any = None,
    mode: str = "valid",
) -> tuple[Any, tuple[int, int, int]]:
    """Apply ``convolve`` with a separate kernel for each output pixel.

    ``kerns`` is a vector: for each kernel and each output pixel, the weights of the pixels of its
    patch that lie inside the image.

    >>> import theano.sparse.sandbox.sp as sp
    >>> image = [[1.0, 1.0, 1.0, 1.0]]
    >>> out, shape = sp.applySparseFilter([1.0, 2.0, 3.0, 4.0], (2, 2), 1, image, (2, 2))
    >>> out.eval().tolist(), shape
    ([[10.0]], (1, 1, 1))
    """
    indices, indptr, (n_out, n_in), _, out = ConvolutionIndices.evaluate(
        imgshp, kshp, step, nkern, mode, ws=False
    )
    # the arrays of a csr matrix are those of its transpose in csc format
    weights = CSC(as_tensor_variable(kerns), indices, indptr, np.asarray((n_in, n_out), "int32"))
    result = structured_dot(as_tensor_variable(images), weights)
    if bias is not None:
        result = result + as_tensor_variable(bias).dimshuffle("x", 0)
    return result, out


@documented_in("theano.sparse.sandbox.sp")
def max_pool(
    images: Any, imgshp: Sequence[int], maxpoolshp: Sequence[int]
) -> tuple[Any, tuple[int, int, int]]:
    """Return the maximum of each block of images, and the shape of the output.

    Parameters
    ----------
    images : matrix
        One row for each image.
    imgshp, maxpoolshp : tuples
        The shapes of an image and of a block; incomplete blocks at the end are left out.

    >>> import theano.sparse.sandbox.sp as sp
    >>> out, shape = sp.max_pool([[1.0, 2.0, 3.0, 4.0]], (2, 2), (2, 2))
    >>> out.eval().tolist(), shape
    ([[4.0]], (1, 1, 1))
    """
    images, image = as_tensor_variable(images), _image(imgshp)
    result = pool_2d(
        reshape(images, (images.shape[0], *image)), tuple(maxpoolshp), ignore_border=True
    )
    out = (image[0], image[1] // maxpoolshp[0], image[2] // maxpoolshp[1])
    return reshape(result, (images.shape[0], prod(out))), out
