"""The XLA device that ``config.device`` names, or a warning that it does not exist."""

from __future__ import annotations

import re
import sys
from typing import Any

from theano._src.ground.config import config
from theano._src.ground.tracebacks import warn_user

_settled = [False]
#: the device of our programs; None for jax's default, which the user may set
_chosen: list[Any] = [None]

#: jax's platform for the word that the flag begins with
_PLATFORMS = {"cpu": "cpu", "gpu": "gpu", "cuda": "gpu", "opencl": "gpu", "tpu": "tpu"}
#: what each platform requires
_NEEDS = {
    "gpu": "a GPU needs jax with CUDA or ROCm",
    "tpu": "a TPU needs jax[tpu]",
    "cpu": "XLA_FLAGS=--xla_force_host_platform_device_count=N makes N of the CPU",
}


def use_device() -> None:
    """Make XLA use the device that the flag names; once, when the first function is compiled.

    If it does not exist, functions run on the CPU with a warning; with ``config.force_device``
    this is an OSError.
    """
    if _settled[0] or config.device == "cpu":
        return
    name = config.device
    word = re.match("[a-z]+", name)
    platform = _PLATFORMS[word[0] if word is not None else ""]
    there, why = _devices(platform)
    number = int(re.sub(r"\D", "", name) or 0)
    if number < len(there):
        _settled[0] = True
        _chosen[0] = there[number]
        if config.print_active_device:
            kind = getattr(there[number], "device_kind", there[number])
            what = f"gpu device {number}" if name.startswith("gpu") else f"device {name}"
            print(f"Using {what}: {kind}", file=sys.stderr)
        return
    text = f"device={name} cannot be used: {why}"
    if config.force_device:
        raise OSError(f"{text}; leave force_device out to run on the CPU")
    _settled[0] = True
    warn_user(
        f"{text}; functions run on the CPU. force_device=True makes this an error, device=cpu "
        "makes it quiet"
    )


def _devices(platform: str) -> tuple[list[Any], str]:
    """XLA's devices on a platform, and the reason to report if there are too few."""
    try:
        import jax
    except ImportError as error:
        return [], f"jax is not installed ({error})"
    try:
        results = list(jax.local_devices(backend=platform))
    except RuntimeError:
        results = []
    have = ", ".join(map(str, results or jax.devices()))
    return results, f"the devices of XLA are {have}; {_NEEDS[platform]}"


def chosen_device() -> Any:
    """The jax device that ``config.device`` has chosen for our programs, or None."""
    return _chosen[0]
