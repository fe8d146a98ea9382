"""Convolutions and pooling in exported C give the numbers of the NumPy engine."""

import itertools
import re

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.compile import programs_in_c
from tests.compile.c_toolchain import needed
from tests.compile.test_export_c import build  # noqa: F401
from tests.testing.test_coverage import specs
from theano.tensor.nnet import conv2d
from theano.tensor.nnet.abstract_conv import AbstractConv2d
from theano.tensor.signal.pool import Pool, pool_2d

rng = np.random.default_rng(7)

#: options of convolutions, each with strides, dilations, borders and groups of its own
CONVOLUTIONS = {
    "plain": {},
    "correlation": {"filter_flip": False},
    "full": {"border_mode": "full"},
    "half": {"border_mode": "half", "subsample": (2, 1)},
    "strided": {"subsample": (2, 3)},
    "dilated": {"filter_dilation": (2, 1), "border_mode": (2, 1)},
    "uneven": {"border_mode": ((3, 0), (1, 2)), "subsample": (1, 2), "filter_dilation": (1, 2)},
    "grouped": {"num_groups": 2, "border_mode": 1},
}
POOLS = {
    f"{mode}_{name}": (mode, options)
    for mode, (name, options) in itertools.product(
        ("max", "sum", "average_inc_pad", "average_exc_pad"),
        {
            "plain": {"ws": (2, 3), "ignore_border": True},
            "border": {"ws": (2, 3), "ignore_border": False},
            "overlap": {"ws": (3, 4), "stride": (2, 1), "ignore_border": False},
            "apart": {"ws": (2, 1), "stride": (3, 2), "ignore_border": False},
            "padded": {"ws": (3, 4), "stride": (2, 3), "pad": (1, 2), "ignore_border": True},
        }.items(),
    )
}


def text_of(build):  # noqa: F811
    return (build.folder / "model.c").read_text()


def compare(functions, calls, module, rtol):
    for (name, f), call in zip(functions.items(), calls, strict=True):
        for want, got in zip(f(*call), getattr(module, name)(*call), strict=True):
            assert want.shape == got.shape and want.dtype == got.dtype, name
            np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol, err_msg=name)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_convolutions_and_their_gradients(build, dtype):  # noqa: F811
    functions, calls = {}, []
    for name, options in CONVOLUTIONS.items():
        x, w, g = (T.TensorType(dtype, (False,) * 4)(n) for n in "xwg")
        within = 4 // options.get("num_groups", 1)
        y = conv2d(x, w, **options)
        slopes = T.grad(None, [x, w], known_grads={y: g})
        functions[name] = theano.function([x, w, g], [y, *slopes], mode="FAST_RUN")
        images, filters = rng.normal(size=(2, 4, 7, 9)), rng.normal(size=(6, within, 3, 2))
        images, filters = images.astype(dtype), filters.astype(dtype)
        shape = y.eval({x: images, w: filters}).shape
        calls.append((images, filters, rng.normal(size=shape).astype(dtype)))
    digits = {"float64": 1e-13, "float32": 1e-5}[dtype]
    compare(functions, calls, build(functions), digits)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_pooling_and_its_derivatives_have_the_bits_of_numpy(build, dtype):  # noqa: F811
    functions, calls = {}, []
    for name, (mode, options) in POOLS.items():
        x, d, g = (T.TensorType(dtype, (False,) * 4)(n) for n in "xdg")
        z = pool_2d(x, mode=mode, **options)
        outputs = [z, T.grad(None, x, known_grads={z: g}), T.Rop(z, x, d)]
        functions[name] = theano.function([x, d, g], outputs, mode="FAST_RUN")
        # whole numbers, so that windows have several largest elements
        images = rng.integers(-2, 3, (2, 3, 6, 9)).astype(dtype)
        shape = z.eval({x: images}).shape
        rest = rng.normal(size=images.shape), rng.normal(size=shape)
        calls.append((images, *(r.astype(dtype) for r in rest)))
    compare(functions, calls, build(functions), 0)


def test_pooling_of_nan_and_of_vectors(build):  # noqa: F811
    x, v = T.dmatrix("x"), T.dmatrix("v")
    largest = Pool(ignore_border=False)(x, (2, 2))
    along = Pool(ignore_border=True, mode="average_inc_pad", ndim=1)(v, (2,))
    f = theano.function([x, v], [largest, along], mode="FAST_RUN")
    images = np.array([[1.0, np.nan, 3.0], [4.0, 5.0, -np.inf], [-np.inf, -np.inf, 7.0]])
    for got, want in zip(build(f).model(images, images), f(images, images), strict=True):
        assert got.tobytes() == want.tobytes()


def lenet(dtype="float32"):
    """LeNet with a step of gradient descent, and its prediction."""
    x, y = T.TensorType(dtype, (False,) * 4)("x"), T.ivector("y")
    shapes = {"w0": (4, 1, 3, 3), "b0": (4,), "w1": (6, 4, 2, 2), "b1": (6,), "w2": (6, 10)}
    params = {n: theano.shared(rng.normal(size=s).astype(dtype) / 3, n) for n, s in shapes.items()}
    w0, b0, w1, b1, w2 = params.values()
    h = x
    for w, b in ((w0, b0), (w1, b1)):
        h = T.tanh(
            pool_2d(conv2d(h, w), (2, 2), ignore_border=True) + b.dimshuffle("x", 0, "x", "x")
        )
    p = T.nnet.softmax(T.dot(h.flatten(2), w2))
    cost = T.nnet.categorical_crossentropy(p, y).mean()
    updates = [
        (v, v - np.float32(0.1) * g)
        for v, g in zip(params.values(), T.grad(cost, list(params.values())))
    ]
    step = theano.function([x, y], cost, updates=updates, mode="FAST_RUN")
    return {"step": step, "predict": theano.function([x], p, mode="FAST_RUN")}, params


def test_lenet_learns_in_c(build):  # noqa: F811
    functions, params = lenet()
    module = build(functions)
    images = rng.normal(size=(5, 1, 8, 8)).astype("float32")
    labels = np.array([3, 1, 4, 1, 5], "int32")
    for _ in range(3):
        want, got = functions["step"](images, labels), module.step(images, labels)
        np.testing.assert_allclose(got, want, rtol=1e-5)
    for name, v in params.items():
        np.testing.assert_allclose(getattr(module.state, name), v.get_value(), rtol=1e-3, atol=1e-5)
    lines = re.findall(r"/\* test_c_convolutions.py:.* \*/\n +conv2d_f32\(", text_of(build))
    assert len(lines) == 4  # two layers of two functions
    want = functions["predict"](images)
    np.testing.assert_allclose(module.predict(images), want, rtol=1e-4)


def test_shapes_that_do_not_fit_stop(build):  # noqa: F811
    x, w = T.dtensor4("x"), T.dtensor4("w")
    model = build(theano.function([x, w], conv2d(x, w, input_shape=(None, 2, None, None)))).model
    assert model(np.ones((1, 2, 3, 3)), np.ones((1, 2, 3, 3))).tolist() == [[[[18]]]]
    for image, filters in (
        ((1, 2, 3, 3), (1, 2, 4, 3)),
        ((1, 2, 3, 3), (1, 3, 3, 3)),
        ((1, 3, 3, 3), (1, 3, 3, 3)),
        ((1, 2, 3, 3), (1, 2, 0, 3)),
    ):
        with pytest.raises(ValueError, match="AbstractConv2d stops"):
            model(np.ones(image), np.ones(filters))


def test_volumes_and_filters_of_places_are_refused(tmp_path):
    x, w = T.dtensor4("x"), T.TensorType("float64", (False,) * 6)("w")
    f = theano.function([x, w], AbstractConv2d(unshared=True)(x, w))
    with pytest.raises(NotImplementedError, match="volumes, or a filter for each place"):
        theano.export(f, tmp_path / "model.c")
    g = theano.function([x], Pool(ignore_border=True, ndim=3)(x, (2, 2, 2)))
    with pytest.raises(NotImplementedError, match="windows over three dimensions"):
        theano.export(g, tmp_path / "model.c")


def test_pointers_of_this_process_have_none():
    x, w = T.dtensor4s("x", "w")
    with pytest.raises(NotImplementedError, match="AbstractConv2d"):
        _ = theano.function([x, w], conv2d(x, w)).native


@pytest.mark.slow
def test_programs_with_sanitizers_print_what_the_library_gives(tmp_path):
    needed("gcc", "clang")
    wanted = {"conv2d", "AbstractConv", "AbstractConv_gradWeights", "CorrMM_gradInputs", "pool_2d"}
    chosen = [spec for spec in specs() if spec.name in wanted]
    assert len(chosen) == len(wanted)
    programs = [p for spec in chosen for p in programs_in_c.programs_of([spec], 2)]
    report = programs_in_c.run(programs, tmp_path, is_quick=True)
    assert not report.wrong, "\n".join(report.wrong)
    assert report.counts["called from C"] >= 6, report.counts
