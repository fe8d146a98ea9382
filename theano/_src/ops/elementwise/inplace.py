"""theano.tensor.inplace: elementwise ops that write their result into their first input."""

from __future__ import annotations

from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.core.upcast import transfer_type
from theano._src.ops.elementwise import (
    arithmetic,
    bessel,
    compare,
    complex_parts,
    explog,
    rounding,
    special,
    trig,
)

# the result is stored in the first input, so it must have that dtype
_OF_FIRST = transfer_type(0)


def _inplace(op: Elemwise, name: str) -> Elemwise:
    scalar_op = type(op.scalar_op)(_OF_FIRST)
    return Elemwise(scalar_op, {0: 0}, name=f"{name}_inplace")


add_inplace = _inplace(arithmetic.add, "add")
sub_inplace = _inplace(arithmetic.sub, "sub")
mul_inplace = _inplace(arithmetic.mul, "mul")
true_div_inplace = _inplace(arithmetic.true_div, "true_div")
int_div_inplace = _inplace(arithmetic.int_div, "int_div")
mod_inplace = _inplace(arithmetic.mod, "mod")
pow_inplace = _inplace(arithmetic.pow, "pow")
neg_inplace = _inplace(arithmetic.neg, "neg")
abs__inplace = _inplace(arithmetic.abs_, "abs_")
sgn_inplace = _inplace(arithmetic.sgn, "sgn")
inv_inplace = _inplace(arithmetic.inv, "inv")
sqr_inplace = _inplace(arithmetic.sqr, "sqr")
sqrt_inplace = _inplace(arithmetic.sqrt, "sqrt")
maximum_inplace = _inplace(arithmetic.maximum, "maximum")
minimum_inplace = _inplace(arithmetic.minimum, "minimum")
second_inplace = _inplace(arithmetic.second, "second")
fill_inplace = second_inplace

lt_inplace = _inplace(compare.lt, "lt")
gt_inplace = _inplace(compare.gt, "gt")
le_inplace = _inplace(compare.le, "le")
ge_inplace = _inplace(compare.ge, "ge")
eq_inplace = _inplace(compare.eq, "eq")
neq_inplace = _inplace(compare.neq, "neq")
and__inplace = _inplace(compare.and_, "and_")
or__inplace = _inplace(compare.or_, "or_")
xor_inplace = _inplace(compare.xor, "xor")
invert_inplace = _inplace(compare.invert, "invert")

ceil_inplace = _inplace(rounding.ceil, "ceil")
floor_inplace = _inplace(rounding.floor, "floor")
trunc_inplace = _inplace(rounding.trunc, "trunc")
round_half_to_even_inplace = _inplace(rounding.round_half_to_even, "round_half_to_even")
round_half_away_from_zero_inplace = _inplace(
    rounding.round_half_away_from_zero, "round_half_away_from_zero"
)

conj_inplace = _inplace(complex_parts.conj, "conj")

exp_inplace = _inplace(explog.exp, "exp")
exp2_inplace = _inplace(explog.exp2, "exp2")
expm1_inplace = _inplace(explog.expm1, "expm1")
log_inplace = _inplace(explog.log, "log")
log1p_inplace = _inplace(explog.log1p, "log1p")
log2_inplace = _inplace(explog.log2, "log2")
log10_inplace = _inplace(explog.log10, "log10")

sin_inplace = _inplace(trig.sin, "sin")
cos_inplace = _inplace(trig.cos, "cos")
tan_inplace = _inplace(trig.tan, "tan")
arcsin_inplace = _inplace(trig.arcsin, "arcsin")
arccos_inplace = _inplace(trig.arccos, "arccos")
arctan_inplace = _inplace(trig.arctan, "arctan")
arctan2_inplace = _inplace(trig.arctan2, "arctan2")
sinh_inplace = _inplace(trig.sinh, "sinh")
cosh_inplace = _inplace(trig.cosh, "cosh")
tanh_inplace = _inplace(trig.tanh, "tanh")
arcsinh_inplace = _inplace(trig.arcsinh, "arcsinh")
arccosh_inplace = _inplace(trig.arccosh, "arccosh")
arctanh_inplace = _inplace(trig.arctanh, "arctanh")
deg2rad_inplace = _inplace(trig.deg2rad, "deg2rad")
rad2deg_inplace = _inplace(trig.rad2deg, "rad2deg")

erf_inplace = _inplace(special.erf, "erf")
erfc_inplace = _inplace(special.erfc, "erfc")
erfcx_inplace = _inplace(special.erfcx, "erfcx")
gamma_inplace = _inplace(special.gamma, "gamma")
gammaln_inplace = _inplace(special.gammaln, "gammaln")
psi_inplace = _inplace(special.psi, "psi")
tri_gamma_inplace = _inplace(special.tri_gamma, "tri_gamma")
chi2sf_inplace = _inplace(special.chi2sf, "chi2sf")
j0_inplace = _inplace(bessel.j0, "j0")
j1_inplace = _inplace(bessel.j1, "j1")
jv_inplace = _inplace(bessel.jv, "jv")
i0_inplace = _inplace(bessel.i0, "i0")
i1_inplace = _inplace(bessel.i1, "i1")
iv_inplace = _inplace(bessel.iv, "iv")
