"""Products of matrices, solvers, decompositions, Fourier transforms."""
