"""Hints about matrices, and ops that were once here."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.linalg.hints: Hint psd spectral_radius_bound
    theano._src.rules.linalg.facts: HintsFeature HintsOptimizer hints is_psd is_symmetric
    theano.tensor.nlinalg: AllocDiag Det Eig Eigh EighGrad ExtractDiag MatrixInverse MatrixPinv
        alloc_diag det diag eig eigh extract_diag matrix_dot matrix_inverse pinv trace
    theano.tensor.slinalg: Cholesky Eigvalsh Solve cholesky eigvalsh solve
    """,
)
