"""Convolutions: against plain loops, and what they refuse; Theano's answers are tested beside."""

import pickle
import warnings
from itertools import product

import numpy as np
import pytest
import scipy.signal

import theano
import theano.tensor as T
from theano.tensor.nnet import ConvGrad3D, ConvTransp3D, abstract_conv, conv, conv3d2d, corr, corr3d
from theano.tensor.nnet.Conv3D import conv3D
from theano.tensor.signal.conv import conv2d as signal_conv2d
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(19)
ENGINES = ["numpy", "xla"]


def ends(mode, spans):
    """The zeros before and after each dimension."""
    modes = mode if isinstance(mode, tuple) else (mode,) * len(spans)
    named = {"valid": lambda s: 0, "full": lambda s: s - 1, "half": lambda s: s // 2}
    return [
        (named[m](s),) * 2 if isinstance(m, str) else m if isinstance(m, tuple) else (m, m)
        for m, s in zip(modes, spans, strict=True)
    ]


def meetings(sizes, lengths, mode, steps, gaps, flip):
    """Places of the output, elements of the filter, and the pixels at which they meet."""
    spans = [(k - 1) * g + 1 for k, g in zip(lengths, gaps, strict=True)]
    pads = ends(mode, spans)
    counts = [
        (n + sum(p) - s) // step + 1
        for n, p, s, step in zip(sizes, pads, spans, steps, strict=True)
    ]
    for place in product(*map(range, counts)):
        for element in product(*map(range, lengths)):
            at = tuple(
                i * step + k * gap - p[0]
                for i, step, k, gap, p in zip(place, steps, element, gaps, pads, strict=True)
            )
            if all(0 <= a < n for a, n in zip(at, sizes, strict=True)):
                turned = tuple(k - 1 - e for k, e in zip(lengths, element, strict=True))
                yield place, turned if flip else element, at
    yield counts


def slides(d, kw):
    one = (1,) * d
    steps, gaps = kw.get("subsample", one), kw.get("filter_dilation", one)
    return kw.get("border_mode", "valid"), steps, gaps, kw.get("filter_flip", True)


def terms(sizes, lengths, d, kw):
    *found, counts = meetings(sizes, lengths, *slides(d, kw))
    return found, counts


def pairs(out, channels, groups):
    """Output and input channels that are joined, and the input channel within its group."""
    for o in range(out):
        group = o // (out // groups)
        for c in range(channels // groups):
            yield o, group * (channels // groups) + c, c


def forward(x, w, **kw):
    d = x.ndim - 2
    groups, own = kw.get("num_groups", 1), kw.get("unshared", False)
    assert x.shape[1] == w.shape[-d - 1] * groups
    found, counts = terms(x.shape[2:], w.shape[-d:], d, kw)
    y = np.zeros((x.shape[0], w.shape[0], *counts), np.result_type(x, w))
    for o, c, inside in pairs(w.shape[0], x.shape[1], groups):
        for place, element, at in found:
            weight = w[(o, *(place if own else ()), inside, *element)]
            y[(slice(None), o, *place)] += x[(slice(None), c, *at)] * weight
    return y


def weights(x, g, shape, **kw):
    d = x.ndim - 2
    groups, own = kw.get("num_groups", 1), kw.get("unshared", False)
    found, counts = terms(x.shape[2:], shape, d, kw)
    assert g.shape[2:] == tuple(counts) and len(x) == len(g)
    places = counts if own else ()
    w = np.zeros((g.shape[1], *places, x.shape[1] // groups, *shape))
    for o, c, inside in pairs(g.shape[1], x.shape[1], groups):
        for place, element, at in found:
            product_ = x[(slice(None), c, *at)] * g[(slice(None), o, *place)]
            w[(o, *(place if own else ()), inside, *element)] += product_.sum()
    return w


def inputs(w, g, shape, **kw):
    d = g.ndim - 2
    groups, own = kw.get("num_groups", 1), kw.get("unshared", False)
    found, counts = terms(shape, w.shape[-d:], d, kw)
    assert g.shape[2:] == tuple(counts) and g.shape[1] == w.shape[0]
    x = np.zeros((g.shape[0], w.shape[-d - 1] * groups, *shape))
    for o, c, inside in pairs(w.shape[0], x.shape[1], groups):
        for place, element, at in found:
            weight = w[(o, *(place if own else ()), inside, *element)]
            x[(slice(None), c, *at)] += g[(slice(None), o, *place)] * weight
    return x


def drawn(*shape, dtype="float64"):
    return rng.normal(size=shape).astype(dtype)


def case(x, w, id, **kw):
    return Case(drawn(*x), drawn(*w), kwargs=kw, id=id)


IMAGE, FILTERS = (2, 2, 5, 6), (3, 2, 2, 3)
STRIDED = {"subsample": (2, 1), "filter_dilation": (1, 2), "border_mode": ((1, 0), 2)}
CASES = [
    case(IMAGE, FILTERS, "valid"),
    case(IMAGE, FILTERS, "full, not flipped", border_mode="full", filter_flip=False),
    case(IMAGE, FILTERS, "half, stated", border_mode="half", input_shape=IMAGE),
    case(IMAGE, FILTERS, "steps, gaps, uneven borders", **STRIDED),
    case((2, 4, 4, 5), (6, 2, 2, 2), "groups", num_groups=2),
    case((2, 3, 4, 3), (3, 1, 2, 2), "each channel alone", num_groups=3, border_mode=1),
    case((2, 2, 3, 4), (2, 2, 3, 2, 2, 2), "own filters", unshared=True),
    case((1, 36, 3, 4), (2, 36, 2, 2), "many channels"),
    case((2, 2, 3, 3), (2, 2, 1, 1), "filters of a pixel", subsample=(2, 2)),
    Case(drawn(*IMAGE, dtype="float32"), drawn(*FILTERS), id="of two dtypes"),
    Case(drawn(*IMAGE, dtype="float16"), drawn(*FILTERS, dtype="float16"), id="float16"),
    Case(rng.integers(-9, 9, IMAGE), rng.integers(-9, 9, FILTERS), id="integers"),
]
VOLUMES = [
    case((1, 2, 3, 4, 3), (2, 2, 2, 2, 2), "valid"),
    case(
        (2, 1, 4, 3, 4),
        (2, 1, 2, 3, 2),
        "all",
        subsample=(2, 1, 1),
        border_mode=(1, "half", (0, 2)),
    ),
]
G, V = drawn(2, 3, 4, 4), drawn(1, 2, 2, 3, 2)
WEIGHTS = [
    Case(drawn(*IMAGE), G, (2, 3), static=(2,), id="valid"),
    Case(drawn(2, 2, 5, 7), drawn(2, 3, 3, 7), (2, 3), static=(2,), kwargs=STRIDED, id="strided"),
    Case(
        drawn(2, 4, 5, 6),
        drawn(2, 6, 4, 4),
        (2, 3),
        static=(2,),
        kwargs={"num_groups": 2},
        id="groups",
    ),
    Case(
        drawn(1, 2, 3, 3),
        drawn(1, 2, 2, 2),
        (2, 2),
        static=(2,),
        kwargs={"unshared": True},
        id="own filters",
    ),
]
INPUTS = [
    Case(drawn(*FILTERS), G, (5, 6), static=(2,), id="valid"),
    Case(drawn(*FILTERS), G[:1], (5, 6), static=(2,), id="one image"),
    Case(drawn(*FILTERS), drawn(2, 3, 3, 7), (5, 7), static=(2,), kwargs=STRIDED, id="strided"),
    Case(
        drawn(6, 2, 2, 3),
        drawn(2, 6, 4, 4),
        (5, 6),
        static=(2,),
        kwargs={"num_groups": 2},
        id="groups",
    ),
    Case(
        drawn(2, 2, 2, 2, 2, 2),
        drawn(1, 2, 2, 2),
        (3, 3),
        static=(2,),
        kwargs={"unshared": True},
        id="own filters",
    ),
]


def of_op(cls, *convdim):
    return lambda a, b, *shape, **kw: cls(*convdim, **kw)(a, b, *shape)


def unflipped(reference):
    return lambda *args, **kw: reference(*args, filter_flip=False, **kw)


def ref_conv2d(x, w, input_shape=None, **kw):
    if x.dtype == "float16":
        return forward(x.astype("float32"), w.astype("float32"), **kw).astype("float16")
    return forward(x, w, **kw)


X, W = drawn(*IMAGE), drawn(*FILTERS)
REFUSED = [
    Raises((X[0], W), TypeError, "img must be 4D tensor, got"),
    Raises((X, W[0]), TypeError, "kern must be 4D tensor, got"),
    Raises((X > 0, W), TypeError, "takes real numbers, got img of bool"),
    Raises((X, W * 1j), TypeError, "takes real numbers, got kern of complex128"),
    *(
        Raises((X, W), error, text, kwargs=kw)
        for error, text, kw in [
            (ValueError, 'must be either "valid", "full", "half"', {"border_mode": "same"}),
            (ValueError, "must be a non-negative integer", {"border_mode": -1}),
            (ValueError, "must be a tuple of length 2", {"border_mode": (1,)}),
            (ValueError, "can only contain non-negative", {"border_mode": (1, -1)}),
            (ValueError, "can only contain non-negative", {"border_mode": ((1, 2, 3), 3)}),
            (ValueError, "subsample must have 2 elements", {"subsample": (1,)}),
            (TypeError, "subsample must be a tuple of 2", {"subsample": 2}),
            (ValueError, "subsample must be positive", {"subsample": (0, 1)}),
            (ValueError, "filter_dilation must have 2", {"filter_dilation": (1,)}),
            (ValueError, "num_groups must have value greater", {"num_groups": 0}),
            (ValueError, "imshp must have 4 entries", {"input_shape": (1, 2, 3)}),
            (ValueError, "tuple of constant int values", {"input_shape": (1, 2.5, 3, 4)}),
            (ValueError, "at the same time", {"input_shape": IMAGE, "image_shape": IMAGE}),
            (ValueError, "no logical shapes", {"imshp_logical": IMAGE}),
        ]
    ),
    Raises((X, drawn(3, 1, 2, 2)), ValueError, "must have the same stack size", when="run"),
    Raises((X, drawn(3, 2, 6, 2)), ValueError, "impossible output shape", when="run"),
    Raises(
        (X, W),
        ValueError,
        "shape mismatch: the shape of image is",
        when="run",
        kwargs={"input_shape": (3, None, None, None)},
    ),
    Raises(
        (X, W),
        ValueError,
        "shape mismatch: the shape of filters is",
        when="run",
        kwargs={"filter_shape": (None, None, 2, 2)},
    ),
    Raises(
        (X, drawn(3, 1, 2, 2)),
        ValueError,
        "cannot be divided into 2 groups",
        when="run",
        kwargs={"num_groups": 2},
    ),
    Raises(
        (X, drawn(2, 3, 3, 2, 2, 2)),
        ValueError,
        "are for .* places",
        when="run",
        kwargs={"unshared": True},
    ),
]


def ref_conv3D(v, w, b, d):
    y = forward(np.moveaxis(v, 4, 1), np.moveaxis(w, 4, 1), filter_flip=False, subsample=d)
    return np.moveaxis(y, 1, 4) + b


def ref_films(s, f, border_mode="valid"):
    return np.swapaxes(forward(s.swapaxes(1, 2), f.swapaxes(1, 2), border_mode=border_mode), 1, 2)


def ref_signal(x, w, border_mode="valid", subsample=(1, 1)):
    images, filters = np.reshape(x, (-1, *x.shape[-2:])), np.reshape(w, (-1, *w.shape[-2:]))
    a, b = subsample
    found = np.array(
        [[scipy.signal.convolve2d(i, f, border_mode)[::a, ::b] for f in filters] for i in images]
    )
    return found.reshape(*x.shape[:-2], *w.shape[:-2], *found.shape[2:])


def ref_upsampled(x, ratio):
    """Linear interpolation between pixels, one dimension after the other; the ends go on."""

    def along(v):
        places = (np.arange(len(v) * ratio) - (ratio - 1) // 2) / ratio
        return np.interp(places, np.arange(len(v)), v)

    return np.apply_along_axis(along, 3, np.apply_along_axis(along, 2, x))


def ref_causal(x, w, shape, **kw):
    d = kw.get("filter_dilation", 1)
    full = forward(
        x[..., None],
        w[..., None],
        filter_dilation=(d, 1),
        border_mode=(((w.shape[2] - 1) * d, 0), 0),
    )
    return full[..., 0][:, :, :: kw.get("subsample", 1)]


def ref_separable(x, deep, point, channels, **kw):
    return forward(forward(x, deep, num_groups=channels, **kw), point)


A = abstract_conv
FILMS = drawn(2, 3, 4, 3, 2), drawn(3, 2, 2, 2, 2)
SPECS = [
    OpSpec(T.nnet.conv2d, ref=ref_conv2d, cases=CASES, errors=REFUSED, name="conv2d"),
    OpSpec(T.nnet.conv3d, ref=forward, cases=VOLUMES, name="conv3d"),
    OpSpec(of_op(A.AbstractConv, 2), ref=forward, cases=CASES[:1], name="AbstractConv"),
    OpSpec(of_op(A.AbstractConv2d_gradWeights), ref=weights, cases=WEIGHTS, name="gradWeights"),
    OpSpec(of_op(A.AbstractConv2d_gradInputs), ref=inputs, cases=INPUTS, name="gradInputs"),
    OpSpec(
        of_op(A.AbstractConv_gradWeights, 2),
        ref=weights,
        cases=WEIGHTS[:1],
        name="AbstractConv_gradWeights",
    ),
    OpSpec(
        of_op(A.AbstractConv_gradInputs, 2),
        ref=inputs,
        cases=INPUTS[:2],
        name="AbstractConv_gradInputs",
    ),
    OpSpec(
        of_op(A.AbstractConv3d_gradWeights),
        ref=weights,
        name="gradWeights in 3-d",
        cases=[Case(drawn(1, 2, 3, 4, 3), V, (2, 2, 2), static=(2,), id="valid")],
    ),
    OpSpec(
        of_op(A.AbstractConv3d_gradInputs),
        ref=inputs,
        name="gradInputs in 3-d",
        cases=[
            Case(drawn(2, 2, 2, 2, 2), V, (3, 4, 3), static=(2,), id="valid"),
            Case(drawn(2, 1, 2, 2, 2), V, (3, 4, 3), static=(2,), id="one channel"),
        ],
    ),
    OpSpec(of_op(corr.CorrMM), ref=unflipped(forward), cases=CASES[3:4], name="CorrMM"),
    OpSpec(
        of_op(corr.CorrMM_gradWeights),
        ref=lambda x, g: weights(x, g, (2, 3), filter_flip=False),
        cases=[Case(X, G, id="lengths that follow")],
        name="CorrMM_gradWeights",
    ),
    OpSpec(
        of_op(corr.CorrMM_gradInputs),
        ref=lambda w, g: inputs(w, g, (5, 6), filter_flip=False),
        cases=[Case(W, G, id="sizes that follow"), Case(W, G[:1], id="one image")],
        name="CorrMM_gradInputs",
    ),
    OpSpec(of_op(corr3d.Corr3dMM), ref=unflipped(forward), cases=VOLUMES[:1], name="Corr3dMM"),
    OpSpec(
        of_op(corr3d.Corr3dMM_gradWeights),
        ref=lambda x, g: weights(x, g, (2, 2, 2), filter_flip=False),
        cases=[Case(drawn(1, 2, 3, 4, 3), V, id="lengths that follow")],
        name="Corr3dMM_gradWeights",
    ),
    OpSpec(
        of_op(corr3d.Corr3dMM_gradInputs),
        ref=lambda w, g: inputs(w, g, (3, 4, 3), filter_flip=False),
        cases=[
            Case(drawn(2, 2, 2, 2, 2), V, id="sizes that follow"),
            Case(drawn(2, 1, 2, 2, 2), V, id="one channel"),
        ],
        name="Corr3dMM_gradInputs",
    ),
    OpSpec(
        conv.conv2d,
        ref=forward,
        name="nnet.conv.conv2d",
        cases=[case(IMAGE, FILTERS, "full", border_mode="full", subsample=(1, 2))],
    ),
    OpSpec(
        signal_conv2d,
        ref=ref_signal,
        name="signal.conv.conv2d",
        cases=[
            case((4, 5), (2, 3), "an image, a filter"),
            case((2, 4, 5), (2, 3), "images, a filter", border_mode="full"),
            case((4, 5), (3, 2, 3), "an image, filters", subsample=(2, 1)),
            case((2, 4, 5), (3, 2, 3), "images, filters"),
        ],
    ),
    OpSpec(
        conv3d2d.conv3d,
        ref=ref_films,
        name="conv3d2d",
        cases=[
            case((1, 3, 2, 3, 4), (2, 2, 2, 2, 2), "modes", border_mode=("full", "valid", "half")),
        ],
    ),
    OpSpec(
        conv3D,
        ref=ref_conv3D,
        name="conv3D",
        cases=[
            Case(*FILMS, drawn(3), (1, 2, 1), static=(3,), id="channels last"),
        ],
    ),
    OpSpec(
        lambda x, **kw: A.bilinear_upsampling(x, **kw),
        name="bilinear_upsampling",
        ref=lambda x, ratio, use_1D_kernel=True: ref_upsampled(x, ratio),
        cases=[Case(drawn(1, 2, 2, 3), kwargs={"ratio": r}, id=f"by {r}") for r in (2, 3)]
        + [Case(drawn(1, 1, 3, 2), kwargs={"ratio": 4, "use_1D_kernel": False}, id="at once")],
    ),
    OpSpec(
        A.causal_conv1d,
        ref=ref_causal,
        name="causal_conv1d",
        cases=[
            Case(
                drawn(1, 2, 4),
                drawn(3, 2, 3),
                (3, 2, 3),
                static=(2,),
                kwargs={"filter_dilation": 2},
            ),
            Case(
                drawn(2, 2, 6),
                drawn(3, 2, 3),
                (3, 2, 3),
                static=(2,),
                kwargs={"filter_dilation": 2},
                id="gaps",
            ),
        ],
    ),
    OpSpec(
        A.separable_conv2d,
        ref=ref_separable,
        name="separable_conv2d",
        cases=[
            Case(
                drawn(1, 2, 4, 3),
                drawn(4, 1, 2, 2),
                drawn(3, 4, 1, 1),
                2,
                static=(3,),
                id="two channels",
            ),
        ],
    ),
]

test_ops = spec_tests(SPECS)

x4, w4 = T.dtensor4("x"), T.dtensor4("w")


def run(y, *values, engine="numpy"):
    return theano.function([x4, w4], y, mode=theano.Mode(engine))(*values)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "x, w, out",
    [
        ((0, 2, 5, 6), (3, 2, 2, 3), (0, 3, 4, 4)),
        ((2, 0, 5, 6), (3, 0, 2, 3), (2, 3, 4, 4)),
        ((2, 2, 5, 6), (0, 2, 2, 3), (2, 0, 4, 4)),
        ((2, 2, 5, 6), (3, 2, 0, 3), (2, 3, 6, 4)),
    ],
    ids=["no images", "no channels", "no filters", "empty filters"],
)
def test_nothing_convolved_is_zeros_of_the_right_shape(x, w, out, engine):
    y = T.nnet.conv2d(x4, w4)
    values = np.ones(x), np.ones(w)
    found = run([y, *T.grad(y.sum(), [x4, w4])], *values, engine=engine)
    assert [v.shape for v in found] == [out, x, w]
    assert not any(v.any() for v in found)


def test_wrong_shapes_raise_the_same_on_both_engines():
    for kw in ({"input_shape": (None, None, 5, 5)}, {"filter_shape": (2, None, None, None)}):
        for engine in ENGINES:
            with pytest.raises(ValueError, match="does not match the one that was given"):
                run(T.nnet.conv2d(x4, w4, **kw), X, W, engine=engine)


def test_stated_shapes_may_be_constants_and_none():
    shape = (None, T.constant(2), np.int64(5), T.constant(np.int8(6)))
    y = T.nnet.conv2d(x4, w4, image_shape=shape, filter_shape=[3, None, 2, None])
    assert y.owner.op.imshp == (None, 2, 5, 6)
    assert y.owner.op.kshp == (3, None, 2, None)
    np.testing.assert_allclose(run(y, X, W), forward(X, W))
    with pytest.raises(ValueError, match="write None for a length that is not known"):
        T.nnet.conv2d(x4, w4, input_shape=(T.lscalar(), 2, 5, 6))


def test_arguments_without_effect_are_named_in_a_warning():
    with pytest.warns(UserWarning, match="unroll_batch has no effect"):
        T.nnet.conv2d(x4, w4, unroll_batch=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        conv.conv2d(x4, w4, unroll_kern=2, version="no_fft", openmp=False)
    with pytest.raises(NotImplementedError, match="no logical shapes"):
        conv.conv2d(x4, w4, imshp_logical=(1, 2, 3))
    with pytest.raises(TypeError):
        conv.conv2d(x4, w4, unknown=1)


def test_an_op_prints_as_theano_prints_it_and_survives_a_pickle():
    op = T.nnet.conv2d(x4, w4, border_mode=1, input_shape=(None, 2, 5, 6)).owner.op
    assert str(op) == (
        "AbstractConv2d{convdim=2, border_mode=(1, 1), subsample=(1, 1), filter_flip=True, "
        "imshp=(None, 2, 5, 6), kshp=(None, None, None, None), filter_dilation=(1, 1), "
        "num_groups=1, unshared=False}"
    )
    assert pickle.loads(pickle.dumps(op)) == op
    assert pickle.loads(pickle.dumps(conv.ConvOp(dx=2))) == conv.ConvOp(dx=2)


def test_single_rows_and_single_filters_stay_broadcastable():
    one = T.TensorType("float64", (True, False, False, False))
    assert T.nnet.conv2d(one(), w4).broadcastable == (True, False, False, False)
    assert T.nnet.conv2d(x4, one()).broadcastable == (False, True, False, False)
    x = one()
    gx, gw = T.grad(T.nnet.conv2d(x, w4).sum(), [x, w4])
    assert gx.type == x.type
    assert gw.type == w4.type


def test_sizes_of_a_gradient_may_be_symbolic():
    n = T.lscalar("n")
    y = T.nnet.conv2d_transpose(x4, w4, (None, None, n, 3), input_dilation=(2, 1))
    g, w = drawn(1, 2, 2, 2), drawn(2, 1, 3, 2)
    for engine in ENGINES:
        f = theano.function([x4, w4, n], [y, y.shape], mode=theano.Mode(engine))
        for size in (5, 6):
            found, shape = f(g, w, size)
            assert shape.tolist() == [1, 1, size, 3]
            np.testing.assert_allclose(found, inputs(w, g, (size, 3), subsample=(2, 1)))
        with pytest.raises(ValueError, match="got a gradient of shape"):
            f(g, w, 7)


def test_the_gradients_as_functions_are_those_of_conv2d():
    options = {"border_mode": (1, 2), "subsample": (2, 1), "filter_flip": False}
    y = T.nnet.conv2d(x4, w4, **options)
    g = drawn(*y.shape.eval({x4: X, w4: W}))
    expected = T.grad(None, [x4, w4], known_grads={y: T.constant(g)})
    found = [
        A.conv2d_grad_wrt_inputs(g, w4, IMAGE, filter_shape=FILTERS, **options),
        A.conv2d_grad_wrt_weights(x4, g, FILTERS, input_shape=(None, 2, None, None), **options),
    ]
    for a, b in zip(run(expected, X, W), run(found, X, W), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    with pytest.raises(ValueError, match="the last lengths of input_shape must be given"):
        A.conv2d_grad_wrt_inputs(g, w4, (2, 2, None, 6))


def test_the_older_gradients_in_three_dimensions_are_those_of_conv3D():
    tensor5 = T.TensorType("float64", (False,) * 5)
    v, w, b = tensor5(), tensor5(), T.dvector()
    y = conv3D(v, w, b, (1, 2, 1))
    values = *FILMS, np.zeros(3)
    g = drawn(*y.shape.eval(dict(zip([v, w, b], values, strict=True))))
    gv, gw = T.grad(None, [v, w], known_grads={y: T.constant(g)})
    sizes = [v.shape[i] for i in (1, 2, 3)]
    ours = [
        ConvTransp3D.convTransp3D(w, np.zeros(2), (1, 2, 1), g, sizes),
        ConvGrad3D.convGrad3D(v, (1, 2, 1), w.shape, g),
    ]
    f = theano.function([v, w, b], [gv, gw, *ours], on_unused_input="ignore")
    a, b_, c, d = f(*values)
    np.testing.assert_allclose(a, c, rtol=1e-12)
    np.testing.assert_allclose(b_, d, rtol=1e-12)


def test_fractions_of_a_whole_ratio_are_the_whole_ratio():
    whole = A.bilinear_upsampling(x4, ratio=3, use_1D_kernel=False)
    frac = A.bilinear_upsampling(x4, frac_ratio=((6, 2), (9, 3)), use_1D_kernel=False)
    a, b = theano.function([x4], [whole, frac])(X)
    np.testing.assert_array_equal(a, b)
    for kw in ({}, {"ratio": 2, "frac_ratio": (3, 2)}, {"frac_ratio": (3, 2)}, {"ratio": 1.5}):
        with pytest.raises(ValueError):
            A.bilinear_upsampling(x4, **kw)


def test_places_may_have_filters_of_their_own_in_a_causal_convolution():
    x, w = T.dtensor3(), T.dtensor4()
    y = A.causal_conv1d(x, w, (2, 5, 3, 2), unshared=True)
    vx, vw = drawn(1, 3, 5), drawn(2, 5, 3, 2)
    padded = np.pad(vx, ((0, 0), (0, 0), (1, 0)))
    want = [
        [sum(padded[0, :, t + 1 - k] @ vw[o, t, :, k] for k in range(2)) for t in range(5)]
        for o in range(2)
    ]
    np.testing.assert_allclose(theano.function([x, w], y)(vx, vw), [want])


SHAPES = [
    ("valid", (1, 1), (1, 1)),
    ("full", (2, 1), (1, 2)),
    ("half", (1, 3), (2, 1)),
    ((1, (0, 2)), (1, 1), (1, 1)),
]


@pytest.mark.parametrize("mode, steps, gaps", SHAPES, ids=["valid", "full", "half", "numbers"])
def test_shapes_follow_from_each_other(mode, steps, gaps):
    y = T.nnet.conv2d(x4, w4, border_mode=mode, subsample=steps, filter_dilation=gaps)
    out = run(y, X, W).shape
    options = mode, steps, gaps
    assert A.get_conv_output_shape(IMAGE, FILTERS, *options) == out
    symbolic = A.get_conv_output_shape([x4.shape[i] for i in range(4)], FILTERS, *options)
    assert theano.function([x4], symbolic[2:])(X) == list(out[2:])
    assert A.get_conv_output_shape((None, 2, None, 6), FILTERS, *options) == (None, 3, None, out[3])
    told = A.get_conv_gradinputs_shape(FILTERS, out, *options)
    assert told == tuple(n if s == 1 else None for n, s in zip(IMAGE, (1, 1, *steps), strict=True))
    told = A.get_conv_gradweights_shape(IMAGE, out, *options)
    unsure = [mode == "half" or s > 1 for s in steps]
    expected = [None if u else n for n, u in zip(FILTERS[2:], unsure, strict=True)]
    assert told == (3, 2, *expected)
    assert A.check_conv_gradinputs_shape(IMAGE, FILTERS, out, *options)
    assert not A.check_conv_gradinputs_shape(IMAGE, FILTERS, (2, 3, 99, 1), *options)
    assert A.check_conv_gradinputs_shape(IMAGE, FILTERS, (None, 3, None, None), *options)
    assert conv.ConvOp.getOutputShape((5, 6), (2, 3), (1, 2), "full") == (6, 4)


def test_a_shape_that_no_convolution_has_is_refused():
    assert A.assert_conv_shape((0, 0, 1, 1)) == (0, 0, 1, 1)
    for bad in ((-1, 1, 1, 1), (1, 1, 0, 1)):
        with pytest.raises(ValueError, match="invalid shape"):
            A.assert_conv_shape(bad)
    n = T.lscalar()
    f = theano.function([n], A.assert_conv_shape((1, 1, n))[2])
    assert f(3) == 3
    with pytest.raises(AssertionError, match=r"dim\[2\] <= 0"):
        f(0)
