"""Type: the values that a variable may hold, and how values are converted."""

from __future__ import annotations

from typing import Any

from theano._src.c_code.asking import call_method
from theano._src.graph.c_object import CLinkerObject
from theano._src.graph.graph import Constant, Variable
from theano._src.graph.source_line import mark_root
from theano._src.ground.documented import documented_in
from theano._src.ground.tracebacks import shorten
from theano._src.ground.utils import MethodNotDefined

# inside PureType the name means the attribute
_Variable = Variable


@documented_in("theano.gof.type")
class CLinkerType(CLinkerObject):
    """The C representation of values, for ops with C code.

    A method that is not defined raises MethodNotDefined. ``name`` is the name of the C variable;
    the Python object is ``py_<name>``. The code runs in this order: declare, extract (inputs) or
    extract_out (outputs; ``Py_None`` means that there is no memory to reuse), the op's code, sync
    (outputs, unless something failed) and cleanup (always).
    ``sub['fail']`` is the code to insert after setting a Python exception.
    """

    def c_is_simple(self) -> bool:
        return False

    def c_literal(self, data: Any) -> str:
        self._absent("c_literal")
        return ""

    def c_declare(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        self._absent("c_declare")
        return ""

    def c_init(self, name: str, sub: dict[str, str]) -> str:
        self._absent("c_init")
        return ""

    def c_extract(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        self._absent("c_extract")
        return ""

    def c_extract_out(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        init = call_method(self, "c_init", name, sub)
        extract = call_method(self, "c_extract", name, sub, check_input)
        return f"if (py_{name} == Py_None) {{\n{init}\n}} else {{\n{extract}\n}}"

    def c_cleanup(self, name: str, sub: dict[str, str]) -> str:
        self._absent("c_cleanup")
        return ""

    def c_sync(self, name: str, sub: dict[str, str]) -> str:
        self._absent("c_sync")
        return ""


@documented_in("theano.gof.type")
class PureType:
    """The part of a Type that needs no C.

    A subclass defines ``filter``; the other methods have working defaults. Methods may also be set
    as attributes of an instance.
    """

    Variable = Variable
    Constant = Constant
    #: whether values contain other values, as lists do; a shallow copy shares them
    holds_values: bool = False

    # a method set on an instance gets no `self`, hence no narrower signature
    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        raise MethodNotDefined("filter", type(self), self.__class__.__name__)

    def filter_variable(self, other: Any, allow_convert: bool = True) -> _Variable:
        """Return ``other`` as a Variable of this Type; raise TypeError if it cannot be one."""
        if not isinstance(other, Variable):
            other = self.Constant(type=self, data=other)
        if other.type != self and allow_convert:
            converted = self.convert_variable(other)
            if converted is not None:
                return converted
        if other.type != self:
            raise TypeError(
                f"a variable of type {self} is needed here, got {other} of type {other.type}; "
                "cast it, or change its number of dimensions or its broadcast pattern"
            )
        assert isinstance(other, Variable)
        return other

    def convert_variable(self, var: _Variable) -> _Variable | None:
        """Return ``var`` converted to this Type, or None if that could change its values."""
        return None

    def is_valid_value(self, a: Any) -> bool:
        try:
            self.filter(a, strict=True)
            return True
        except (TypeError, ValueError):
            return False

    def value_validity_msg(self, a: Any) -> str:
        return "none"

    def make_variable(self, name: Any = None) -> _Variable:
        return self.Variable(self, name=name)

    def make_constant(self, value: Any, name: Any = None) -> _Variable:
        """Return a Constant of this Type; ``filter`` converts the value."""
        return self.Constant(type=self, data=value, name=name)

    def __call__(self, name: Any = None) -> _Variable:
        try:
            variable = self.make_variable(name)
        except Exception as error:
            shorten(error)
            raise
        mark_root(variable)
        return variable

    def values_eq(self, a: Any, b: Any) -> bool:
        return bool(a == b)

    def values_eq_approx(self, a: Any, b: Any) -> bool:
        return self.values_eq(a, b)

    def may_share_memory(self, a: Any, b: Any) -> bool:
        return a is b


@documented_in("theano.gof.type")
class Type(PureType, CLinkerType):
    """The values that a variable may hold: the base class of TensorType, Generic and users' types.

    >>> import theano
    >>> class Even(theano.gof.Type):
    ...     def filter(self, value, strict=False, allow_downcast=None):
    ...         if value % 2:
    ...             raise TypeError("an even number is needed")
    ...         return value
    >>> Even().is_valid_value(3)
    False
    """


@documented_in("theano.gof.type")
class SingletonType(Type):
    """A Type without parameters; each subclass has a single instance."""

    _instance: Any = None

    def __new__(cls) -> SingletonType:
        if cls.__dict__.get("_instance") is None:
            cls._instance = Type.__new__(cls)
        result = cls._instance
        assert isinstance(result, SingletonType)
        return result

    def __eq__(self, other: object) -> bool:
        return self is other or type(self) is type(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(type(self))

    def __str__(self) -> str:
        return type(self).__name__

    __repr__ = __str__
