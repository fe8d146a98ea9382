"""The programs of ``in_casadi`` through ``Function.buffer``: nothing is converted.

CasADi reads and writes the memory of NumPy arrays, in which columns follow one another.
"""

import in_casadi
import numpy as np
from in_casadi import (  # noqa: F401
    add_scalar,
    add_vector,
    eight_schools,
    logs_short,
    perceptron,
    powers_short,
    radon,
    rnn_last,
    versions,
)


def called(function):
    buffer, run = function.buffer()
    shapes = [_shape(function.size_out(k)) for k in range(function.n_out())]

    def call(*args):
        read = [_flat(a) for a in args]
        written = [np.empty(shape) for shape in shapes]
        _place(buffer, read, written)
        run()
        return written if len(written) > 1 else written[0]

    return call


def descend(step, values):
    """A call of a function of inputs and parameters: it writes new ones into a second set."""
    buffer, run = step.buffer()
    held = [np.array(_flat(v)) for v in values]
    spare = [np.empty_like(v) for v in held]

    def call(*args):
        nonlocal held, spare
        read = [_flat(a) for a in args]
        cost = np.empty(())
        _place(buffer, read + held, [cost, *spare])
        run()
        held, spare = spare, held
        return cost

    return call


def _flat(values):
    """The numbers, column after column: buffers have one dimension."""
    return np.ravel(values, order="F")


def _shape(size):
    return () if size == (1, 1) else (size[0],)


def _place(buffer, read, written):
    for k, values in enumerate(read):
        buffer.set_arg(k, memoryview(values))
    for k, values in enumerate(written):
        buffer.set_res(k, memoryview(values))


# the programs call functions in this way from now on
vars(in_casadi).update(called=called, descend=descend)
