"""The programs of ``in_theano`` on short arrays in Theano 1.0.5, by its C code."""

from in_theano import (  # noqa: F401
    add_scalar,
    add_trusted,
    add_vector,
    eight_schools,
    logs_short,
    negative_binomial,
    perceptron,
    powers_short,
    radon,
    rnn_last,
)

import theano


def versions() -> dict[str, str]:
    how = "C" if theano.config.cxx else "no C"
    return {"Theano": f"{theano.__version__} ({how})"}
