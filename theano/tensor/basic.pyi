# Written by tools/stubs.py from basic.py: change that file.
from theano import scalar as _scalar
from theano._src.graph.graph import Apply as Apply, Constant as Constant, Variable as Variable
from theano._src.graph.op import Op as Op
from theano._src.ground.errors import (
    AsTensorError as AsTensorError,
    EmptyConstantError as EmptyConstantError,
    NotScalarConstantError as NotScalarConstantError,
    ShapeError as ShapeError,
)
from theano._src.ground.utils import hashtype as hashtype
from theano._src.ops.arrays.axes import (
    atleast_1d as atleast_1d,
    atleast_2d as atleast_2d,
    atleast_3d as atleast_3d,
    broadcast_arrays as broadcast_arrays,
    broadcast_to as broadcast_to,
    expand_dims as expand_dims,
    flip as flip,
    fliplr as fliplr,
    flipud as flipud,
    matrix_transpose as matrix_transpose,
    moveaxis as moveaxis,
    ndim as ndim,
    permute_dims as permute_dims,
    ravel as ravel,
    rollaxis as rollaxis,
    rot90 as rot90,
    size as size,
)
from theano._src.ops.arrays.creation import (
    diag_indices as diag_indices,
    diagflat as diagflat,
    empty as empty,
    empty_like as empty_like,
    full as full,
    full_like as full_like,
    geomspace as geomspace,
    identity as identity,
    indices as indices,
    ix_ as ix_,
    linspace as linspace,
    logspace as logspace,
    meshgrid as meshgrid,
    tril_indices as tril_indices,
    triu_indices as triu_indices,
)
from theano._src.ops.arrays.diagonal import (
    AllocDiag as AllocDiag,
    ExtractDiag as ExtractDiag,
    alloc_diag as alloc_diag,
    diag as diag,
    diagonal as diagonal,
    extract_diag as extract_diag,
    fill_diagonal_ as fill_diagonal_,
    fill_diagonal_offset_ as fill_diagonal_offset_,
)
from theano._src.ops.arrays.interpolation import interp as interp, polyval as polyval
from theano._src.ops.arrays.nan_reduce import (
    average as average,
    count_nonzero as count_nonzero,
    nanargmax as nanargmax,
    nanargmin as nanargmin,
    nancumprod as nancumprod,
    nancumsum as nancumsum,
    nanmax as nanmax,
    nanmean as nanmean,
    nanmin as nanmin,
    nanprod as nanprod,
    nanstd as nanstd,
    nansum as nansum,
    nanvar as nanvar,
)
from theano._src.ops.arrays.padding import pad as pad
from theano._src.ops.arrays.quantiles import (
    median as median,
    nanmedian as nanmedian,
    nanpercentile as nanpercentile,
    nanquantile as nanquantile,
    percentile as percentile,
    quantile as quantile,
    take_along_axis as take_along_axis,
)
from theano._src.ops.arrays.select import (
    Choose as Choose,
    Nonzero as Nonzero,
    choose as choose,
    flatnonzero as flatnonzero,
    nonzero as nonzero,
    nonzero_values as nonzero_values,
)
from theano._src.ops.arrays.split import roll as roll, split as split, tile as tile
from theano._src.ops.arrays.stacking import (
    append as append,
    array_split as array_split,
    block as block,
    column_stack as column_stack,
    dsplit as dsplit,
    dstack as dstack,
    hsplit as hsplit,
    hstack as hstack,
    unstack as unstack,
    vsplit as vsplit,
    vstack as vstack,
)
from theano._src.ops.core.cast import (
    _convert_to_bool as _convert_to_bool,
    _convert_to_complex64 as _convert_to_complex64,
    _convert_to_complex128 as _convert_to_complex128,
    _convert_to_float16 as _convert_to_float16,
    _convert_to_float32 as _convert_to_float32,
    _convert_to_float64 as _convert_to_float64,
    _convert_to_int8 as _convert_to_int8,
    _convert_to_int16 as _convert_to_int16,
    _convert_to_int32 as _convert_to_int32,
    _convert_to_int64 as _convert_to_int64,
    _convert_to_uint8 as _convert_to_uint8,
    _convert_to_uint16 as _convert_to_uint16,
    _convert_to_uint32 as _convert_to_uint32,
    _convert_to_uint64 as _convert_to_uint64,
    cast as cast,
)
from theano._src.ops.core.dimshuffle import DimShuffle as DimShuffle
from theano._src.ops.core.elemwise import Elemwise as Elemwise
from theano._src.ops.elementwise.arithmetic import (
    abs_ as abs_,
    add as add,
    clip as clip,
    int_div as int_div,
    inv as inv,
    maximum as maximum,
    minimum as minimum,
    mod as mod,
    mod_check as mod_check,
    mul as mul,
    neg as neg,
    pow as pow,
    second as second,
    sgn as sgn,
    sqr as sqr,
    sqrt as sqrt,
    sub as sub,
    tensor_copy as tensor_copy,
    true_div as true_div,
)
from theano._src.ops.elementwise.bessel import (
    i0 as i0,
    i1 as i1,
    iv as iv,
    ive as ive,
    j0 as j0,
    j1 as j1,
    jv as jv,
    kv as kv,
    kve as kve,
)
from theano._src.ops.elementwise.compare import (
    allclose as allclose,
    and_ as and_,
    eq as eq,
    ge as ge,
    gt as gt,
    invert as invert,
    isclose as isclose,
    isinf as isinf,
    isinf_ as isinf_,
    isnan as isnan,
    isnan_ as isnan_,
    le as le,
    lt as lt,
    neq as neq,
    or_ as or_,
    switch as switch,
    where as where,
    xor as xor,
)
from theano._src.ops.elementwise.complex_parts import (
    angle as angle,
    complex as complex,
    complex_from_polar as complex_from_polar,
    conj as conj,
    imag as imag,
    real as real,
)
from theano._src.ops.elementwise.explog import (
    exp as exp,
    exp2 as exp2,
    expm1 as expm1,
    log as log,
    log1p as log1p,
    log2 as log2,
    log10 as log10,
)
from theano._src.ops.elementwise.incomplete import (
    betainc as betainc,
    gammainccinv as gammainccinv,
    gammaincinv as gammaincinv,
)
from theano._src.ops.elementwise.int_division import (
    ceil_intdiv as ceil_intdiv,
    div_proxy as div_proxy,
)
from theano._src.ops.elementwise.log_special import log1mexp as log1mexp
from theano._src.ops.elementwise.logic import (
    array_equal as array_equal,
    iscomplex as iscomplex,
    isfinite as isfinite,
    isneginf as isneginf,
    isposinf as isposinf,
    isreal as isreal,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    logical_xor as logical_xor,
    select as select,
    signbit as signbit,
)
from theano._src.ops.elementwise.rounding import (
    ceil as ceil,
    floor as floor,
    iround as iround,
    round as round,
    round_half_away_from_zero as round_half_away_from_zero,
    round_half_to_even as round_half_to_even,
    trunc as trunc,
)
from theano._src.ops.elementwise.special import (
    betaln as betaln,
    chi2sf as chi2sf,
    erf as erf,
    erfc as erfc,
    erfcinv as erfcinv,
    erfcx as erfcx,
    erfinv as erfinv,
    gamma as gamma,
    gammainc as gammainc,
    gammaincc as gammaincc,
    gammal as gammal,
    gammaln as gammaln,
    gammau as gammau,
    polygamma as polygamma,
    psi as psi,
    tri_gamma as tri_gamma,
)
from theano._src.ops.elementwise.trig import (
    arccos as arccos,
    arccosh as arccosh,
    arcsin as arcsin,
    arcsinh as arcsinh,
    arctan as arctan,
    arctan2 as arctan2,
    arctanh as arctanh,
    cos as cos,
    cosh as cosh,
    deg2rad as deg2rad,
    rad2deg as rad2deg,
    sin as sin,
    sinh as sinh,
    tan as tan,
    tanh as tanh,
)
from theano._src.ops.elementwise.ufuncs import (
    cbrt as cbrt,
    copysign as copysign,
    divmod as divmod,
    float_power as float_power,
    fmax as fmax,
    fmin as fmin,
    fmod as fmod,
    heaviside as heaviside,
    hypot as hypot,
    left_shift as left_shift,
    logaddexp as logaddexp,
    logaddexp2 as logaddexp2,
    nan_to_num as nan_to_num,
    nextafter as nextafter,
    reciprocal as reciprocal,
    right_shift as right_shift,
    sinc as sinc,
)
from theano._src.ops.index.ravel_index import (
    PermuteRowElements as PermuteRowElements,
    inverse_permutation as inverse_permutation,
    permute_row_elements as permute_row_elements,
)
from theano._src.ops.index.slice_values import MakeSlice as MakeSlice, make_slice as make_slice
from theano._src.ops.linalg.dot import (
    Dot as Dot,
    _dot as _dot,
    batched_dot as batched_dot,
    batched_tensordot as batched_tensordot,
    dot as dot,
    matmul as matmul,
    outer as outer,
    tensordot as tensordot,
)
from theano._src.ops.linalg.einsum import Einsum as Einsum, einsum as einsum
from theano._src.ops.linalg.products import (
    convolve as convolve,
    corrcoef as corrcoef,
    correlate as correlate,
    cov as cov,
    cross as cross,
    ediff1d as ediff1d,
    inner as inner,
    matvec as matvec,
    trapezoid as trapezoid,
    vdot as vdot,
    vecdot as vecdot,
    vecmat as vecmat,
)
from theano._src.ops.meta.default import Default as Default, default as default
from theano._src.ops.meta.disk import load as load
from theano._src.ops.meta.misc import (
    ScalarFromTensor as ScalarFromTensor,
    TensorFromScalar as TensorFromScalar,
    scalar_from_tensor as scalar_from_tensor,
    tensor_from_scalar as tensor_from_scalar,
    value as value,
)
from theano._src.ops.meta.op_helpers import (
    alloc_validate_shape as alloc_validate_shape,
    check_and_normalize_axes as check_and_normalize_axes,
    is_flat as is_flat,
    register_transfer as register_transfer,
    transfer as transfer,
)
from theano._src.ops.nnet.logsumexp import logsumexp as logsumexp
from theano._src.ops.reduce.any_all import all as all, any as any
from theano._src.ops.reduce.careduce import (
    CAReduce as CAReduce,
    Sum as Sum,
    makeKeepDims as makeKeepDims,
    mul_without_zeros as mul_without_zeros,
    prod as prod,
    sum as sum,
)
from theano._src.ops.reduce.max_min import (
    Argmax as Argmax,
    MaxAndArgmax as MaxAndArgmax,
    argmax as argmax,
    argmin as argmin,
    largest as largest,
    max as max,
    max_and_argmax as max_and_argmax,
    min as min,
    ptp as ptp,
    smallest as smallest,
)
from theano._src.ops.reduce.statistics import Mean as Mean, mean as mean, std as std, var as var
from theano._src.ops.shape.alloc import (
    Alloc as Alloc,
    AllocEmpty as AllocEmpty,
    Tile as Tile,
    alloc as alloc,
    ones as ones,
    ones_like as ones_like,
    zeros as zeros,
    zeros_like as zeros_like,
)
from theano._src.ops.shape.dims import (
    Rebroadcast as Rebroadcast,
    addbroadcast as addbroadcast,
    dimshuffle as dimshuffle,
    patternbroadcast as patternbroadcast,
    shape_padaxis as shape_padaxis,
    shape_padleft as shape_padleft,
    shape_padright as shape_padright,
    swapaxes as swapaxes,
    transpose as transpose,
    unbroadcast as unbroadcast,
)
from theano._src.ops.shape.join import (
    Join as Join,
    Split as Split,
    concatenate as concatenate,
    horizontal_stack as horizontal_stack,
    join as join,
    join_ as join_,
    make_vector as make_vector,
    stack as stack,
    stacklists as stacklists,
    vertical_stack as vertical_stack,
)
from theano._src.ops.shape.ranges import (
    ARange as ARange,
    Eye as Eye,
    Tri as Tri,
    _nd_grid as _nd_grid,
    arange as arange,
    eye as eye,
    identity_like as identity_like,
    mgrid as mgrid,
    ogrid as ogrid,
    tri as tri,
    tril as tril,
    triu as triu,
)
from theano._src.ops.shape.shape import (
    Flatten as Flatten,
    Reshape as Reshape,
    Shape as Shape,
    Shape_i as Shape_i,
    SpecifyShape as SpecifyShape,
    flatten as flatten,
    reshape as reshape,
    shape as shape,
    shape_i as shape_i,
    specify_shape as specify_shape,
)
from theano._src.ops.shape.static_values import (
    extract_constant as extract_constant,
    get_scalar_constant_value as get_scalar_constant_value,
    get_vector_length as get_vector_length,
    numpy_scalar as numpy_scalar,
)
from theano._src.types.allclose import (
    allclose as _allclose,
    check_equal_numpy as check_equal_numpy,
    float16_atol as float16_atol,
    float16_rtol as float16_rtol,
    float32_atol as float32_atol,
    float32_rtol as float32_rtol,
    float64_atol as float64_atol,
    float64_rtol as float64_rtol,
    tolerances as _tolerances,
    values_eq_approx_always_true as values_eq_approx_always_true,
)
from theano._src.types.constructors import (
    bcol as bcol,
    bcols as bcols,
    bmatrices as bmatrices,
    bmatrix as bmatrix,
    brow as brow,
    brows as brows,
    bscalar as bscalar,
    bscalars as bscalars,
    btensor3 as btensor3,
    btensor3s as btensor3s,
    btensor4 as btensor4,
    btensor4s as btensor4s,
    btensor5 as btensor5,
    btensor5s as btensor5s,
    btensor6 as btensor6,
    btensor6s as btensor6s,
    btensor7 as btensor7,
    btensor7s as btensor7s,
    bvector as bvector,
    bvectors as bvectors,
    ccol as ccol,
    ccols as ccols,
    cmatrices as cmatrices,
    cmatrix as cmatrix,
    col as col,
    cols as cols,
    complex_matrix_types as complex_matrix_types,
    complex_scalar_types as complex_scalar_types,
    complex_types as complex_types,
    complex_vector_types as complex_vector_types,
    crow as crow,
    crows as crows,
    cscalar as cscalar,
    cscalars as cscalars,
    ctensor3 as ctensor3,
    ctensor3s as ctensor3s,
    ctensor4 as ctensor4,
    ctensor4s as ctensor4s,
    ctensor5 as ctensor5,
    ctensor5s as ctensor5s,
    ctensor6 as ctensor6,
    ctensor6s as ctensor6s,
    ctensor7 as ctensor7,
    ctensor7s as ctensor7s,
    cvector as cvector,
    cvectors as cvectors,
    dcol as dcol,
    dcols as dcols,
    dmatrices as dmatrices,
    dmatrix as dmatrix,
    drow as drow,
    drows as drows,
    dscalar as dscalar,
    dscalars as dscalars,
    dtensor3 as dtensor3,
    dtensor3s as dtensor3s,
    dtensor4 as dtensor4,
    dtensor4s as dtensor4s,
    dtensor5 as dtensor5,
    dtensor5s as dtensor5s,
    dtensor6 as dtensor6,
    dtensor6s as dtensor6s,
    dtensor7 as dtensor7,
    dtensor7s as dtensor7s,
    dvector as dvector,
    dvectors as dvectors,
    fcol as fcol,
    fcols as fcols,
    float_matrix_types as float_matrix_types,
    float_scalar_types as float_scalar_types,
    float_types as float_types,
    float_vector_types as float_vector_types,
    fmatrices as fmatrices,
    fmatrix as fmatrix,
    frow as frow,
    frows as frows,
    fscalar as fscalar,
    fscalars as fscalars,
    ftensor3 as ftensor3,
    ftensor3s as ftensor3s,
    ftensor4 as ftensor4,
    ftensor4s as ftensor4s,
    ftensor5 as ftensor5,
    ftensor5s as ftensor5s,
    ftensor6 as ftensor6,
    ftensor6s as ftensor6s,
    ftensor7 as ftensor7,
    ftensor7s as ftensor7s,
    fvector as fvector,
    fvectors as fvectors,
    icol as icol,
    icols as icols,
    imatrices as imatrices,
    imatrix as imatrix,
    int_matrix_types as int_matrix_types,
    int_scalar_types as int_scalar_types,
    int_types as int_types,
    int_vector_types as int_vector_types,
    irow as irow,
    irows as irows,
    iscalar as iscalar,
    iscalars as iscalars,
    itensor3 as itensor3,
    itensor3s as itensor3s,
    itensor4 as itensor4,
    itensor4s as itensor4s,
    itensor5 as itensor5,
    itensor5s as itensor5s,
    itensor6 as itensor6,
    itensor6s as itensor6s,
    itensor7 as itensor7,
    itensor7s as itensor7s,
    ivector as ivector,
    ivectors as ivectors,
    lcol as lcol,
    lcols as lcols,
    lmatrices as lmatrices,
    lmatrix as lmatrix,
    lrow as lrow,
    lrows as lrows,
    lscalar as lscalar,
    lscalars as lscalars,
    ltensor3 as ltensor3,
    ltensor3s as ltensor3s,
    ltensor4 as ltensor4,
    ltensor4s as ltensor4s,
    ltensor5 as ltensor5,
    ltensor5s as ltensor5s,
    ltensor6 as ltensor6,
    ltensor6s as ltensor6s,
    ltensor7 as ltensor7,
    ltensor7s as ltensor7s,
    lvector as lvector,
    lvectors as lvectors,
    matrices as matrices,
    matrix as matrix,
    row as row,
    rows as rows,
    scalar as scalar,
    scalars as scalars,
    tensor as tensor,
    tensor3 as tensor3,
    tensor3s as tensor3s,
    tensor4 as tensor4,
    tensor4s as tensor4s,
    tensor5 as tensor5,
    tensor5s as tensor5s,
    tensor6 as tensor6,
    tensor6s as tensor6s,
    tensor7 as tensor7,
    tensor7s as tensor7s,
    vector as vector,
    vectors as vectors,
    wcol as wcol,
    wcols as wcols,
    wmatrices as wmatrices,
    wmatrix as wmatrix,
    wrow as wrow,
    wrows as wrows,
    wscalar as wscalar,
    wscalars as wscalars,
    wtensor3 as wtensor3,
    wtensor3s as wtensor3s,
    wtensor4 as wtensor4,
    wtensor4s as wtensor4s,
    wtensor5 as wtensor5,
    wtensor5s as wtensor5s,
    wtensor6 as wtensor6,
    wtensor6s as wtensor6s,
    wtensor7 as wtensor7,
    wtensor7s as wtensor7s,
    wvector as wvector,
    wvectors as wvectors,
    zcol as zcol,
    zcols as zcols,
    zmatrices as zmatrices,
    zmatrix as zmatrix,
    zrow as zrow,
    zrows as zrows,
    zscalar as zscalar,
    zscalars as zscalars,
    ztensor3 as ztensor3,
    ztensor3s as ztensor3s,
    ztensor4 as ztensor4,
    ztensor4s as ztensor4s,
    ztensor5 as ztensor5,
    ztensor5s as ztensor5s,
    ztensor6 as ztensor6,
    ztensor6s as ztensor6s,
    ztensor7 as ztensor7,
    ztensor7s as ztensor7s,
    zvector as zvector,
    zvectors as zvectors,
)
from theano._src.types.convert import (
    NumpyAutocaster as NumpyAutocaster,
    as_tensor_variable as as_tensor_variable,
    autocast_float as autocast_float,
    autocast_float_as as autocast_float_as,
    autocast_int as autocast_int,
    constant as constant,
)
from theano._src.types.dtypes import (
    all_dtypes as all_dtypes,
    bool_dtypes as bool_dtypes,
    complex_dtypes as complex_dtypes,
    continuous_dtypes as continuous_dtypes,
    discrete_dtypes as discrete_dtypes,
    float_dtypes as float_dtypes,
    int_dtypes as int_dtypes,
    integer_dtypes as integer_dtypes,
    uint_dtypes as uint_dtypes,
)
from theano._src.types.other import (
    NoneConst as NoneConst,
    NoneTypeT as NoneTypeT,
    SliceType as SliceType,
    slicetype as slicetype,
)
from theano._src.types.shared import TensorSharedVariable as TensorSharedVariable
from theano._src.types.shared_constructors import shared as shared
from theano._src.types.tensor import (
    TensorConstant as TensorConstant,
    TensorType as TensorType,
    TensorVariable as TensorVariable,
    _tensor_py_operators as _tensor_py_operators,
)

scal = _scalar
abs = abs_
absolute = abs_
divide = true_div
fill = second
floor_div = int_div
floor_divide = int_div
intdiv = int_div
multiply = mul
negative = neg
positive = tensor_copy
power = pow
remainder = mod
sign = sgn
square = sqr
subtract = sub
true_divide = true_div
truediv = true_div
bitwise_and = and_
bitwise_invert = invert
bitwise_not = invert
bitwise_or = or_
bitwise_xor = xor
equal = eq
greater = gt
greater_equal = ge
less = lt
less_equal = le
not_equal = neq
conjugate = conj
fix = trunc
rint = round_half_to_even
acos = arccos
acosh = arccosh
asin = arcsin
asinh = arcsinh
atan = arctan
atan2 = arctan2
atanh = arctanh
degrees = rad2deg
radians = deg2rad
bitwise_left_shift = left_shift
bitwise_right_shift = right_shift
setdefault = default
amax = max
amin = min
concat = concatenate
_get_atol_rtol = _tolerances
as_tensor = as_tensor_variable
Tensor = TensorType
