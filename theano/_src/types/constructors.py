"""The documented ways to make tensor variables: by prefix and kind, of floatX, and in plural."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.types.tensor import TensorType, tensor_type

_PREFIXES = {
    "b": "int8",
    "w": "int16",
    "i": "int32",
    "l": "int64",
    "f": "float32",
    "d": "float64",
    "c": "complex64",
    "z": "complex128",
}
_KINDS: dict[str, tuple[bool, ...]] = {
    "scalar": (),
    "vector": (False,),
    "row": (True, False),
    "col": (False, True),
    "matrix": (False, False),
    "tensor3": (False,) * 3,
    "tensor4": (False,) * 4,
    "tensor5": (False,) * 5,
    "tensor6": (False,) * 6,
    "tensor7": (False,) * 7,
}


@documented_in("theano.tensor.basic")
def tensor(*args: Any, **kwargs: Any) -> Any:
    """A variable of ``TensorType(dtype, broadcastable)``, perhaps with a ``name``.

    ``args`` and ``kwargs`` are those of ``TensorType``, and ``name``.

    >>> import theano.tensor as T
    >>> T.tensor("float64", (False,), name="x").type
    TensorType(float64, vector)
    """
    name = kwargs.pop("name", None)
    return TensorType(*args, **kwargs)(name=name)


def _of_floatx(kind: str, pattern: tuple[bool, ...]) -> Callable[..., Any]:
    def make(name: Any = None, dtype: Any = None) -> Any:
        if isinstance(dtype, (int, tuple, list)):
            raise TypeError(
                f"{kind} takes a name and a dtype, got {dtype!r}; how long a variable is says the "
                "value that it is given later (theano.tensor.specify_shape checks it)"
            )
        return tensor_type(str(config.floatX if dtype is None else dtype), pattern)(name)

    make.__name__ = make.__qualname__ = kind
    make.__doc__ = f"""A symbolic {kind}, of floatX unless ``dtype`` says otherwise.

    >>> import theano.tensor as T
    >>> T.{kind}("x", dtype="int32").broadcastable
    {pattern}
    """
    return documented_in("theano.tensor.basic")(make)


def _several(one: Callable[..., Any], kind: str) -> Callable[..., Any]:
    """As many variables as names; a number makes unnamed ones, one text splits into letters."""

    def make(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and not isinstance(args[0], str):
            if isinstance(args[0], int):
                return [one() for _ in range(args[0])]
            args = tuple(args[0])
        if len(args) == 1 and isinstance(args[0], str):
            if len(args[0]) == 1:
                return one(args[0], **kwargs)
            args = tuple(args[0])
        return [one(name=name, **kwargs) for name in args]

    make.__name__ = make.__qualname__ = kind
    make.__doc__ = f"""Several variables at once: {kind}("x", "y"), {kind}("xy") or {kind}(2).

    >>> import theano.tensor as T
    >>> [v.name for v in T.{kind}("xy")]
    ['x', 'y']
    """
    return documented_in("theano.tensor.basic")(make)


def _plural(kind: str) -> str:
    return "matrices" if kind == "matrix" else kind + "s"


def _all() -> dict[str, Any]:
    made: dict[str, Any] = {}
    for kind, pattern in _KINDS.items():
        made[kind] = _of_floatx(kind, pattern)
        made[_plural(kind)] = _several(made[kind], _plural(kind))
        for prefix, dtype in _PREFIXES.items():
            made[prefix + kind] = tensor_type(dtype, pattern)
            plural = prefix + _plural(kind)
            made[plural] = _several(made[prefix + kind], plural)
    return made


def _families() -> dict[str, Any]:
    """Types by what they hold: ``int_vector_types`` and so on."""
    made: dict[str, Any] = {}
    for family, prefixes in (("int", "bwil"), ("float", "fd"), ("complex", "cz")):
        for kind in ("scalar", "vector", "matrix"):
            made[f"{family}_{kind}_types"] = tuple(CONSTRUCTORS[p + kind] for p in prefixes)
        made[f"{family}_types"] = made[f"{family}_scalar_types"]
    return made


if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


CONSTRUCTORS = _all()
FAMILIES = _families()
globals().update(CONSTRUCTORS | FAMILIES)

__all__ = ["tensor", *CONSTRUCTORS, *FAMILIES]
