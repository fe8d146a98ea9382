"""Neighbourhoods: patches of images as rows of a matrix, and images from such rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.conv.pool_windows import reframed
from theano._src.ops.elementwise.arithmetic import maximum
from theano._src.ops.shape.alloc import lengths_of
from theano._src.ops.shape.join import stack
from theano._src.ops.shape.static_values import as_length, product, vector_entries
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import integer_dtypes
from theano._src.types.null import disconnected, grad_undefined
from theano._src.types.tensor import TensorVariable, tensor_type

#: two ints
Pair: TypeAlias = Array | Sequence[int]

MODES = ("valid", "half", "full", "wrap_centered", "ignore_borders")


@dataclass(frozen=True)
class Patches:
    """The positions of patches along one dimension of an image."""

    size: int
    step: int
    length: int
    count: int
    #: number of zeros on each side or, if ``wraps``, how far patches extend past the edge
    pad: int
    wraps: bool

    def cells(self) -> np.ndarray:
        """Return the cells of each patch, as indices into the padded image."""
        at = np.arange(self.count)[:, None] * self.step + np.arange(self.size)
        return (at - self.pad) % self.length if self.wraps else at

    @property
    def disjoint(self) -> bool:
        """Whether patches are adjacent, without overlap, gaps or padding."""
        return self.size == self.step and self.pad == 0

    @property
    def border(self) -> int:
        """How many zeros to add on each side of the image."""
        return 0 if self.wraps else self.pad


def _count(mode: str, length: Any, size: Any, step: Any) -> Any:
    """Return the number of patches along a dimension; arguments may be ints or symbolic."""
    if mode == "wrap_centered":
        return (length + step - 1) // step
    if mode == "half":
        return 1 + (length - size % 2) // step
    if mode == "full":
        return 1 + (length + size - 2) // step
    return 1 + (length - size) // step


class NeighbourOp(Op):
    """Base class of both directions: the mode and the positions of patches."""

    __props__ = ("mode",)
    # the documented error if patches do not cover the image
    misfit: type[Exception] = TypeError

    def __init__(self, mode: str = "valid") -> None:
        if mode not in MODES:
            raise NotImplementedError(
                f"{type(self).__name__} takes one of {', '.join(MODES)} as mode, got {mode!r}"
            )
        self.mode = mode

    def __str__(self) -> str:
        return f"{type(self).__name__}{{{self.mode}}}"

    def pairs(self, neib_shape: TensorLike, neib_step: TensorLike) -> list[TensorVariable]:
        """Return the shape and the step of patches as integer vectors."""
        outputs = []
        step = neib_shape if neib_step is None else neib_step
        for name, given in (("neib_shape", neib_shape), ("neib_step", step)):
            v = as_tensor_variable(given)
            if v.ndim != 1 or v.type.dtype not in integer_dtypes:
                raise TypeError(
                    f"{type(self).__name__} takes 2 ints as {name}, got {given} of {v.type}"
                )
            outputs.append(v)
        return outputs

    def patches(self, shape: Sequence[int], neib_shape: Pair, neib_step: Pair) -> list[Patches]:
        """Return the patches along both dimensions of an image; raise if they do not fit."""
        who, result = type(self).__name__, []
        for name, pair in (("neib_shape", neib_shape), ("neib_step", neib_step)):
            if len(pair) != 2 or min(pair) < 1:
                ints = tuple(map(int, pair))
                raise ValueError(f"{who} takes 2 ints of at least 1 as {name}, got {ints}")
        for i, (length, size, step) in enumerate(zip(shape[-2:], neib_shape, neib_step)):
            length, size, step = int(length), int(size), int(step)
            pad, given = {"half": size // 2, "full": size - 1}.get(self.mode, 0), ""
            if self.mode == "wrap_centered":
                pad = size // 2
                if size % 2 == 0 or length < size:
                    given = "patches of odd lengths, no larger than the image"
            elif self.mode != "ignore_borders" and (
                length < size or (length + 2 * pad - size) % step
            ):
                given = "patches that cover the image step by step"
            if given:
                raise self.misfit(
                    f"{who} in mode {self.mode} takes {given}, got neib_shape[{i}]={size}, "
                    f"neib_step[{i}]={step} for a length of {length}"
                )
            count = max(_count(self.mode, length, size, step), 0)
            result.append(Patches(size, step, length, count, pad, self.mode == "wrap_centered"))
        return result


@documented_in("theano.tensor.nnet.neighbours")
class Images2Neibs(NeighbourOp):
    """Patches of images as the rows of a matrix: the op of ``images2neibs``.

    It is called with the images, ``neib_shape`` and ``neib_step``.

    Parameters
    ----------
    mode : {'valid', 'half', 'full', 'wrap_centered', 'ignore_borders'}

    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.neighbours import Images2Neibs
    >>> Images2Neibs()(T.arange(8).reshape((1, 1, 2, 4)), (2, 2)).eval()
    array([[0, 1, 4, 5],
           [2, 3, 6, 7]])
    """

    demand_only = (1, 2)
    linear_in = (0,)

    def make_node(
        self, ten4: TensorLike, neib_shape: TensorLike, neib_step: TensorLike = None
    ) -> Apply:
        ten4 = as_tensor_variable(ten4)
        if ten4.ndim != 4:
            raise TypeError(f"Images2Neibs takes 4-d images, got {ten4} of {ten4.type}")
        out = tensor_type(ten4.type.dtype, (False, False))
        return Apply(self, [ten4, *self.pairs(neib_shape, neib_step)], [out()])

    def compute(self, xp: ArrayNamespace, ten4: Array, neib_shape: Pair, neib_step: Pair) -> Any:
        rows, columns = self.patches(ten4.shape, neib_shape, neib_step)
        shape = (*ten4.shape[:2], rows.count, rows.size, columns.count, columns.size)
        if rows.disjoint and columns.disjoint:
            used = ten4[:, :, : rows.count * rows.size, : columns.count * columns.size]
            taken = used.reshape(shape)
        else:
            edges = [(p.border, p.border) for p in (rows, columns)]
            padded = reframed(xp, ten4, edges, 0)
            taken = padded[:, :, rows.cells()][..., columns.cells()]
        patch = rows.size * columns.size
        count = ten4.shape[0] * ten4.shape[1] * rows.count * columns.count
        return xp.transpose(taken, (0, 1, 2, 4, 3, 5)).reshape(count, patch)

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        numbers = [as_length(e) for v in node.inputs[1:] for e in vector_entries(v, 2)]
        return [*numbers, shapes[1][0], shapes[2][0]]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        return self.compute(xp, inputs[0], *_as_long(sizes))

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        a, b, *lengths = shapes[0]
        sizes, steps = ([as_length(e) for e in vector_entries(v, 2)] for v in node.inputs[1:])
        counts = [_count(self.mode, n, k, s) for n, k, s in zip(lengths, sizes, steps)]
        if self.mode == "ignore_borders":
            counts = [maximum(n, 0) for n in counts]
        return [(product([a, b, *map(as_length, counts)]), product(sizes))]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, shape, step), (g,) = inputs, output_grads
        back = Neibs2Images(self.mode)(g, shape, step, stack(lengths_of(x)))
        return [back, grad_undefined(self, 1, shape), grad_undefined(self, 2, step)]


class Neibs2Images(NeighbourOp):
    """Images in which each cell is the sum of the patch cells at its position, or zero.

    >>> import theano.tensor as T
    >>> rows = T.constant([[1, 2], [3, 4]])
    >>> Neibs2Images()(rows, (1, 2), (1, 1), (1, 1, 1, 3)).eval()
    array([[[[1, 5, 4]]]])
    """

    demand_only = (1, 2, 3)
    misfit = ValueError
    nondiff_inputs = slice(1, None)
    linear_in = (0,)

    def make_node(
        self,
        neibs: TensorLike,
        neib_shape: TensorLike,
        neib_step: TensorLike,
        original_shape: TensorLike,
    ) -> Apply:
        neibs, shape = as_tensor_variable(neibs), as_tensor_variable(original_shape)
        if neibs.ndim != 2:
            raise TypeError(f"Neibs2Images takes a matrix of patches, got {neibs} of {neibs.type}")
        if shape.ndim != 1 or shape.type.dtype not in integer_dtypes:
            raise TypeError(
                f"Neibs2Images takes 4 ints as the shape of the images, got {shape} of {shape.type}"
            )
        out = tensor_type(neibs.type.dtype, (False,) * 4)
        return Apply(self, [neibs, *self.pairs(neib_shape, neib_step), shape], [out()])

    def compute(
        self,
        xp: ArrayNamespace,
        neibs: Array,
        neib_shape: Pair,
        neib_step: Pair,
        original_shape: Iterable[int],
    ) -> Any:
        images = tuple(int(n) for n in original_shape)
        if len(images) != 4 or min(images) < 0:
            raise ValueError(f"Neibs2Images takes 4 lengths of images, got {images}")
        rows, columns = self.patches(images, neib_shape, neib_step)
        shape = (*images[:2], rows.count, columns.count, rows.size, columns.size)
        if neibs.shape != (np.prod(shape[:4], dtype=int), rows.size * columns.size):
            raise ValueError(
                f"Neibs2Images takes {rows.count} x {columns.count} patches of {rows.size} x "
                f"{columns.size} cells of each image of {images}, got rows of {neibs.shape}"
            )
        if 0 in shape:
            return xp.zeros(images, neibs.dtype)
        parts = xp.transpose(neibs.reshape(shape), (0, 1, 2, 4, 3, 5))
        if rows.disjoint and columns.disjoint:
            high, wide = rows.count * rows.size, columns.count * columns.size
            whole = parts.reshape(*images[:2], high, wide)
            return reframed(xp, whole, [(0, images[2] - high), (0, images[3] - wide)], 0)
        lines = [p.length + 2 * p.border for p in (rows, columns)]
        zeros = xp.zeros((*parts.shape[:4], lines[1]), neibs.dtype)
        across = xp.index_add(zeros, (..., columns.cells()), parts)
        zeros = xp.zeros((*images[:2], *lines), neibs.dtype)
        whole = xp.index_add(zeros, (slice(None), slice(None), rows.cells()), across)
        return reframed(xp, whole, [(-p.border, -p.border) for p in (rows, columns)], 0)

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        *pairs, shape = node.inputs[1:]
        numbers = [as_length(e) for v in pairs for e in vector_entries(v, 2)]
        lengths = [as_length(e) for e in vector_entries(shape, 4)]
        return [*numbers, shapes[1][0], shapes[2][0], *lengths, shapes[3][0]]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        *shape, n = sizes[6:]
        return self.compute(xp, inputs[0], *_as_long(sizes[:6]), [*shape, *shape[:1] * (n - 4)])

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [tuple(as_length(e) for e in vector_entries(node.inputs[3], 4))]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (_, shape, step, _), (g,) = inputs, output_grads
        back = Images2Neibs(self.mode)(g, shape, step)
        return [back, *(disconnected() for _ in range(3))]


def _as_long(sizes: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return two pairs, padded to their run-time lengths, so that a wrong length is refused."""
    a, b, c, d, n, m = sizes
    return [a, b] + [a] * (n - 2), [c, d] + [c] * (m - 2)


@documented_in("theano.tensor.nnet.neighbours")
def images2neibs(
    ten4: TensorLike, neib_shape: TensorLike, neib_step: TensorLike = None, mode: str = "valid"
) -> Any:
    """Return patches of images as rows of a matrix: by image, then left to right, row by row.

    Parameters
    ----------
    ten4 : 4-d tensor
        Images, in the last two dimensions.
    neib_shape : two ints, or an integer vector of two
        The height and the width of a patch.
    neib_step : two ints, or an integer vector of two
        The distance between patches in each dimension; ``neib_shape`` by default.
    mode : {'valid', 'half', 'full', 'wrap_centered', 'ignore_borders'}
        ``valid``: patches must cover the image exactly. ``half`` and ``full``: zeros are added on
        each side, half of a patch or all but one cell of it; patches must cover the result
        exactly. ``wrap_centered``: a patch is centered at each cell, or at every
        ``neib_step``-th, and continues at the opposite edge of the image; its lengths must be
        odd. ``ignore_borders``: cells after the last whole patch are not used.

    Returns
    -------
    matrix

    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.neighbours import images2neibs
    >>> images2neibs(T.arange(100).reshape((1, 1, 10, 10)), (5, 5)).eval()[:, :3]
    array([[ 0,  1,  2],
           [ 5,  6,  7],
           [50, 51, 52],
           [55, 56, 57]])
    """
    return Images2Neibs(mode)(ten4, neib_shape, neib_step)


@documented_in("theano.tensor.nnet.neighbours")
def neibs2images(
    neibs: TensorLike, neib_shape: TensorLike, original_shape: TensorLike, mode: str = "valid"
) -> Any:
    """Return the images from which ``images2neibs`` cut these patches, without overlap.

    Parameters
    ----------
    neibs : matrix
        A patch in each row.
    neib_shape : two ints, or an integer vector of two
        The height and the width of a patch.
    original_shape : four ints, or an integer vector of four
        The shape of the images.
    mode : {'valid', 'ignore_borders'}
        As for ``images2neibs``; cells that it did not use become zero.

    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.neighbours import images2neibs, neibs2images
    >>> x = T.arange(8).reshape((1, 1, 2, 4))
    >>> neibs2images(images2neibs(x, (2, 2)), (2, 2), x.shape).eval().tolist()
    [[[[0, 1, 2, 3], [4, 5, 6, 7]]]]
    """
    if mode not in ("valid", "ignore_borders"):
        raise NotImplementedError(
            f"neibs2images takes patches of the modes valid and ignore_borders, got {mode!r}"
        )
    return Neibs2Images(mode)(neibs, neib_shape, None, original_shape)
