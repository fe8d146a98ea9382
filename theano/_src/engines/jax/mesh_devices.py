"""Meshes and shardings as jax objects."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

from theano._src.engines.jax.devices import planned, platform
from theano._src.engines.jax.elsewhere import arranged
from theano._src.types.sharding import Mesh, Sharding
from theano._src.types.topology import Topology


class UnevenSplit(ValueError):
    """A dimension cannot be split over an axis of a mesh into parts of equal length."""


def lengths_of(mesh: Mesh) -> dict[str, int]:
    """The length of each axis; -1 is replaced by the number that uses the remaining devices."""
    return _lengths(mesh, planned())


@cache
def _lengths(mesh: Mesh, topology: Topology | None) -> dict[str, int]:
    if topology is None:
        return _lengths_here(mesh)
    lengths = _filled(mesh, topology.chips)
    if prod(lengths.values()) != topology.chips:
        raise ValueError(
            f"{mesh} takes {prod(lengths.values())} devices, and {topology.name} has "
            f"{topology.chips}: a mesh is planned for all of them"
        )
    return lengths


def _lengths_here(mesh: Mesh) -> dict[str, int]:
    import jax

    if mesh.topology is not None:
        raise RuntimeError(
            f"{Mesh(mesh.axes)} was planned for {mesh.topology.name}, which this machine does not "
            "have: "
            "theano.distributed.plan says what a function needs there; make the mesh without "
            "topology= to call functions on the devices of this machine"
        )
    there = jax.devices(platform())
    lengths = _filled(mesh, len(there))
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


def _filled(mesh: Mesh, devices: int) -> dict[str, int]:
    axes = mesh.axes
    known = prod(size for size in axes.values() if size > 0)
    rest = max(1, devices // known)
    return {name: rest if size == -1 else size for name, size in axes.items()}


def named_sharding(sharding: Sharding) -> Any:
    """The jax object of a sharding; on an abstract mesh if programs are planned."""
    return _named(sharding, planned())


@cache
def _named(sharding: Sharding, topology: Topology | None) -> Any:
    import jax

    parts = (names or None for names in sharding.spec)
    return jax.sharding.NamedSharding(
        _grid(sharding.mesh, topology), jax.sharding.PartitionSpec(*parts)
    )


@cache
def _grid(mesh: Mesh, topology: Topology | None) -> Any:
    import jax

    lengths = _lengths(mesh, topology)
    if topology is None:
        return arranged(lengths, jax.devices(platform())[: prod(lengths.values())])
    auto = (jax.sharding.AxisType.Auto,) * len(lengths)
    return jax.sharding.AbstractMesh(tuple(lengths.values()), tuple(lengths), axis_types=auto)


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
