"""Ops in C that several tests use."""

import theano.tensor as T
from theano.extend import FFIOp


class RunningSum(FFIOp):
    """The sum of all elements so far; of numbers that are not negative."""

    __props__ = ()
    itypes, otypes = [T.dvector], [T.dvector]
    inames, onames = ["x"], ["z"]
    shape_like = 0
    c_kernel = """
        double total = 0;
        for (int64_t i = 0; i < x_size; i++) {
            if (x[i] < 0) FAIL("element %ld is negative: %g", (long) i, x[i]);
            z[i] = total += x[i];
        }
    """

    def L_op(self, inputs, outputs, output_grads):
        (g,) = output_grads
        total = g.sum()
        return [total - T.cumsum(g) + g]


class Doubled(FFIOp):
    __props__ = ()
    itypes, otypes = [T.dvector], [T.dvector]
    shape_like = 0
    c_kernel = "for (int64_t i = 0; i < i0_size; i++) o0[i] = 2 * i0[i];"
