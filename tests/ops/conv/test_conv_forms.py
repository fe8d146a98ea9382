"""The forms of a convolution on XLA: all give the same, and shapes alone choose between them."""

import jax
import numpy as np
import pytest

from tests.ops.conv.test_conv import forward, inputs, weights
from theano._src.engines.jax.arrays.convolution import Direct, JaxConvolution, Patches, Shifts
from theano._src.engines.jax.devices import compiling_for
from theano._src.ground.convolution import Window, numpy_convolution
from theano._src.types.topology import topology

# images, filters, window: zeros, steps, gaps, groups
# fmt: off
WINDOWS = {
    "plain":            ((2, 3, 5, 4), (2, 3, 3, 2), Window(((0, 0), (0, 0)), (1, 1), (1, 1))),
    "steps leave rest": ((1, 2, 6, 7), (3, 2, 2, 3), Window(((1, 0), (2, 1)), (2, 3), (1, 1))),
    "wide borders":     ((1, 2, 3, 3), (2, 2, 2, 2), Window(((3, 2), (0, 4)), (1, 1), (1, 2))),
    "groups":           ((2, 4, 4, 4), (6, 2, 2, 3), Window(((0, 1), (1, 0)), (1, 1), (2, 1), 2)),
    "width covered":    ((2, 3, 5, 4), (2, 3, 2, 4), Window(((1, 0), (0, 0)), (2, 1), (1, 1))),
    "all covered":      ((2, 3, 5, 4), (2, 3, 5, 4), Window(((0, 0), (0, 0)), (1, 3), (1, 1))),
    "single channels":  ((2, 3, 4, 5), (3, 1, 3, 2), Window(((4, 0), (1, 2)), (1, 1), (1, 2), 3)),
}
# fmt: on


def options(window):
    return {
        "border_mode": window.pads,
        "subsample": window.strides,
        "filter_dilation": window.dilations,
        "filter_flip": False,
        "num_groups": window.groups,
    }


def whole(*shape):
    return np.random.default_rng(sum(shape)).integers(-4, 5, shape).astype("float32")


@pytest.mark.parametrize("name", WINDOWS)
def test_every_form_gives_what_loops_give(name):
    images, filters, window = WINDOWS[name]
    lengths, sizes, slides = filters[2:], images[2:], options(window)
    x, w = whole(*images), whole(*filters)
    expected = forward(x, w, **slides)
    g = whole(*expected.shape)
    wanted = [expected, weights(x, g, lengths, **slides), inputs(w, g, sizes, **slides)]

    def all_three(form, x, w, g):
        made = [form.forward(x, w, window), form.inputs(w, g, sizes, window)]
        own = [form.weights(x, g, lengths, window)] if hasattr(form, "weights") else [None]
        return [made[0], *own, made[1]]

    forms = [
        Direct(),
        Patches(),
        JaxConvolution(),
        *([Shifts()] if name == "single channels" else []),
    ]
    found = [all_three(numpy_convolution, x, w, g)]
    found += [jax.jit(all_three, static_argnums=0)(form, x, w, g) for form in forms]
    for made in found:
        for a, b in zip(made, wanted, strict=True):
            if a is not None:
                np.testing.assert_array_equal(np.asarray(a), b)


class Told:
    def __init__(self, form):
        self._form, self.used = form, False

    def __getattr__(self, name):
        self.used = True
        return getattr(self._form, name)


def chosen(images, filters, step=1, groups=1, dtype="float32"):
    """The forms of the output and of both gradients."""
    window = Window(((0, 0),) * 2, (step,) * 2, (1, 1), groups)
    rule, found = JaxConvolution(), []
    x, w = (jax.ShapeDtypeStruct(s, dtype) for s in (images, filters))
    places = window.positions(images[2:], filters[2:])
    g = jax.ShapeDtypeStruct((images[0], filters[0], *places), dtype)
    for call, at in (
        (lambda x, w: rule.forward(x, w, window), (x, w)),
        (lambda x, g: rule.weights(x, g, filters[2:], window), (x, g)),
        (lambda w, g: rule.inputs(w, g, images[2:], window), (w, g)),
    ):
        rule.direct, rule.patches, rule.shifts = map(Told, (Direct(), Patches(), Shifts()))
        with compiling_for(topology("cpu:1")):
            jax.eval_shape(call, *at)
        (used,) = [n for n in ("direct", "patches", "shifts") if getattr(rule, n).used]
        found.append(used)
    return " ".join(found)


def test_shapes_choose_the_form():
    assert chosen((20, 1, 28, 28), (20, 1, 5, 5)) == "shifts patches patches"
    assert chosen((20, 20, 12, 12), (50, 20, 5, 5)) == "patches patches patches"
    assert chosen((200, 20, 12, 12), (50, 20, 5, 5)) == "patches patches direct"
    assert chosen((4, 64, 28, 28), (64, 64, 3, 3)) == "direct patches direct"
    assert chosen((2, 1, 900, 900), (64, 1, 9, 9)) == "direct direct direct"
    assert chosen((4, 64, 28, 28), (64, 64, 1, 1)) == "patches patches patches"
    assert chosen((8, 16, 32, 32), (32, 16, 3, 3), step=2) == "direct direct direct"
    assert chosen((8, 32, 32, 32), (32, 1, 3, 3), groups=32) == "shifts direct shifts"
    assert chosen((8, 32, 32, 32), (64, 16, 3, 3), groups=2) == "patches patches patches"
    assert chosen((4, 64, 9, 9), (64, 64, 3, 3), dtype="int32") == "patches patches patches"


def test_the_gradient_of_filters_is_the_same_in_blocks_of_rows():
    window = Window(((1, 1), (1, 1)), (1, 1), (1, 1))
    x, g = whole(57, 32, 17, 17), whole(57, 5, 17, 17)

    def by(form):
        return lambda: form.weights(x, g, (3, 3), window)

    assert "length=4" in str(jax.make_jaxpr(by(Patches()))())  # of 12 rows each, and 9 are left
    np.testing.assert_array_equal(by(Patches())(), by(numpy_convolution)())


def test_within_a_conditional_channels_are_last_as_xla_needs_them_to_be_quick():
    window = Window(((0, 0), (0, 0)), (1, 1), (1, 1))
    x, w = whole(4, 32, 9, 9), whole(64, 32, 3, 3)

    def maybe(condition, x, w):
        return jax.lax.cond(condition, lambda: Direct().forward(x, w, window), lambda: w.sum() + g)

    g = np.zeros((4, 64, 7, 7), "float32")
    text = jax.jit(maybe).lower(True, x, w).compile().as_text()
    assert "b01f_01io->b01f" in text and "bf01_oi01->bf01" not in text


@pytest.mark.parametrize("height", [3, 7])
def test_a_dimension_that_filters_cover_whole_is_never_cut_into_pieces(height):
    # a piece for each of 300 columns took XLA 14 s to compile, and its transpose 300 times the work
    window = Window(((0, 0), (0, 0)), (1, 1), (1, 1))
    x, w = np.ones((2, 1, 7, 300), "float32"), np.ones((4, 1, height, 300), "float32")
    g = np.ones((2, 4, 8 - height, 1), "float32")
    form = JaxConvolution()
    for made in (
        lambda: form.forward(x, w, window),
        lambda: form.weights(x, g, (height, 300), window),
        lambda: form.inputs(w, g, (7, 300), window),
    ):
        assert len(jax.make_jaxpr(made)().eqns) < 60
