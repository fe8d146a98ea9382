"""What the shim of old packages takes from a newer NumPy than Theano 1.0.5 runs with."""

import sys
from types import ModuleType

import numpy as np

if not hasattr(np, "trapezoid"):
    np.trapezoid = np.trapz
if not hasattr(np, "exceptions"):
    made = ModuleType("numpy.exceptions")
    for name in ("VisibleDeprecationWarning", "ComplexWarning", "AxisError", "RankWarning"):
        setattr(made, name, getattr(np, name, getattr(np.polynomial.polyutils, name, Warning)))
    np.exceptions = sys.modules["numpy.exceptions"] = made
