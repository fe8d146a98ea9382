"""Linear algebra after scipy.linalg: factorizations, solvers, functions of matrices."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.linalg.cholesky: Cholesky CholeskyGrad cholesky
    theano._src.ops.linalg.expm: Expm ExpmGrad expm
    theano._src.ops.linalg.factors: block_diag kron
    theano._src.ops.linalg.kron: Kron
    theano._src.ops.linalg.solve: MATRIX_STRUCTURES Solve imported_scipy solve
        solve_lower_triangular solve_symmetric solve_upper_triangular
    theano._src.ops.linalg.spectral: Eigvalsh eigvalsh
    theano._src.ops.linalg.spectral_grad: EigvalshGrad
    theano._src.ops.linalg.triangular: SolveTriangular cho_solve solve_triangular
    """,
)
