"""Functions of many kinds, pickled in one process and called in another.

``python -m tests.compile.pickled_functions write FOLDER`` pickles them after a call, and writes
what the next two calls give; ``read FOLDER`` loads them and compares, bit for bit.
"""

import json
import pickle
import sys
from pathlib import Path

import numpy as np
import scipy.sparse

import theano
import theano.sparse
import theano.tensor as T
import theano.typed_list
from theano.ifelse import ifelse
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.shared_randomstreams import RandomStreams

PROTOCOLS = (2, 3, 4, 5)


def functions():
    x, w = T.dvector("x"), theano.shared(np.ones(3), "w")
    a, b = T.dscalars("ab")
    s, number = theano.sparse.csr_matrix("s"), T.dscalar("number")
    values = theano.typed_list.TypedListType(T.dvector)("values")
    draws, mrg = RandomStreams(3), MRG_RandomStreams(4)
    start = T.constant(1.0, dtype="float64")
    summed, _ = theano.scan(lambda v, sofar: sofar * 0.5 + v, sequences=x, outputs_info=start)
    return {
        "updates": theano.function([x], (x * w).sum(), updates=[(w, w + x)]),
        "of the same variable": theano.function([], w * 2),
        "givens": theano.function([x], (w * 2).sum(), givens={w: x}),
        "numpy streams": theano.function([], [draws.normal((3,)), draws.permutation(n=4)]),
        "mrg streams": theano.function([], mrg.uniform((3,))),
        "scan": theano.function([x], [summed, T.grad(summed[-1], x)]),
        "ifelse": theano.function([x], ifelse(x.sum() > 0, T.exp(x), x * w)),
        "own graph": theano.function([x], theano.OpFromGraph([a, b], [a * b + 1])(x[0], x[1])),
        "sparse": theano.function([s, x], theano.sparse.dot(s, x.dimshuffle(0, "x"))),
        "list": theano.function([values], theano.typed_list.append(values, values[0] * 2)[1]),
        "dict": theano.function([x], {"a": x + 1, "b": x[::-1]}),
        "nothing": theano.function([x], None, updates=[(w, w * x)]),
        "indices": theano.function([x], [x[[0, 2]], T.set_subtensor(x[1:], 0), T.nnet.softmax(x)]),
        "state": theano.function([theano.In(number, value=1.0, update=number * 2)], number),
        "linear algebra": theano.function([x], T.nlinalg.det(T.outer(x, x) + T.eye(3))),
    }


X = np.array([1.0, 2.0, 3.0])
ARGUMENTS = {
    "sparse": (scipy.sparse.csr_matrix(np.eye(3)), X),
    "list": ([np.ones(2)],),
    **dict.fromkeys(["of the same variable", "numpy streams", "mrg streams", "state"], ()),
}


def plain(value):
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    return value.toarray().tolist() if scipy.sparse.issparse(value) else np.asarray(value).tolist()


def called(found):
    return {name: plain(f(*ARGUMENTS.get(name, (X,)))) for name, f in found.items()}


def write(folder):
    found = functions()
    called(found)
    for protocol in PROTOCOLS:
        (folder / f"{protocol}.pkl").write_bytes(pickle.dumps(found, protocol))
    (folder / "calls.json").write_text(json.dumps([called(found), called(found)]))


def read(folder):
    expected = json.loads((folder / "calls.json").read_text())
    for protocol in PROTOCOLS:
        found = pickle.loads((folder / f"{protocol}.pkl").read_bytes())
        assert [called(found), called(found)] == expected, protocol
    assert "jax" not in sys.modules
    print("the same")


if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](Path(sys.argv[2]))
