# Written by tools/stubs.py from ConvGrad3D.py: change that file.
from theano._src.ops.conv.conv3d_legacy import convGrad3D as convGrad3D
