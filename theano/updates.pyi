# Written by tools/stubs.py from updates.py: change that file.
from theano._src.types.updates import OrderedUpdates as OrderedUpdates
