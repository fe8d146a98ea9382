"""Ask Theano 1.0.5 for pickles, and for the numbers that they stand for; run by its own Python.

``THEANO_FLAGS=cxx=,blas.ldflags=,traceback.limit=0 python make.py`` writes them beside this file;
without lines, which would show where.
"""

import io
import json
import lzma
from pathlib import Path

import numpy as np
import scipy.sparse

import theano
import theano.sparse
import theano.tensor as T
import theano.typed_list
from theano.ifelse import ifelse
from theano.misc.pkl_utils import StripPickler, dump
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.shared_randomstreams import RandomStreams
from theano.tensor.signal.pool import pool_2d

HERE = Path(__file__).parent
numbers = {}


def pickled(obj, protocol=2):
    """A pickle in the way of bug reports."""
    file = io.BytesIO()
    StripPickler(file, protocol=protocol).dump(obj)
    return file.getvalue()


def write(name, obj, protocol=2):
    (HERE / f"{name}.pkl.xz").write_bytes(lzma.compress(pickled(obj, protocol), preset=9))


def plain(value):
    return np.asarray(value).tolist()


def shared_variables():
    made = [
        theano.shared(np.arange(6, dtype="float32").reshape(2, 3), "w"),
        theano.shared(np.array([0.5, -1.5]), "b"),
        theano.shared(np.arange(3), "n"),
        theano.shared(np.array(2.5)),
        theano.shared(np.ones((1, 2)), "row", broadcastable=(True, False)),
        theano.shared(3.0, "number"),
    ]
    for protocol in (0, 2, 3, 4, 5):
        write(f"shared_{protocol}", made, protocol)
    with (HERE / "shared.zip").open("wb") as file:
        dump(made, file)
    numbers["shared"] = [
        [v.name, v.dtype, list(v.broadcastable), plain(v.get_value())] for v in made
    ]


x, m, i, t, z, y = inputs = (
    T.dvector("x"),
    T.dmatrix("m"),
    T.iscalar("i"),
    T.ftensor3("t"),
    T.lvector("z"),
    T.lvector("y"),
)
VALUES = {
    "x": np.array([0.75, -1.25, 2.0]),
    "m": np.array([[1.0, 2.0, -0.5], [0.25, 3.0, 1.5]]),
    "i": np.int32(2),
    "t": np.arange(12, dtype="float32").reshape(2, 2, 3) / 4,
    "z": np.array([1, 0, 1]),
    "y": np.array([2, 0]),
}
w = theano.shared(np.array([0.5, -1.5, 2.0]), "w")
two = np.diag([2.0, 2.0, 2.0])


def elementwise():
    return {
        "arithmetic": (2 * x + w / (1 + x**2) - T.exp(-x) * T.maximum(x, 0.25)) // 0.125,
        "functions": T.log1p(T.exp(x)) + T.tanh(x) * T.sqr(x) + abs(x) - T.sgn(-x) + T.erf(x),
        "sigmoid": T.nnet.sigmoid(x) + T.nnet.softplus(x) + T.nnet.relu(x, 0.1),
        "integers": (z % 3) * z - z // 2 + T.switch(z > 1, z, -z) + (z & 1),
        "quotients of integers": (z + 1) / (z + 2) + T.sqrt(z),
        "casts": T.cast(x, "float32") + T.cast(i, "int8") + T.cast(m[0], "int64"),
        "clip": T.clip(x, -1, 1) + T.round(x) + T.floor(x) + T.eq(x, 1) + T.neq(x, 1) + T.isnan(x),
        "fill": T.fill(x, 2) + T.patternbroadcast(x, [False]) + T.pow(abs(x), 0.5),
    }


def arrays():
    masked = m[(m > 1).nonzero()].sum() + m[m > 1].sum()
    return {
        "reductions": m.sum(axis=0)
        + m.prod()
        + m.mean(1).sum()
        + m.var()
        + m.max(axis=0)
        - m.min(),
        "arguments": T.argmax(m, axis=1) + T.argmin(m) + T.any(m > 2) + T.all(m > -9),
        "dimshuffle": m.dimshuffle("x", 1, 0) * m.T + m.T.dimshuffle(0, "x", 1).sum(),
        "slices": m[1:, ::-1] + m[i - 1, 0] + x[-2] + x[i:].sum() + x[:-1][0],
        "indices": m[z, z].sum() + m[:, z].sum() + x[z] + m.flatten()[z] + masked,
        "indices and slices": t[z, :, z].sum() + t[z, None, 1:].sum() + t[:, z, 0],
        "writes": T.inc_subtensor(x[1:], 3.0) + T.set_subtensor(x[i], w[0]),
        "writes by indices": T.inc_subtensor(x[z], x[z]) + T.set_subtensor(m[z, z], 7.0).sum(),
        "shapes": m.reshape((3, 2)) + m.shape[0] + T.zeros_like(m.T) + x.size + x.reshape((3, 1)),
        "joins": T.concatenate([x, w, T.arange(3)]) + T.stack([x[0]] * 9) + T.tile(x, 3),
        "allocations": T.alloc(1.5, 2, 3) + T.ones((2, 3)) + T.eye(2, 3) + T.identity_like(m),
        "sorting": T.cumsum(x) + T.sort(x) + T.argsort(x) + T.repeat(x, 2)[:3],
        "split": T.split(m, [1, 2], 2, axis=1)[1].sum() + T.split(m, [1, 2], 2, axis=1)[0],
    }


def models():
    hidden = T.nnet.sigmoid(T.dot(m, x)) ** 2
    loss = T.nnet.categorical_crossentropy(T.nnet.softmax(m), y).sum()
    s = theano.sparse.csr_matrix("s")
    made_sparse = theano.sparse.CSR(x, T.constant([0, 1, 2]), T.constant([0, 1, 3]), (2, 3))
    assert s.type == made_sparse.type
    a, b = T.dscalars("ab")
    return {
        "products": T.dot(m, x) + T.dot(m, m.T).sum() + T.dot(x, w) + T.outer(x, x).sum(),
        "products of tensors": T.tensordot(t, T.cast(m, "float32"), axes=[[2], [1]]),
        "batches": T.batched_dot(t, t.dimshuffle(0, 2, 1)),
        "softmax": T.nnet.softmax(m) + T.nnet.logsoftmax(m),
        "costs": loss + T.nnet.binary_crossentropy(T.nnet.sigmoid(x), abs(T.tanh(x))).sum(),
        "linear algebra": T.nlinalg.matrix_inverse(two)
        + T.nlinalg.det(two)
        + T.slinalg.cholesky(two),
        "choice": ifelse(i > 0, x * 2, x - 1),
        "gradient": T.grad(hidden.sum() + T.log(T.nnet.softmax(m))[0, 1], x),
        "no gradient": theano.gradient.disconnected_grad(x) + theano.gradient.zero_grad(x),
        "gradient of a cost": T.grad(loss, m),
        "fourier": T.abs_(T.fft.rfft(x.dimshuffle("x", 0))[:, :, 0]),
        "norm": x.norm(2) + T.nlinalg.trace(two),
        "convolution": T.nnet.conv2d(t.dimshuffle("x", 0, 1, 2), T.ones((2, 2, 1, 2), "float32")),
        "pool": pool_2d(t, (1, 2), ignore_border=True),
        "sparse": theano.sparse.dot(made_sparse, m.T)
        + theano.sparse.dense_from_sparse(made_sparse).sum(),
        "list": theano.typed_list.append(theano.typed_list.make_list([x, w]), x * 2)[2],
        "own graph": theano.OpFromGraph([a, b], [a * b + 1])(x[0], x[1]),
        "scan": theano.scan(
            lambda a, b: b * 0.5 + a, sequences=x, outputs_info=T.zeros((), "float64")
        )[0],
    }


# what Theano 1.0.5 does not run without a compiler: a kernel of ones sums, pairs have a maximum
WRITTEN_OUT = {
    "convolution": np.stack([(VALUES["t"][:, :, 1:] + VALUES["t"][:, :, :-1]).sum(0)] * 2)[None],
    "pool": VALUES["t"][:, :, :2].max(2, keepdims=True),
}


def graphs():
    found = {**elementwise(), **arrays(), **models()}
    numbers["graphs"] = {}
    for name, out in found.items():
        if name in WRITTEN_OUT:
            got = WRITTEN_OUT[name]
        else:
            f = theano.function(inputs, out, on_unused_input="ignore", mode="FAST_COMPILE")
            got = f(*[VALUES[v.name] for v in inputs])
        numbers["graphs"][name] = {"dtype": str(got.dtype), "value": plain(got)}
    numbers["inputs"] = {name: [str(v.dtype), plain(v)] for name, v in VALUES.items()}
    # a pickle for each, so that one which is refused leaves the others
    write("graphs", [(name, pickled((inputs, out))) for name, out in found.items()])
    write("node", [T.exp(x).owner, T.exp, T.add, T.dvector, T.TensorType("int8", [True])])
    write("constants", [T.constant(1.5), T.constant(np.arange(3), name="c"), T.constant(2)])
    write("other", [theano.shared(scipy.sparse.csr_matrix(two), "s"), theano.shared({"a": 1}, "o")])


def functions():
    x = T.dvector("x")
    w = theano.shared(np.array([1.0, 2.0]), "w")
    f = theano.function([x], (x * w).sum(), updates=[(w, w + x)], name="step")
    g = theano.function([x], T.exp(x) + w, name="read")
    h = theano.function([theano.In(x, value=np.array([3.0, 4.0]))], [x, x**2], name="default")
    s = T.dscalar("s")
    k = theano.function([theano.In(s, value=1.0, update=s * 2)], {"s": s}, name="state")
    f([1.0, 1.0])
    k()
    write("functions", [f, g, h, k, w])
    numbers["functions"] = {
        "step": plain(f([1.0, 2.0])),
        "read": plain(g([0.0, 1.0])),
        "w": plain(w.get_value()),
        "default": [plain(v) for v in h()],
        "state": [plain(k()["s"]), plain(k()["s"])],
    }


def streams():
    for name, kind in (("streams", RandomStreams), ("mrg", MRG_RandomStreams)):
        rng = kind(7)
        few = {"nstreams": 2} if kind is MRG_RandomStreams else {}
        f = theano.function([], [rng.uniform((3,), **few), rng.normal((2,), **few)], name="draw")
        f()
        write(name, [f, rng])
        numbers[name] = [plain(v) for v in f()]
        late = theano.function([], rng.uniform((2,), **few), name="late")
        numbers[f"late {name}"] = plain(late())


def dumped():
    x = T.dmatrix("x")
    w = theano.shared(np.array([1.0, 2.0]), "w")
    path = HERE / "function_dump.pkl"
    theano.function_dump(str(path), [x], T.dot(x, w), updates=[(w, w * 2)], name="reported")
    (HERE / "function_dump.pkl.xz").write_bytes(lzma.compress(path.read_bytes(), preset=9))
    path.unlink()


if __name__ == "__main__":
    shared_variables()
    graphs()
    functions()
    streams()
    dumped()
    (HERE / "numbers.json").write_text(json.dumps(numbers, indent=1, sort_keys=True) + "\n")
