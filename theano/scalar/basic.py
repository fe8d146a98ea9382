"""Functions of single numbers."""

from theano._src.ops.core.cast import (
    Cast,
    convert_to_bool,
    convert_to_complex64,
    convert_to_complex128,
    convert_to_float16,
    convert_to_float32,
    convert_to_float64,
    convert_to_int8,
    convert_to_int16,
    convert_to_int32,
    convert_to_int64,
    convert_to_uint8,
    convert_to_uint16,
    convert_to_uint32,
    convert_to_uint64,
)
from theano._src.ops.core.cast import (
    scalar_cast as cast,
)
from theano._src.ops.core.composite import Composite
from theano._src.ops.core.output_types import (
    float_out,
    float_out_nocomplex,
    int_out,
    int_out_nocomplex,
    same_out_float_only,
    same_out_min8,
    same_out_nobool,
    unary_out_lookup,
    upcast_out_no_complex,
    upgrade_to_float64,
)
from theano._src.ops.core.scalar import (
    BinaryBitOp,
    BinaryScalarOp,
    LogicalComparison,
    ScalarOp,
    UnaryBitOp,
    UnaryScalarOp,
)
from theano._src.ops.core.upcast import (
    discrete_out,
    same_out,
    same_out_nocomplex,
    specific_out,
    transfer_type,
    upcast_out,
    upcast_out_nobool,
    upgrade_to_float,
    upgrade_to_float_no_complex,
)
from theano._src.ops.elementwise.arithmetic import (
    Abs,
    Add,
    Clip,
    ComplexError,
    Identity,
    IntDiv,
    Inv,
    Maximum,
    Minimum,
    Mod,
    Mul,
    Neg,
    Pow,
    Second,
    Sgn,
    Sqr,
    Sqrt,
    Sub,
    TrueDiv,
    upcast_out_min8,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_abs_ as abs_,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_add as add,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_clip as clip,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_floor_div as floor_div,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_identity as identity,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_int_div as int_div,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_inv as inv,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_maximum as maximum,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_minimum as minimum,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_mod as mod,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_mod_check as mod_check,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_mul as mul,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_neg as neg,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_pow as pow,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_second as second,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_sgn as sgn,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_sqr as sqr,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_sqrt as sqrt,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_sub as sub,
)
from theano._src.ops.elementwise.arithmetic import (
    scalar_true_div as true_div,
)
from theano._src.ops.elementwise.compare import (
    AND,
    EQ,
    GE,
    GT,
    LE,
    LT,
    NEQ,
    OR,
    XOR,
    InRange,
    Invert,
    IsInf,
    IsNan,
    Switch,
    inclosedrange,
    inopenrange,
)
from theano._src.ops.elementwise.compare import Predicate as FixedLogicalComparison
from theano._src.ops.elementwise.compare import (
    scalar_and_ as and_,
)
from theano._src.ops.elementwise.compare import (
    scalar_eq as eq,
)
from theano._src.ops.elementwise.compare import (
    scalar_ge as ge,
)
from theano._src.ops.elementwise.compare import (
    scalar_gt as gt,
)
from theano._src.ops.elementwise.compare import (
    scalar_invert as invert,
)
from theano._src.ops.elementwise.compare import (
    scalar_isinf as isinf,
)
from theano._src.ops.elementwise.compare import (
    scalar_isnan as isnan,
)
from theano._src.ops.elementwise.compare import (
    scalar_le as le,
)
from theano._src.ops.elementwise.compare import (
    scalar_lt as lt,
)
from theano._src.ops.elementwise.compare import (
    scalar_neq as neq,
)
from theano._src.ops.elementwise.compare import (
    scalar_or_ as or_,
)
from theano._src.ops.elementwise.compare import (
    scalar_switch as switch,
)
from theano._src.ops.elementwise.compare import (
    scalar_xor as xor,
)
from theano._src.ops.elementwise.complex_parts import (
    Angle,
    Complex,
    ComplexFromPolar,
    Conj,
    Imag,
    Real,
)
from theano._src.ops.elementwise.complex_parts import (
    scalar_angle as angle,
)
from theano._src.ops.elementwise.complex_parts import (
    scalar_complex as complex,
)
from theano._src.ops.elementwise.complex_parts import (
    scalar_complex_from_polar as complex_from_polar,
)
from theano._src.ops.elementwise.complex_parts import (
    scalar_conj as conj,
)
from theano._src.ops.elementwise.complex_parts import (
    scalar_imag as imag,
)
from theano._src.ops.elementwise.complex_parts import (
    scalar_real as real,
)
from theano._src.ops.elementwise.explog import (
    Exp,
    Exp2,
    Expm1,
    Log,
    Log1p,
    Log2,
    Log10,
)
from theano._src.ops.elementwise.explog import (
    scalar_exp as exp,
)
from theano._src.ops.elementwise.explog import (
    scalar_exp2 as exp2,
)
from theano._src.ops.elementwise.explog import (
    scalar_expm1 as expm1,
)
from theano._src.ops.elementwise.explog import (
    scalar_log as log,
)
from theano._src.ops.elementwise.explog import (
    scalar_log1p as log1p,
)
from theano._src.ops.elementwise.explog import (
    scalar_log2 as log2,
)
from theano._src.ops.elementwise.explog import (
    scalar_log10 as log10,
)
from theano._src.ops.elementwise.explog import (
    scalar_sigmoid as sigmoid,
)
from theano._src.ops.elementwise.explog import (
    scalar_softplus as softplus,
)
from theano._src.ops.elementwise.int_division import IntegerDivisionError, int_or_true_div
from theano._src.ops.elementwise.int_division import scalar_div_proxy as div_proxy
from theano._src.ops.elementwise.rounding import (
    Ceil,
    Floor,
    RoundHalfAwayFromZero,
    RoundHalfToEven,
    Trunc,
    round_half_away_from_zero_vec,
)
from theano._src.ops.elementwise.rounding import (
    round_half_away_from_zero_vec as round_half_away_from_zero_,
)
from theano._src.ops.elementwise.rounding import (
    scalar_ceil as ceil,
)
from theano._src.ops.elementwise.rounding import (
    scalar_floor as floor,
)
from theano._src.ops.elementwise.rounding import (
    scalar_round_half_away_from_zero as round_half_away_from_zero,
)
from theano._src.ops.elementwise.rounding import (
    scalar_round_half_to_even as round_half_to_even,
)
from theano._src.ops.elementwise.rounding import (
    scalar_trunc as trunc,
)
from theano._src.ops.elementwise.trig import (
    ArcCos,
    ArcCosh,
    ArcSin,
    ArcSinh,
    ArcTan,
    ArcTan2,
    ArcTanh,
    Cos,
    Cosh,
    Deg2Rad,
    Rad2Deg,
    Sin,
    Sinh,
    Tan,
    Tanh,
)
from theano._src.ops.elementwise.trig import (
    scalar_arccos as arccos,
)
from theano._src.ops.elementwise.trig import (
    scalar_arccosh as arccosh,
)
from theano._src.ops.elementwise.trig import (
    scalar_arcsin as arcsin,
)
from theano._src.ops.elementwise.trig import (
    scalar_arcsinh as arcsinh,
)
from theano._src.ops.elementwise.trig import (
    scalar_arctan as arctan,
)
from theano._src.ops.elementwise.trig import (
    scalar_arctan2 as arctan2,
)
from theano._src.ops.elementwise.trig import (
    scalar_arctanh as arctanh,
)
from theano._src.ops.elementwise.trig import (
    scalar_cos as cos,
)
from theano._src.ops.elementwise.trig import (
    scalar_cosh as cosh,
)
from theano._src.ops.elementwise.trig import (
    scalar_deg2rad as deg2rad,
)
from theano._src.ops.elementwise.trig import (
    scalar_rad2deg as rad2deg,
)
from theano._src.ops.elementwise.trig import (
    scalar_sin as sin,
)
from theano._src.ops.elementwise.trig import (
    scalar_sinh as sinh,
)
from theano._src.ops.elementwise.trig import (
    scalar_tan as tan,
)
from theano._src.ops.elementwise.trig import (
    scalar_tanh as tanh,
)
from theano._src.types.convert import (
    NumpyAutocaster,
    autocast_float,
    autocast_float_as,
    autocast_int,
)
from theano._src.types.dtypes import upcast
from theano._src.types.scalar import (
    Scalar,
    ScalarConstant,
    ScalarVariable,
    _scalar_py_operators,
    all_types,
    as_scalar,
    bool_,
    complex64,
    complex128,
    complex_types,
    complexs,
    complexs64,
    complexs128,
    constant,
    continuous_types,
    discrete_types,
    float16,
    float32,
    float64,
    float_types,
    floats,
    get_scalar_type,
    int8,
    int16,
    int32,
    int64,
    int_types,
    integer_types,
    ints,
    uint8,
    uint16,
    uint32,
    uint64,
    uint_types,
)
from theano._src.types.scalar import (
    bool_ as bool,
)

__all__ = [
    "round_half_away_from_zero_vec",
    "round_half_away_from_zero_",
    "float_out",
    "float_out_nocomplex",
    "int_out",
    "int_out_nocomplex",
    "same_out_float_only",
    "same_out_min8",
    "same_out_nobool",
    "unary_out_lookup",
    "upcast_out_no_complex",
    "upgrade_to_float64",
    "IntegerDivisionError",
    "int_or_true_div",
    "div_proxy",
    "ints",
    "floats",
    "complexs",
    "complexs64",
    "complexs128",
    "FixedLogicalComparison",
    "Composite",
    "AND",
    "Abs",
    "Add",
    "Angle",
    "ArcCos",
    "ArcCosh",
    "ArcSin",
    "ArcSinh",
    "ArcTan",
    "ArcTan2",
    "ArcTanh",
    "BinaryBitOp",
    "BinaryScalarOp",
    "Cast",
    "Ceil",
    "Clip",
    "Complex",
    "ComplexError",
    "ComplexFromPolar",
    "Conj",
    "Cos",
    "Cosh",
    "Deg2Rad",
    "EQ",
    "Exp",
    "Exp2",
    "Expm1",
    "Floor",
    "GE",
    "GT",
    "Identity",
    "Imag",
    "InRange",
    "IntDiv",
    "Inv",
    "Invert",
    "IsInf",
    "IsNan",
    "LE",
    "LT",
    "Log",
    "Log10",
    "Log1p",
    "Log2",
    "LogicalComparison",
    "Maximum",
    "Minimum",
    "Mod",
    "Mul",
    "NEQ",
    "Neg",
    "NumpyAutocaster",
    "OR",
    "Pow",
    "Rad2Deg",
    "Real",
    "RoundHalfAwayFromZero",
    "RoundHalfToEven",
    "Scalar",
    "ScalarConstant",
    "ScalarOp",
    "ScalarVariable",
    "Second",
    "Sgn",
    "Sin",
    "Sinh",
    "Sqr",
    "Sqrt",
    "Sub",
    "Switch",
    "Tan",
    "Tanh",
    "TrueDiv",
    "Trunc",
    "UnaryBitOp",
    "UnaryScalarOp",
    "XOR",
    "_scalar_py_operators",
    "abs_",
    "add",
    "all_types",
    "and_",
    "angle",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "as_scalar",
    "autocast_float",
    "autocast_float_as",
    "autocast_int",
    "bool",
    "bool_",
    "cast",
    "ceil",
    "clip",
    "complex",
    "complex128",
    "complex64",
    "complex_from_polar",
    "complex_types",
    "conj",
    "constant",
    "continuous_types",
    "convert_to_bool",
    "convert_to_complex128",
    "convert_to_complex64",
    "convert_to_float16",
    "convert_to_float32",
    "convert_to_float64",
    "convert_to_int16",
    "convert_to_int32",
    "convert_to_int64",
    "convert_to_int8",
    "convert_to_uint16",
    "convert_to_uint32",
    "convert_to_uint64",
    "convert_to_uint8",
    "cos",
    "cosh",
    "deg2rad",
    "discrete_out",
    "discrete_types",
    "eq",
    "exp",
    "exp2",
    "expm1",
    "float16",
    "float32",
    "float64",
    "float_types",
    "floor",
    "floor_div",
    "ge",
    "get_scalar_type",
    "gt",
    "identity",
    "imag",
    "inclosedrange",
    "inopenrange",
    "int16",
    "int32",
    "int64",
    "int8",
    "int_div",
    "int_types",
    "integer_types",
    "inv",
    "invert",
    "isinf",
    "isnan",
    "le",
    "log",
    "log10",
    "log1p",
    "log2",
    "lt",
    "maximum",
    "minimum",
    "mod",
    "mod_check",
    "mul",
    "neg",
    "neq",
    "or_",
    "pow",
    "rad2deg",
    "real",
    "round_half_away_from_zero",
    "round_half_to_even",
    "same_out",
    "same_out_nocomplex",
    "second",
    "sgn",
    "sigmoid",
    "sin",
    "sinh",
    "softplus",
    "specific_out",
    "sqr",
    "sqrt",
    "sub",
    "switch",
    "tan",
    "tanh",
    "transfer_type",
    "true_div",
    "trunc",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uint_types",
    "upcast",
    "upcast_out",
    "upcast_out_min8",
    "upcast_out_nobool",
    "upgrade_to_float",
    "upgrade_to_float_no_complex",
    "xor",
]
