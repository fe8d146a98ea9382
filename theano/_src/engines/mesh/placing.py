"""Moving host arrays to a mesh of devices, and back (ADR 18)."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.engines.jax import backend
from theano._src.engines.jax.mesh_devices import check_even, named_sharding
from theano._src.engines.mesh.agreement import agree
from theano._src.ground.config import config
from theano._src.types.sharding import Sharding
from theano._src.types.shared import Cell, on_host


def spread(value: Any, sharding: Sharding, name: str) -> Any:
    """Put a whole value, which every process has, on a mesh; in memory of its own."""
    import jax

    held = np.array(value, order="C")
    check_even(held.shape, sharding, name)
    agree(f"the value of {name}", lambda: held.tobytes())
    where = named_sharding(sharding)
    with backend.x64():
        if where.is_fully_addressable:
            return jax.device_put(held, where)
        return jax.make_array_from_callback(held.shape, where, lambda part: held[part].copy())


def placed(cell: Cell, value: Any, sharding: Sharding, name: str) -> Any:
    """Put a shared value on a mesh; keep it there unless the user also holds the array."""
    if not isinstance(value, np.ndarray) and value.sharding == named_sharding(sharding):
        return value
    result = spread(on_host(value), sharding, name)
    if not cell.borrowed:
        cell.on_mesh = True
        cell[0] = result
    return result


def joined(value: Any, sharding: Sharding, name: str) -> Any:
    """Join the parts of all processes into one array over a mesh; ``value`` is this one's part."""
    import jax

    here = np.asarray(value)
    where = named_sharding(sharding)
    with backend.x64():
        if where.is_fully_addressable:
            check_even(here.shape, sharding, name)
            # NOTE: device_put may keep the caller's memory, which the caller may write to
            return jax.device_put(np.array(here), where)
        shape = _whole_shape(here.shape, where)
        check_even(shape, sharding, name)
        return jax.make_array_from_process_local_data(where, np.array(here), shape)


def _whole_shape(shape: tuple[int, ...], where: Any) -> tuple[int, ...]:
    """The shape of the whole, if every process has a part of the same ``shape``."""
    # the number of different positions along each dimension: of all devices, and of this process
    counts = []
    probe = tuple(where.mesh.size for _ in shape)
    every = where.devices_indices_map(probe)
    for axis in range(len(shape)):
        own = {every[d][axis].indices(probe[axis]) for d in where.addressable_devices}
        counts.append((len({i[axis].indices(probe[axis]) for i in every.values()}), len(own)))
    return tuple(n * total // own for n, (total, own) in zip(shape, counts, strict=True))


def own_part(value: Any) -> Any:
    """The part of an array on this process's devices, as one NumPy array."""
    if value.is_fully_addressable or value.is_fully_replicated:
        return np.array(value)
    shards = value.addressable_shards
    places = [[s.indices(n)[:2] for s, n in zip(p.index, value.shape, strict=True)] for p in shards]
    low = [min(start for start, _ in column) for column in zip(*places, strict=True)]
    high = [max(stop for _, stop in column) for column in zip(*places, strict=True)]
    out = np.empty([h - n for n, h in zip(low, high, strict=True)], value.dtype)
    for p, place in zip(shards, places, strict=True):
        out[tuple(slice(a - n, b - n) for (a, b), n in zip(place, low, strict=True))] = p.data
    return out


def gathered(value: Any) -> Any:
    """The whole of a value that is split over processes; all of them must call this."""
    if isinstance(value, np.ndarray) or not hasattr(value, "is_fully_addressable"):
        return value
    if value.is_fully_addressable or value.is_fully_replicated:
        return value
    from jax.experimental import multihost_utils

    agree(f"a gather of {value.dtype}{value.shape}", bytes)
    with backend.x64():
        return np.asarray(multihost_utils.process_allgather(value, tiled=True))


def gathered_on_host(value: Any) -> Any:
    """A value as a NumPy array, wherever its parts are; all processes must call this."""
    return on_host(gathered(value))


def same(value: Any, name: str) -> None:
    """If configured, check that all processes pass the same value for an unsplit argument."""
    if config.distributed.check_arguments:
        held = np.asarray(value)
        agree(
            f"the argument {name}", lambda: repr((held.shape, held.dtype)).encode() + held.tobytes()
        )


def local(value: Any) -> Any:
    """One device's copy of a replicated value, for functions that run on one device."""
    return value.addressable_data(0) if len(value.sharding.device_set) > 1 else value
