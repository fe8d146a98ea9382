"""Variables, constants and Apply nodes: what a graph is made of."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from theano._src.graph import source_line as _trace
from theano._src.graph.flat_pickle import brought_along
from theano._src.graph.old_state import node_of_names, slots_and_rest
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.utils import Scratchpad


class _Tag(Scratchpad):
    """The tag of a variable: its test value is put into the form that the variable's type has."""

    __slots__ = ("_type",)

    def __init__(self, type: Any) -> None:
        object.__setattr__(self, "_type", type)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "test_value":
            # one that does not fit is refused when it is used
            with contextlib.suppress(Exception):
                value = self._type.filter(value)
        object.__setattr__(self, name, value)

    def __copy__(self) -> _Tag:
        tag = _Tag(self._type)
        tag.__dict__.update(self.__dict__)
        return tag

    def __reduce__(self) -> Any:
        return (Scratchpad, (), self.__dict__)


class Tagged:
    """A bag of free attributes, ``tag``, that is made when first asked for."""

    __slots__ = ("_tag",)

    _tag: Scratchpad | None

    @property
    def tag(self) -> Scratchpad:
        tag = self._tag
        if tag is None:
            tag = self._tag = self._new_tag()
            result = self._own_trace()
            if result:
                tag.trace = [_trace.lines(result)]
        return tag

    @tag.setter
    def tag(self, value: Scratchpad) -> None:
        self._tag = value

    def _new_tag(self) -> Scratchpad:
        return Scratchpad()

    def _own_trace(self) -> _trace.Trace | None:
        return None

    def _last_node(self) -> Apply | None:
        """The node that pickle comes to by this object."""
        raise NotImplementedError

    def __reduce_ex__(self, protocol: Any) -> Any:
        out: Any = super().__reduce_ex__(protocol)
        node = self._last_node()
        if node is None or len(out) < 3 or not isinstance(out[2], tuple):
            return out
        result = brought_along(node) or ()
        return (*out[:2], (*result, *out[2]), *out[3:])

    def __copy__(self) -> Any:
        out: Any = object.__reduce_ex__(self, 4)
        result = out[0](*out[1])
        result.__setstate__(out[2])
        return result

    def __setstate__(self, state: Any) -> None:
        # Theano 1.0 pickled a dict of attributes
        own, slots = state[-2:] if isinstance(state, tuple) else slots_and_rest(type(self), state)
        if own:
            self.__dict__.update(own)
        for name, value in slots.items():
            setattr(self, name, value)


@documented_in("theano.gof.graph")
class Variable(Tagged):
    """A symbolic value of one Type: an input, or one output of an Apply node.

    Attributes
    ----------
    type : Type
        What values it may hold.
    owner : Apply or None
        The node that computes it.
    index : int or None
        Its place among ``owner.outputs``.
    name : str or None
        For people and for keyword arguments of compiled functions.

    >>> import theano
    >>> x = theano.gof.Variable(theano.tensor.dscalar, name="x")
    >>> x.owner is None, str(x)
    (True, 'x')
    """

    # NOTE: `__dict__` here costs a pointer until somebody sets an attribute of their own.
    __slots__ = ("__dict__", "__weakref__", "_clients", "fgraph", "index", "name", "owner", "type")

    #: the value, given values of what it depends on; set by the compile layer
    eval: Callable[..., Any]

    def __init__(
        self, type: Any, owner: Apply | None = None, index: int | None = None, name: Any = None
    ) -> None:
        self.type = type
        self.owner = owner
        self.index = index
        self.name = name
        self._tag = None
        self._clients: dict[tuple[Any, int], None] | None = None
        self.fgraph: Any = None
        if name is not None and not isinstance(name, str):
            raise TypeError(
                f"a variable of {type} takes a str as name, got {name!r:.80}; a shape is not part "
                "of a type, it comes with the value"
            )
        if owner is not None and not isinstance(index, int):
            raise TypeError(f"a Variable with an owner takes an int as index, got {index!r}")

    @property
    def clients(self) -> list[tuple[Any, int]]:
        """``(node, input position)`` for each use, or ``('output', position)``."""
        if self._clients is None:
            raise AttributeError("clients are known only for variables of a FunctionGraph")
        return list(self._clients)

    def _new_tag(self) -> Scratchpad:
        return _Tag(self.type)

    def _last_node(self) -> Apply | None:
        return self.owner

    def _own_trace(self) -> _trace.Trace | None:
        return _trace.trace_of(self)

    #: numbers for auto_name
    __count__ = count()

    @property
    def auto_name(self) -> str:
        """A name that no other variable has: ``auto_`` and a number, given when first asked for."""
        text = self.__dict__.get("_auto_name")
        if text is None:
            text = self.__dict__["_auto_name"] = f"auto_{next(Variable.__count__)}"
        return str(text)

    def __str__(self) -> str:
        if self.name is not None:
            return str(self.name)
        if self.owner is not None:
            op = self.owner.op
            index = "out" if self.index == op.default_output else self.index
            return f"{op}.{index}"
        return f"<{self.type}>"

    def __repr__(self) -> str:
        return str(self)

    def clone(self) -> Variable:
        """A variable with the same type, name and a copy of the tag, but no owner."""
        cp = self.__class__(self.type, None, None, self.name)
        if self._tag is not None:
            cp._tag = copy.copy(self._tag)
        if "_made_at" in self.__dict__:
            cp.__dict__["_made_at"] = self.__dict__["_made_at"]
        return cp

    def __lt__(self, other: object) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no order: its Type defines none")

    __le__ = __gt__ = __ge__ = __lt__

    def get_parents(self) -> list[Apply]:
        """The node that makes this variable, in a list; empty for a root."""
        return [] if self.owner is None else [self.owner]

    def __getstate__(self) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        # a graph a variable was compiled into is not part of the variable
        slots = {
            "type": self.type,
            "owner": self.owner,
            "index": self.index,
            "name": self.name,
            # code objects cannot be pickled: a loaded variable shows the lines as text
            "_tag": self._pickled_tag(),
            "_clients": None,
            "fgraph": None,
        }
        own = {k: v for k, v in self.__dict__.items() if k not in ("_fn_cache", "_made_at")}
        return (own or None, slots)

    def _pickled_tag(self) -> Scratchpad | None:
        tag = self.tag if "_made_at" in self.__dict__ else self._tag
        if hasattr(tag, "test_value") and not config.pickle_test_value:
            tag = copy.copy(tag)
            del tag.test_value  # type: ignore[union-attr]
        return tag


@documented_in("theano.gof.graph")
class Constant(Variable):
    """A variable whose value is known when the graph is built and never changes."""

    __slots__ = ("data",)

    def __init__(self, type: Any, data: Any, name: Any = None) -> None:
        Variable.__init__(self, type, None, None, name)
        self.data = type.filter(data)

    @property
    def value(self) -> Any:
        """The data; read only."""
        return self.data

    def signature(self) -> Any:
        """Equal for constants that may stand for each other; hashable."""
        return (self.type, self.data)

    def merge_signature(self) -> Any:
        return self.signature()

    def equals(self, other: object) -> bool:
        if isinstance(other, Constant):
            return bool(self.signature() == other.signature())
        return False

    def clone(self) -> Constant:
        cp = self.__class__(self.type, self.data, self.name)
        cp.data = self.data
        if self._tag is not None:
            cp._tag = copy.copy(self._tag)
        return cp

    def __str__(self) -> str:
        if self.name is not None:
            return str(self.name)
        text = str(self.data)
        if len(text) > 20:
            text = text[:10].strip() + "..." + text[-10:].strip()
        return f"{type(self).__name__}{{{text}}}"

    def __getstate__(self) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        own, slots = Variable.__getstate__(self)
        return (own, slots | {"data": self.data})


#: what a node without parameters gives for them
NoParams = object()


@documented_in("theano.gof.graph")
class Apply(Tagged):
    """An op applied to input variables, giving output variables.

    Making one sets ``owner`` and ``index`` on each output and remembers the user's line.

    >>> import theano
    >>> x = theano.tensor.dscalar("x")
    >>> node = (x + 1).owner
    >>> node.inputs[0] is x, node.outputs[0].owner is node
    (True, True)
    """

    __slots__ = ("__dict__", "__weakref__", "fgraph", "inputs", "op", "outputs", "trace")

    def __init__(self, op: Any, inputs: Iterable[Variable], outputs: Iterable[Variable]) -> None:
        self.op = op
        self.inputs: list[Variable] = list(inputs)
        self.outputs: list[Variable] = list(outputs)
        self._tag = None
        self.fgraph: Any = None
        for value in self.inputs:
            if not isinstance(value, Variable):
                raise TypeError(
                    f"Apply of {op} takes Variables as inputs, got {value!r} of type "
                    f"{type(value).__name__}; wrap numbers and arrays with as_tensor_variable"
                )
        for i, out in enumerate(self.outputs):
            if not isinstance(out, Variable):
                raise TypeError(f"Apply of {op} takes Variables as outputs, got {out!r}")
            if out.owner is None:
                out.owner = self
                out.index = i
            elif out.owner is not self or out.index != i:
                raise ValueError(
                    f"output {i} of {op} already belongs to another Apply: {out.owner}"
                )
        self.trace = _trace.capture(3)

    def _own_trace(self) -> _trace.Trace | None:
        return self.trace

    def _last_node(self) -> Apply:
        return self

    @property
    def nin(self) -> int:
        return len(self.inputs)

    @property
    def nout(self) -> int:
        return len(self.outputs)

    @property
    def out(self) -> Variable:
        return self.default_output()

    def default_output(self) -> Variable:
        """The output that a call of the op gives when it gives one."""
        which: int | None = getattr(self.op, "default_output", None)
        if which is None:
            if len(self.outputs) == 1:
                return self.outputs[0]
            raise AttributeError(f"{self.op} has {len(self.outputs)} outputs and no default_output")
        if not isinstance(which, int) or not 0 <= which < len(self.outputs):
            raise AttributeError(
                f"default_output takes the number of an output, got {which!r} for {self.op}, "
                f"which has {len(self.outputs)}"
            )
        return self.outputs[which]

    @property
    def params_type(self) -> Any:
        """The Type of the op's parameters; None if it has none."""
        return getattr(self.op, "params_type", None)

    def run_params(self) -> Any:
        """The parameters that the op's ``perform`` gets, or NoParams."""
        if self.params_type is None:
            return NoParams
        return self.params_type.filter(self.op.get_params(self))

    def clone(self) -> Apply:
        """The same op on the same inputs, with new outputs."""
        return self._with(self.inputs)

    def _with(self, inputs: Sequence[Variable]) -> Apply:
        cp = self.__class__(self.op, inputs, [out.clone() for out in self.outputs])
        cp.trace = self.trace
        if self._tag is not None:
            cp._tag = copy.copy(self._tag)
        return cp

    def clone_with_new_inputs(self, inputs: Sequence[Variable], strict: bool = True) -> Apply:
        """This op on other inputs; types that differ make the op build its node anew.

        With ``strict`` an input of another type is converted, or refused with TypeError.
        """
        inputs = list(inputs)
        rebuild = False
        for i, (old, new) in enumerate(zip(self.inputs, inputs, strict=True)):
            if old.type == new.type:
                continue
            if strict:
                inputs[i] = old.type.filter_variable(new)
            else:
                rebuild = True
        if not rebuild:
            return self._with(inputs)
        node = self.op.make_node(*inputs)
        node.trace = self.trace
        for old, new in zip(self.outputs, node.outputs, strict=True):
            new.name = old.name
            if old._tag is not None:
                new._tag = copy.copy(old._tag)
        assert isinstance(node, Apply)
        return node

    def get_parents(self) -> list[Variable]:
        return list(self.inputs)

    def __str__(self) -> str:
        return f"{self.op}({', '.join(map(str, self.inputs))})"

    def __repr__(self) -> str:
        return str(self)

    def __getstate__(self) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        # code objects cannot be pickled: a loaded node shows the lines as text, if it was tagged
        slots = {
            "op": self.op,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "_tag": self.tag if self.trace else self._tag,
            "fgraph": None,
            "trace": None,
        }
        return (self.__dict__ or None, slots)

    def __setstate__(self, state: Any) -> None:
        Tagged.__setstate__(self, state)
        # of Theano 1.0; nodes of rewritten graphs there are not used
        if isinstance(state, dict) and "fgraph" not in state and hasattr(self.op, "make_node"):
            self.op, self.inputs = node_of_names(self.op, self.inputs)


if TYPE_CHECKING:

    class Owned(Variable):
        """A variable that a node computes: what functions that look for some op narrow to."""

        owner: Apply
        index: int

else:
    Owned = Variable


def owner_of(v: Variable) -> Apply:
    """The node that computes ``v``, where it is known that one does."""
    node = v.owner
    assert node is not None, f"{v} has no owner"
    return node
