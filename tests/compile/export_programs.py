"""Small programs that are exported: inputs, their values for a length, outputs, options."""

import numpy as np

import theano
import theano.tensor as T
from theano.ifelse import ifelse
from theano.tensor.signal.pool import pool_2d

rng = np.random.RandomState(0)

x, v, seq, im = T.dmatrix("x"), T.dvector("v"), T.dtensor3("seq"), T.dtensor4("im")
ints, rows = T.lvector("ints"), T.ivector("rows")
W = theano.shared(rng.randn(3, 3), "W")
K = theano.shared(rng.randn(3, 2, 3, 3), "K")
IMAGES = {"shapes": {im: ("n", 2, 6, 6)}}
SQUARE = {"shapes": {x: (3, 3)}}


def a(*shape):
    return rng.uniform(0.2, 0.9, shape)


def spd(n):
    m = rng.randn(n, n)
    return m @ m.T + n * np.eye(n)


def scanned(step, over, **options):
    return theano.scan(step, over, **options)[0]


def rnn(s, **options):
    start = T.zeros((s.shape[1], 3))
    return scanned(lambda e, h: T.tanh(e.dot(W) + h.dot(W)), s, outputs_info=start, **options)


def last_before_50(s):
    made = scanned(
        lambda h: (h * 2, theano.scan_module.until(h.sum() > 50)),
        None,
        outputs_info=s,
        n_steps=20,
    )
    return made[-1]


#: inputs, their values for a length n, outputs, options
PROGRAMS = {
    "arithmetic": ([x], lambda n: [a(n, 3)], (x + 2) * x / 3 - x**2 + abs(-x), {}),
    "functions": ([x], lambda n: [a(n, 3)], T.exp(x) + T.log(x) + T.sqrt(x) + T.tanh(x), {}),
    "special": ([x], lambda n: [a(n, 3)], T.erf(x) + T.gammaln(x) + T.psi(x), {}),
    "activations": (
        [x],
        lambda n: [a(n, 3)],
        T.nnet.sigmoid(x) + T.nnet.softplus(x) + T.nnet.relu(x - 0.5),
        {},
    ),
    "softmax": ([x], lambda n: [a(n, 3)], [T.nnet.softmax(x), T.nnet.logsoftmax(x)], {}),
    "reductions": (
        [x],
        lambda n: [a(n, 3)],
        [x.sum(), x.sum(0), x.mean(1), x.max(1), x.min(), x.prod(0), x.var()],
        {},
    ),
    "sums of integers": (
        [rows],
        lambda n: [np.arange(n, dtype="int32")],
        [rows.sum(), rows.mean(), T.cumsum(rows)],
        {},
    ),
    "choices": (
        [x],
        lambda n: [a(n, 3)],
        [T.argmax(x, 1), T.sort(x, 1), T.argsort(x, 0), T.any(x > 0.5, axis=0)],
        {},
    ),
    "products": ([x], lambda n: [a(n, 3)], [x.dot(x.T), x.dot(W), T.outer(x[0], x[0])], {}),
    "products of stacks": (
        [seq],
        lambda n: [a(n, 4, 3)],
        [T.batched_dot(seq, seq.dimshuffle(0, 2, 1)), T.tensordot(seq, seq, [[2], [2]])],
        {},
    ),
    "shapes": (
        [x],
        lambda n: [a(n, 3)],
        [x.shape, x.flatten(), x.reshape((x.shape[1], x.shape[0])), x.dimshuffle(1, "x", 0)],
        {},
    ),
    "slices": ([x], lambda n: [a(n, 3)], [x[1:], x[:, ::2], x[::-1], x[0], x[-1], x[:2, 1]], {}),
    "indices": (
        [x, ints],
        lambda n: [a(n, 3), np.arange(n) % 3],
        [x[:, T.as_tensor([0, 2])], x[T.arange(x.shape[0]), ints]],
        {"shapes": {x: ("n", 3), ints: ("n",)}},
    ),
    "rows": ([ints], lambda n: [np.arange(n) % 3], W[ints], {}),
    "writes": (
        [x],
        lambda n: [a(n, 3)],
        [T.set_subtensor(x[0], 1.0), T.inc_subtensor(x[1:], 2.0), T.inc_subtensor(x[[0, 0]], 1.0)],
        {},
    ),
    "joins": (
        [x],
        lambda n: [a(n, 3)],
        [T.concatenate([x, x], 1), T.stack([x, x]), T.tile(x, (2, 1))],
        {},
    ),
    "new arrays": (
        [x],
        lambda n: [a(n, 3)],
        [T.zeros((x.shape[0], 2)), T.ones_like(x), T.eye(x.shape[0]), T.arange(x.shape[1])],
        {},
    ),
    "masks": ([x], lambda n: [a(n, 3)], [T.switch(x > 0.5, x, 0), T.clip(x, 0.3, 0.6)], {}),
    "integers": (
        [ints],
        lambda n: [np.arange(n) % 3],
        [ints // 2, ints % 2, -ints, ints < 1, T.cast(ints, "float32") / 3],
        {},
    ),
    "complex numbers": (
        [x],
        lambda n: [a(n, 3)],
        [abs(T.complex(x, -x)), T.complex(x, -x).imag],
        {},
    ),
    "linear algebra": (
        [x],
        lambda n: [spd(3)],
        [
            T.nlinalg.matrix_inverse(x),
            T.slinalg.cholesky(x),
            T.nlinalg.det(x),
            T.nlinalg.eigh(x)[0],
        ],
        SQUARE,
    ),
    "convolution": (
        [im],
        lambda n: [a(n, 2, 6, 6)],
        T.nnet.conv2d(im, K, border_mode="half", subsample=(2, 2)),
        IMAGES,
    ),
    "gradients of a convolution": (
        [im],
        lambda n: [a(n, 2, 6, 6)],
        T.grad(T.sqr(T.nnet.conv2d(im, K)).sum(), [im, K]),
        IMAGES,
    ),
    "images of any size": (
        [im],
        lambda n: [a(n, 2, n + 2, n + 3)],
        T.nnet.conv2d(im, K),
        {"constraints": ["im_2 >= 3", "im_3 >= 3"]},
    ),
    "pooling": (
        [im],
        lambda n: [a(n, 2, 6, 6)],
        [
            pool_2d(im, (2, 2), ignore_border=True),
            pool_2d(im, (3, 3), ignore_border=True, mode="sum"),
        ],
        IMAGES,
    ),
    "gradient of pooling": (
        [im],
        lambda n: [a(n, 2, 6, 6)],
        T.grad(T.sqr(pool_2d(im, (2, 2), ignore_border=True)).sum(), im),
        IMAGES,
    ),
    "recurrence": ([seq], lambda n: [a(n, 2, 3)], rnn(seq), {}),
    "recurrence backwards": ([seq], lambda n: [a(n, 2, 3)], rnn(seq, go_backwards=True)[-1], {}),
    "gradient of a recurrence": (
        [seq],
        lambda n: [a(n, 2, 3)],
        T.grad(rnn(seq)[-1].sum(), [seq, W]),
        {},
    ),
    "a loop that ends by itself": ([v], lambda n: [a(n)], last_before_50(v), {}),
    "steps without a state": (
        [x],
        lambda n: [a(n, 3)],
        theano.map(lambda e: e.sum() * e, x)[0],
        {},
    ),
    "a branch": ([x], lambda n: [a(n, 3)], ifelse(x.sum() > 2, x * 2, x - 1), {}),
    "cross-entropy": (
        [x, ints],
        lambda n: [a(n, 3), np.arange(n) % 3],
        T.nnet.categorical_crossentropy(T.nnet.softmax(x), ints).mean(),
        {},
    ),
    "gradient of cross-entropy": (
        [x, ints],
        lambda n: [a(n, 3), np.arange(n) % 3],
        T.grad(T.nnet.categorical_crossentropy(T.nnet.softmax(x), ints).mean(), x),
        {},
    ),
}
