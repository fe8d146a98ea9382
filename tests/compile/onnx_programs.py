"""Small programs over the families of ops, with values: what an ONNX model is compared on."""

from __future__ import annotations

import numpy as np

import theano
import theano.tensor as T
from theano.ifelse import ifelse
from theano.tensor.nnet import bn, conv2d, conv3d
from theano.tensor.signal.pool import pool_2d

RNG = np.random.default_rng(20070101)


def floats(*shape):
    return RNG.normal(size=shape).astype("float32")


def shared(name, *shape):
    return theano.shared((0.3 * floats(*shape)).astype("float32"), name)


m, n, v, w = T.fmatrix("m"), T.fmatrix("n"), T.fvector("v"), T.fvector("w")
t3, x4, x5 = T.ftensor3("t"), T.ftensor4("x"), T.TensorType("float32", (False,) * 5)("y")
i, j, ints = T.iscalar("i"), T.lscalar("j"), T.lvector("k")
bytes_, flags = T.bvector("b"), T.TensorType("bool", (False,))("c")

M, N, V, W = floats(3, 4), floats(4, 5), floats(4), floats(4)
X3, X4, X5 = floats(2, 3, 4), floats(2, 3, 8, 9), floats(1, 2, 5, 6, 7)


def scan(*args, **kwargs):
    return theano.scan(*args, **kwargs)[0]


def until():
    def step(p):
        return p * 2, theano.scan_module.until(p > 20)

    return scan(step, outputs_info=v[0], n_steps=j)


def nested():
    def row(r):
        return scan(lambda e, s: s + e * e, sequences=r, outputs_info=T.zeros((), "float32"))

    return scan(row, sequences=m)


def two_states():
    def step(a, b, e):
        return b + e, a * e

    first, second = scan(
        lambda e, a, b: step(a, b, e),
        sequences=v,
        outputs_info=[T.ones((), "float32"), T.zeros((), "float32")],
    )
    return [first, second[-1]]


FILTERS = shared("filters", 4, 3, 3, 2)


def conv(**options):
    return conv2d(x4, FILTERS, **options)


def pool(ws, **options):
    return pool_2d(x4, ws, **options)


def residual():
    def normal(name, h):
        params = [shared(f"{name}_{p}", 3) for p in ("gamma", "beta", "mean")]
        params.append(theano.shared(np.float32([0.5, 1, 2]), f"{name}_var"))
        return bn.batch_normalization_test(h, *params, axes="spatial")

    h = conv2d(x4, shared("r", 3, 3, 3, 3), border_mode="half")
    return T.nnet.relu(normal("one", h) + normal("two", x4) + x4)


# name: inputs, outputs, values
# fmt: off
PROGRAMS = {
    "arithmetic": ([m, v], m * v - v / (1 + m**2), [M, V]),
    "integers and floats": ([bytes_, v], bytes_ * v, [np.int8([1, -2, 3, 4]), V]),
    "bytes wrap": ([bytes_], bytes_ * np.int8(3), [np.int8([100, -128, 127])]),
    "floored quotients": ([ints], [ints // 3, ints % 3, ints // -2, ints % -2],
                          [np.arange(-5, 6)]),
    "floored quotients of floats": ([v], [v // 0.4, v % 0.4], [V]),
    "a quotient by zero": ([ints], [7 // ints, 7 % ints], [np.array([0, 2, -2])]),
    "comparisons": ([m, v], [m < v, T.eq(m, m), T.neq(m, v), T.ge(m, 0)], [M, V]),
    "logic": ([flags], [~flags, flags & flags, flags ^ T.invert(flags), T.any(flags), T.all(flags)],
              [np.array([True, False, True])]),
    "bits": ([ints], [ints & 6, ints | 1, ints ^ 3, ~ints], [np.arange(-3, 9)]),
    "switch and clip": ([m, v], [T.switch(m > v, m, 2 * v), T.clip(m, -0.5, 0.5)], [M, V]),
    "a switch between bools": ([flags, v], T.switch(flags, v > 0, v < 1),
                               [np.array([True, False, True, False]), V]),
    "maximum": ([m, v], [T.maximum(m, v), T.minimum(m, 0)], [M, V]),
    "exponentials": ([m], [T.exp(m), T.log(abs(m)), T.sqrt(abs(m)), T.sqr(m), 1 / m], [M]),
    "small exponentials": ([v], [T.expm1(v * 1e-4), T.log1p(abs(v) * 1e-4), T.expm1(3 * v)], [V]),
    "trigonometry": ([m], [T.sin(m), T.cos(m), T.tan(m), T.arctan(m), T.sinh(m)], [M]),
    "angles": ([m, v], [T.arctan2(m, v), T.arctan2(m, 0), T.arctan2(0 * m, v)], [M, V]),
    "activations": ([m], [T.nnet.relu(m), T.nnet.relu(m, 0.1), T.nnet.elu(m), T.nnet.selu(m),
                          T.nnet.sigmoid(m), T.nnet.softplus(m), T.tanh(m),
                          T.nnet.hard_sigmoid(m)], [M]),
    "erf": ([m], [T.erf(m), m * (1 + T.erf(m / np.float32(2**0.5))) / 2], [M]),
    "rounding": ([m], [T.ceil(m), T.floor(m), T.round(m), T.trunc(m), T.sgn(m)], [4 * M]),
    "casts": ([m], [T.cast(m, "int32"), T.cast(m, "float64"), T.cast(m, "bool")], [3 * M]),
    "log of a sigmoid": ([m], T.log(T.nnet.sigmoid(m)), [20 * M]),
    "isnan": ([v], [T.isnan(v / 0), T.isinf(v / 0)], [np.float32([0, 1, -1])]),
    "sums": ([t3], [t3.sum(), t3.sum(axis=1), t3.mean(axis=(0, 2)), t3.prod(axis=0),
                    t3.sum(axis=1, keepdims=True)], [X3]),
    "a sum of integers": ([bytes_], bytes_.sum(), [np.int8([100, 100])]),
    "extremes": ([t3], [t3.max(), t3.min(axis=2), t3.argmax(axis=1), t3.argmin(),
                        *T.max_and_argmax(t3, axis=(0, 2))], [X3]),
    "variance and norm": ([m], [m.var(axis=0), m.std(), m.norm(2)], [M]),
    "dot": ([m, n, v], [T.dot(m, n), T.dot(m, v), T.dot(v, v), T.outer(v, v)], [M, N, V]),
    "a dense layer": ([m], T.tanh(T.dot(m, shared("w1", 4, 6)) + shared("b1", 6)), [M]),
    "a product used twice": ([m], [T.dot(m, shared("w1", 4, 6)) + shared("b1", 6),
                                   T.dot(m, shared("w2", 4, 6))], [M]),
    "tensordot": ([t3, m], [T.tensordot(t3, m, [[2], [1]]), T.tensordot(t3, t3, [[0, 2], [0, 2]]),
                            T.batched_dot(t3, t3.dimshuffle(0, 2, 1))], [X3, M]),
    "dimshuffle": ([m], [m.T, m.dimshuffle(1, "x", 0, "x"), m[:1].sum(0, keepdims=True).T,
                         m[:, :1].dimshuffle(1, 0)], [M]),
    "reshape": ([t3], [t3.reshape((6, 4)), t3.flatten(), t3.flatten(2), t3.reshape((-1, 2)),
                       t3.reshape((t3.shape[0], -1)), t3.reshape((t3.shape[2], t3.shape[1], -1))],
                [X3]),
    "shapes": ([t3], [t3.shape, t3.shape[1] * t3.shape[2], t3.size], [X3]),
    "filling": ([v, j], [T.zeros((j, 3)), T.alloc(v, j, v.shape[0]), T.fill(v, 2.5),
                         T.ones_like(v)], [V, np.array(2)]),
    "ranges": ([j], [T.arange(j), T.arange(1, j, 2), T.eye(j, 4, 1), T.tri(j, 3)],
               [np.array(5)]),
    "joining": ([m, v], [T.concatenate([m, m], axis=1), T.stack([v, v], axis=1),
                         T.join(0, m, v.dimshuffle("x", 0))], [M, V]),
    "splitting": ([v], T.split(v, [1, 3], 2), [V]),
    "tile and repeat": ([m], [T.tile(m, (2, 1)), T.repeat(m, 3, axis=1)], [M]),
    "slices": ([m], [m[1:], m[:, ::-1], m[-2:, 1:3], m[::2], m[5:], m[2, 1:], m[-1]], [M]),
    "slices by variables": ([m, i, j], [m[i], m[i:j], m[:, i:], m[-j:], m[j::-1]],
                            [M, np.int32(1), np.array(2)]),
    "rows by integers": ([m, ints], [m[ints], m[:, ints], m[ints, ints]],
                         [M, np.array([2, 0, -1])]),
    "several arrays": ([t3, ints], [t3[ints, :, ints], t3[:, ints, ints], t3[0, :, ints],
                                    t3[ints[:, None], ints]], [X3, np.array([1, 0])]),
    "masks": ([m], [m[m > 0], m[(m > 0).any(axis=1)]], [M]),
    "writing": ([m, v], [T.set_subtensor(m[1], v), T.inc_subtensor(m[:, 1:3], 2),
                         T.set_subtensor(m[::2, ::-1], v)], [M, V]),
    "writing by arrays": ([m, ints], [T.inc_subtensor(m[ints], 1),
                                      T.set_subtensor(m[ints, ints], 0)],
                          [M, np.array([0, 2, 0])]),
    "writing by a mask": ([m], T.set_subtensor(m[m < 0], 0), [M]),
    "sorting": ([m], [T.sort(m), T.argsort(m, axis=0), T.topk(m, 2)], [M]),
    "running sums": ([m], [T.cumsum(m, axis=1), T.cumsum(m), T.extra_ops.diff(m, 2)], [M]),
    "unique": ([ints], T.extra_ops.Unique(True, True, True)(ints), [np.array([3, 1, 3, 2])]),
    "diagonals": ([m], [T.diagonal(m), T.diagonal(m, 1), T.roll(m, 2, axis=1)], [M]),
    "softmax": ([m], [T.nnet.softmax(m), T.nnet.logsoftmax(m), T.log(T.nnet.softmax(m)),
                      T.log(T.exp(m).sum(axis=1))], [9 * M]),
    "crossentropy": ([m, ints], T.nnet.categorical_crossentropy(T.nnet.softmax(m), ints).mean(),
                     [30 * M, np.array([0, 3, 1])]),
    "negative log likelihood": ([m, ints], -T.mean(
        T.log(T.nnet.softmax(m))[T.arange(ints.shape[0]), ints]), [30 * M, np.array([0, 3, 1])]),
    "binary crossentropy": ([m], T.nnet.binary_crossentropy(T.nnet.sigmoid(m), m > 0).sum(),
                            [9 * M]),
    "one hot": ([ints], T.extra_ops.to_one_hot(ints, 4), [np.array([0, 3, 1])]),
    "batch normalization": ([x4], bn.batch_normalization_test(
        x4, *[shared(k, 1, 3, 1, 1) for k in ("gamma", "beta", "mean")],
        abs(shared("var", 1, 3, 1, 1)), axes="spatial"), [X4]),
    "normalization by the batch": ([m], bn.batch_normalization_train(
        m, *[shared(k, 1, 4) for k in ("gamma", "beta")])[0], [M]),
    "conv2d": ([x4], [conv(), conv(border_mode="full"), conv(border_mode="half"),
                      conv(border_mode=2), conv(border_mode=((1, 2), (0, 1)))], [X4]),
    "conv2d with steps": ([x4], [conv(subsample=(2, 3)), conv(filter_dilation=(2, 1)),
                                 conv(filter_flip=False)], [X4]),
    "conv2d by groups": ([x4], conv2d(x4, shared("f", 6, 1, 2, 2), num_groups=3), [X4]),
    "conv2d of filters that are given": ([x4, t3], conv2d(x4, t3.dimshuffle("x", 0, 1, 2)),
                                         [X4, floats(3, 2, 3)]),
    "conv2d and a bias": ([x4], conv() + shared("b", 4).dimshuffle("x", 0, "x", "x"), [X4]),
    "a residual block": ([x4], residual(), [X4]),
    "a sum of several layers": ([m], sum(
        T.dot(m, shared(f"w{k}", 4, 6)) + shared(f"b{k}", 6) for k in range(3)), [M]),
    "gradients of scores": ([m, ints], T.grad(
        T.nnet.categorical_crossentropy(T.nnet.softmax(m), ints).mean(), m),
        [M, np.array([0, 3, 1])]),
    "gradient of a softmax": ([m], T.grad((T.nnet.softmax(m) ** 2).sum(), m), [M]),
    "conv3d": ([x5], conv3d(x5, shared("f3", 3, 2, 2, 2, 2), border_mode="half"), [X5]),
    "transposed convolution": ([x4], T.nnet.abstract_conv.conv2d_grad_wrt_inputs(
        x4, shared("f", 3, 2, 3, 3), (None, 2, 17, 19), subsample=(2, 2)), [X4]),
    "pooling": ([x4], [pool((2, 3), ignore_border=True), pool((2, 3), ignore_border=False),
                       pool((3, 3), stride=(2, 1), ignore_border=False),
                       pool((2, 2), stride=(3, 3), ignore_border=False)], [X4]),
    "pooling with padding": ([x4], [
        pool((3, 3), stride=(2, 2), pad=(1, 1), ignore_border=True, mode=mode)
        for mode in ("max", "sum", "average_inc_pad", "average_exc_pad")], [X4]),
    "means of windows": ([x4], [pool((2, 2), ignore_border=False, mode=mode)
                                for mode in ("sum", "average_inc_pad", "average_exc_pad")], [X4]),
    "pooling of a matrix": ([m], pool_2d(m, (2, 2), ignore_border=True), [M]),
    "ifelse": ([v, i], ifelse(i, T.exp(v).sum(), v.sum()), [V, np.int32(0)]),
    "OpFromGraph": ([v, w], theano.OpFromGraph([v, w], [v * w + 1])(w, v), [V, W]),
    "scan": ([m], scan(lambda r, s: T.tanh(r + s), sequences=m, outputs_info=T.zeros_like(m[0])),
             [M]),
    "scan backwards": ([v], scan(lambda e, s: s * 0.5 + e, sequences=v, go_backwards=True,
                                 outputs_info=T.zeros((), "float32")), [V]),
    "scan with taps": ([v], scan(lambda e, a, b: e + a * b, sequences=v,
                                 outputs_info={"initial": v[:2], "taps": [-1, -2]}), [V]),
    "scan with taps of a sequence": ([v], scan(lambda a, b: a - b,
                                               sequences={"input": v, "taps": [0, 1]}), [V]),
    "scan without sequences": ([v, j], scan(lambda s: s * 2, outputs_info=v, n_steps=j)[-1],
                               [V, np.array(3)]),
    "scan of two states": ([v], two_states(), [V]),
    "scan in a scan": ([m], nested(), [M]),
    "scan until": ([v, j], until(), [np.float32([3, 1]), np.array(9)]),
    "map": ([m], theano.map(lambda r: (r**2).sum(), m)[0], [M]),
}
# fmt: on
