# Written by tools/stubs.py from type.py: change that file.
from theano._src.types.sparse import SparseType as SparseType, SparseVariable as SparseVariable
