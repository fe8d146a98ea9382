"""What packages take from an older Theano, NumPy or SciPy than 1.0.5 and its own.

`theano.tensor.signal.downsample` went in 1.0: pooling is in `pool` there, and takes the old names.
Convolutions of 1.0.5 without a compiler take modules of SciPy by names that these no longer have.
What stands for `inspect.getargspec` there gives seven parts: the shim's gives four, as it did.
"""

import inspect
import sys
from types import ModuleType

from scipy.signal import _signaltools, _sigtools

sys.modules["scipy.signal.signaltools"] = _signaltools
sys.modules["scipy.signal.sigtools"] = _sigtools

if getattr(inspect, "getargspec", None) is inspect.getfullargspec:
    del inspect.getargspec


class Downsample(ModuleType):
    """The module of that name, which is there when it is imported: Theano itself is not, so far."""

    def __getattr__(self, name: str) -> object:
        from theano.tensor.signal import pool

        return getattr(pool, {"max_pool_2d": "pool_2d"}.get(name, name))


sys.modules["theano.tensor.signal.downsample"] = Downsample("theano.tensor.signal.downsample")
