"""Neighbourhoods of images: against plain loops, cell by cell."""

import pickle

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.sandbox import neighbours as old
from theano.tensor.nnet import neighbours
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(4)


def by_loops(ten4, neib_shape, neib_step=None, mode="valid"):
    """Each patch cell by cell, images first, then from left to right, row by row."""
    h, w = neib_shape
    dh, dw = neib_shape if neib_step is None else neib_step
    high, wide = ten4.shape[2:]
    before = {"half": (h // 2, w // 2), "full": (h - 1, w - 1), "wrap_centered": (h // 2, w // 2)}
    top, left = before.get(mode, (0, 0))
    if mode == "wrap_centered":
        starts = [range(-top, high - top, dh), range(-left, wide - left, dw)]
    else:
        starts = [range(-top, high + top - h + 1, dh), range(-left, wide + left - w + 1, dw)]
    rows = []
    for image in ten4.reshape(-1, high, wide):
        for a in starts[0]:
            for b in starts[1]:
                row = []
                for i in range(a, a + h):
                    for j in range(b, b + w):
                        inside = 0 <= i < high and 0 <= j < wide
                        if mode == "wrap_centered":
                            row.append(image[i % high, j % wide])
                        else:
                            row.append(image[i, j] if inside else 0)
                rows.append(row)
    return np.array(rows, ten4.dtype).reshape(len(rows), h * w)


def back_by_loops(neibs, neib_shape, original_shape, mode="valid"):
    """Each patch written where it was cut."""
    h, w = neib_shape
    out = np.zeros(original_shape, neibs.dtype)
    rows = iter(neibs)
    for image in out.reshape(-1, *original_shape[2:]):
        for a in range(0, original_shape[2] - h + 1, h):
            for b in range(0, original_shape[3] - w + 1, w):
                image[a : a + h, b : b + w] = next(rows).reshape(h, w)
    return out


def case(shape, size, step=None, mode="valid", dtype="float64"):
    x = rng.normal(size=shape).astype(dtype)
    kwargs = {"neib_step": step, "mode": mode}
    return Case(x, size, kwargs=kwargs, static=(1,), id=f"{mode} {size} {step} of {shape} {dtype}")


def symbolic(x, neib_shape, neib_step):
    return neighbours.images2neibs(x, neib_shape, neib_step, mode="ignore_borders")


X = np.arange(24.0).reshape(1, 1, 4, 6)
VECTORS = "none: vectors of two numbers have one size"

# fmt: off
SPECS = [
    OpSpec(neighbours.images2neibs, by_loops, sizes="none: valid patches fit one size", cases=[
        case((2, 3, 4, 9), (2, 3)),
        case((2, 1, 4, 4), (2, 2), dtype="float32"),
        case((2, 1, 4, 9), (2, 3), (1, 2)),
        case((1, 2, 3, 7), (1, 1), (2, 3)),
        case((1, 2, 5, 6), (3, 3), (1, 1), "half"),
        case((1, 2, 4, 6), (2, 4), (2, 3), "half"),
        case((1, 2, 4, 5), (2, 3), (1, 2), "full"),
        case((1, 2, 5, 6), (3, 5), (2, 1), "wrap_centered"),
        case((1, 2, 5, 6), (3, 3), None, "wrap_centered"),
        case((2, 1, 5, 7), (2, 3), None, "ignore_borders"),
        case((1, 2, 5, 7), (2, 3), (1, 1), "ignore_borders"),
    ], errors=[
        Raises((X[0], (2, 2)), TypeError, "takes 4-d images", static=(1,)),
        Raises((X, (2.0, 2.0)), TypeError, "takes 2 ints as neib_shape", static=(1,)),
        Raises((X, (2, 2)), NotImplementedError, "one of valid, half", static=(1,),
               kwargs={"mode": "same"}),
        Raises((X, (3, 2)), TypeError, r"neib_shape\[0\]=3, neib_step\[0\]=3 for a length of 4",
               "run", static=(1,)),
        Raises((X, (5, 2)), TypeError, "in mode valid", "run", static=(1,)),
        Raises((X, (2, 3)), TypeError, "odd lengths", "run", static=(1,),
               kwargs={"mode": "wrap_centered"}),
        Raises((X, (0, 3)), ValueError, "2 ints of at least 1 as neib_shape", "run", static=(1,)),
        Raises((X, np.array([2, 2, 2])), ValueError, r"got \(2, 2, 2\)", "run"),
    ]),
    OpSpec(symbolic, lambda x, n, s: by_loops(x, n, s, "ignore_borders"), sizes=VECTORS, cases=[
        Case(X, np.array([2, 3]), np.array([1, 2]), id="vectors")]),
    OpSpec(neighbours.neibs2images, back_by_loops, sizes="none: patches fit one size", cases=[
        Case(rng.normal(size=(6, 4)), (2, 2), (1, 1, 4, 6), static=(1, 2), id="valid"),
        Case(rng.normal(size=(8, 6)), (2, 3), (2, 1, 5, 7), kwargs={"mode": "ignore_borders"},
             static=(1, 2), id="borders"),
    ], errors=[
        Raises((X[0, 0], (1, 2), (1, 1, 5, 4)), ValueError, "takes 5 x 2 patches of 1 x 2", "run",
               static=(1, 2)),
        Raises((X[0, 0], (1, 2), (1, 1, 4, 6)), NotImplementedError, "valid and ignore_borders",
               static=(1, 2), kwargs={"mode": "full"}),
        Raises((X[0, 0], (1, 6), (4, 6)), ValueError, "takes 4 lengths of images", "run",
               static=(1, 2)),
    ]),
]
# fmt: on


@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_patches_go_back_to_the_images_they_came_from(engine):
    x = T.dtensor4("x")
    neibs = neighbours.images2neibs(x, (5, 5))
    back = neighbours.neibs2images(neibs, (5, 5), x.shape)
    f = theano.function([x], [neibs, back], mode=theano.Mode(engine))
    image = np.arange(100.0).reshape(1, 1, 10, 10)
    patches, images = f(image)
    assert patches.shape == (4, 25) and patches[:, 0].tolist() == [0, 5, 50, 55]
    assert (images == image).all()


def test_no_patch_fits_where_the_image_is_smaller_and_borders_are_ignored():
    x = T.dtensor4("x")
    neibs = neighbours.images2neibs(x, (5, 5), (1, 1), mode="ignore_borders")
    for engine in ("numpy", "xla"):
        f = theano.function([x], [neibs, T.grad(neibs.sum(), x)], mode=theano.Mode(engine))
        made, gradient = f(np.ones((1, 1, 2, 9)))
        assert made.shape == (0, 25) and not gradient.any() and gradient.shape == (1, 1, 2, 9)


def test_the_older_door_and_the_ops_are_the_same():
    assert old.images2neibs is neighbours.images2neibs
    op = neighbours.Images2Neibs("half")
    assert str(op) == "Images2Neibs{half}" and pickle.loads(pickle.dumps(op)) == op


test_ops = spec_tests(SPECS)
