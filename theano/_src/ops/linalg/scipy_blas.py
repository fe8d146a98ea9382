"""SciPy's BLAS and LAPACK, loaded without the rest of SciPy."""

from __future__ import annotations

import contextlib
import importlib.machinery
import importlib.util
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from theano._src.ground.processors import threads

#: BLAS letter of each dtype, by NumPy's dtype character
LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}
#: always True: SciPy, which is required, includes BLAS
have_fblas = True


@cache
def has_one_thread() -> bool:
    """Whether BLAS has one thread: SciPy's BLAS and NumPy's have separate threads.

    With several threads each, they compete for cores: a step of a perceptron that uses both in
    turn took 8 ms on two cores, 2.1 ms with NumPy's BLAS alone, 1.3 ms with one thread each.
    """
    return threads() == 1


def fortran_blas() -> Any:
    """SciPy's BLAS functions."""
    return _fortran("_fblas", "gemm")


def lapack_functions(names: Sequence[str], dtype: np.dtype[Any]) -> list[Any]:
    """SciPy's LAPACK functions with these names, for ``dtype``."""
    module = _fortran("_flapack", "potrf")
    return [getattr(module, LETTERS[dtype.char] + name) for name in names]


@cache
def _fortran(name: str, function: str) -> Any:
    """Load SciPy's extension module ``name``, which must have ``function`` for every dtype.

    Importing ``scipy.linalg`` takes 170 ms, as long as a first result may take in total; its
    extension module alone loads in 3 ms.
    """
    with contextlib.suppress(ImportError, OSError, AttributeError):
        home = importlib.util.find_spec("scipy")
        folders = home.submodule_search_locations or () if home is not None else ()
        spec = importlib.machinery.PathFinder.find_spec(
            f"scipy.linalg.{name}", [f"{folder}/linalg" for folder in folders]
        )
        if spec is not None and spec.loader is not None:
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            if all(hasattr(module, f"{letter}{function}") for letter in LETTERS.values()):
                return module
    import scipy.linalg

    return scipy.linalg.blas if name == "_fblas" else scipy.linalg.lapack


def by_fortran_gemm(
    letter: str,
    z: np.ndarray | None,
    a: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    b: np.ndarray,
    own: bool,
) -> Any:
    """b z + a x y by SciPy's BLAS, in the memory of z if ``own``; a x y if z is None."""
    gemm = getattr(fortran_blas(), f"{letter}gemm")
    # BLAS stores matrices by columns: one stored by rows is its transpose there
    if z is None:
        return _gemm_by_columns(gemm, None, a, y.T, x.T, b).T
    if not own:
        z = z.copy(order="K")
    if not z.flags.f_contiguous:
        result = _gemm_by_columns(gemm, z.T, a, y.T, x.T, b).T
    else:
        result = _gemm_by_columns(gemm, z, a, x, y, b)
    return z if np.may_share_memory(result, z) else result


def _gemm_by_columns(
    gemm: Callable[..., Any],
    z: np.ndarray | None,
    a: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    b: np.ndarray,
) -> Any:
    (x, turn_x), (y, turn_y) = ((m, False) if m.flags.f_contiguous else (m.T, True) for m in (x, y))
    rest = {} if z is None else {"beta": b.item(), "c": z, "overwrite_c": True}
    return gemm(a.item(), x, y, trans_a=turn_x, trans_b=turn_y, **rest)


def by_fortran_ger(
    letter: str, A: np.ndarray, a: np.ndarray, x: np.ndarray, y: np.ndarray, own: bool
) -> Any:
    """A + a x y' by SciPy's BLAS, in the memory of A if ``own``."""
    ger = getattr(fortran_blas(), f"{letter}ger" + ("u" if letter in "cz" else ""))
    if not own:
        A = A.copy(order="K")
    if not A.flags.f_contiguous:
        result = ger(a.item(), y, x, a=A.T, overwrite_a=True).T
    else:
        result = ger(a.item(), x, y, a=A, overwrite_a=True)
    return A if np.may_share_memory(result, A) else result
