"""Two processes that do not do the same: each prints what it raises, and waits for the other.

python disagree.py (rows | value | late | host | argument | check | seed) FOLDER
"""

import sys
import time
from pathlib import Path

import numpy as np

import theano
import theano.tensor as T
from theano import In, distributed as dist
from theano.tensor.shared_randomstreams import RandomStreams

theano.config.floatX = "float64"
theano.config.distributed.timeout = 6
case, folder = sys.argv[1], Path(sys.argv[2])
me = dist.initialize()
mesh = dist.mesh({"data": -1})
rows = mesh["data"]
x = T.matrix("x")
start = np.full((6, 2), float(me) if case == "value" else 1.0)
W = theano.shared(start, "W", sharding=mesh.replicated)
f = theano.function([In(x, sharding=rows)], T.dot(x, W).sum(), updates=[(W, W + 1)])


def failed_check():
    """All processes raise alike, from values that are split over them; nothing is changed."""
    i = T.lscalar("i")
    V = theano.shared(np.arange(24.0).reshape(4, 6), "V", sharding=rows)
    g = theano.function([i], V[i].sum(), updates=[(V, V * 2)])
    g(3)
    before = V.container.storage[0].addressable_shards[0].data.copy()
    try:
        g(4)
    finally:
        after = V.container.storage[0].addressable_shards[0].data
        assert np.array_equal(before, after) and before.any()
        g(3)


try:
    if case == "rows":
        f(np.ones((4 + 2 * me, 6)))
    elif case == "value":
        f(np.ones((4, 6)))
    elif case == "argument":
        theano.config.distributed.check_arguments = True
        rate = T.scalar("rate")
        g = theano.function([In(x, sharding=rows), rate], x.sum() * rate)
        g(np.ones((4, 6)), 2.0)
        g(np.ones((4, 6)), 2.0 + me)
    elif case == "seed":
        RandomStreams()
    elif case == "check":
        failed_check()
    elif case == "late":
        if me == 1:
            time.sleep(9)
        f(np.ones((4, 6)))
    else:
        V = theano.shared(np.ones((4, 6)), "V", sharding=rows)
        theano.function([], V.sum(), updates=[(V, V * 2)])()
        V.get_value()
except Exception as error:
    print(f"raised {type(error).__name__}: {' '.join(str(error).split())}", flush=True)
(folder / str(me)).touch()
limit = time.monotonic() + 20
while len(list(folder.iterdir())) < 2 and time.monotonic() < limit:
    time.sleep(0.05)  # so that the other is not ended before it has spoken
