"""Correlations, which do not flip filters, under the names of Theano's CPU ops."""

from __future__ import annotations

from collections.abc import Callable
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
    AbstractConv_gradInputs,
    AbstractConv_gradWeights,
    BaseAbstractConv,
    In2,
    In3,
)
from theano._src.ops.conv.conv_shape import (
    BorderMode,
    Steps,
    get_conv_gradinputs_shape,
    get_conv_gradweights_shape,
)
from theano._src.ops.shape.shape import shape_i
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable


class _In2(In2):
    """The constructor arguments in two dimensions."""

    def __init__(
        self,
        border_mode: BorderMode = "valid",
        subsample: Steps = (1, 1),
        filter_dilation: Steps = (1, 1),
        num_groups: int = 1,
        unshared: bool = False,
        openmp: bool | None = None,
    ) -> None:
        slides = border_mode, subsample, False, filter_dilation, num_groups, unshared
        super().__init__(None, None, *slides)


class _In3(In3):
    """The constructor arguments in three dimensions."""

    def __init__(
        self,
        border_mode: BorderMode = "valid",
        subsample: Steps = (1, 1, 1),
        filter_dilation: Steps = (1, 1, 1),
        openmp: bool | None = None,
        num_groups: int = 1,
    ) -> None:
        slides = border_mode, subsample, False, filter_dilation, num_groups
        super().__init__(None, None, *slides)


class _Weights(AbstractConv_gradWeights):
    """Infers the lengths of the filters from images and outputs if ``shape`` is not given."""

    def make_node(
        self,
        img: TensorLike,
        topgrad: TensorLike,
        shape: TensorLike = None,
        add_assert_shape: bool = True,
    ) -> Apply:
        if shape is None:
            shape = _stated_shape(self, get_conv_gradweights_shape, img, topgrad)
        return super().make_node(img, topgrad, shape, add_assert_shape)


class _Inputs(AbstractConv_gradInputs):
    """Infers the sizes of the images from filters and outputs if ``shape`` is not given."""

    def make_node(
        self,
        kern: TensorLike,
        topgrad: TensorLike,
        shape: TensorLike = None,
        add_assert_shape: bool = True,
    ) -> Apply:
        if shape is None:
            shape = _stated_shape(self, get_conv_gradinputs_shape, kern, topgrad)
        return super().make_node(kern, topgrad, shape, add_assert_shape)


def _stated_shape(op: BaseAbstractConv, rule: Callable[..., Any], *given: TensorLike) -> list[Any]:
    tensors = [as_tensor_variable(v) for v in given]
    shapes = [[shape_i(v, i) for i in range(v.ndim)] for v in tensors]
    shape = rule(*shapes, op.border_mode, op.subsample, op.filter_dilation)
    results = list(shape[-op.convdim :])
    if any(n is None for n in results):
        raise ValueError(
            f"{type(op).__name__} takes shape where steps or border_mode='half' leave it open, "
            f"got None with subsample={op.subsample} and border_mode={op.border_mode!r}"
        )
    return results


@documented_in("theano.tensor.nnet.corr")
class CorrMM(_In2, AbstractConv2d):
    """The correlation of images with filters in two dimensions.

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
    """The correlation of volumes with filters in three dimensions."""


@documented_in("theano.tensor.nnet.corr3d")
class Corr3dMM_gradWeights(_Weights, _In3, AbstractConv3d_gradWeights):
    """The gradient of the filters of ``Corr3dMM``."""


@documented_in("theano.tensor.nnet.corr3d")
class Corr3dMM_gradInputs(_Inputs, _In3, AbstractConv3d_gradInputs):
    """The gradient of the images of ``Corr3dMM``."""
