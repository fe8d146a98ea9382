"""Meshes and shardings as jax objects."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

from theano._src.engines.jax.devices import platform
from theano._src.types.sharding import Mesh, Sharding


class UnevenSplit(ValueError):
    """A dimension cannot be split over an axis of a mesh into parts of equal length."""


@cache
def lengths_of(mesh: Mesh) -> dict[str, int]:
    """The length of each axis; -1 is replaced by the number that uses the remaining devices."""
    import jax

    there = jax.devices(platform())
    axes = mesh.axes
    known = prod(size for size in axes.values() if size > 0)
    rest = max(1, len(there) // known)
    lengths = {name: rest if size == -1 else size for name, size in axes.items()}
    needed = prod(lengths.values())
    if needed > len(there):
        raise ValueError(
            f"{mesh} takes {needed} devices, and there are {len(there)}: "
            f"{', '.join(map(str, there[:8]))}; XLA_FLAGS=--xla_force_host_platform_device_count=N "
            "makes N of the CPU"
        )
    if jax.process_count() > 1 and needed != len(there):
        raise ValueError(
            f"{mesh} takes {needed} devices, and the {jax.process_count()} processes have "
            f"{len(there)}: with several processes a mesh has all of them"
        )
    return lengths


@cache
def _devices_of(mesh: Mesh) -> Any:
    import jax

    lengths = lengths_of(mesh)
    there = jax.devices(platform())[: prod(lengths.values())]
    # NOTE: with the default axis type every operation would have to state its result's sharding
    auto = (jax.sharding.AxisType.Auto,) * len(lengths)
    return jax.make_mesh(tuple(lengths.values()), tuple(lengths), axis_types=auto, devices=there)


@cache
def named_sharding(sharding: Sharding) -> Any:
    """The jax object of a sharding."""
    import jax

    parts = (names or None for names in sharding.spec)
    return jax.sharding.NamedSharding(
        _devices_of(sharding.mesh), jax.sharding.PartitionSpec(*parts)
    )


def parts_of(sharding: Sharding) -> list[int]:
    """The number of parts of each dimension in the spec; further dimensions are not split."""
    lengths = lengths_of(sharding.mesh)
    return [prod(lengths[name] for name in names) for names in sharding.spec]


def check_even(shape: tuple[int, ...], sharding: Sharding, what: str) -> None:
    """Raise UnevenSplit if a split dimension has no parts of equal length.

    NOTE: XLA would pad the last part, and means would silently change.
    """
    for axis, parts in enumerate(parts_of(sharding)):
        if shape[axis] % parts:
            over = "+".join(sharding.spec[axis])
            raise UnevenSplit(
                f"{what} of shape {shape} is split over {over!r} of {sharding.mesh} along "
                f"dimension {axis}: its length, {shape[axis]}, is not a multiple of {parts}"
            )


def constrained(x: Any, sharding: Sharding) -> Any:
    import jax

    check_even(tuple(x.shape), sharding, "a constrained value")
    return jax.lax.with_sharding_constraint(x, named_sharding(sharding))
