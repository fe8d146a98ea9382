# Written by tools/stubs.py from ConvTransp3D.py: change that file.
from theano._src.ops.conv.conv3d_legacy import convTransp3D as convTransp3D
