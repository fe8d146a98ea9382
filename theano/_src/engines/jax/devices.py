"""The devices that XLA can use, and the platform that programs are compiled for."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator

from theano._src.engines.jax.device import chosen_device
from theano._src.types.topology import Topology


def list_devices(load: bool = True) -> list[str] | None:
    """Return one line for each XLA device; None if jax is not loaded and ``load`` is False.

    Parameters
    ----------
    load : bool
        Whether jax may be loaded, which takes about a second.

    Returns
    -------
    list of str, or None

    Raises
    ------
    ImportError
        If jax is not installed.

    Examples
    --------
    >>> list_devices()[0]
    'cpu:0 ...'
    """
    if not load and "jax" not in sys.modules:
        return None
    import jax

    return [f"{d.platform}:{d.id} ({d.device_kind})" for d in jax.devices()]


#: per thread: chips that programs are compiled for, which this machine need not have
_planned = threading.local()


def platform() -> str:
    """The platform that programs run on, by its name in jax, which must be loaded."""
    import jax

    chosen = chosen_device() or jax.config.jax_default_device
    return str(getattr(chosen, "platform", None) or chosen or jax.default_backend())


def target() -> str:
    """The platform that programs are compiled for: that they run on, unless they are planned.

    What suits only CPUs asks this: forms of convolutions, workarounds for faults of its compiler,
    kernels in C.
    """
    there = planned()
    return platform() if there is None else there.platform


def planned() -> Topology | None:
    """The chips that this thread plans programs for; None if programs are to run."""
    return getattr(_planned, "topology", None)


@contextlib.contextmanager
def compiling_for(topology: Topology) -> Iterator[None]:
    """A block in which this thread traces programs for chips that need not be there."""
    before = planned()
    _planned.topology = topology
    try:
        yield
    finally:
        _planned.topology = before
