"""Chips that programs are compiled for, and how many there are: plain data that loads no engine."""

from __future__ import annotations

import re
from math import prod
from typing import Any, NamedTuple

from theano._src.ground.documented import documented_in
from theano._src.ground.suggest import nearest


class Chip(NamedTuple):
    """A kind of chip, as its vendor describes it.

    Attributes
    ----------
    name : str
    platform : str
        Its platform, by jax's name: 'tpu', 'gpu' or 'cpu'.
    memory : int
        Bytes that programs can use; 0 if that depends on the machine.
    flops : float
        Floating-point operations in a second, of float32 products in the default precision:
        bfloat16 on a TPU, TF32 on a GPU.
    bandwidth : float
        Bytes in a second, to and from its memory.
    flops32 : float
        The same of float32 products that keep their digits.
    clock : float
        Cycles in a second; 0 where the compiler counts none.
    link : float
        Bytes in a second to its neighbours: along one axis of a torus, or within a host.
    network : float
        Bytes in a second to chips of other hosts; 0 if the link reaches all.
    """

    name: str
    platform: str
    memory: int
    flops: float
    bandwidth: float
    flops32: float
    clock: float
    link: float
    network: float = 0.0


# Vendors' data sheets. Clocks of TPUs are peak flops over the operations of a cycle; a product of
# float32 takes six of bfloat16 there.
_GB = 1 << 30
CHIPS = {
    chip.name: chip
    for chip in (
        Chip("v5e", "tpu", int(15.75 * _GB), 197e12, 819e9, 197e12 / 6, 1.5e9, 90e9),
        Chip("v5p", "tpu", int(95.7 * _GB), 459e12, 2765e9, 459e12 / 6, 1.75e9, 180e9),
        Chip("a100", "gpu", 80 * _GB, 156e12, 2039e9, 19.5e12, 0.0, 300e9, 25e9),
        Chip("h100", "gpu", 80 * _GB, 494e12, 3352e9, 67e12, 0.0, 450e9, 50e9),
        Chip("cpu", "cpu", 0, 0.0, 0.0, 0.0, 0.0, 0.0),
    )
}


@documented_in("theano.distributed")
class Topology:
    """Chips of one kind, and how they are connected; made by ``topology``.

    Attributes
    ----------
    chip : Chip
    shape : tuple of int
        The lengths of a TPU's torus; of GPUs, the hosts and the GPUs of each.

    >>> from theano import distributed as dist
    >>> there = dist.topology("h100:128x8")
    >>> there.chips, there.platform
    (1024, 'gpu')
    """

    __slots__ = ("chip", "shape")

    def __init__(self, chip: Chip, shape: tuple[int, ...]) -> None:
        self.chip = chip
        self.shape = shape

    @property
    def chips(self) -> int:
        """The number of chips."""
        return prod(self.shape)

    @property
    def platform(self) -> str:
        """The platform of the chips, by jax's name."""
        return self.chip.platform

    @property
    def name(self) -> str:
        """The text that it is made of."""
        return f"{self.chip.name}:{'x'.join(map(str, self.shape))}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Topology) and (self.chip, self.shape) == (other.chip, other.shape)

    def __hash__(self) -> int:
        return hash((self.chip, self.shape))

    def __repr__(self) -> str:
        return f"topology({self.name!r})"

    def __reduce__(self) -> Any:
        return (topology, (self.name,))


@documented_in("theano.distributed")
def topology(name: str) -> Topology:
    """Return the chips that a text describes: their kind, and how they are connected.

    Parameters
    ----------
    name : str
        Of TPUs, the kind and the lengths of the torus: ``"v5e:16x16"``, ``"v5p:8x8x8"``. Of GPUs,
        the kind, the hosts and the GPUs of each: ``"h100:128x8"``, ``"a100:1x8"``. ``"cpu:8"`` is
        eight devices made of the processor.

    Returns
    -------
    Topology

    Raises
    ------
    ValueError
        If the kind of chip is not known, or its number of lengths is another.

    Examples
    --------
    >>> from theano import distributed as dist
    >>> dist.topology("v5e:16x16").chips
    256
    """
    kind, _, lengths = str(name).partition(":")
    if kind not in CHIPS:
        near = nearest(kind, CHIPS)
        hint = "" if near is None else f"; did you mean {near!r}?"
        raise ValueError(
            f"topology takes a kind of chip and lengths, as in 'v5e:16x16', got {name!r}: "
            f"the kinds are {', '.join(CHIPS)}{hint}"
        )
    dims, example = _FORMS[kind]
    if not re.fullmatch(r"[1-9]\d*(x[1-9]\d*)*", lengths) or lengths.count("x") != dims - 1:
        raise ValueError(
            f"topology takes {dims} length{'s' if dims > 1 else ''} of {kind}, as in {example!r}, "
            f"got {name!r}"
        )
    return Topology(CHIPS[kind], tuple(int(n) for n in lengths.split("x")))


#: for each kind, the number of lengths and an example
_FORMS = {
    "v5e": (2, "v5e:16x16"),
    "v5p": (3, "v5p:8x8x8"),
    "a100": (2, "a100:1x8"),
    "h100": (2, "h100:128x8"),
    "cpu": (1, "cpu:8"),
}
