"""The table `array_meaning` with the rows of all files, and evaluation by it."""

from theano._src.testing.proofs import arrays, computed, control, matrices, softmax
from theano._src.testing.proofs.symbols import array_meaning, evaluate_symbols, symbolic

#: the files that add rows
MODULES = (arrays, softmax, control, computed, matrices)

__all__ = ["array_meaning", "evaluate_symbols", "symbolic"]
