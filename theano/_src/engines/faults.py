"""Faults of known versions of XLA, and the compiler options that keep programs clear of them.

Each is described in docs/internals/engine-faults.md, with the test that tells when it is mended.
"""

from __future__ import annotations

import logging
from functools import cache

log = logging.getLogger("theano.xla")

#: versions of jaxlib whose sums on CPUs count some elements twice: threads race in their YNNPACK
RACING_SUMS = frozenset({"0.10.2", "0.11.0"})

#: products and convolutions stay with YNNPACK, and sums are left to XLA itself
_OWN_SUMS = {
    "xla_cpu_experimental_ynn_fusion_type": (
        "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT,LIBRARY_FUSION_TYPE_INDIVIDUAL_CONVOLUTION"
    )
}


@cache
def compiler_options() -> dict[str, str] | None:
    """Return the options that each program is compiled with, and log why there are any."""
    from importlib.metadata import version  # slow to import

    installed = version("jaxlib")
    if installed not in RACING_SUMS:
        return None
    log.warning(
        "jaxlib %s computes wrong sums on CPUs; programs are compiled with an option that avoids "
        "it and makes some sums slower. Install another version (pip install -U jax jaxlib).",
        installed,
    )
    return _OWN_SUMS
