"""Functions without a compiled form on a platform: their nodes are left to the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from theano._src.engines.jax.devices import target
from theano._src.ground.errors import OnlyOnHost

#: functions of linear algebra that take singular values or general eigenvalues; the compiler of
#: TPUs refuses the former where types of 64 bits are on, as they are in our programs
_ABSENT = {"tpu": frozenset({"svd", "svdvals", "pinv", "eig", "eigvals"})}


class Linalg:
    """A namespace of linear algebra without what the platform lacks."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name in _ABSENT.get(target(), ()):
            raise OnlyOnHost(f"XLA has no {name} on {target()}")
        return getattr(self._module, name)


class Fourier:
    """Transforms; TPUs have none of complex128."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(self._module, name)

        def transform(a: Any, *args: Any, **options: Any) -> Any:
            if target() == "tpu" and a.dtype.name in ("float64", "complex128"):
                raise OnlyOnHost(f"XLA has no transform of {a.dtype} on {target()}")
            return function(a, *args, **options)

        return transform
