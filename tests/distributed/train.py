"""A program for several processes: trains, saves every five steps, prints its cost at the end.

    python train.py FOLDER [split] [slowly] [steps N] [kill | stall | fail STEP PROCESS]

With `split` its parameters are split over the devices; `steps` says how many there are, which are
told one by one. In the first attempt the process that is named kills itself, stops going on, or
raises an error, at a step.
"""

import os
import signal
import sys
import time

import numpy as np

import theano
import theano.tensor as T
from theano import In, distributed as dist

theano.config.floatX = "float64"
theano.config.distributed.timeout = 20
folder, *options = sys.argv[1:]
told = "steps" in options
steps = int(options[options.index("steps") + 1]) if told else 30
me, n = dist.initialize(), dist.process_count()
mesh = dist.mesh({"data": -1})
rows = mesh["data"]
x, y = T.matrix("x"), T.lvector("y")
W = theano.shared(np.zeros((24, 4)), "W", sharding=rows if "split" in options else mesh.replicated)
cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(x, W)), y).mean()
step = theano.function(
    [In(x, sharding=rows), In(y, sharding=rows)], cost, updates=[(W, W - 0.1 * T.grad(cost, W))]
)


def batch(k):
    rng = np.random.RandomState(k)
    whole = rng.randn(24, 24), rng.randint(0, 4, 24)
    return [part[me * 24 // n : (me + 1) * 24 // n] for part in whole]


def misfortune(k):
    for what in ("kill", "stall", "fail"):
        if what in options and os.environ.get("THEANO_ATTEMPT") == "0":
            at, who = map(int, options[options.index(what) + 1 :][:2])
            if (k, me) == (at, who):
                print(f"process {me} comes to grief at step {k}", flush=True)
                if what == "kill":
                    os.kill(os.getpid(), signal.SIGKILL)
                elif what == "stall":
                    time.sleep(600)
                else:
                    raise ArithmeticError("made up")


found = dist.load(folder, [W])
print(f"begins at step {found[0] if found else 0} of process {me} of {n}", flush=True)
for k in range(found[0] if found else 0, steps):
    misfortune(k)
    last = step(*batch(k))
    stop = dist.should_stop(k)
    if (k + 1) % 5 == 0 or stop:
        dist.save(folder, k + 1, [W], wait=told)
    if told:
        print(f"did step {k}", flush=True)
    if stop:
        print(f"stops after step {k}", flush=True)
        break
    if "slowly" in options:
        time.sleep(0.02 if told else 0.3)
print(f"cost {float(last)!r} sum {float(abs(dist.gather(W)).sum())!r}", flush=True)
dist.shutdown()
