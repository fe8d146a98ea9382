"""The devices that XLA can use, told without loading jax where that is not wanted."""

from __future__ import annotations

import sys

from theano._src.engines.jax.device import chosen_device


def list_devices(load: bool = True) -> list[str] | None:
    """One line for each device of XLA; None where jax would have to be loaded and may not be.

    Parameters
    ----------
    load : bool
        Whether jax may be loaded to find out, which takes about a second.

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
    """The kind of device that programs run on, by its name in jax, which is loaded."""
    import jax

    chosen = chosen_device() or jax.config.jax_default_device
    return str(getattr(chosen, "platform", None) or chosen or jax.default_backend())
