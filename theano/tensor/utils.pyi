# Written by tools/stubs.py from utils.py: change that file.
from theano._src.compile.display.shapes import shape_of_variables as shape_of_variables
from theano._src.ground.utils import (
    hash_from_dict as hash_from_dict,
    hash_from_ndarray as hash_from_ndarray,
)
