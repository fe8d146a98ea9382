# Written by tools/stubs.py from corr3d.py: change that file.
from theano._src.ops.conv.corr import (
    Corr3dMM as Corr3dMM,
    Corr3dMM_gradInputs as Corr3dMM_gradInputs,
    Corr3dMM_gradWeights as Corr3dMM_gradWeights,
)
