# Written by tools/stubs.py from corr.py: change that file.
from theano._src.ops.conv.corr import (
    CorrMM as CorrMM,
    CorrMM_gradInputs as CorrMM_gradInputs,
    CorrMM_gradWeights as CorrMM_gradWeights,
)
