"""A user's C code inside compiled programs, beside the same in XLA's ops and as a host step.

A loop of a million numbers, in which one function is the user's: its C code, as a kernel inside
the program; the same function in XLA's own ops, which XLA fuses with the rest; and the same as a
step on the host, between two programs, as an op with ``perform`` runs. Options as in ``xla.py``.
"""

import sys

import numpy as np
from timing import XLA, Row, asked, compare, numbers, print_heading, print_machine

import theano
import theano.tensor as T
from theano import scalar
from theano.extend import FFIOp, Op

#: the aim for loops of arithmetic: what XLA takes for its own, and a tenth
AIM = 1.1
N = 10**6


class Softsign(scalar.UnaryScalarOp):
    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"{z} = {x} / (1 + fabs({x}));"


class XlogX(scalar.UnaryScalarOp):
    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"{z} = {x} == 0 ? 0 : {x} * log({x});"


class Kernel(FFIOp):
    """Softsign as an op of whole arrays: a kernel that nothing is fused with."""

    __props__ = ()
    itypes, otypes = [T.dvector], [T.dvector]
    inames, onames = ["x"], ["z"]
    shape_like = 0
    c_kernel = "for (int64_t i = 0; i < x_size; i++) z[i] = x[i] / (1 + fabs(x[i]));"


class HostStep(Op):
    """A function of NumPy arrays, which runs on the host."""

    __props__ = ("function",)
    itypes, otypes = [T.dvector], [T.dvector]
    shape_like = 0

    def __init__(self, function):
        self.function = function

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = self.function(inputs[0])


softsign = {
    "c": T.Elemwise(Softsign()),
    "kernel": Kernel(),
    "xla": lambda x: x / (1 + abs(x)),
    "host": HostStep(lambda x: x / (1 + abs(x))),
}
xlogx = {
    "c": T.Elemwise(XlogX()),
    "xla": lambda x: T.switch(T.eq(x, 0), 0.0, x * T.log(x)),
    "host": HostStep(lambda x: x * np.log(x)),
}
# the program around a function, and the aim beside XLA's ops
PROGRAMS = [
    ("3 f(2 x + 1) - x, softsign", lambda f, x: 3 * f(2 * x + 1) - x, softsign, "c", AIM),
    ("f(x), softsign", lambda f, x: f(x), softsign, "c", AIM),
    ("exp(-f(x)) x, softsign", lambda f, x: T.exp(-f(x)) * x, softsign, "c", float("inf")),
    ("3 f(2 x + 1) - x, x log x", lambda f, x: 3 * f(2 * x + 1) - x, xlogx, "c", float("inf")),
    (
        "3 f(2 x + 1) - x, FFIOp",
        lambda f, x: 3 * f(2 * x + 1) - x,
        softsign,
        "kernel",
        float("inf"),
    ),
]


def call(program, function, values):
    x = T.dvector("x")
    f = theano.function([x], program(function, x), mode=XLA)
    return lambda: f(values)


def rows():
    values = abs(numbers(N))
    for name, program, forms, which, aim in PROGRAMS:
        for beside, least in (("xla", aim), ("host", float("inf"))):
            yield Row(
                name,
                least,
                lambda scale, p=program, f=forms, w=which, b=beside: (
                    call(p, f[w], values),
                    call(p, f[b], values),
                ),
                "XLA's ops" if beside == "xla" else "host step",
            )


def main() -> int:
    options = asked(__doc__)
    print_machine()
    print_heading()
    missed = 0
    for one in rows():
        if options.only in f"{one.name} {one.beside}":
            found = compare(one, 0.3 if options.quick else 3.0, 1.0)
            print(found, flush=True)
            missed += not found.met
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
