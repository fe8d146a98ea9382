"""Linear algebra in SciPy's manner: factors, solvers, functions of matrices."""

from theano._src.ops.linalg.cholesky import Cholesky, CholeskyGrad, cholesky
from theano._src.ops.linalg.expm import Expm, ExpmGrad, expm
from theano._src.ops.linalg.factors import kron
from theano._src.ops.linalg.solve import (
    MATRIX_STRUCTURES,
    Solve,
    imported_scipy,
    solve,
    solve_lower_triangular,
    solve_symmetric,
    solve_upper_triangular,
)
from theano._src.ops.linalg.spectral import Eigvalsh, eigvalsh
from theano._src.ops.linalg.spectral_grad import EigvalshGrad
from theano._src.ops.linalg.triangular import SolveTriangular, cho_solve, solve_triangular

__all__ = [
    "MATRIX_STRUCTURES",
    "Cholesky",
    "CholeskyGrad",
    "Eigvalsh",
    "EigvalshGrad",
    "Expm",
    "ExpmGrad",
    "Solve",
    "SolveTriangular",
    "cho_solve",
    "cholesky",
    "eigvalsh",
    "expm",
    "imported_scipy",
    "kron",
    "solve",
    "solve_lower_triangular",
    "solve_symmetric",
    "solve_triangular",
    "solve_upper_triangular",
]
