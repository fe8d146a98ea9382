"""Ops on sparse matrices."""

from theano._src.ground.public import public as _public
from theano._src.ops.sparse import operators as _operators  # methods of variables

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.sparse.base: _is_dense _is_dense_variable _is_sparse _is_sparse_variable
        _mtype_to_str _mtypes as_sparse as_sparse_or_tensor_variable as_sparse_variable
        bsr_dmatrix bsr_fmatrix bsr_matrix constant csc_dmatrix csc_fmatrix csc_matrix
        csr_dmatrix csr_fmatrix csr_matrix matrix
    theano._src.ops.sparse.convert: Cast DenseFromSparse Neg SparseFromDense Transpose bcast
        cast ccast csc_from_dense csr_from_dense dcast dense_from_sparse fcast icast lcast neg
        transpose wcast zcast
    theano._src.ops.sparse.csm: CSC CSM CSR CSMGrad CSMProperties csm_data csm_grad csm_indices
        csm_indptr csm_properties csm_shape
    theano._src.ops.sparse.elementwise: AddSD AddSS AddSSData EqualSD EqualSS GreaterEqualSD
        GreaterEqualSS GreaterThanSD GreaterThanSS LessEqualSD LessEqualSS LessThanSD LessThanSS
        MulSD MulSS MulSV NotEqualSD NotEqualSS StructuredAddSV add add_s_d add_s_s add_s_s_data
        eq equal_s_d equal_s_s ge greater_equal_s_d greater_equal_s_s greater_than_s_d
        greater_than_s_s gt le less_equal_s_d less_equal_s_s less_than_s_d less_than_s_s lt mul
        mul_s_d mul_s_s mul_s_v neq not_equal_s_d not_equal_s_s structured_add_s_v sub
    theano._src.ops.sparse.index: ConstructSparseFromList GetItem2d GetItem2Lists
        GetItem2ListsGrad GetItemList GetItemListGrad GetItemScalar HStack VStack
        construct_sparse_from_list get_item_2d get_item_2lists get_item_2lists_grad
        get_item_list get_item_list_grad get_item_scalar hstack vstack
    theano._src.ops.sparse.products: Dot SamplingDot StructuredDot TrueDot Usmm dot sampling_dot
        structured_dot structured_dot_grad true_dot usmm
    theano._src.ops.sparse.reduce: ColScaleCSC Diag EnsureSortedIndices Remove0 RowScaleCSC
        SpSum SquareDiagonal clean col_scale diag ensure_sorted_indices remove0 row_scale
        sp_ones_like sp_sum sp_zeros_like square_diagonal
    theano._src.ops.sparse.structured: arcsin arcsinh arctan arctanh ceil conj deg2rad expm1
        floor log1p rad2deg rint sgn sin sinh sqr sqrt structured_add structured_exp
        structured_log structured_maximum structured_minimum structured_monoid structured_pow
        structured_sigmoid tan tanh trunc
    theano._src.types.sparse: SparseConstant SparseType SparseVariable _sparse_py_operators
        all_dtypes complex_dtypes continuous_dtypes discrete_dtypes float_dtypes int_dtypes
        integer_dtypes sparse_formats uint_dtypes
    """,
    at_first_use="theano._src.testing.sparse_tools: verify_grad_sparse",
)
