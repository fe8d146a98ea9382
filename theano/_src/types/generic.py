"""Types of values that are not arrays: any Python object, and opaque C pointers."""

from __future__ import annotations

from typing import Any

from theano._src.c_code.object_text import ObjectInC, PointerInC
from theano._src.graph.type import SingletonType, Type
from theano._src.ground.documented import documented_in


@documented_in("theano.gof.type")
class Generic(ObjectInC, SingletonType):
    """The Type of any Python object; values are not converted.

    >>> import theano
    >>> theano.generic.filter("text")
    'text'
    """

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        return data

    def is_valid_value(self, a: Any) -> bool:
        return True


generic = Generic()


@documented_in("theano.gof.type")
class CDataType(PointerInC, Type):
    """The Type of an opaque C pointer, named by its C type; only ops with C code can fill it."""

    __props__ = ("ctype", "freefunc")

    def __init__(self, ctype: str, freefunc: str | None = None) -> None:
        if not ctype.endswith("*"):
            raise TypeError(f"CDataType takes the C type of a pointer, got {ctype!r}")
        self.ctype = ctype
        self.freefunc = freefunc

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, CDataType)
            and (self.ctype, self.freefunc) == (other.ctype, other.freefunc)
        )

    def __hash__(self) -> int:
        return hash((type(self), self.ctype, self.freefunc))

    def __str__(self) -> str:
        return f"CDataType{{{self.ctype}}}"

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        if data is not None and type(data).__name__ != "PyCapsule":
            raise TypeError(f"{self} takes None or a PyCapsule, got {type(data).__name__}")
        return data
