"""Faults of known versions of XLA, and how programs avoid them.

Each is described in docs/internals/engine-faults.md, with the test that shows when it is fixed.
"""

from __future__ import annotations

import logging
from functools import cache

log = logging.getLogger("theano.xla")

#: versions of jaxlib whose CPU sums count some elements twice: threads race in their YNNPACK
RACING_SUMS = frozenset({"0.10.2", "0.11.0"})

#: versions whose CPU products over all dimensions are summed one by one in float32
LOSSY_PRODUCTS = frozenset({"0.10.0", "0.10.1"})

#: leaves products and convolutions to YNNPACK, and sums to XLA itself
_OWN_SUMS = {
    "xla_cpu_experimental_ynn_fusion_type": (
        "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT,LIBRARY_FUSION_TYPE_INDIVIDUAL_CONVOLUTION"
    )
}


def _installed() -> str:
    from importlib.metadata import version  # slow to import

    return version("jaxlib")


@cache
def products_lose_digits() -> bool:
    """Whether the installed version is one of those with lossy products."""
    return _installed() in LOSSY_PRODUCTS


@cache
def compiler_options() -> dict[str, str] | None:
    """Return the options that each program is compiled with, and log why there are any."""
    installed = _installed()
    if installed not in RACING_SUMS:
        return None
    log.warning(
        "jaxlib %s computes wrong sums on CPUs; programs are compiled with an option that avoids "
        "it and makes some sums slower. Install another version (pip install -U jax jaxlib).",
        installed,
    )
    return _OWN_SUMS
