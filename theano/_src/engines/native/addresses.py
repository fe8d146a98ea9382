"""Shared by the functions of a program: addresses, kernels, functions of numbers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from theano._src.engines.native.functions import Functions
from theano._src.engines.native.ir import Function
from theano._src.graph.graph import Apply


class Addresses:
    """The table of all addresses that a program uses; its code has none in it."""

    def __init__(self) -> None:
        self.values: list[int] = []
        self._places: dict[Any, int] = {}
        self._alive: list[Any] = []

    def place(self, key: Any, value: int, alive: Any = None) -> int:
        """The place of an address, which is put there if the key is new."""
        if key not in self._places:
            self._places[key] = len(self.values)
            self.values.append(value)
            self._alive.append(alive)
        return self._places[key]

    def thing(self, at: int) -> Any:
        """The objects that keep the memory at an address alive."""
        return self._alive[at]

    def has(self, kind: str) -> bool:
        """Whether there is an address whose key begins so."""
        return any(key[0] == kind for key in self._places)

    def of_object(self, key: Any, thing: Any) -> int:
        return self.place(key, id(thing), thing)


class Parts:
    """Shared by the functions of a program: kernels, addresses, and how numbers are computed."""

    def __init__(self, functions: Callable[[Addresses], Functions] = Functions) -> None:
        self.addresses = Addresses()
        self.functions = functions(self.addresses)
        self.kernels: list[Function] = []
        self.kernel_names: dict[str, str] = {}
        #: the nodes that run in Python
        self.called_back: list[Apply] = []
        self.numbers = count()
