"""Correlations, which do not flip filters, under the names of Theano's CPU code for them."""

from __future__ import annotations

from typing import Any

from theano._src.graph.graph import Apply
from theano._src.ground.documented import documented_in
from theano._src.ops.conv.conv import (
    AbstractConv2d,
    AbstractConv2d_gradInputs,
    AbstractConv2d_gradWeights,
    AbstractConv3d,
    AbstractConv3d_gradInputs,
    AbstractConv3d_gradWeights,
)
from theano._src.ops.conv.conv_shape import get_conv_gradinputs_shape, get_conv_gradweights_shape
from theano._src.ops.shape.shape import shape_i
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable


class _In2:
    """Two dimensions."""

    def __init__(
        self,
        border_mode: Any = "valid",
        subsample: Any = (1, 1),
        filter_dilation: Any = (1, 1),
        num_groups: int = 1,
        unshared: bool = False,
        openmp: Any = None,
    ) -> None:
        super().__init__(
            border_mode=border_mode,
            subsample=subsample,
            filter_flip=False,
            filter_dilation=filter_dilation,
            num_groups=num_groups,
            unshared=unshared,
        )


class _In3:
    """Three dimensions."""

    def __init__(
        self,
        border_mode: Any = "valid",
        subsample: Any = (1, 1, 1),
        filter_dilation: Any = (1, 1, 1),
        openmp: Any = None,
        num_groups: int = 1,
    ) -> None:
        super().__init__(
            border_mode=border_mode,
            subsample=subsample,
            filter_flip=False,
            filter_dilation=filter_dilation,
            num_groups=num_groups,
        )


class _Weights:
    """The lengths of the filters, where images and outputs tell them."""

    def make_node(
        self, img: TensorLike, topgrad: TensorLike, shape: TensorLike = None, **kwargs: Any
    ) -> Apply:
        if shape is None:
            x, g = (as_tensor_variable(v) for v in (img, topgrad))
            lengths = [[shape_i(v, i) for i in range(v.ndim)] for v in (x, g)]
            shape = _told(self, get_conv_gradweights_shape(*lengths, *_slides(self)))
        return super().make_node(img, topgrad, shape, **kwargs)


class _Inputs:
    """The sizes of the images, where filters and outputs tell them."""

    def make_node(
        self, kern: TensorLike, topgrad: TensorLike, shape: TensorLike = None, **kwargs: Any
    ) -> Apply:
        if shape is None:
            w, g = (as_tensor_variable(v) for v in (kern, topgrad))
            lengths = [[shape_i(v, i) for i in range(v.ndim)] for v in (w, g)]
            shape = _told(self, get_conv_gradinputs_shape(*lengths, *_slides(self)))
        return super().make_node(kern, topgrad, shape, **kwargs)


def _slides(op: Any) -> tuple[Any, ...]:
    return op.border_mode, op.subsample, op.filter_dilation


def _told(op: Any, shape: Any) -> list[Any]:
    found = list(shape[-op.convdim :])
    if any(n is None for n in found):
        raise ValueError(
            f"{type(op).__name__} takes shape where steps or border_mode='half' leave it open, "
            f"got None with subsample={op.subsample} and border_mode={op.border_mode!r}"
        )
    return found


@documented_in("theano.tensor.nnet.corr")
class CorrMM(_In2, AbstractConv2d):
    """Images correlated with filters in two dimensions.

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.corr import CorrMM
    >>> x, w = T.constant([[[[1.0, 2.0, 4.0]]]]), T.constant([[[[1.0, 10.0]]]])
    >>> CorrMM()(x, w).eval()[0, 0].tolist()
    [[21.0, 42.0]]
    """


@documented_in("theano.tensor.nnet.corr")
class CorrMM_gradWeights(_Weights, _In2, AbstractConv2d_gradWeights):
    """The gradient of the filters of ``CorrMM``."""


@documented_in("theano.tensor.nnet.corr")
class CorrMM_gradInputs(_Inputs, _In2, AbstractConv2d_gradInputs):
    """The gradient of the images of ``CorrMM``."""


@documented_in("theano.tensor.nnet.corr3d")
class Corr3dMM(_In3, AbstractConv3d):
    """Volumes correlated with filters in three dimensions."""


@documented_in("theano.tensor.nnet.corr3d")
class Corr3dMM_gradWeights(_Weights, _In3, AbstractConv3d_gradWeights):
    """The gradient of the filters of ``Corr3dMM``."""


@documented_in("theano.tensor.nnet.corr3d")
class Corr3dMM_gradInputs(_Inputs, _In3, AbstractConv3d_gradInputs):
    """The gradient of the images of ``Corr3dMM``."""
