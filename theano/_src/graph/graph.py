"""Variables, constants and Apply nodes: the parts of a graph."""

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
    """The tag of a variable; it converts the test value to the variable's type."""

    __slots__ = ("_type",)

    def __init__(self, type: Any) -> None:
        object.__setattr__(self, "_type", type)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "test_value":
            # a value that does not fit the type raises when it is used
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
    """An object with free attributes in ``tag``, which is created on first access."""

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
        """Return the node that pickle reaches through this object."""
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
        The values it may hold.
    owner : Apply or None
        The node that computes it.
    index : int or None
        Its position in ``owner.outputs``.
    name : str or None
        Used in printed graphs and as the keyword for this input of a compiled function.

    >>> import theano
    >>> x = theano.gof.Variable(theano.tensor.dscalar, name="x")
    >>> x.owner is None, str(x)
    (True, 'x')
    """

    # NOTE: `__dict__` here costs one pointer until a user sets an attribute of their own.
    __slots__ = ("__dict__", "__weakref__", "_clients", "fgraph", "index", "name", "owner", "type")

    #: compute the value, given the values of its inputs; set by the compile layer
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
        """A unique name, ``auto_`` and a number, assigned on first access."""
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
        """Return a variable with the same type and name and a copy of the tag, but no owner."""
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
        """Return a list with the node that computes this variable; empty for a root."""
        return [] if self.owner is None else [self.owner]

    def __getstate__(self) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        # the graph that a variable was compiled into is not part of the variable
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
        """Return a hashable key, equal for constants that can replace each other."""
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


#: returned by ``run_params`` for a node without parameters
NoParams = object()


@documented_in("theano.gof.graph")
class Apply(Tagged):
    """An op applied to input variables, with the output variables that it computes.

    The constructor sets ``owner`` and ``index`` on each output and records the user's line.

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
        """Return the output that a call of the op returns, if it returns a single one."""
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
        """Return the parameters that are passed to the op's ``perform``, or NoParams."""
        if self.params_type is None:
            return NoParams
        return self.params_type.filter(self.op.get_params(self))

    def clone(self) -> Apply:
        """Apply the same op to the same inputs, with new outputs."""
        return self._with(self.inputs)

    def _with(self, inputs: Sequence[Variable]) -> Apply:
        cp = self.__class__(self.op, inputs, [out.clone() for out in self.outputs])
        cp.trace = self.trace
        if self._tag is not None:
            cp._tag = copy.copy(self._tag)
        return cp

    def clone_with_new_inputs(self, inputs: Sequence[Variable], strict: bool = True) -> Apply:
        """Apply this op to other inputs.

        With ``strict``, an input of another type is converted, or raises TypeError if it cannot
        be. Without ``strict``, ``make_node`` builds a new node if a type differs.
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
        # a pickle of Theano 1.0; the nodes of its rewritten graphs are not used
        if isinstance(state, dict) and "fgraph" not in state and hasattr(self.op, "make_node"):
            self.op, self.inputs = node_of_names(self.op, self.inputs)


if TYPE_CHECKING:

    class Owned(Variable):
        """A variable with an owner; functions that look for an op narrow to this type."""

        owner: Apply
        index: int

else:
    Owned = Variable


def owner_of(v: Variable) -> Apply:
    """Return the node that computes ``v``, which must have one."""
    node = v.owner
    assert node is not None, f"{v} has no owner"
    return node
