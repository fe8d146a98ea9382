# Written by tools/stubs.py from optimize.py: change that file.
from theano._src.control.solvers.optimize import (
    minimize as minimize,
    minimize_scalar as minimize_scalar,
    root as root,
    root_scalar as root_scalar,
)
from theano._src.ground.errors import ConvergenceError as ConvergenceError
