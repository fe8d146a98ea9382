"""ParamsType and EnumType: the Types of op parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from theano._src.c_code.object_text import EnumInC, NamesOfC, ParamsInC
from theano._src.graph.type import Type
from theano._src.ground.c_keywords import c_cpp_keywords
from theano._src.ground.documented import documented_in


@documented_in("theano.gof.type")
class EnumType(EnumInC, Type, dict[str, Any]):
    """The Type of an enumeration: one of several named numbers, as a parameter of an op.

    Parameters
    ----------
    **kwargs
        ``NAME=number`` or ``NAME=(alias, number)``. Names are capital letters, digits and
        underscores; an alias is any string. ``ctype`` and ``cname`` name the C type.

    >>> import theano
    >>> mode = theano.gof.EnumType(FULL=0, HALF=("half", 0.5))
    >>> mode.HALF, mode.filter("half"), mode.filter("FULL")
    (0.5, 0.5, 0)
    """

    def __init__(self, **kwargs: Any) -> None:
        own = type(self).__name__
        ctype = " ".join(kwargs.pop("ctype", "double").split())
        cname = kwargs.pop("cname", ctype.replace(" ", "_"))
        if not all(map(str.isidentifier, [*ctype.split(), cname])):
            raise TypeError(f"{own} takes names of C as ctype and cname, got {ctype!r}, {cname!r}")
        aliases: dict[str, str] = {}
        for name, given in kwargs.items():
            if re.fullmatch("[A-Z][A-Z0-9_]*", name) is None:
                raise AttributeError(
                    f"{own} takes names of capital letters, digits and underscores, got {name!r}"
                )
            value = given
            if isinstance(given, (list, tuple)):
                if len(given) != 2 or not isinstance(given[0], str):
                    raise TypeError(f"{own} takes (alias, number) as {name}, got {given!r}")
                alias, value = given
                if alias in aliases or alias in kwargs:
                    raise TypeError(f"{own} takes each name once, got {alias!r} again for {name}")
                aliases[alias] = name
            if not isinstance(value, (bool, int, float)):
                raise TypeError(f"{own} takes numbers, got {value!r} as {name}")
            kwargs[name] = int(value) if isinstance(value, bool) else value
        dict.__init__(self, kwargs)
        self.__dict__.update(ctype=ctype, cname=cname, aliases=aliases)

    def _numbers(self) -> dict[str, Any]:
        return dict(self)

    def fromalias(self, alias: str) -> Any:
        """Return the number for an alias or a name."""
        return self[self.aliases.get(alias, alias)]

    def has_alias(self, alias: str) -> bool:
        """Whether a number has this alias."""
        return alias in self.aliases

    def get_aliases(self) -> tuple[str, ...]:
        """All aliases, sorted."""
        return tuple(sorted(self.aliases))

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        value = data
        if not strict and isinstance(data, bool):
            value = int(data)
        if not strict and isinstance(data, str):
            value = self.get(self.aliases.get(data, data))
        if value not in self.values():
            raise AssertionError(f"{self} takes one of its values or names, got {data!r}")
        return value

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(f"{type(self).__name__} has no {name}", name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self:
            raise NotImplementedError(f"{name} of an enumeration cannot be changed")
        object.__setattr__(self, name, value)

    def __setitem__(self, name: str, value: Any) -> None:
        raise NotImplementedError(f"{name} of an enumeration cannot be changed")

    def __delitem__(self, name: str) -> None:
        raise NotImplementedError(f"{name} of an enumeration cannot be removed")

    def _identity(self) -> tuple[Any, ...]:
        return (
            type(self),
            self.ctype,
            tuple(sorted(self.items())),
            tuple(sorted(self.aliases.items())),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EnumType) and self._identity() == other._identity()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self._identity())

    def __reduce__(self) -> Any:
        return (_made_again, (type(self), dict(self), self.__dict__))

    def __repr__(self) -> str:
        by_name = {name: f"({alias})" for alias, name in self.aliases.items()}
        shown = ", ".join(f"{k}{by_name.get(k, '')}:{v}" for k, v in sorted(self.items()))
        return f"{type(self).__name__}<{self.ctype}>({shown})"

    __str__ = __repr__


def _made_again(cls: type[EnumType], numbers: dict[str, Any], facts: dict[str, Any]) -> EnumType:
    result = cls.__new__(cls)
    dict.__init__(result, numbers)
    result.__dict__.update(facts)
    return result


@documented_in("theano.gof.type")
class EnumList(EnumType):
    """An enumeration whose values are 0, 1, 2, ... in the order of the names.

    Parameters
    ----------
    *args : str or (str, str)
        Names, or names with aliases.
    **kwargs
        ``ctype`` (``int`` by default) and ``cname``.

    >>> import theano
    >>> op = theano.gof.EnumList(("ADD", "+"), ("SUB", "-"), "NEG")
    >>> op.SUB, op.fromalias("+"), op.filter("NEG")
    (1, 0, 2)
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        own = type(self).__name__
        if kwargs.keys() - {"ctype", "cname"}:
            raise TypeError(f"{own} takes names, ctype and cname, got {', '.join(kwargs)}")
        numbers: dict[str, Any] = {}
        for i, given in enumerate(args):
            pair = given if isinstance(given, (list, tuple)) else (given,)
            if not 1 <= len(pair) <= 2 or not all(isinstance(part, str) for part in pair):
                raise TypeError(
                    f"{own} takes names, or pairs of a name and an alias, got {given!r}"
                )
            if pair[0] in numbers:
                raise TypeError(f"{own} takes each name once, got {pair[0]!r} again")
            numbers[pair[0]] = i if len(pair) == 1 else (pair[1], i)
        super().__init__(**{"ctype": "int", **kwargs, **numbers})


@documented_in("theano.gof.type")
class CEnumType(NamesOfC, EnumList):
    """An enumeration of C constants; in Python they are 0, 1, 2, ..., whatever C defines."""


@documented_in("theano.gof.params_type")
class Params(dict[str, Any]):
    """Immutable values for the fields of a ParamsType, readable as attributes.

    >>> import theano
    >>> kind = theano.gof.ParamsType(n=theano.scalar.int64, text=theano.generic)
    >>> theano.gof.Params(kind, n=3, text="three").n
    3
    """

    def __init__(self, params_type: ParamsType, **kwargs: Any) -> None:
        missing = [name for name in params_type.fields if name not in kwargs]
        if missing:
            raise TypeError(f"Params takes {', '.join(params_type.fields)}, got no {missing[0]}")
        super().__init__(kwargs)
        self.__dict__["__params_type__"] = params_type

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(f"Params has no {name}", name=name, obj=self)

    def _refuse(self, *args: Any) -> None:
        raise NotImplementedError("Params cannot be changed")

    __setattr__ = __setitem__ = __delitem__ = _refuse

    def _identity(self) -> tuple[Any, ...]:
        kind = self.__dict__["__params_type__"]
        return (
            kind,
            *(
                t.Constant(t, self[f]).signature()
                for f, t in zip(kind.fields, kind.types, strict=True)
            ),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Params) and self._identity() == other._identity()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self._identity())

    def __reduce__(self) -> Any:
        return (_params_again, (self.__dict__["__params_type__"], dict(self)))

    def __repr__(self) -> str:
        return (
            f"Params({', '.join(f'{k}:{type(v).__name__}:{v}' for k, v in sorted(self.items()))})"
        )


def _params_again(kind: ParamsType, values: dict[str, Any]) -> Params:
    return Params(kind, **values)


@documented_in("theano.gof.params_type")
class ParamsType(ParamsInC, Type):
    """The Type of several parameters of an op, each with its own Type.

    If an op has this as its ``params_type``, and an attribute for each field, its ``perform`` gets
    a ``Params`` as fourth argument.

    Parameters
    ----------
    **kwargs : Type
        The Type of each field, by name. The names in enumerations are attributes of this too.

    >>> import theano, theano.tensor as T
    >>> class Scale(theano.Op):
    ...     __props__ = ("by",)
    ...     params_type = theano.gof.ParamsType(by=theano.scalar.float64)
    ...     def __init__(self, by):
    ...         self.by = by
    ...     def make_node(self, x):
    ...         return theano.Apply(self, [x], [x.type()])
    ...     def perform(self, node, inputs, outputs, params):
    ...         outputs[0][0] = inputs[0] * params.by
    >>> x = T.dvector("x")
    >>> theano.function([x], Scale(3)(x))([1, 2]).tolist()
    [3.0, 6.0]
    """

    def __init__(self, **kwargs: Type) -> None:
        if not kwargs:
            raise ValueError("ParamsType takes at least one field, got none")
        for name, kind in kwargs.items():
            if not isinstance(kind, Type):
                raise TypeError(f"ParamsType takes a Type as {name}, got {kind!r}")
            if name in c_cpp_keywords:
                raise SyntaxError(
                    f"ParamsType takes names of fields that C code can use, got {name!r}, which is "
                    "a keyword of C or C++"
                )
        self.length = len(kwargs)
        self.fields = tuple(sorted(kwargs))
        self.types = tuple(kwargs[name] for name in self.fields)
        text = ",".join((*self.fields, *map(str, self.types)))
        import hashlib  # slow to import

        self.name = f"_Params_{hashlib.sha256(text.encode()).hexdigest()}"
        #: the enumeration for each name and alias
        self._enums = self._names_of_enums()

    def _names_of_enums(self) -> dict[str, EnumType]:
        result: dict[str, EnumType] = {}
        for kind in self.types:
            if isinstance(kind, EnumType):
                for name in (*kind, *kind.aliases):
                    if name in result:
                        raise AttributeError(
                            f"ParamsType takes enumerations without names in common, got {name!r} "
                            f"in {result[name]} and {kind}"
                        )
                    result[name] = kind
        return result

    def __getattr__(self, name: str) -> Any:
        enums: Mapping[str, EnumType] = self.__dict__.get("_enums", {})
        if name in enums and name in enums[name]:
            return enums[name][name]
        raise AttributeError(f"{type(self).__name__} has no {name}", name=name, obj=self)

    def get_enum(self, key: str) -> Any:
        """Return the number for a name in one of the enumerations."""
        return self._enums[key][key]

    def enum_from_alias(self, alias: str) -> Any:
        """Return the number for an alias or a name in one of the enumerations."""
        return self._enums[alias].fromalias(alias)

    def has_type(self, theano_type: Type) -> bool:
        """Whether any field has this Type."""
        return theano_type in self.types

    def get_type(self, field_name: str) -> Type:
        """Return the Type of a field."""
        type_: Type = self.types[self.fields.index(field_name)]
        return type_

    def get_field(self, theano_type: Type) -> str:
        """Return the name of the first field with this Type."""
        return self.fields[self.types.index(theano_type)]

    def extended(self, **kwargs: Type) -> ParamsType:
        """Return this Type with additional fields."""
        return ParamsType(**dict(zip(self.fields, self.types, strict=True)), **kwargs)

    def get_params(self, *objects: Any, **kwargs: Any) -> Params:
        """Collect all fields from attributes of objects, then keywords; later values win."""
        result = {f: getattr(o, f) for o in objects for f in self.fields if hasattr(o, f)} | kwargs
        missing = [name for name in self.fields if name not in result]
        if missing:
            raise AttributeError(
                f"{self} needs a value for {missing[0]}: an attribute of "
                f"{', '.join(map(str, objects)) or 'an object'}, or a keyword"
            )
        return Params(self, **self._filtered(result.__getitem__, False, True))

    def _filtered(self, value_of: Any, strict: bool, allow_downcast: bool | None) -> dict[str, Any]:
        return {
            name: kind.filter(value_of(name), strict=strict, allow_downcast=allow_downcast)
            for name, kind in zip(self.fields, self.types, strict=True)
        }

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        if strict and not isinstance(data, Params):
            raise TypeError(f"{self} takes a Params where it is strict, got {type(data).__name__}")
        result = self._filtered(lambda name: getattr(data, name), strict, allow_downcast)
        return data if strict else Params(self, **result)

    def _compared(self, how: str, a: Any, b: Any) -> bool:
        pairs = zip(self.fields, self.types, strict=True)
        return all(getattr(kind, how)(getattr(a, name), getattr(b, name)) for name, kind in pairs)

    def values_eq(self, a: Any, b: Any) -> bool:
        return self._compared("values_eq", a, b)

    def values_eq_approx(self, a: Any, b: Any) -> bool:
        return self._compared("values_eq_approx", a, b)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ParamsType)
            and type(self) is type(other)
            and (self.fields, self.types) == (other.fields, other.types)
        )

    def __hash__(self) -> int:
        return hash((type(self), self.fields, self.types))

    def __repr__(self) -> str:
        pairs = zip(self.fields, self.types, strict=True)
        return f"ParamsType<{', '.join(f'{name}:{kind}' for name, kind in pairs)}>"

    __str__ = __repr__
