# Written by tools/stubs.py from ops.py: change that file.
from theano._src.ops.linalg.hints import (
    Hint as Hint,
    psd as psd,
    spectral_radius_bound as spectral_radius_bound,
)
from theano._src.rules.linalg.facts import (
    HintsFeature as HintsFeature,
    HintsOptimizer as HintsOptimizer,
    hints as hints,
    is_psd as is_psd,
    is_symmetric as is_symmetric,
)
from theano.tensor.nlinalg import (
    AllocDiag as AllocDiag,
    Det as Det,
    Eig as Eig,
    Eigh as Eigh,
    EighGrad as EighGrad,
    ExtractDiag as ExtractDiag,
    MatrixInverse as MatrixInverse,
    MatrixPinv as MatrixPinv,
    alloc_diag as alloc_diag,
    det as det,
    diag as diag,
    eig as eig,
    eigh as eigh,
    extract_diag as extract_diag,
    matrix_dot as matrix_dot,
    matrix_inverse as matrix_inverse,
    pinv as pinv,
    trace as trace,
)
from theano.tensor.slinalg import (
    Cholesky as Cholesky,
    Eigvalsh as Eigvalsh,
    Solve as Solve,
    cholesky as cholesky,
    eigvalsh as eigvalsh,
    solve as solve,
)
