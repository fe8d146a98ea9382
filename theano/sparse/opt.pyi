# Written by tools/stubs.py from opt.py: change that file.
from theano._src.rules.sparse import (
    local_csm_properties_csm as local_csm_properties_csm,
    local_dense_from_sparse_sparse_from_dense as local_dense_from_sparse_sparse_from_dense,
    local_usmm as local_usmm,
)
