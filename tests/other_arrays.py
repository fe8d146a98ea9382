"""Arrays that are not NumPy's, for tests of what takes them."""

import jax
import numpy as np


class OnlyDLPack:
    """An array that has nothing but DLPack, as those of devices have."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def of_jax(values):
    with jax.enable_x64(True):
        return jax.device_put(np.array(values))
