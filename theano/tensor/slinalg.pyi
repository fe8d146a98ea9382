# Written by tools/stubs.py from slinalg.py: change that file.
from theano._src.ops.linalg.cholesky import (
    Cholesky as Cholesky,
    CholeskyGrad as CholeskyGrad,
    cholesky as cholesky,
)
from theano._src.ops.linalg.expm import Expm as Expm, ExpmGrad as ExpmGrad, expm as expm
from theano._src.ops.linalg.factors import block_diag as block_diag, kron as kron
from theano._src.ops.linalg.kron import Kron as Kron
from theano._src.ops.linalg.solve import (
    MATRIX_STRUCTURES as MATRIX_STRUCTURES,
    Solve as Solve,
    imported_scipy as imported_scipy,
    solve as solve,
    solve_lower_triangular as solve_lower_triangular,
    solve_symmetric as solve_symmetric,
    solve_upper_triangular as solve_upper_triangular,
)
from theano._src.ops.linalg.spectral import Eigvalsh as Eigvalsh, eigvalsh as eigvalsh
from theano._src.ops.linalg.spectral_grad import EigvalshGrad as EigvalshGrad
from theano._src.ops.linalg.triangular import (
    SolveTriangular as SolveTriangular,
    cho_solve as cho_solve,
    solve_triangular as solve_triangular,
)
