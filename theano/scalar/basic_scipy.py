"""Special functions of single numbers."""

from theano._src.ops.elementwise.bessel import I0, I1, J0, J1, Iv, Jv
from theano._src.ops.elementwise.bessel import scalar_i0 as i0
from theano._src.ops.elementwise.bessel import scalar_i1 as i1
from theano._src.ops.elementwise.bessel import scalar_iv as iv
from theano._src.ops.elementwise.bessel import scalar_j0 as j0
from theano._src.ops.elementwise.bessel import scalar_j1 as j1
from theano._src.ops.elementwise.bessel import scalar_jv as jv
from theano._src.ops.elementwise.special import (
    Chi2SF,
    Erf,
    Erfc,
    Erfcinv,
    Erfcx,
    Erfinv,
    Gamma,
    GammaInc,
    GammaIncC,
    GammaL,
    GammaLn,
    GammaU,
    PolyGamma,
    Psi,
    TriGamma,
)
from theano._src.ops.elementwise.special import (
    scalar_chi2sf as chi2sf,
)
from theano._src.ops.elementwise.special import (
    scalar_erf as erf,
)
from theano._src.ops.elementwise.special import (
    scalar_erfc as erfc,
)
from theano._src.ops.elementwise.special import (
    scalar_erfcinv as erfcinv,
)
from theano._src.ops.elementwise.special import (
    scalar_erfcx as erfcx,
)
from theano._src.ops.elementwise.special import (
    scalar_erfinv as erfinv,
)
from theano._src.ops.elementwise.special import (
    scalar_gamma as gamma,
)
from theano._src.ops.elementwise.special import (
    scalar_gammainc as gammainc,
)
from theano._src.ops.elementwise.special import (
    scalar_gammaincc as gammaincc,
)
from theano._src.ops.elementwise.special import (
    scalar_gammal as gammal,
)
from theano._src.ops.elementwise.special import (
    scalar_gammaln as gammaln,
)
from theano._src.ops.elementwise.special import (
    scalar_gammau as gammau,
)
from theano._src.ops.elementwise.special import (
    scalar_polygamma as polygamma,
)
from theano._src.ops.elementwise.special import (
    scalar_psi as psi,
)
from theano._src.ops.elementwise.special import (
    scalar_tri_gamma as tri_gamma,
)

__all__ = [
    "Chi2SF",
    "Erf",
    "Erfc",
    "Erfcinv",
    "Erfcx",
    "Erfinv",
    "Gamma",
    "GammaInc",
    "GammaIncC",
    "GammaL",
    "GammaLn",
    "GammaU",
    "I0",
    "I1",
    "Iv",
    "J0",
    "J1",
    "Jv",
    "PolyGamma",
    "Psi",
    "TriGamma",
    "chi2sf",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammal",
    "gammaln",
    "gammau",
    "i0",
    "i1",
    "iv",
    "j0",
    "j1",
    "jv",
    "polygamma",
    "psi",
    "tri_gamma",
]
