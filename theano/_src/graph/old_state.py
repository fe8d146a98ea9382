"""Convert pickled states of Theano 1.0, which are dicts of attributes, to states used here."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from functools import cache
from types import MemberDescriptorType
from typing import Any

from theano._src.graph.op_table import OpTable
from theano._src.ground.documented import documented_in

#: attributes in Theano 1.0 that variables and nodes do not have here
_GONE = frozenset({"_fn_cache", "auto_name", "cached", "clients", "deps", "fgraph"})


def slots_and_rest(cls: type, state: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split the state of a variable or node into free attributes and slots.

    >>> from theano.tensor import TensorVariable
    >>> own, slots = slots_and_rest(TensorVariable, {"name": "x", "mine": 1, "auto_name": "a"})
    >>> own, slots["name"], slots["owner"]
    ({'mine': 1}, 'x', None)
    """
    slots: dict[str, Any] = dict.fromkeys(_slots_of(cls) - {"default_update"})
    own: dict[str, Any] = {}
    for key, value in state.items():
        if key in _GONE:
            continue
        key = "_tag" if key == "tag" else key
        (slots if isinstance(getattr(cls, key, None), MemberDescriptorType) else own)[key] = value
    return own, slots


@cache
def _slots_of(cls: type) -> frozenset[str]:
    result = {name for c in cls.__mro__ for name in c.__dict__.get("__slots__", ())}
    return frozenset(result - {"__dict__", "__weakref__"})


def made_of_names(cls: type, state: dict[str, Any]) -> Any:
    """Call a class with those attributes of ``state`` that it takes as parameters.

    >>> from theano.tensor.elemwise import Sum
    >>> print(made_of_names(Sum, {"axis": (0,), "dtype": "float64", "openmp": False}))
    Sum{0}
    """
    return cls(**_named_parameters(cls, state))


def node_of_names(op: Any, inputs: list[Any]) -> tuple[Any, list[Any]]:
    """Rebuild the op and the inputs of a node that Theano 1.0 pickled.

    ``op`` has the attributes that it had in Theano 1.0, as set by pickle.
    """
    name = f"{type(op).__module__}.{type(op).__name__}"
    if not name.startswith("theano."):
        return op, inputs
    try:
        op = _REMADE.get(op, _of_names)(op, inputs)
        if not _are_made(inputs):
            return op, inputs
        node = op.make_node(*inputs)
    except pickle.UnpicklingError:
        raise
    except Exception as error:
        raise refusal(name, error) from error
    return node.op, node.inputs


def _are_made(inputs: list[Any]) -> bool:
    # a variable that this node updates, such as a random stream, has no state yet
    return all(hasattr(v, "type") for v in inputs)


def _of_names(op: Any, inputs: list[Any]) -> Any:
    return made_of_names(type(op), vars(op))


def _advanced(op: Any, inputs: list[Any]) -> Any:
    if not _are_made(inputs):
        raise refusal("an update of a variable by an index of arrays", "its index is not known")
    return _of_names(op, inputs)


#: classes of ops that are not rebuilt from the names of their parameters alone
_REMADE: OpTable[Callable[[Any, list[Any]], Any]] = OpTable(
    {
        # already rebuilt by its __setstate__
        "theano.scalar.basic.ScalarOp": lambda op, inputs: op,
        "theano.compile.ops.Rebroadcast": lambda op, inputs: type(op)(*op.axis.items()),
        "theano._src.ops.index.advanced._Advanced": _advanced,
    }
)


def set_by_init(self: Any, state: dict[str, Any]) -> None:
    """``__setstate__`` for a class whose pickled state holds the arguments of ``__init__``."""
    self.__init__(**_named_parameters(type(self), state))


def _named_parameters(cls: type, state: dict[str, Any]) -> dict[str, Any]:
    return {name: state[name] for name in _parameters(cls) if name in state}


@cache
def _parameters(cls: type) -> tuple[str, ...]:
    return tuple(inspect.signature(cls.__init__).parameters)[1:]  # type: ignore[misc]


def refusal(what: str, why: Any) -> pickle.UnpicklingError:
    """Return the error for an object of a Theano 1.0 pickle that cannot be rebuilt here."""
    return pickle.UnpicklingError(
        f"{what}, as Theano 1.0 pickled it, cannot be read here ({why}). Read the file by Theano "
        "1.0.5, save what get_value() gives of its shared variables, and build the graph again"
    )


@documented_in("theano.misc.frozendict")
class frozendict(dict[Any, Any]):
    """The immutable dict of Theano 1.0, for reading its pickles."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.update(state["_dict"])


class Leftover:
    """An object that Theano 1.0 pickled with a function and that is not needed here."""

    def __new__(cls, *args: Any) -> Leftover:
        return object.__new__(cls)

    def __init__(self, *args: Any) -> None:
        raise TypeError(
            "this name is there for pickles of Theano 1.0 to be read; nothing here uses it"
        )

    def __setstate__(self, state: Any) -> None:
        pass
