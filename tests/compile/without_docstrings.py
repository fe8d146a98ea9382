"""A program of many parts, run by Python without docstrings and asserts: ``python -OO``."""

import importlib
import pkgutil
import pydoc
import sys

import numpy as np

import theano
import theano.tensor as T


def main() -> None:
    x, w = T.dvector("x"), theano.shared(np.ones(3), "w")
    cost = (T.nnet.sigmoid(x * w) ** 2).sum()
    wanted = float((1 / (1 + np.exp(-1.0))) ** 2 * 3)
    sums, _ = theano.scan(lambda a, b: a + b, sequences=[x], outputs_info=[x[0] * 0])
    for linker in ("numpy", "xla"):
        mode = theano.Mode(linker)
        f = theano.function([x], [cost, T.grad(cost, x)], updates=[(w, w * 1)], mode=mode)
        print(linker, round(float(f(np.ones(3))[0]) - wanted, 12))
        print(theano.function([x], sums, mode=mode)(np.ones(3)).tolist())
    theano.printing.debugprint(f, file="str")
    print(theano.pprint(cost))
    pages = [f, type(f), cost, theano.function, T.tanh, T.dot, T, T.sum, theano.scan, w]
    for page in pages:
        pydoc.render_doc(page)
    f._repr_html_()
    names = [m.name for m in pkgutil.walk_packages(theano.__path__, "theano.")]
    for name in names:
        if ".__main__" not in name:
            importlib.import_module(name)
    print(len(names) > 300, sys.flags.optimize)


if __name__ == "__main__":
    main()
