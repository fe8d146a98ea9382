"""Functions of single numbers."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.core.cast: Cast convert_to_bool convert_to_complex64 convert_to_complex128
        convert_to_float16 convert_to_float32 convert_to_float64 convert_to_int8
        convert_to_int16 convert_to_int32 convert_to_int64 convert_to_uint8 convert_to_uint16
        convert_to_uint32 convert_to_uint64 cast=scalar_cast
    theano._src.ops.core.composite: Composite
    theano._src.ops.core.output_types: float_out float_out_nocomplex int_out int_out_nocomplex
        same_out_float_only same_out_min8 same_out_nobool unary_out_lookup upcast_out_no_complex
        upgrade_to_float64
    theano._src.ops.core.scalar: BinaryBitOp BinaryScalarOp LogicalComparison ScalarOp
        UnaryBitOp UnaryScalarOp FixedLogicalComparison=Predicate
    theano._src.ops.core.upcast: discrete_out same_out same_out_nocomplex specific_out
        transfer_type upcast_out upcast_out_nobool upgrade_to_float upgrade_to_float_no_complex
    theano._src.ops.elementwise.activations: sigmoid=scalar_sigmoid softplus=scalar_softplus
    theano._src.ops.elementwise.arithmetic: Abs Add Clip ComplexError Identity IntDiv Inv
        Maximum Minimum Mod Mul Neg Pow Second Sgn Sqr Sqrt Sub TrueDiv upcast_out_min8
        abs_=scalar_abs_ add=scalar_add clip=scalar_clip floor_div=scalar_floor_div
        identity=scalar_identity int_div=scalar_int_div inv=scalar_inv maximum=scalar_maximum
        minimum=scalar_minimum mod=scalar_mod mod_check=scalar_mod_check mul=scalar_mul
        neg=scalar_neg pow=scalar_pow second=scalar_second sgn=scalar_sgn sqr=scalar_sqr
        sqrt=scalar_sqrt sub=scalar_sub true_div=scalar_true_div ScalarMaximum=Maximum
        ScalarMinimum=Minimum scalar_maximum scalar_minimum
    theano._src.ops.elementwise.compare: AND EQ GE GT LE LT NEQ OR XOR InRange Invert IsInf
        IsNan Switch inclosedrange inopenrange and_=scalar_and_ eq=scalar_eq ge=scalar_ge
        gt=scalar_gt invert=scalar_invert isinf=scalar_isinf isnan=scalar_isnan le=scalar_le
        lt=scalar_lt neq=scalar_neq or_=scalar_or_ switch=scalar_switch xor=scalar_xor
    theano._src.ops.elementwise.complex_parts: Angle Complex ComplexFromPolar Conj Imag Real
        angle=scalar_angle complex=scalar_complex complex_from_polar=scalar_complex_from_polar
        conj=scalar_conj imag=scalar_imag real=scalar_real
    theano._src.ops.elementwise.explog: Exp Exp2 Expm1 Log Log1p Log2 Log10 exp=scalar_exp
        exp2=scalar_exp2 expm1=scalar_expm1 log=scalar_log log10=scalar_log10 log1p=scalar_log1p
        log2=scalar_log2
    theano._src.ops.elementwise.int_division: IntegerDivisionError int_or_true_div
        div_proxy=scalar_div_proxy
    theano._src.ops.elementwise.rounding: Ceil Floor RoundHalfAwayFromZero RoundHalfToEven Trunc
        round_half_away_from_zero_vec ceil=scalar_ceil floor=scalar_floor
        round_half_away_from_zero=scalar_round_half_away_from_zero
        round_half_away_from_zero_=round_half_away_from_zero_vec
        round_half_to_even=scalar_round_half_to_even trunc=scalar_trunc
    theano._src.ops.elementwise.trig: ArcCos ArcCosh ArcSin ArcSinh ArcTan ArcTan2 ArcTanh Cos
        Cosh Deg2Rad Rad2Deg Sin Sinh Tan Tanh arccos=scalar_arccos arccosh=scalar_arccosh
        arcsin=scalar_arcsin arcsinh=scalar_arcsinh arctan=scalar_arctan arctan2=scalar_arctan2
        arctanh=scalar_arctanh cos=scalar_cos cosh=scalar_cosh deg2rad=scalar_deg2rad
        rad2deg=scalar_rad2deg sin=scalar_sin sinh=scalar_sinh tan=scalar_tan tanh=scalar_tanh
    theano._src.types.convert: NumpyAutocaster autocast_float autocast_float_as autocast_int
    theano._src.types.dtypes: upcast
    theano._src.types.scalar: Scalar ScalarConstant ScalarVariable _scalar_py_operators
        all_types as_scalar bool_ complex64 complex128 complex_types complexs complexs64
        complexs128 constant continuous_types discrete_types float16 float32 float64 float_types
        floats get_scalar_type int8 int16 int32 int64 int_types integer_types ints uint8 uint16
        uint32 uint64 uint_types bool=bool_
    """,
)
