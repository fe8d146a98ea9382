"""The devices that XLA can use, listed without loading jax if that is not wanted."""

from __future__ import annotations

import sys

from theano._src.engines.jax.device import chosen_device


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


def platform() -> str:
    """The platform that programs run on, by its name in jax, which must be loaded."""
    import jax

    chosen = chosen_device() or jax.config.jax_default_device
    return str(getattr(chosen, "platform", None) or chosen or jax.default_backend())
