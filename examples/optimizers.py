"""Updates by Adam, for the programs that share them."""

import numpy as np

import theano
import theano.tensor as T


def adam(cost, params, rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, clip=None):
    """Adam (Kingma and Ba, 2015); gradients whose joint norm is over ``clip`` are scaled to it."""
    grads = T.grad(cost, params)
    # numbers of Python may be float64, and would make updates of float32 parameters so
    cast = lambda value: T.cast(value, cost.dtype)
    rate, beta1, beta2, epsilon = map(cast, (rate, beta1, beta2, epsilon))
    if clip is not None:
        norm = T.sqrt(sum((g**2).sum() for g in grads))
        grads = [g * T.minimum(1, cast(clip) / norm) for g in grads]
    t = theano.shared(np.asarray(0, dtype=cost.dtype), "t")
    updates = [(t, t + 1)]
    scale = rate * T.sqrt(1 - beta2 ** (t + 1)) / (1 - beta1 ** (t + 1))
    for p, g in zip(params, grads):
        m, v = (theano.shared(np.zeros_like(p.get_value()), p.name + s) for s in ("_m", "_v"))
        m_new, v_new = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g**2
        updates += [(m, m_new), (v, v_new)]
        updates.append((p, p - scale * m_new / (T.sqrt(v_new) + epsilon)))
    return updates
