# Written by tools/stubs.py from kron.py: change that file.
from theano.tensor.slinalg import kron as kron
