"""The tensor language: constructors, elementwise functions, reductions, shapes."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano: scal=scalar
    theano._src.graph.graph: Apply Constant Variable
    theano._src.graph.op: Op
    theano._src.ground.errors: AsTensorError EmptyConstantError NotScalarConstantError
        ShapeError
    theano._src.ground.utils: hashtype
    theano._src.ops.arrays.axes: atleast_1d atleast_2d atleast_3d broadcast_arrays broadcast_to
        expand_dims flip fliplr flipud matrix_transpose moveaxis ndim permute_dims ravel
        rollaxis rot90 size
    theano._src.ops.arrays.creation: diag_indices diagflat empty empty_like full full_like
        geomspace identity indices ix_ linspace logspace meshgrid tril_indices triu_indices
    theano._src.ops.arrays.diagonal: AllocDiag ExtractDiag alloc_diag diag diagonal extract_diag
        fill_diagonal_ fill_diagonal_offset_
    theano._src.ops.arrays.interpolation: interp polyval
    theano._src.ops.arrays.nan_reduce: average count_nonzero nanargmax nanargmin nancumprod
        nancumsum nanmax nanmean nanmin nanprod nanstd nansum nanvar
    theano._src.ops.arrays.padding: pad
    theano._src.ops.arrays.quantiles: median nanmedian nanpercentile nanquantile percentile
        quantile take_along_axis
    theano._src.ops.arrays.select: Choose Nonzero choose flatnonzero nonzero nonzero_values
    theano._src.ops.arrays.split: roll split tile
    theano._src.ops.arrays.stacking: append array_split block column_stack dsplit dstack hsplit
        hstack unstack vsplit vstack
    theano._src.ops.core.cast: _convert_to_bool _convert_to_complex64 _convert_to_complex128
        _convert_to_float16 _convert_to_float32 _convert_to_float64 _convert_to_int8
        _convert_to_int16 _convert_to_int32 _convert_to_int64 _convert_to_uint8
        _convert_to_uint16 _convert_to_uint32 _convert_to_uint64 cast
    theano._src.ops.core.dimshuffle: DimShuffle
    theano._src.ops.core.elemwise: Elemwise
    theano._src.ops.elementwise.arithmetic: abs_ add clip int_div inv maximum minimum mod
        mod_check mul neg pow second sgn sqr sqrt sub tensor_copy true_div abs=abs_
        absolute=abs_ divide=true_div fill=second floor_div=int_div floor_divide=int_div
        intdiv=int_div multiply=mul negative=neg positive=tensor_copy power=pow remainder=mod
        sign=sgn square=sqr subtract=sub true_divide=true_div truediv=true_div
    theano._src.ops.elementwise.bessel: i0 i1 iv ive j0 j1 jv kv kve
    theano._src.ops.elementwise.compare: allclose and_ eq ge gt invert isclose isinf isinf_
        isnan isnan_ le lt neq or_ switch where xor bitwise_and=and_ bitwise_invert=invert
        bitwise_not=invert bitwise_or=or_ bitwise_xor=xor equal=eq greater=gt greater_equal=ge
        less=lt less_equal=le not_equal=neq
    theano._src.ops.elementwise.complex_parts: angle complex complex_from_polar conj imag real
        conjugate=conj
    theano._src.ops.elementwise.explog: exp exp2 expm1 log log1p log2 log10
    theano._src.ops.elementwise.incomplete: betainc gammainccinv gammaincinv
    theano._src.ops.elementwise.int_division: ceil_intdiv div_proxy
    theano._src.ops.elementwise.log_special: log1mexp
    theano._src.ops.elementwise.logic: array_equal iscomplex isfinite isneginf isposinf isreal
        logical_and logical_not logical_or logical_xor select signbit
    theano._src.ops.elementwise.rounding: ceil floor iround round round_half_away_from_zero
        round_half_to_even trunc fix=trunc rint=round_half_to_even
    theano._src.ops.elementwise.special: betaln chi2sf erf erfc erfcinv erfcx erfinv gamma
        gammainc gammaincc gammal gammaln gammau polygamma psi tri_gamma
    theano._src.ops.elementwise.trig: arccos arccosh arcsin arcsinh arctan arctan2 arctanh cos
        cosh deg2rad rad2deg sin sinh tan tanh acos=arccos acosh=arccosh asin=arcsin
        asinh=arcsinh atan=arctan atan2=arctan2 atanh=arctanh degrees=rad2deg radians=deg2rad
    theano._src.ops.elementwise.ufuncs: cbrt copysign divmod float_power fmax fmin fmod
        heaviside hypot left_shift logaddexp logaddexp2 nan_to_num nextafter reciprocal
        right_shift sinc bitwise_left_shift=left_shift bitwise_right_shift=right_shift
    theano._src.ops.index.ravel_index: PermuteRowElements inverse_permutation
        permute_row_elements
    theano._src.ops.index.slice_values: MakeSlice make_slice
    theano._src.ops.linalg.dot: Dot _dot batched_dot batched_tensordot dot matmul outer
        tensordot
    theano._src.ops.linalg.einsum: Einsum einsum
    theano._src.ops.linalg.products: convolve corrcoef correlate cov cross ediff1d inner matvec
        trapezoid vdot vecdot vecmat
    theano._src.ops.meta.default: Default default setdefault=default
    theano._src.ops.meta.disk: load
    theano._src.ops.meta.misc: ScalarFromTensor TensorFromScalar scalar_from_tensor
        tensor_from_scalar value
    theano._src.ops.meta.op_helpers: alloc_validate_shape check_and_normalize_axes is_flat
        register_transfer transfer
    theano._src.ops.nnet.logsumexp: logsumexp
    theano._src.ops.reduce.any_all: all any
    theano._src.ops.reduce.careduce: CAReduce Sum makeKeepDims mul_without_zeros prod sum
    theano._src.ops.reduce.max_min: Argmax MaxAndArgmax argmax argmin largest max max_and_argmax
        min ptp smallest amax=max amin=min
    theano._src.ops.reduce.statistics: Mean mean std var
    theano._src.ops.shape.alloc: Alloc AllocEmpty Tile alloc ones ones_like zeros zeros_like
    theano._src.ops.shape.dims: Rebroadcast addbroadcast dimshuffle patternbroadcast
        shape_padaxis shape_padleft shape_padright swapaxes transpose unbroadcast
    theano._src.ops.shape.join: Join Split concatenate horizontal_stack join join_ make_vector
        stack stacklists vertical_stack concat=concatenate
    theano._src.ops.shape.ranges: ARange Eye Tri _nd_grid arange eye identity_like mgrid ogrid
        tri tril triu
    theano._src.ops.shape.shape: Flatten Reshape Shape Shape_i SpecifyShape flatten reshape
        shape shape_i specify_shape
    theano._src.ops.shape.static_values: extract_constant get_scalar_constant_value
        get_vector_length numpy_scalar
    theano._src.types.allclose: _allclose=allclose check_equal_numpy float16_atol float16_rtol
        float32_atol float32_rtol float64_atol float64_rtol _get_atol_rtol=tolerances
        values_eq_approx_always_true
    theano._src.types.constructors: bcol bcols bmatrices bmatrix brow brows bscalar bscalars
        btensor3 btensor3s btensor4 btensor4s btensor5 btensor5s btensor6 btensor6s btensor7
        btensor7s bvector bvectors ccol ccols cmatrices cmatrix col cols complex_matrix_types
        complex_scalar_types complex_types complex_vector_types crow crows cscalar cscalars
        ctensor3 ctensor3s ctensor4 ctensor4s ctensor5 ctensor5s ctensor6 ctensor6s ctensor7
        ctensor7s cvector cvectors dcol dcols dmatrices dmatrix drow drows dscalar dscalars
        dtensor3 dtensor3s dtensor4 dtensor4s dtensor5 dtensor5s dtensor6 dtensor6s dtensor7
        dtensor7s dvector dvectors fcol fcols float_matrix_types float_scalar_types float_types
        float_vector_types fmatrices fmatrix frow frows fscalar fscalars ftensor3 ftensor3s
        ftensor4 ftensor4s ftensor5 ftensor5s ftensor6 ftensor6s ftensor7 ftensor7s fvector
        fvectors icol icols imatrices imatrix int_matrix_types int_scalar_types int_types
        int_vector_types irow irows iscalar iscalars itensor3 itensor3s itensor4 itensor4s
        itensor5 itensor5s itensor6 itensor6s itensor7 itensor7s ivector ivectors lcol lcols
        lmatrices lmatrix lrow lrows lscalar lscalars ltensor3 ltensor3s ltensor4 ltensor4s
        ltensor5 ltensor5s ltensor6 ltensor6s ltensor7 ltensor7s lvector lvectors matrices
        matrix row rows scalar scalars tensor tensor3 tensor3s tensor4 tensor4s tensor5 tensor5s
        tensor6 tensor6s tensor7 tensor7s vector vectors wcol wcols wmatrices wmatrix wrow wrows
        wscalar wscalars wtensor3 wtensor3s wtensor4 wtensor4s wtensor5 wtensor5s wtensor6
        wtensor6s wtensor7 wtensor7s wvector wvectors zcol zcols zmatrices zmatrix zrow zrows
        zscalar zscalars ztensor3 ztensor3s ztensor4 ztensor4s ztensor5 ztensor5s ztensor6
        ztensor6s ztensor7 ztensor7s zvector zvectors
    theano._src.types.convert: NumpyAutocaster as_tensor_variable autocast_float
        autocast_float_as autocast_int constant as_tensor=as_tensor_variable
    theano._src.types.dtypes: all_dtypes bool_dtypes complex_dtypes continuous_dtypes
        discrete_dtypes float_dtypes int_dtypes integer_dtypes uint_dtypes
    theano._src.types.other: NoneConst NoneTypeT SliceType slicetype
    theano._src.types.shared: TensorSharedVariable
    theano._src.types.shared_constructors: shared
    theano._src.types.tensor: TensorConstant TensorType TensorVariable _tensor_py_operators
        Tensor=TensorType
    """,
)
