"""Special functions of single numbers."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.elementwise import bessel as _bessel, special as _special
from theano._src.ops.elementwise.bessel import (
    I0 as I0,
    I1 as I1,
    J0 as J0,
    J1 as J1,
    Iv as Iv,
    Jv as Jv,
)
from theano._src.ops.elementwise.special import (
    Chi2SF as Chi2SF,
    Erf as Erf,
    Erfc as Erfc,
    Erfcinv as Erfcinv,
    Erfcx as Erfcx,
    Erfinv as Erfinv,
    Gamma as Gamma,
    GammaInc as GammaInc,
    GammaIncC as GammaIncC,
    GammaL as GammaL,
    GammaLn as GammaLn,
    GammaU as GammaU,
    PolyGamma as PolyGamma,
    Psi as Psi,
    TriGamma as TriGamma,
)

chi2sf = _special.scalar_chi2sf
erf = _special.scalar_erf
erfc = _special.scalar_erfc
erfcinv = _special.scalar_erfcinv
erfcx = _special.scalar_erfcx
erfinv = _special.scalar_erfinv
gamma = _special.scalar_gamma
gammainc = _special.scalar_gammainc
gammaincc = _special.scalar_gammaincc
gammal = _special.scalar_gammal
gammaln = _special.scalar_gammaln
gammau = _special.scalar_gammau
i0 = _bessel.scalar_i0
i1 = _bessel.scalar_i1
iv = _bessel.scalar_iv
j0 = _bessel.scalar_j0
j1 = _bessel.scalar_j1
jv = _bessel.scalar_jv
polygamma = _special.scalar_polygamma
psi = _special.scalar_psi
tri_gamma = _special.scalar_tri_gamma

__getattr__ = _module_getattr(__name__)
