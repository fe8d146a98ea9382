"""Convolution of images in two or three dimensions, and the ops for its gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.config import config
from theano._src.ground.convolution import Window
from theano._src.ground.documented import documented_in
from theano._src.ops.conv.conv_shape import (
    BorderMode,
    PartialShape,
    Steps,
    border_mode_to_pad,
    get_conv_output_shape,
    read_border_mode,
    read_shape,
    read_steps,
)
from theano._src.ops.elementwise.arithmetic import add
from theano._src.ops.index.index_grad import is_zero_tangent
from theano._src.ops.index.slices import int64
from theano._src.ops.shape.dims import patternbroadcast
from theano._src.ops.shape.join import make_vector
from theano._src.ops.shape.shape import reshape, shape_i
from theano._src.ops.shape.static_values import as_length, product, vector_entries, vector_length
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import complex_dtypes, integer_dtypes, upcast
from theano._src.types.null import disconnected
from theano._src.types.tensor import TensorVariable, tensor_type


@documented_in("theano.tensor.nnet.abstract_conv")
class BaseAbstractConv(Op):
    """The base class of convolutions and their gradients: how filters slide over images.

    Parameters
    ----------
    convdim : int
        The number of convolved dimensions: 2 or 3.
    imshp, kshp : tuple, optional
        The shapes of images and filters, with None for unknown lengths; they are checked.
    border_mode : 'valid', 'full', 'half', int or tuple
        Zeros around the images. A tuple has an int, or a pair of them, for each dimension.
    subsample : tuple of int
        The stride: the step between positions of the filters, in each dimension.
    filter_flip : bool
        Whether filters are flipped, as in a convolution; a correlation does not flip them.
    filter_dilation : tuple of int
        The step between elements of the filters, in each dimension.
    num_groups : int
        The number of groups that channels are divided into; each has its own filters.
    unshared : bool
        Whether each output position has its own filter; in two dimensions only.
    """

    __props__ = (
        "convdim",
        "border_mode",
        "subsample",
        "filter_flip",
        "imshp",
        "kshp",
        "filter_dilation",
        "num_groups",
        "unshared",
    )
    check_broadcast: ClassVar[bool] = False

    def __init__(
        self,
        convdim: int,
        imshp: PartialShape = None,
        kshp: PartialShape = None,
        border_mode: BorderMode = "valid",
        subsample: Steps = None,
        filter_flip: bool = True,
        filter_dilation: Steps = None,
        num_groups: int = 1,
        unshared: bool = False,
    ) -> None:
        who = type(self).__name__
        if convdim not in (2, 3):
            raise ValueError(f"{who} convolves 2 or 3 dimensions, got convdim={convdim!r}")
        if unshared and convdim != 2:
            raise NotImplementedError(
                f"{who}: unshared filters are for 2 dimensions, got {convdim}"
            )
        if num_groups < 1:
            raise ValueError(f"{who}: num_groups must have value greater than zero: {num_groups}")
        self.convdim = convdim
        self.unshared = bool(unshared)
        self.filter_flip = bool(filter_flip)
        self.num_groups = int(num_groups)
        self.border_mode = read_border_mode(border_mode, convdim, who)
        self.subsample = read_steps(subsample, convdim, who, "subsample")
        self.filter_dilation = read_steps(filter_dilation, convdim, who, "filter_dilation")
        self.imshp = read_shape(imshp, 2 + convdim, who, "imshp")
        self.kshp = read_shape(kshp, self._filter_ndim, who, "kshp")

    @property
    def _filter_ndim(self) -> int:
        return 2 + (2 * self.convdim if self.unshared else self.convdim)

    def _options(self, **changed: Any) -> dict[str, Any]:
        """Return the constructor arguments for another op with the same options."""
        result = {name: getattr(self, name) for name in BaseAbstractConv.__props__[1:]}
        return result | changed

    def _tensor(self, given: TensorLike, ndim: int, what: str) -> TensorVariable:
        x = as_tensor_variable(given)
        if x.ndim != ndim:
            raise TypeError(
                f"{type(self).__name__}: {what} must be {ndim}D tensor, got {x} of {x.type}"
            )
        if x.dtype == "bool" or x.dtype in complex_dtypes:
            raise TypeError(
                f"{type(self).__name__} takes real numbers, got {what} of {x.dtype}; cast "
                "booleans, and convolve the parts of complex numbers separately"
            )
        return x

    def _last(self, v: Variable, stated: Sequence[int | None]) -> Any:
        """Return the lengths of the convolved dimensions of ``v``; ConvOp uses ``stated`` ones."""
        first = v.type.ndim - self.convdim
        return make_vector(*[shape_i(v, i) for i in range(first, v.type.ndim)])

    # run-time methods

    def _window(self, lengths: Sequence[int]) -> Window:
        spans = [(k - 1) * d + 1 for k, d in zip(lengths, self.filter_dilation, strict=True)]
        return Window(
            tuple(border_mode_to_pad(self.border_mode, self.convdim, spans)),
            self.subsample,
            self.filter_dilation,
            self.num_groups,
            self.unshared,
        )

    def _checked(
        self, images: Sequence[int], filters: Sequence[int], outputs: Sequence[int] | None = None
    ) -> Window:
        """Return the window, after checking shapes against each other and the stated ones."""
        who, d, groups = type(self).__name__, self.convdim, self.num_groups
        images, filters = tuple(images), tuple(filters)
        for what, stated, result in (
            ("image", self.imshp, images),
            ("filters", self.kshp, filters),
        ):
            if any(s is not None and s != n for s, n in zip(stated, result, strict=True)):
                # the error documented for the flag conv.assert_shape
                kind = AssertionError if config.conv.assert_shape else ValueError
                raise kind(
                    f"{who} shape mismatch: the shape of {what} is {result} and does not match "
                    f"the one that was given, {stated}; give None for lengths that vary"
                )
        rows, channels, *sizes = images
        out, *places = filters[: 1 + (d if self.unshared else 0)]
        within, *lengths = filters[-d - 1 :]
        if channels != within * groups:
            raise ValueError(
                f"{who}: images and filters must have the same stack size: images of shape "
                f"{images} have {channels} channels, filters of shape {filters} take "
                f"{within} in each of {groups} groups"
            )
        if out % groups:
            raise ValueError(f"{who}: {out} filters cannot be divided into {groups} groups")
        window = self._window(lengths)
        expected = window.positions(sizes, lengths)
        if any(n < 1 for n in expected) or min(map(min, window.pads)) < 0:
            raise ValueError(
                f"{who}: impossible output shape {(rows, out, *expected)}: filters of shape "
                f"{filters} do not fit into images of shape {images} with "
                f"border_mode={self.border_mode!r}"
            )
        if self.unshared and tuple(places) != expected:
            raise ValueError(
                f"{who}: filters of shape {filters} are for {tuple(places)} places, images of "
                f"shape {images} have {expected}"
            )
        if outputs is not None and tuple(outputs) != (rows, out, *expected):
            raise ValueError(
                f"{who}: images of shape {images} and filters of shape {filters} give outputs of "
                f"shape {(rows, out, *expected)}, got a gradient of shape {tuple(outputs)}"
            )
        return window

    def _working(self, xp: ArrayNamespace, *arrays: Array) -> tuple[Any, ...]:
        """Return the arrays in the dtype to compute in, and the dtype of the result."""
        dtype = np.dtype(arrays[0].dtype)
        for x in arrays[1:]:
            dtype = np.promote_types(dtype, x.dtype)
        # float16 is accumulated in float32
        inside = np.dtype("float32") if dtype == "float16" else dtype
        return (*(xp.astype(x, inside) for x in arrays), dtype)

    def _turned(self, xp: ArrayNamespace, w: Array) -> Any:
        return xp.flip(w, tuple(range(w.ndim - self.convdim, w.ndim))) if self.filter_flip else w


def _tangent(self: Any, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
    """``R_op`` of an op that is linear in each of its first two inputs."""
    moved = [(i, d) for i, d in enumerate(eval_points[:2]) if not is_zero_tangent(d)]
    terms = [self(*inputs[:i], d, *inputs[i + 1 :]) for i, d in moved]
    return [add(*terms) if len(terms) > 1 else terms[0] if terms else None]


@documented_in("theano.tensor.nnet.abstract_conv")
class AbstractConv(BaseAbstractConv):
    """The convolution of images with filters; parameters as for ``BaseAbstractConv``."""

    R_op = _tangent

    def make_node(self, img: TensorLike, kern: TensorLike) -> Apply:
        img = self._tensor(img, 2 + self.convdim, "img")
        kern = self._tensor(kern, self._filter_ndim, "kern")
        pattern = (img.broadcastable[0], kern.broadcastable[0], *[False] * self.convdim)
        out = tensor_type(upcast(img.dtype, kern.dtype), pattern)
        return Apply(self, [img, kern], [out()])

    def compute(self, xp: ArrayNamespace, x: Array, w: Array) -> Any:
        window = self._checked(x.shape, w.shape)
        x, w, dtype = self._working(xp, x, w)
        return xp.astype(xp.conv.forward(x, self._turned(xp, w), window), dtype)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        x, w = shapes
        slides = self.border_mode, self.subsample, self.filter_dilation
        return [get_conv_output_shape(x, w, *slides)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, w), (g,) = inputs, output_grads
        gx = _gradient_of_inputs(self)(w, g, self._last(x, self.imshp))
        gw = _gradient_of_weights(self)(x, g, self._last(w, self.kshp))
        return [patternbroadcast(gx, x.broadcastable), patternbroadcast(gw, w.broadcastable)]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        if list(is_batched) != [True, False]:
            return None
        x, w = inputs
        return [_unfolded(_forward(self, imshp=(None, *self.imshp[1:]))(_folded(x), w), x)]


class ConvGradient(BaseAbstractConv):
    """A gradient of a convolution; its last input holds the lengths of the convolved dimensions."""

    demand_only = (2,)
    nondiff_inputs = slice(2, None)
    R_op = _tangent

    def _lengths_input(self, shape: TensorLike, like: str) -> TensorVariable:
        """Convert the last input: the lengths that the gradient of the outputs does not fix."""
        who = type(self).__name__
        if shape is None:
            raise ValueError(f"{who} takes the {self.convdim} lengths of {like} as shape, got None")
        if isinstance(shape, (tuple, list)):
            shape = make_vector(*[as_length(as_tensor_variable(n)) for n in shape])
        v = as_tensor_variable(shape)
        if v.ndim != 1 or v.dtype not in integer_dtypes:
            raise TypeError(f"{who} takes a vector of integers as shape, got {v.type}")
        if vector_length(v) not in (None, self.convdim):
            raise ValueError(
                f"{who} takes {self.convdim} lengths of {like}, got {vector_length(v)}"
            )
        return v

    def _lengths(self, node: Apply) -> list[Any]:
        return [as_length(n) for n in vector_entries(node.inputs[2], self.convdim)]

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return self._lengths(node)

    def compute(self, xp: ArrayNamespace, x: Array, g: Array, shape: Array) -> Any:
        return self.lower_xla(xp, [int(n) for n in shape], x, g)


@documented_in("theano.tensor.nnet.abstract_conv")
class AbstractConv_gradWeights(ConvGradient):
    """The gradient of a convolution with respect to its filters, whose lengths are ``shape``."""

    def make_node(
        self, img: TensorLike, topgrad: TensorLike, shape: TensorLike, add_assert_shape: bool = True
    ) -> Apply:
        img = self._tensor(img, 2 + self.convdim, "img")
        topgrad = self._tensor(topgrad, 2 + self.convdim, "topgrad")
        shape = self._lengths_input(shape, "the filters")
        places = [False] * (self.convdim if self.unshared else 0)
        one = img.broadcastable[1] and self.num_groups == 1
        pattern = (topgrad.broadcastable[1], *places, one, *[False] * self.convdim)
        out = tensor_type(upcast(img.dtype, topgrad.dtype), pattern)
        return Apply(self, [img, topgrad, shape], [out()])

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        x, g = inputs[:2]
        within = x.shape[1] // self.num_groups
        places = g.shape[2:] if self.unshared else ()
        window = self._checked(x.shape, (g.shape[1], *places, within, *sizes), g.shape)
        x, g, dtype = self._working(xp, x, g)
        return xp.astype(self._turned(xp, xp.conv.weights(x, g, tuple(sizes), window)), dtype)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        x, g = shapes[:2]
        places = g[2:] if self.unshared else ()
        within = x[1] if self.num_groups == 1 else x[1] // int64(self.num_groups)
        return [(g[1], *places, within, *self._lengths(node))]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, g, _), (dw,) = inputs, output_grads
        gx = _gradient_of_inputs(self)(dw, g, self._last(x, self.imshp))
        gg = _forward(self)(x, dw)
        gx, gg = patternbroadcast(gx, x.broadcastable), patternbroadcast(gg, g.broadcastable)
        return [gx, gg, disconnected()]


@documented_in("theano.tensor.nnet.abstract_conv")
class AbstractConv_gradInputs(ConvGradient):
    """The gradient of a convolution with respect to its images, whose sizes are ``shape``."""

    def make_node(
        self,
        kern: TensorLike,
        topgrad: TensorLike,
        shape: TensorLike,
        add_assert_shape: bool = True,
    ) -> Apply:
        kern = self._tensor(kern, self._filter_ndim, "kern")
        topgrad = self._tensor(topgrad, 2 + self.convdim, "topgrad")
        shape = self._lengths_input(shape, "the images")
        one = kern.broadcastable[-self.convdim - 1] and self.num_groups == 1
        pattern = (topgrad.broadcastable[0], one, *[False] * self.convdim)
        out = tensor_type(upcast(kern.dtype, topgrad.dtype), pattern)
        return Apply(self, [kern, topgrad, shape], [out()])

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        w, g = inputs[:2]
        channels = w.shape[-self.convdim - 1] * self.num_groups
        window = self._checked((g.shape[0], channels, *sizes), w.shape, g.shape)
        w, g, dtype = self._working(xp, w, g)
        result = xp.conv.inputs(self._turned(xp, w), g, tuple(sizes), window)
        return xp.astype(result, dtype)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        w, g = shapes[:2]
        within = w[-self.convdim - 1]
        channels = within if self.num_groups == 1 else within * int64(self.num_groups)
        return [(g[0], channels, *self._lengths(node))]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (w, g, _), (dx,) = inputs, output_grads
        gw = _gradient_of_weights(self)(dx, g, self._last(w, self.kshp))
        gg = _forward(self)(dx, w)
        gw, gg = patternbroadcast(gw, w.broadcastable), patternbroadcast(gg, g.broadcastable)
        return [gw, gg, disconnected()]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        if list(is_batched) != [False, True, False]:
            return None
        w, g, shape = inputs
        many = _gradient_of_inputs(self, imshp=(None, *self.imshp[1:]))
        return [_unfolded(many(w, _folded(g), shape), g)]


def _folded(x: TensorVariable) -> Any:
    lengths = [shape_i(x, i) for i in range(x.ndim)]
    return reshape(x, [product(lengths[:2]), *lengths[2:]], ndim=x.ndim - 1)


def _unfolded(y: TensorVariable, x: TensorVariable) -> Any:
    lengths = [shape_i(x, 0), shape_i(x, 1), *(shape_i(y, i) for i in range(1, y.ndim))]
    return reshape(y, lengths, ndim=y.ndim + 1)


class In2(BaseAbstractConv):
    """The constructor arguments in two dimensions."""

    def __init__(
        self,
        imshp: PartialShape = None,
        kshp: PartialShape = None,
        border_mode: BorderMode = "valid",
        subsample: Steps = (1, 1),
        filter_flip: bool = True,
        filter_dilation: Steps = (1, 1),
        num_groups: int = 1,
        unshared: bool = False,
    ) -> None:
        slides = border_mode, subsample, filter_flip, filter_dilation, num_groups, unshared
        super().__init__(2, imshp, kshp, *slides)


class In3(BaseAbstractConv):
    """The constructor arguments in three dimensions."""

    def __init__(
        self,
        imshp: PartialShape = None,
        kshp: PartialShape = None,
        border_mode: BorderMode = "valid",
        subsample: Steps = (1, 1, 1),
        filter_flip: bool = True,
        filter_dilation: Steps = (1, 1, 1),
        num_groups: int = 1,
        unshared: bool = False,
    ) -> None:
        slides = border_mode, subsample, filter_flip, filter_dilation, num_groups, unshared
        super().__init__(3, imshp, kshp, *slides)


@documented_in("theano.tensor.nnet.abstract_conv")
class AbstractConv2d(In2, AbstractConv):
    """A convolution in two dimensions; see ``BaseAbstractConv``."""


@documented_in("theano.tensor.nnet.abstract_conv")
class AbstractConv3d(In3, AbstractConv):
    """A convolution in three dimensions; see ``BaseAbstractConv``."""


@documented_in("theano.tensor.nnet.abstract_conv")
class AbstractConv2d_gradWeights(In2, AbstractConv_gradWeights):
    """The gradient of the filters of a convolution in two dimensions."""


@documented_in("theano.tensor.nnet.abstract_conv")
class AbstractConv3d_gradWeights(In3, AbstractConv_gradWeights):
    """The gradient of the filters of a convolution in three dimensions."""


@documented_in("theano.tensor.nnet.abstract_conv")
class AbstractConv2d_gradInputs(In2, AbstractConv_gradInputs):
    """The gradient of the images of a convolution in two dimensions.

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.abstract_conv import AbstractConv2d_gradInputs
    >>> op = AbstractConv2d_gradInputs(subsample=(2, 2))
    >>> op(T.ones((1, 1, 2, 2)), T.ones((1, 1, 2, 2)), (4, 4)).eval().sum().item()
    16.0
    """


@documented_in("theano.tensor.nnet.abstract_conv")
class AbstractConv3d_gradInputs(In3, AbstractConv_gradInputs):
    """The gradient of the images of a convolution in three dimensions."""


def _forward(op: BaseAbstractConv, **changed: Any) -> Any:
    cls: Any = AbstractConv2d if op.convdim == 2 else AbstractConv3d
    return cls(**op._options(**changed))


def _gradient_of_weights(op: BaseAbstractConv, **changed: Any) -> Any:
    cls: Any = AbstractConv2d_gradWeights if op.convdim == 2 else AbstractConv3d_gradWeights
    return cls(**op._options(**changed))


def _gradient_of_inputs(op: BaseAbstractConv, **changed: Any) -> Any:
    cls: Any = AbstractConv2d_gradInputs if op.convdim == 2 else AbstractConv3d_gradInputs
    return cls(**op._options(**changed))
