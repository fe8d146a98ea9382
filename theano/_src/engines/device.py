"""The device that ``config.device`` asks for: a GPU of XLA, or a word that there is none."""

from __future__ import annotations

import re
import sys
from typing import Any

from theano._src.ground.config import config
from theano._src.ground.tracebacks import warn_user

_settled = [False]


def use_device() -> None:
    """Let XLA use the GPU that a flag asks for; once, when the first function is made.

    Without such a GPU functions run on the CPU, and a warning says so; an OSError where
    ``config.force_device`` is set.
    """
    if _settled[0] or config.device == "cpu":
        return
    gpus, why = _gpus()
    number = int(re.sub(r"\D", "", config.device) or 0)
    if number < len(gpus):
        _settled[0] = True
        _choose(gpus[number])
        if config.print_active_device:
            kind = getattr(gpus[number], "device_kind", gpus[number])
            print(f"Using gpu device {number}: {kind}", file=sys.stderr)
        return
    text = f"device={config.device} was asked for, and cannot be used: {why}"
    if config.force_device:
        raise OSError(f"{text}; leave force_device out to run on the CPU")
    _settled[0] = True
    warn_user(
        f"{text}; functions run on the CPU. force_device=True makes this an error, device=cpu "
        "makes it quiet"
    )


def _gpus() -> tuple[list[Any], str]:
    """The GPUs that XLA has, and what to say where there are too few."""
    try:
        import jax
    except ImportError as error:
        return [], f"jax is not installed ({error})"
    try:
        found = list(jax.devices("gpu"))
    except RuntimeError:
        found = []
    have = ", ".join(map(str, found or jax.devices()))
    return found, f"the devices of XLA are {have}; a GPU needs jax with CUDA or ROCm"


def _choose(device: Any) -> None:
    import jax

    jax.config.update("jax_default_device", device)
