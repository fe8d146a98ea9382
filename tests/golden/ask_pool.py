"""Asks Theano 1.0.5 what pooling gives, and its gradients; run by an environment that has it.

``python ask_pool.py > pool.json``: one record for each line of ``CASES``, each with what was asked.
Written for that environment's Python too.
"""

import itertools
import json
import sys

import numpy as np

MODES = ["max", "sum", "average_inc_pad", "average_exc_pad"]


def numbers(shape, seed):
    """Quarters between -5 and 5, with ties: the same wherever they are asked for."""
    n = int(np.prod(shape))
    return ((np.arange(n) * 37 + seed * 11) % 101 % 41 - 20).reshape(shape) / 4.0


def cases():
    """What is asked: shape of the images, then the arguments of pooling."""
    image = (2, 1, 5, 6)
    for mode, ws, border in itertools.product(MODES, [(2, 2), (3, 2)], [True, False]):
        yield image, ws, border, None, (0, 0), mode
    for mode, border in itertools.product(MODES, [True, False]):
        yield image, (3, 2), border, (1, 1), (0, 0), mode
        yield image, (2, 3), border, (3, 2), (0, 0), mode
        yield image, (2, 2), border, (3, 4), (0, 0), mode
    for mode in MODES:
        yield image, (2, 2), True, None, (1, 1), mode
        yield image, (3, 3), True, (2, 1), (1, 2), mode
        yield (6, 7), (5, 6), True, (1, 1), (0, 0), mode
        yield (1, 4, 3, 5), (2, 2, 2), False, None, (0, 0, 0), mode
        yield (4, 4, 3), (3, 2, 2), True, (2, 2, 1), (1, 0, 1), mode
    yield (3, 5), (7, 7), False, (2, 2), (0, 0), "max"
    yield (3, 5), (7, 7), True, (2, 2), (0, 0), "max"


def answer(image, ws, border, stride, pad, mode):
    """What Theano gives: values, gradient, derivative along a direction, gradient of gradient."""
    import theano
    import theano.tensor as T
    from theano.tensor.signal.pool import pool_2d, pool_3d

    x = T.TensorType("float64", (False,) * len(image))("x")
    pool = pool_2d if len(ws) == 2 else pool_3d
    z = pool(x, ws, ignore_border=border, stride=stride, pad=pad, mode=mode)
    value = theano.function([x], z)(numbers(image, 1))
    cost = T.sum(z * z * numbers(value.shape, 2))
    asked = {
        "grad": lambda: T.grad(cost, x),
        "rop": lambda: T.Rop(z, x, T.constant(numbers(image, 3))),
        "grad_grad": lambda: T.grad(T.sum(T.grad(cost, x) * numbers(image, 4)), x),
    }
    found = {"value": value.tolist(), "shape": list(value.shape)}
    for name, make in sorted(asked.items()):
        try:
            found[name] = theano.function([x], make(), on_unused_input="ignore")(
                numbers(image, 1)
            ).tolist()
        except Exception as e:
            found[name] = None
            found.setdefault("refused", {})[name] = type(e).__name__ + ": " + str(e).split("\n")[0]
    return found


def main():
    keys = ["image", "ws", "ignore_border", "stride", "pad", "mode"]
    records = []
    for case in cases():
        record = dict(zip(keys, case))
        record.update(answer(*case))
        records.append(record)
        sys.stderr.write(".")
    lines = ",\n".join(json.dumps(r, sort_keys=True) for r in records)
    sys.stdout.write("[\n" + lines + "\n]\n")


if __name__ == "__main__":
    main()
