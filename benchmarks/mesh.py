"""A step on a mesh of eight devices made of the CPU: ours against the same written in jax.

Blocks of steps take turns; given are the least time of a step of each and the median ratio of the
blocks of one turn. Both wait for each step: so do our calls, which may raise.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec

import theano
import theano.tensor as T
from theano import In, distributed as dist

jax.config.update("jax_enable_x64", True)


def ours(inputs: int, classes: int) -> Callable:
    mesh = dist.mesh({"data": -1})
    x, y = T.dmatrix("x"), T.lvector("y")
    W = theano.shared(np.zeros((inputs, classes)), "W", sharding=mesh.replicated)
    cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(x, W)), y).mean()
    rows = mesh["data"]
    updates = [(W, W - 0.1 * T.grad(cost, W))]
    return theano.function([In(x, sharding=rows), In(y, sharding=rows)], cost, updates=updates)


def by_hand(inputs: int, classes: int) -> Callable:
    mesh = jax.make_mesh((len(jax.devices()),), ("data",), axis_types=(AxisType.Auto,))
    rows, whole = (NamedSharding(mesh, PartitionSpec(*p)) for p in (("data",), ()))
    state = [jax.device_put(np.zeros((inputs, classes)), whole)]

    def cost(W, x, y):
        picked = jnp.take_along_axis(jax.nn.log_softmax(x @ W), y[:, None], axis=1)
        return -picked.mean()

    def step(W, x, y):
        value, slope = jax.value_and_grad(cost)(W, x, y)
        return value, W - 0.1 * slope

    compiled = jax.jit(step, donate_argnums=0, out_shardings=(whole, whole))

    def call(x, y):
        # what is given may be written to after the call, so it is copied, as ours is
        x, y = (jax.device_put(np.array(a), rows) for a in (x, y))
        value, state[0] = compiled(state[0], x, y)
        return np.asarray(value)

    return call


def block(call: Callable, data: tuple, times: int) -> float:
    begin = time.perf_counter()
    for _ in range(times):
        call(*data)
    return (time.perf_counter() - begin) / times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    rng = np.random.RandomState(0)
    print(f"{len(jax.devices())} devices, jax {jax.__version__}, load {os.getloadavg()[0]:.1f}")
    for rows, inputs in ((64, 20), (256, 784)):
        data = rng.randn(rows, inputs), rng.randint(0, 10, rows)
        calls = ours(inputs, 10), by_hand(inputs, 10)
        costs = [[float(call(*data)) for _ in range(5)] for call in calls]
        assert np.allclose(*costs, rtol=1e-9), costs
        times = [[block(call, data, options.steps) for call in calls] for _ in range(options.turns)]
        mine, theirs = (min(column) * 1e3 for column in zip(*times, strict=True))
        ratio = statistics.median(a / b for a, b in times)
        print(f"{rows} x {inputs}: {mine:.2f} ms, by hand {theirs:.2f} ms, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
