# Written by tools/stubs.py from conv.py: change that file.
from theano._src.ops.conv.conv_signal import conv2d as conv2d
