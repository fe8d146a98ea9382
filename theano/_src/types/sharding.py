"""Meshes of devices, and how arrays are split over them: plain data that loads no engine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from theano._src.ground.documented import documented_in
from theano._src.ground.suggest import nearest
from theano._src.types.topology import Topology

#: for each dimension of an array, the axes of the mesh that it is split over
Spec = tuple[tuple[str, ...], ...]


@documented_in("theano.distributed")
class Mesh:
    """A grid of devices with named axes; made by ``mesh``.

    Index it with one axis name per array dimension to get a Sharding: None for a dimension that
    is not split, ``"a+b"`` for a dimension split over two axes. Trailing dimensions may be omitted
    and are not split.

    Attributes
    ----------
    axes : dict
        The length of each axis; -1 for all remaining devices.
    topology : Topology, optional
        The chips that functions on the mesh are planned for; None for those of this machine.

    >>> from theano import distributed as dist
    >>> mesh = dist.mesh({"data": 4, "model": 2})
    >>> mesh["data"], mesh[None, "model"]
    (mesh(data=4, model=2)['data'], mesh(data=4, model=2)[None, 'model'])
    """

    __slots__ = ("_axes", "topology")

    def __init__(self, axes: Mapping[str, int], topology: Topology | None = None) -> None:
        _check_axes(axes)
        if topology is not None and not isinstance(topology, Topology):
            raise TypeError(
                f"mesh takes a topology that theano.distributed.topology has made, got {topology!r}"
            )
        self._axes = tuple(axes.items())
        self.topology = topology

    @property
    def axes(self) -> dict[str, int]:
        return dict(self._axes)

    @property
    def replicated(self) -> Sharding:
        """The sharding under which every device has the whole array."""
        return Sharding(self, ())

    def __getitem__(self, names: Any) -> Sharding:
        given = names if isinstance(names, tuple) else (names,)
        return Sharding(self, tuple(self._split_over(name) for name in given))

    def _split_over(self, name: Any) -> tuple[str, ...]:
        if name is None:
            return ()
        if not isinstance(name, str):
            raise TypeError(
                f"{self} is indexed by names of its axes and None, one for each dimension of an "
                f"array, got {name!r}"
            )
        axes = tuple(name.split("+"))
        for axis in axes:
            if axis not in self.axes:
                near = nearest(axis, self.axes)
                hint = "" if near is None else f"; did you mean {near!r}?"
                raise ValueError(f"{self} has no axis {axis!r}{hint}")
        return axes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mesh) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash((Mesh, self._parts))

    @property
    def _parts(self) -> Any:
        return self._axes, self.topology

    def __repr__(self) -> str:
        there = "" if self.topology is None else f" on {self.topology.name}"
        return f"mesh({', '.join(f'{name}={size}' for name, size in self._axes)}){there}"

    def __reduce__(self) -> Any:
        return (Mesh, (self.axes, self.topology))


@documented_in("theano.distributed")
class Sharding:
    """How an array is split over a mesh; made by indexing one.

    Attributes
    ----------
    mesh : Mesh
    spec : tuple
        For each dimension, the names of the axes over which it is split.

    >>> from theano import distributed as dist
    >>> mesh = dist.mesh({"data": 4, "model": 2})
    >>> mesh["data+model"].spec, mesh.replicated.is_replicated
    ((('data', 'model'),), True)
    """

    __slots__ = ("mesh", "spec")

    def __init__(self, mesh: Mesh, spec: Spec) -> None:
        while spec and not spec[-1]:
            spec = spec[:-1]
        named = [name for names in spec for name in names]
        twice = next((name for name in named if named.count(name) > 1), None)
        if twice is not None:
            raise ValueError(
                f"an axis of a mesh splits one dimension of an array, and {twice!r} of {mesh} is "
                "named twice"
            )
        self.mesh = mesh
        self.spec = spec

    @property
    def is_replicated(self) -> bool:
        """Whether every device has the whole array."""
        return not self.spec

    def check(self, ndim: int | None, what: object) -> None:
        """Raise ValueError if an array of ``ndim`` dimensions cannot have this sharding."""
        if ndim is None:
            raise ValueError(f"{self} splits arrays, and {what} is none")
        if len(self.spec) > ndim:
            raise ValueError(
                f"{self} splits dimension {len(self.spec) - 1}, and {what} has {ndim} dimensions"
            )

    def behind(self, more: int) -> Sharding:
        """Return the sharding for arrays with ``more`` leading dimensions that are not split."""
        return Sharding(self.mesh, ((),) * more + self.spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sharding) and (self.mesh, self.spec) == (other.mesh, other.spec)

    def __hash__(self) -> int:
        return hash((self.mesh, self.spec))

    def __repr__(self) -> str:
        if self.is_replicated:
            return f"{self.mesh}.replicated"
        shown = (repr("+".join(names)) if names else "None" for names in self.spec)
        return f"{self.mesh}[{', '.join(shown)}]"

    def __reduce__(self) -> Any:
        return (Sharding, (self.mesh, self.spec))


@documented_in("theano.distributed")
def mesh(axes: Mapping[str, int], topology: Topology | None = None) -> Mesh:
    """Return a mesh of devices with named axes.

    Parameters
    ----------
    axes : dict
        The length of each axis by name; one may be -1, for all remaining devices.
    topology : Topology, optional
        Chips that this machine need not have: functions on the mesh can be planned
        (``theano.distributed.plan``), and not called.

    Returns
    -------
    Mesh

    Raises
    ------
    ValueError
        When a function runs on the mesh, if there are fewer devices than the mesh needs.

    Examples
    --------
    >>> from theano import distributed as dist
    >>> dist.mesh({"data": -1})
    mesh(data=-1)
    """
    return Mesh(axes, topology)


def _check_axes(axes: Mapping[str, int]) -> None:
    if not isinstance(axes, Mapping) or not axes:
        raise TypeError(f"mesh takes a dict with the length of each axis, got {axes!r}")
    for name, size in axes.items():
        if not isinstance(name, str) or not re.fullmatch(r"\w+", name):
            raise ValueError(f"an axis of a mesh is named by letters and digits, got {name!r}")
        if isinstance(size, bool) or not isinstance(size, int) or not (size > 0 or size == -1):
            raise ValueError(f"axis {name!r} of a mesh takes a length, or -1, got {size!r}")
    if list(axes.values()).count(-1) > 1:
        raise ValueError(f"one axis of a mesh may be -1, the devices that are left, got {axes!r}")
