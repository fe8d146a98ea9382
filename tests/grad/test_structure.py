"""Derivatives of ops that give arrays other shapes, put them together and take them apart."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.grad.steps import check
from theano.gradient import DisconnectedInputError

_two = T.constant(2)
_ROW, _COL = (True, 4), (3, True)

# name, expression, shapes; True is a length declared to be 1
# fmt: off
CASES = [
    ("dimshuffle",                 lambda x: (x ** 2).dimshuffle(1, "x", 0),        (3, 4)),
    ("dimshuffle that drops",      lambda x: x.dimshuffle(1),                       _ROW),
    ("transpose",                  lambda x: x.T,                                   (3, 4)),
    ("reshape",                    lambda x: (x ** 2).reshape((2, 6)),              (3, 4)),
    ("reshape with -1",            lambda x: x.reshape((2, -1)),                    _ROW),
    ("reshape to a number",        lambda x: x.reshape(()),                         (1, 1)),
    ("reshape of a number",        lambda x: x.reshape((1, 1)),                     ()),
    ("flatten",                    lambda x: T.flatten(x, 2),                       (3, 4, 2)),
    ("Flatten",                    lambda x: T.Flatten(2)(x),                       (3, 4, 2)),
    ("declare broadcastable",      lambda x: T.addbroadcast(x, 0),                  (1, 4)),
    ("declare not broadcastable",  lambda x: T.unbroadcast(x, 0),                   _ROW),
    ("state a shape",              lambda x: T.specify_shape(x, (3, 4)),            (3, 4)),
    ("alloc of a number",          lambda x: T.alloc(x, 5, 3),                      ()),
    ("alloc adds a dimension",     lambda x: T.alloc(x ** 2, 5, 3, 4),              (3, 4)),
    ("alloc stretches a row",      lambda x: T.alloc(x, 5, 3, 4),                   _ROW),
    ("alloc keeps a row",          lambda x: T.alloc(x, 5, 1, 4),                   _ROW),
    ("tile",                       lambda x: T.tile(x, (2, 3)),                     (3, 2)),
    ("Tile",                       lambda x: T.Tile(2)(x, [2, 3]),                  (3, 2)),
    ("Tile of a row",              lambda x: T.Tile(2)(x, [2, 3]),                  _ROW),
    ("roll",                       lambda x: T.roll(x, 2),                          (3, 4)),
    ("roll along an axis",         lambda x: T.roll(x, -1, axis=1),                 (3, 4)),
    ("roll by an unsigned number", lambda x: T.roll(x, np.uint8(3), axis=0),        (4, 2)),
    ("join",                       lambda x, y: T.join(1, x ** 2, y),               (3, 4), (3, 2)),
    ("join from behind",           lambda x, y: T.join(-1, x, y, x),                (3, 1), (3, 2)),
    ("join a column",              lambda x, y: T.join(1, x, y),                    _COL, (3, 2)),
    ("join rows along the other",  lambda x, y: T.join(1, x, y),                    _ROW, (1, 3)),
    ("join along a symbol",        lambda x, y: T.join(_two - 1, x, y),             _COL, (3, 2)),
    ("stack",                      lambda x, y: T.stack([x, y], axis=1),            (3, 4), (3, 4)),
    ("a vector of numbers",        lambda x, y: T.stack([x, y, x * y]),             (), ()),
    ("a part of a split",          lambda x: T.split(x ** 2, [2, 1, 1], 3, 1)[1],   (3, 4)),
    ("all parts of a split",       lambda x: sum(T.split(x, [2, 2], 2, 0)),         (4, 2)),
    ("a split into one",           lambda x: T.split(x, [1], 1),                    _ROW),
    ("arange",                     lambda a, s: T.arange(a, 7.3, s),                (), ()),
    ("arange by its start",        lambda a: T.arange(a, 7.3, 0.8),                 ()),
    ("arange by its step",         lambda s: T.arange(1.5, 7.3, s),                 ()),
    ("tril",                       lambda x: T.tril(x ** 2),                        (3, 3)),
]
# fmt: on
_NAMES = [c[0] for c in CASES]


@pytest.mark.parametrize("mode", ["numpy", pytest.param("xla", marks=pytest.mark.xla)])
@pytest.mark.parametrize("case", CASES, ids=_NAMES)
def test_derivatives_are_slopes(case, mode):
    _, fn, *shapes = case
    check(fn, shapes, mode)


_x, _n = T.dvector("x"), T.dscalar("n")
_whole = T.cast(_n, "int64")

# fmt: off
SIZES = [
    ("shape",      lambda: _x.shape.sum() * 1.0,                       _x),
    ("shape_i",    lambda: theano.compile.ops.shape_i(_x, 0) * 1.0,    _x),
    ("reshape",    lambda: _x.reshape((_whole, 1)).sum(),              _n),
    ("stated",     lambda: T.specify_shape(_x, [_whole]).sum(),        _n),
    ("alloc",      lambda: T.alloc(_x, _whole, 3).sum(),               _n),
    ("empty",      lambda: T.AllocEmpty("float64")(_whole).sum(),      _n),
    ("Tile",       lambda: T.Tile(1)(_x, T.stack([_whole])).sum(),     _n),
    ("eye",        lambda: T.eye(_whole, 3, _whole).sum(),             _n),
    ("tri",        lambda: T.tri(3, _whole).sum(),                     _n),
    ("arange",     lambda: T.arange(0.0, _n, 0.5).sum(),               _n),
    ("axis",       lambda: T.join(_whole, _x, _x).sum(),               _n),
    ("parts",      lambda: T.split(_x, [_whole, 3 - _whole], 2)[0].sum(), _n),
    ("distance",   lambda: (T.roll(_x, _whole) * _x).sum(),            _n),
]
# fmt: on


@pytest.mark.parametrize(("make", "wrt"), [c[1:] for c in SIZES], ids=[c[0] for c in SIZES])
def test_what_only_gives_sizes_and_places_is_disconnected(make, wrt):
    with pytest.raises(DisconnectedInputError):
        T.grad(make(), wrt)


def test_float32_stays_so():
    x = T.fmatrix()
    made = T.join(0, T.alloc(x.T.reshape((2, 2)), 3, 2, 2)[0], T.roll(x, 1), T.tile(x, (2, 1)))
    assert T.grad(made.sum(), x).dtype == "float32"


def test_one_of_joined_arrays_may_stand_still():
    x, y, v = T.dvectors("xyv")
    found = T.Rop(T.join(0, x, y), x, v)
    f = theano.function([x, y, v], found, on_unused_input="ignore")
    assert f([1, 2], [3], [5, 6]).tolist() == [5, 6, 0]
