"""The values that a function holds, by position, name or Variable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from theano._src.types.shared import Container

#: stored instead of a Container if several inputs have the same name
AMBIGUOUS = object()


class Values:
    """``fn.value``: the values of inputs, by position, name or Variable."""

    def __init__(self, containers: Containers) -> None:
        self._containers = containers

    def __getitem__(self, key: Any) -> Any:
        return self._containers[key].value

    def __setitem__(self, key: Any, value: Any) -> None:
        self._containers[key].value = value

    def __contains__(self, key: Any) -> bool:
        return key in self._containers

    def __iter__(self) -> Iterator[Any]:
        return iter(c.value for c in self._containers._all)


class Containers:
    """``fn.container``: the Containers of inputs, by position, name or Variable; read only."""

    def __init__(self, finder: dict[Any, Any], containers: Sequence[Container]) -> None:
        self._finder = finder
        self._all = list(containers)

    def __getitem__(self, key: Any) -> Container:
        try:
            container = self._finder[key]
        except (KeyError, TypeError):
            names = [str(k) for k in self._finder if isinstance(k, str)]
            raise KeyError(
                f"Unknown input or state: {key}. The function has {len(names)} named inputs "
                f"({', '.join(names)})."
            ) from None
        if container is AMBIGUOUS:
            raise KeyError(
                f"Ambiguous name: {key} - more than one input has it; use the Variable or the "
                "position"
            )
        assert isinstance(container, Container)
        return container

    def __contains__(self, key: Any) -> bool:
        return key in self._finder

    def __iter__(self) -> Iterator[Container]:
        return iter(self._all)
