"""Special functions of single numbers."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.elementwise.bessel: I0 I1 Iv Ive J0 J1 Jv Kv Kve i0=scalar_i0 i1=scalar_i1
        iv=scalar_iv ive=scalar_ive j0=scalar_j0 j1=scalar_j1 jv=scalar_jv kv=scalar_kv
        kve=scalar_kve
    theano._src.ops.elementwise.incomplete: BetaInc GammaIncCInv GammaIncInv
        betainc=scalar_betainc gammainccinv=scalar_gammainccinv gammaincinv=scalar_gammaincinv
    theano._src.ops.elementwise.special: Chi2SF Erf Erfc Erfcinv Erfcx Erfinv Gamma GammaInc
        GammaIncC GammaL GammaLn GammaU PolyGamma Psi TriGamma chi2sf=scalar_chi2sf
        erf=scalar_erf erfc=scalar_erfc erfcinv=scalar_erfcinv erfcx=scalar_erfcx
        erfinv=scalar_erfinv gamma=scalar_gamma gammainc=scalar_gammainc
        gammaincc=scalar_gammaincc gammal=scalar_gammal gammaln=scalar_gammaln
        gammau=scalar_gammau polygamma=scalar_polygamma psi=scalar_psi
        tri_gamma=scalar_tri_gamma
    """,
)
