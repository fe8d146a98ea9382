"""Functions of single numbers."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.core import cast as _cast
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
    Predicate as _Predicate,
    ScalarOp as ScalarOp,
    UnaryBitOp as UnaryBitOp,
    UnaryScalarOp as UnaryScalarOp,
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
from theano._src.ops.elementwise import (
    activations as _activations,
    arithmetic as _arithmetic,
    compare as _compare,
    complex_parts as _complex_parts,
    explog as _explog,
    int_division as _int_division,
    rounding as _rounding,
    trig as _trig,
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
)
from theano._src.ops.elementwise.complex_parts import (
    Angle as Angle,
    Complex as Complex,
    ComplexFromPolar as ComplexFromPolar,
    Conj as Conj,
    Imag as Imag,
    Real as Real,
)
from theano._src.ops.elementwise.explog import (
    Exp as Exp,
    Exp2 as Exp2,
    Expm1 as Expm1,
    Log as Log,
    Log1p as Log1p,
    Log2 as Log2,
    Log10 as Log10,
)
from theano._src.ops.elementwise.int_division import (
    IntegerDivisionError as IntegerDivisionError,
    int_or_true_div as int_or_true_div,
)
from theano._src.ops.elementwise.rounding import (
    Ceil as Ceil,
    Floor as Floor,
    RoundHalfAwayFromZero as RoundHalfAwayFromZero,
    RoundHalfToEven as RoundHalfToEven,
    Trunc as Trunc,
    round_half_away_from_zero_vec as round_half_away_from_zero_vec,
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

FixedLogicalComparison = _Predicate
abs_ = _arithmetic.scalar_abs_
add = _arithmetic.scalar_add
and_ = _compare.scalar_and_
angle = _complex_parts.scalar_angle
arccos = _trig.scalar_arccos
arccosh = _trig.scalar_arccosh
arcsin = _trig.scalar_arcsin
arcsinh = _trig.scalar_arcsinh
arctan = _trig.scalar_arctan
arctan2 = _trig.scalar_arctan2
arctanh = _trig.scalar_arctanh
bool = bool_
cast = _cast.scalar_cast
ceil = _rounding.scalar_ceil
clip = _arithmetic.scalar_clip
complex = _complex_parts.scalar_complex
complex_from_polar = _complex_parts.scalar_complex_from_polar
conj = _complex_parts.scalar_conj
cos = _trig.scalar_cos
cosh = _trig.scalar_cosh
deg2rad = _trig.scalar_deg2rad
div_proxy = _int_division.scalar_div_proxy
eq = _compare.scalar_eq
exp = _explog.scalar_exp
exp2 = _explog.scalar_exp2
expm1 = _explog.scalar_expm1
floor = _rounding.scalar_floor
floor_div = _arithmetic.scalar_floor_div
ge = _compare.scalar_ge
gt = _compare.scalar_gt
identity = _arithmetic.scalar_identity
imag = _complex_parts.scalar_imag
int_div = _arithmetic.scalar_int_div
inv = _arithmetic.scalar_inv
invert = _compare.scalar_invert
isinf = _compare.scalar_isinf
isnan = _compare.scalar_isnan
le = _compare.scalar_le
log = _explog.scalar_log
log10 = _explog.scalar_log10
log1p = _explog.scalar_log1p
log2 = _explog.scalar_log2
lt = _compare.scalar_lt
maximum = _arithmetic.scalar_maximum
minimum = _arithmetic.scalar_minimum
mod = _arithmetic.scalar_mod
mod_check = _arithmetic.scalar_mod_check
mul = _arithmetic.scalar_mul
neg = _arithmetic.scalar_neg
neq = _compare.scalar_neq
or_ = _compare.scalar_or_
pow = _arithmetic.scalar_pow
rad2deg = _trig.scalar_rad2deg
real = _complex_parts.scalar_real
round_half_away_from_zero = _rounding.scalar_round_half_away_from_zero
round_half_away_from_zero_ = round_half_away_from_zero_vec
round_half_to_even = _rounding.scalar_round_half_to_even
second = _arithmetic.scalar_second
sgn = _arithmetic.scalar_sgn
sigmoid = _activations.scalar_sigmoid
sin = _trig.scalar_sin
sinh = _trig.scalar_sinh
softplus = _activations.scalar_softplus
sqr = _arithmetic.scalar_sqr
sqrt = _arithmetic.scalar_sqrt
sub = _arithmetic.scalar_sub
switch = _compare.scalar_switch
tan = _trig.scalar_tan
tanh = _trig.scalar_tanh
true_div = _arithmetic.scalar_true_div
trunc = _rounding.scalar_trunc
xor = _compare.scalar_xor
ScalarMaximum = Maximum
ScalarMinimum = Minimum
scalar_maximum = maximum
scalar_minimum = minimum

__getattr__ = _module_getattr(__name__)
