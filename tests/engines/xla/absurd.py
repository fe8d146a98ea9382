"""Programs of absurd lengths, run in a process of their own: XLA used to end it."""

import numpy as np

import theano
import theano.tensor as T


def main() -> None:
    n, x = T.lscalar(), T.dvector()
    outer = T.outer(T.arange(n), T.arange(n))
    loop, _ = theano.scan(lambda a: T.eye(n) + a, outputs_info=[x[0] + T.eye(n)], n_steps=2)
    programs = {
        "Alloc": (T.zeros((n, n)) + T.tanh(x[0]), 2**33),
        "Eye": (T.eye(n), 2**33),
        "ARange": (outer, 2**33),
        "for": (loop[-1], 2**33),
        "ARange of one": (T.arange(n) + 1, 2**40),
    }
    for name, (out, length) in programs.items():
        f = theano.function([n, x], out, mode=theano.Mode("xla"), on_unused_input="ignore")
        f(2, np.ones(3))
        try:
            f(length, np.ones(3))
        except Exception as e:
            said = [str(e), *getattr(e, "__notes__", ())]
            named = any("Apply node that caused the error" in text for text in said)
            print(f"{name}: {type(e).__name__} {named}", flush=True)


if __name__ == "__main__":
    main()
