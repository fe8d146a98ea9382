# Written by tools/stubs.py from basic.py: change that file.
from theano._src.ops.core.cast import (
    Cast as Cast,
    convert_to_bool as convert_to_bool,
    convert_to_complex64 as convert_to_complex64,
    convert_to_complex128 as convert_to_complex128,
    convert_to_float16 as convert_to_float16,
    convert_to_float32 as convert_to_float32,
    convert_to_float64 as convert_to_float64,
    convert_to_int8 as convert_to_int8,
    convert_to_int16 as convert_to_int16,
    convert_to_int32 as convert_to_int32,
    convert_to_int64 as convert_to_int64,
    convert_to_uint8 as convert_to_uint8,
    convert_to_uint16 as convert_to_uint16,
    convert_to_uint32 as convert_to_uint32,
    convert_to_uint64 as convert_to_uint64,
    scalar_cast as _scalar_cast,
)
from theano._src.ops.core.composite import Composite as Composite
from theano._src.ops.core.output_types import (
    float_out as float_out,
    float_out_nocomplex as float_out_nocomplex,
    int_out as int_out,
    int_out_nocomplex as int_out_nocomplex,
    same_out_float_only as same_out_float_only,
    same_out_min8 as same_out_min8,
    same_out_nobool as same_out_nobool,
    unary_out_lookup as unary_out_lookup,
    upcast_out_no_complex as upcast_out_no_complex,
    upgrade_to_float64 as upgrade_to_float64,
)
from theano._src.ops.core.scalar import (
    BinaryBitOp as BinaryBitOp,
    BinaryScalarOp as BinaryScalarOp,
    LogicalComparison as LogicalComparison,
    ScalarOp as ScalarOp,
    UnaryBitOp as UnaryBitOp,
    UnaryScalarOp as UnaryScalarOp,
    Predicate as _Predicate,
)
from theano._src.ops.core.upcast import (
    discrete_out as discrete_out,
    same_out as same_out,
    same_out_nocomplex as same_out_nocomplex,
    specific_out as specific_out,
    transfer_type as transfer_type,
    upcast_out as upcast_out,
    upcast_out_nobool as upcast_out_nobool,
    upgrade_to_float as upgrade_to_float,
    upgrade_to_float_no_complex as upgrade_to_float_no_complex,
)
from theano._src.ops.elementwise.activations import (
    scalar_sigmoid as _scalar_sigmoid,
    scalar_softplus as _scalar_softplus,
)
from theano._src.ops.elementwise.arithmetic import (
    Abs as Abs,
    Add as Add,
    Clip as Clip,
    ComplexError as ComplexError,
    Identity as Identity,
    IntDiv as IntDiv,
    Inv as Inv,
    Maximum as Maximum,
    Minimum as Minimum,
    Mod as Mod,
    Mul as Mul,
    Neg as Neg,
    Pow as Pow,
    Second as Second,
    Sgn as Sgn,
    Sqr as Sqr,
    Sqrt as Sqrt,
    Sub as Sub,
    TrueDiv as TrueDiv,
    upcast_out_min8 as upcast_out_min8,
    scalar_abs_ as _scalar_abs_,
    scalar_add as _scalar_add,
    scalar_clip as _scalar_clip,
    scalar_floor_div as _scalar_floor_div,
    scalar_identity as _scalar_identity,
    scalar_int_div as _scalar_int_div,
    scalar_inv as _scalar_inv,
    scalar_maximum as scalar_maximum,
    scalar_minimum as scalar_minimum,
    scalar_mod as _scalar_mod,
    scalar_mod_check as _scalar_mod_check,
    scalar_mul as _scalar_mul,
    scalar_neg as _scalar_neg,
    scalar_pow as _scalar_pow,
    scalar_second as _scalar_second,
    scalar_sgn as _scalar_sgn,
    scalar_sqr as _scalar_sqr,
    scalar_sqrt as _scalar_sqrt,
    scalar_sub as _scalar_sub,
    scalar_true_div as _scalar_true_div,
)
from theano._src.ops.elementwise.compare import (
    AND as AND,
    EQ as EQ,
    GE as GE,
    GT as GT,
    LE as LE,
    LT as LT,
    NEQ as NEQ,
    OR as OR,
    XOR as XOR,
    InRange as InRange,
    Invert as Invert,
    IsInf as IsInf,
    IsNan as IsNan,
    Switch as Switch,
    inclosedrange as inclosedrange,
    inopenrange as inopenrange,
    scalar_and_ as _scalar_and_,
    scalar_eq as _scalar_eq,
    scalar_ge as _scalar_ge,
    scalar_gt as _scalar_gt,
    scalar_invert as _scalar_invert,
    scalar_isinf as _scalar_isinf,
    scalar_isnan as _scalar_isnan,
    scalar_le as _scalar_le,
    scalar_lt as _scalar_lt,
    scalar_neq as _scalar_neq,
    scalar_or_ as _scalar_or_,
    scalar_switch as _scalar_switch,
    scalar_xor as _scalar_xor,
)
from theano._src.ops.elementwise.complex_parts import (
    Angle as Angle,
    Complex as Complex,
    ComplexFromPolar as ComplexFromPolar,
    Conj as Conj,
    Imag as Imag,
    Real as Real,
    scalar_angle as _scalar_angle,
    scalar_complex as _scalar_complex,
    scalar_complex_from_polar as _scalar_complex_from_polar,
    scalar_conj as _scalar_conj,
    scalar_imag as _scalar_imag,
    scalar_real as _scalar_real,
)
from theano._src.ops.elementwise.explog import (
    Exp as Exp,
    Exp2 as Exp2,
    Expm1 as Expm1,
    Log as Log,
    Log1p as Log1p,
    Log2 as Log2,
    Log10 as Log10,
    scalar_exp as _scalar_exp,
    scalar_exp2 as _scalar_exp2,
    scalar_expm1 as _scalar_expm1,
    scalar_log as _scalar_log,
    scalar_log10 as _scalar_log10,
    scalar_log1p as _scalar_log1p,
    scalar_log2 as _scalar_log2,
)
from theano._src.ops.elementwise.int_division import (
    IntegerDivisionError as IntegerDivisionError,
    int_or_true_div as int_or_true_div,
    scalar_div_proxy as _scalar_div_proxy,
)
from theano._src.ops.elementwise.rounding import (
    Ceil as Ceil,
    Floor as Floor,
    RoundHalfAwayFromZero as RoundHalfAwayFromZero,
    RoundHalfToEven as RoundHalfToEven,
    Trunc as Trunc,
    round_half_away_from_zero_vec as round_half_away_from_zero_vec,
    scalar_ceil as _scalar_ceil,
    scalar_floor as _scalar_floor,
    scalar_round_half_away_from_zero as _scalar_round_half_away_from_zero,
    scalar_round_half_to_even as _scalar_round_half_to_even,
    scalar_trunc as _scalar_trunc,
)
from theano._src.ops.elementwise.trig import (
    ArcCos as ArcCos,
    ArcCosh as ArcCosh,
    ArcSin as ArcSin,
    ArcSinh as ArcSinh,
    ArcTan as ArcTan,
    ArcTan2 as ArcTan2,
    ArcTanh as ArcTanh,
    Cos as Cos,
    Cosh as Cosh,
    Deg2Rad as Deg2Rad,
    Rad2Deg as Rad2Deg,
    Sin as Sin,
    Sinh as Sinh,
    Tan as Tan,
    Tanh as Tanh,
    scalar_arccos as _scalar_arccos,
    scalar_arccosh as _scalar_arccosh,
    scalar_arcsin as _scalar_arcsin,
    scalar_arcsinh as _scalar_arcsinh,
    scalar_arctan as _scalar_arctan,
    scalar_arctan2 as _scalar_arctan2,
    scalar_arctanh as _scalar_arctanh,
    scalar_cos as _scalar_cos,
    scalar_cosh as _scalar_cosh,
    scalar_deg2rad as _scalar_deg2rad,
    scalar_rad2deg as _scalar_rad2deg,
    scalar_sin as _scalar_sin,
    scalar_sinh as _scalar_sinh,
    scalar_tan as _scalar_tan,
    scalar_tanh as _scalar_tanh,
)
from theano._src.types.convert import (
    NumpyAutocaster as NumpyAutocaster,
    autocast_float as autocast_float,
    autocast_float_as as autocast_float_as,
    autocast_int as autocast_int,
)
from theano._src.types.dtypes import upcast as upcast
from theano._src.types.scalar import (
    Scalar as Scalar,
    ScalarConstant as ScalarConstant,
    ScalarVariable as ScalarVariable,
    _scalar_py_operators as _scalar_py_operators,
    all_types as all_types,
    as_scalar as as_scalar,
    bool_ as bool_,
    complex64 as complex64,
    complex128 as complex128,
    complex_types as complex_types,
    complexs as complexs,
    complexs64 as complexs64,
    complexs128 as complexs128,
    constant as constant,
    continuous_types as continuous_types,
    discrete_types as discrete_types,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    float_types as float_types,
    floats as floats,
    get_scalar_type as get_scalar_type,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    int_types as int_types,
    integer_types as integer_types,
    ints as ints,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
    uint_types as uint_types,
)

cast = _scalar_cast
FixedLogicalComparison = _Predicate
sigmoid = _scalar_sigmoid
softplus = _scalar_softplus
abs_ = _scalar_abs_
add = _scalar_add
clip = _scalar_clip
floor_div = _scalar_floor_div
identity = _scalar_identity
int_div = _scalar_int_div
inv = _scalar_inv
maximum = scalar_maximum
minimum = scalar_minimum
mod = _scalar_mod
mod_check = _scalar_mod_check
mul = _scalar_mul
neg = _scalar_neg
pow = _scalar_pow
second = _scalar_second
sgn = _scalar_sgn
sqr = _scalar_sqr
sqrt = _scalar_sqrt
sub = _scalar_sub
true_div = _scalar_true_div
ScalarMaximum = Maximum
ScalarMinimum = Minimum
and_ = _scalar_and_
eq = _scalar_eq
ge = _scalar_ge
gt = _scalar_gt
invert = _scalar_invert
isinf = _scalar_isinf
isnan = _scalar_isnan
le = _scalar_le
lt = _scalar_lt
neq = _scalar_neq
or_ = _scalar_or_
switch = _scalar_switch
xor = _scalar_xor
angle = _scalar_angle
complex = _scalar_complex
complex_from_polar = _scalar_complex_from_polar
conj = _scalar_conj
imag = _scalar_imag
real = _scalar_real
exp = _scalar_exp
exp2 = _scalar_exp2
expm1 = _scalar_expm1
log = _scalar_log
log10 = _scalar_log10
log1p = _scalar_log1p
log2 = _scalar_log2
div_proxy = _scalar_div_proxy
ceil = _scalar_ceil
floor = _scalar_floor
round_half_away_from_zero = _scalar_round_half_away_from_zero
round_half_away_from_zero_ = round_half_away_from_zero_vec
round_half_to_even = _scalar_round_half_to_even
trunc = _scalar_trunc
arccos = _scalar_arccos
arccosh = _scalar_arccosh
arcsin = _scalar_arcsin
arcsinh = _scalar_arcsinh
arctan = _scalar_arctan
arctan2 = _scalar_arctan2
arctanh = _scalar_arctanh
cos = _scalar_cos
cosh = _scalar_cosh
deg2rad = _scalar_deg2rad
rad2deg = _scalar_rad2deg
sin = _scalar_sin
sinh = _scalar_sinh
tan = _scalar_tan
tanh = _scalar_tanh
bool = bool_
