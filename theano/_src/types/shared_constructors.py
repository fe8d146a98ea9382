"""``shared``, and the constructors that it tries, one for each kind of value."""

from __future__ import annotations

from typing import Any, Protocol, overload

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.tracebacks import warn_user
from theano._src.types.generic import generic
from theano._src.types.other_arrays import RefusedArrayError, viewed
from theano._src.types.sharding import Sharding
from theano._src.types.shared import (
    ScalarSharedVariable,
    SharedVariable,
    TensorSharedVariable,
    constructors,
    shard,
)
from theano._src.types.tensor import TensorType


class SupportsArray(Protocol):
    """An object that NumPy converts by its ``__array__``."""

    def __array__(self) -> np.ndarray: ...


class SupportsDLPack(Protocol):
    """An object that exports its memory by DLPack."""

    def __dlpack__(self) -> Any: ...

    def __dlpack_device__(self) -> Any: ...


@documented_in("theano.compile.sharedvalue")
def shared_constructor(ctor: Any, remove: bool = False) -> Any:
    """Register ``ctor``, which ``shared`` then tries first; usable as a decorator.

    >>> import theano
    >>> @theano.compile.shared_constructor
    ... def of_text(value, name=None, **options):
    ...     if not isinstance(value, str):
    ...         raise TypeError("of_text takes text")
    ...     return theano.compile.sharedvalue.generic_constructor(value, name)
    >>> theano.shared("word").get_value()
    'word'
    >>> _ = theano.compile.shared_constructor(of_text, remove=True)
    """
    if remove:
        constructors.remove(ctor)
    else:
        constructors.append(ctor)
    return ctor


@shared_constructor
def generic_constructor(
    value: Any, name: Any = None, strict: bool = False, allow_downcast: bool | None = None
) -> SharedVariable:
    """Return a shared variable of Generic type that holds any object.

    >>> import theano
    >>> theano.compile.sharedvalue.generic_constructor({"a": 1}).get_value()
    {'a': 1}
    """
    return SharedVariable(
        type=generic, value=value, name=name, strict=strict, allow_downcast=allow_downcast
    )


@shared_constructor
def array_constructor(
    value: Any,
    name: Any = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    borrow: bool = False,
    broadcastable: Any = None,
    target: str = "cpu",
) -> SharedVariable:
    """Return a shared tensor made from a list of numbers or another library's array.

    Arguments as for ``shared``.

    >>> import theano
    >>> theano.shared([[1, 2], [3, 4]]).type
    TensorType(int64, matrix)
    """
    result = viewed(value)
    if result is None and not isinstance(value, list | tuple | range | np.ndarray):
        raise TypeError(f"shared tensors hold arrays, got {type(value).__name__}")
    try:
        data = np.asarray(value) if result is None else result
    except ValueError as e:  # lists of different lengths
        raise TypeError(f"shared tensors hold arrays: {e}") from e
    if data.dtype.kind not in "biufc":
        raise TypeError(f"shared tensors hold numbers, got {data.dtype} in {type(value).__name__}")
    if data.size == 0 and isinstance(value, list | tuple):
        data = data.astype(config.floatX)  # there are no elements to infer the dtype from
    # do not borrow read-only memory
    variable: SharedVariable = tensor_constructor(
        data, name, strict, allow_downcast, borrow and data.flags.writeable, broadcastable, target
    )
    return variable


@shared_constructor
def tensor_constructor(
    value: Any,
    name: Any = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    borrow: bool = False,
    broadcastable: Any = None,
    target: str = "cpu",
) -> SharedVariable:
    """Return a shared tensor made from an ndarray; ``broadcastable`` is all False by default.

    Arguments as for ``shared``.

    >>> import numpy as np
    >>> import theano.tensor as T
    >>> T.sharedvar.tensor_constructor(np.zeros((2, 1)), broadcastable=(False, True)).type
    TensorType(float64, col)
    """
    if not isinstance(value, np.ndarray):
        raise TypeError(f"shared tensors hold numpy.ndarray, got {type(value).__name__}")
    pattern = (False,) * value.ndim if broadcastable is None else broadcastable
    variable = TensorSharedVariable(
        type=TensorType(value.dtype.name, pattern),
        value=value if borrow else np.array(value, copy=True),
        name=name,
        strict=strict,
        allow_downcast=allow_downcast,
    )
    variable.container.storage.borrowed = borrow  # type: ignore[attr-defined]
    return variable


@shared_constructor
def scalar_constructor(
    value: Any,
    name: Any = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    borrow: bool = False,
    target: str = "cpu",
) -> SharedVariable:
    """Return a shared 0-d tensor made from a number, with NumPy's dtype for it.

    Arguments as for ``shared``.

    >>> import numpy as np
    >>> import theano.tensor as T
    >>> T.sharedvar.scalar_constructor(np.float32(2)).type
    TensorType(float32, scalar)
    """
    if not isinstance(value, (bool, int, float, complex, np.number, np.bool_)):
        raise TypeError(f"shared scalars hold a number, got {type(value).__name__}")
    data = np.array(value, copy=True)
    return ScalarSharedVariable(
        type=TensorType(data.dtype.name, ()),
        value=data,
        name=name,
        strict=strict,
        allow_downcast=allow_downcast,
    )


#: values that become arrays: numbers, lists of numbers, arrays of other libraries
Numbers = (
    complex
    | np.generic
    | SupportsArray
    | SupportsDLPack
    | memoryview
    | bytearray
    | list[Any]
    | tuple[Any, ...]
    | range
)


@overload
def shared(
    value: object,
    name: str | None = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    sharding: Sharding | None = None,
    *,
    type: Any,
    **kwargs: Any,
) -> SharedVariable: ...


@overload
def shared(
    value: Numbers,
    name: str | None = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    sharding: Sharding | None = None,
    **kwargs: Any,
) -> TensorSharedVariable: ...


@overload
def shared(
    value: object,
    name: str | None = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    sharding: Sharding | None = None,
    **kwargs: Any,
) -> SharedVariable: ...


@documented_in("theano.compile.sharedvalue")
def shared(
    value: Any,
    name: Any = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    sharding: Sharding | None = None,
    **kwargs: Any,
) -> Any:
    """Return a shared variable that holds ``value``; its class depends on the kind of value.

    Parameters
    ----------
    value : array, number or other object
        Arrays are copied unless ``borrow=True``. Lists of numbers become arrays, and so do arrays
        of other libraries: a pandas Series, a torch tensor on the CPU, any object with a buffer.
    name : str, optional
    strict : bool
        Refuse values of another type instead of casting them.
    allow_downcast : bool, optional
        Whether ``set_value`` may lose precision.
    sharding : Sharding, optional
        How functions split the value over a mesh of devices.
    **kwargs
        ``borrow``, ``broadcastable``, ... : only constructors that take them are tried. With a
        TypedListType as ``type``, a list is shared as a typed list.

    >>> import theano
    >>> state = theano.shared(0)
    >>> f = theano.function([], state, updates=[(state, state + 1)])
    >>> f().item(), f().item()
    (0, 1)
    """
    if isinstance(value, Variable):
        raise TypeError(
            "shared takes a value, not a symbolic variable; compute it with eval() first, got "
            f"{value}"
        )
    if isinstance(value, str) and not isinstance(name, str | None):
        raise TypeError(
            f"shared takes a value and then a name, got the text {value!r:.40} as value and "
            f"{type(name).__name__} as name; write shared(value, {value!r:.40})"
        )
    refused = []
    for ctor in reversed(constructors):
        try:
            result = ctor(value, name=name, strict=strict, allow_downcast=allow_downcast, **kwargs)
        except RefusedArrayError as e:
            raise TypeError(
                f"shared takes arrays, numbers and other objects: {e}; "
                "theano.compile.sharedvalue.generic_constructor shares any object as it is"
            ) from None
        except TypeError as e:
            refused.append(f"{getattr(ctor, '__name__', ctor)}: {e}")
            continue
        if getattr(result.type, "dtype", None) == "float64" and config.floatX == "float32":
            warn_user(
                f"A shared variable of float64{f', {name},' if name else ''} makes float64 of all "
                "that is computed with it, while floatX is float32; give it "
                "numpy.asarray(value, theano.config.floatX). The flag warn_float64=warn names "
                "every place where float64 enters. To silence this: "
                "warnings.filterwarnings('ignore', 'A shared variable of float64')"
            )
        return result if sharding is None else shard(result, sharding)
    if "dtype" in kwargs:
        raise TypeError(
            f"shared takes the dtype of its value, got dtype={kwargs['dtype']!r}; cast the value "
            f"first: theano.shared(numpy.asarray(value, {kwargs['dtype']!r}))"
        )
    raise TypeError(
        f"no constructor of shared variables takes {type(value).__name__} with {kwargs}:\n  "
        + "\n  ".join(refused)
    )


# documented as an attribute of the function
shared.constructors = constructors  # type: ignore[attr-defined]
