"""Function: a compiled graph that can be called, with the values it holds."""

from __future__ import annotations

import contextlib
import copy as _copy
import time
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from numpy import may_share_memory, ndarray

from theano._src.compile.call_source import PerInstanceCall, is_plain, write_call
from theano._src.compile.function_copies import copied, deep_copied, pickled, unpickled
from theano._src.compile.function_values import AMBIGUOUS, Containers, Values
from theano._src.compile.io import In
from theano._src.graph.destroy import overwritten_inputs
from theano._src.graph.graph import Variable
from theano._src.ground.config import config
from theano._src.ground.documented import OfInstance, documented_in, short_traceback
from theano._src.ground.lazy import ABOVE, at_first_use
from theano._src.ground.process_group import process_group
from theano._src.ground.suggest import nearest
from theano._src.ground.tracebacks import shorten
from theano._src.types.shared import (
    Cell,
    Container,
    Group,
    nesting,
    unite,
)

_NOTHING = contextlib.nullcontext()

_native_pointer = at_first_use("theano._src.compile.export.native_pointer:NativePointer")
_signature_of = at_first_use("theano._src.compile.display.signature:signature_of")
_help_of = at_first_use("theano._src.compile.display.signature:help_of")
_runs_user_code = at_first_use("theano._src.engines.node_kinds:runs_user_code")
_inputs_for_none = at_first_use("theano._src.engines.node_kinds:takes_none")
_plan = at_first_use("theano._src.compile.planning.plan:plan")
ABOVE["plan"] = lambda f, shapes, topology: _plan()(f, shapes, topology)
_wrapped_program = at_first_use("theano._src.engines.linkers.wrap:WrappedProgram")


def _plain(container: Container, spec: In) -> tuple[Any, int]:
    """The dtype and ndim of arrays that need no conversion; ``(None, -1)`` if all are checked."""
    kind = container.type
    if is_plain(kind) and not any(kind.broadcastable) and not spec.mutable:
        return kind.numpy_dtype, kind.ndim
    return None, -1


def _is_open(fn: Any, fgraph: Any) -> bool:
    """Whether a call runs Python code of the user: an op or a linker."""
    if isinstance(fn, _wrapped_program()) or not type(fn).__module__.startswith("theano."):
        return True
    return any(map(_runs_user_code(), fgraph.apply_nodes))


@documented_in("theano.compile.function_module")
class Function:
    """A compiled function.

    Call it with values for its inputs, by position or by name. ``fn[key]`` and ``fn.value[key]``
    read and set stored values, where the key is a position, a name or a Variable.
    ``fn.container[key]`` is the Container. An input whose name is an identifier is also an
    attribute.

    Attributes
    ----------
    maker : FunctionMaker
        ``maker.fgraph`` is the rewritten graph.
    fn : Program
        The program: ``fn.fn()`` runs it on the stored values, without checks.
    trust_input : bool
        Whether to skip the checks of arguments.
    """

    # set through __dict__: assigning to an attribute may set the value of an input
    container: Containers
    defaults: list[tuple[bool, bool, Any]]
    finder: dict[Any, Any]
    fn: Any
    input_storage: list[Container]
    maker: Any
    name: str | None
    output_keys: list[str] | None
    output_storage: list[Container]
    profile: Any
    return_none: bool
    trust_input: bool
    unpack_single: bool
    value: Values
    _call: Any
    _for_jax: bool
    _forget: list[list[Any]]
    _given: list[int]
    _group: Group
    _outer: Any
    _none_for: set[int]
    _overwritten: list[int]
    _quick: list[tuple[list[Any], Any, int, int]]
    _refeed: list[tuple[list[Any], Any, bool]]
    _specs: list[In]

    def __init__(
        self,
        fn: Any,
        input_storage: list[Container],
        output_storage: list[Container],
        indices: list[Any],
        outputs: list[Any],
        defaults: list[tuple[bool, bool, Any]],
        unpack_single: bool,
        return_none: bool,
        output_keys: list[str] | None,
        maker: Any,
    ) -> None:
        own = self.__dict__
        own["maker"] = maker
        own["fn"] = fn
        own["name"] = maker.name
        own["input_storage"] = input_storage
        own["output_storage"] = output_storage
        own["indices"] = indices
        own["outputs"] = outputs
        own["defaults"] = defaults
        own["unpack_single"] = unpack_single
        own["return_none"] = return_none
        own["output_keys"] = output_keys
        own["trust_input"] = False
        own["profile"] = maker.profile
        own["_for_jax"] = getattr(fn, "for_jax", False) is True
        own["nodes_with_inner_function"] = []
        specs: list[In] = maker.inputs
        own["_specs"] = specs
        # shared variables come after the inputs that callers pass
        own["_given"] = [i for i, s in enumerate(specs) if not s.implicit]
        own["finder"] = self._make_finder(specs, input_storage)
        own["inv_finder"] = {id(c): s for c, s in zip(input_storage, specs, strict=True)}
        own["container"] = Containers(self.finder, input_storage)
        own["value"] = Values(self.container)
        # if nodes may write into an argument, each call gets its own copy of the default
        own["_refeed"] = [
            (c.storage, value, s.mutable or maker.accept_inplace)
            for c, s, (_, refeed, value) in zip(input_storage, specs, defaults, strict=True)
            if refeed
        ]
        for cell, value, is_copied in self._refeed:
            if is_copied:
                cell[0] = _copy.copy(value)
        # a call takes one lock, for its own cells and the shared variables that it uses
        cells = [c.storage for c in input_storage if isinstance(c.storage, Cell)]
        for cell in cells:
            cell.used = True
        own["_group"] = unite([Group(), *(cell.group for cell in cells)])
        own["_outer"] = nesting if _is_open(fn, maker.fgraph) else None
        own["_quick"] = [
            (c.storage, *_plain(c, s), k)
            for k, (c, s) in enumerate((input_storage[i], specs[i]) for i in self._given)
        ]
        own["_forget"] = [
            c.storage
            for c, spec, (required, _, _) in zip(input_storage, specs, defaults, strict=True)
            if required and spec.update is None
        ]
        # results belong to the caller and are not kept, except where an update stores its own input
        held = {id(c.storage) for c in input_storage}
        own["_forget"] += [c.storage for c in output_storage if id(c.storage) not in held]
        # nodes may write into these inputs, so no other input may share their memory
        written = set(overwritten_inputs(maker.fgraph))
        own["_overwritten"] = [
            i
            for i, (s, v) in enumerate(zip(specs, maker.fgraph.inputs, strict=True))
            if (s.mutable and s.update is None and not s.shared) or v in written
        ]
        own["_none_for"] = {
            k for k, i in enumerate(self._given) if _takes_none(maker.fgraph.inputs[i])
        }
        own["_call"] = self._first_call

    @staticmethod
    def _make_finder(specs: Sequence[In], containers: Sequence[Container]) -> dict[Any, Any]:
        finder: dict[Any, Any] = {}
        for i, (spec, container) in enumerate(zip(specs, containers, strict=True)):
            finder[i] = container
            finder[spec.variable] = container
            if spec.name is not None and not spec.shared:
                finder[spec.name] = AMBIGUOUS if spec.name in finder else container
        return finder

    # values

    @short_traceback
    def __getitem__(self, item: Any) -> Any:
        return self.container[item].value

    @short_traceback
    def __setitem__(self, item: Any, value: Any) -> None:
        self.container[item].value = value

    def __contains__(self, item: Any) -> bool:
        return item in self.container

    @short_traceback
    def __getattr__(self, name: str) -> Any:
        result = self.__dict__.get("finder", {}).get(name)
        if isinstance(result, Container):
            return result.value
        text = f"{type(self).__name__} has no attribute and no input {name!r}"
        if name in ("eval", "run", "apply", "forward"):
            text += "; call it with values of its inputs: f(...)"
        raise AttributeError(text)

    def __setattr__(self, name: str, value: Any) -> None:
        result = self.__dict__.get("finder", {}).get(name)
        if isinstance(result, Container) and name not in self.__dict__:
            result.value = value
        else:
            object.__setattr__(self, name, value)
            # the compiled call may depend on this attribute
            self.__dict__["_call"] = self._first_call

    def get_shared(self) -> list[Any]:
        """Return the shared variables that the function uses."""
        return [s.variable for s in self._specs if s.shared]

    # calling

    __call__: Any = PerInstanceCall(
        "Run the graph on values for the inputs, given by position or name."
    )

    def _first_call(self, *args: Any, **kwargs: Any) -> Any:
        """Choose the call path, store it for later calls, and call it."""
        run = self.fn.direct(self._given) if hasattr(self.fn, "direct") else None
        if run is None or self.profile is not None:
            call = self._by_cells
        else:
            call = write_call(self, run, self.fn.alone)
        self.__dict__["_call"] = call
        if call != self._by_cells:
            self._offer_call(call)
        try:
            return call(*args, **kwargs)
        except Exception as error:
            shorten(error)
            raise

    def _offer_call(self, call: Any) -> None:
        """Let machine code replace ``call`` once it is compiled."""
        stand_for = getattr(self.fn, "stand_for", None)
        if stand_for is None or self.output_keys is not None or self._overwritten:
            return
        given = [(self.input_storage[i].type, self._specs[i]) for i in self._given]
        if not all(is_plain(kind) and not spec.mutable for kind, spec in given):
            return
        if any(spec.strict and not kind.ndim for kind, spec in given):
            return  # machine code takes numbers, which a strict input refuses
        own = self.__dict__

        def install(machine_code: Any) -> None:
            if own.get("_call") is call:
                own["_call"] = machine_code

        returns = "none" if self.return_none else "first" if self.unpack_single else "list"
        stand_for(returns, call, install)

    def _by_cells(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self._general(args, kwargs)
        except Exception as error:
            shorten(error)
            raise

    def _general(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], filtered: bool = False
    ) -> Any:
        started = time.perf_counter() if self.profile is not None else 0.0
        output_subset = kwargs.pop("output_subset", None) if kwargs else None
        while True:
            group = self._group
            with self._outer or _NOTHING, group.lock:
                if group.parent is None:
                    results = self._run(args, kwargs, filtered)
                    break
            # the group was merged into another meanwhile
            self.__dict__["_group"] = group.root
        if self.profile is not None:
            self.profile.called(started, time.perf_counter())
        keys = self.output_keys
        if output_subset is not None:
            chosen = self._subset(output_subset)
            results = [results[i] for i in chosen]
            keys = keys and [keys[i] for i in chosen]
        if self.return_none:
            return None
        if self.unpack_single:
            return results[0]
        if keys is not None:
            return dict(zip(keys, results, strict=True))
        return results

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any], filtered: bool) -> list[Any]:
        try:
            if filtered:
                for value, (cell, _, _, _) in zip(args, self._quick, strict=True):
                    cell[0] = value
            elif kwargs or len(args) != len(self._quick) or self.trust_input:
                self._feed(args, kwargs)
            else:
                for value, (cell, dtype, ndim, k) in zip(args, self._quick):
                    if value.__class__ is ndarray and value.dtype == dtype and value.ndim == ndim:
                        cell[0] = value
                    else:
                        i = self._given[k]
                        self._put(self.input_storage[i], self._specs[i], k, value)
            if self._overwritten and not filtered:
                cells = [self.input_storage[i].storage for i in self._given]
                given = self._kept_apart(*[cell[0] for cell in cells])
                for cell, value in zip(cells, given, strict=True):
                    cell[0] = value
            if self.profile is None:
                results: list[Any] = self.fn()
            else:
                begun = time.perf_counter()
                results = self.fn()
                self.profile.ran(begun, time.perf_counter())
            return results
        finally:
            for cell, value, is_copied in self._refeed:
                cell[0] = _copy.copy(value) if is_copied else value
            for cell in self._forget:
                cell[0] = None

    def _kept_apart(self, *args: Any) -> tuple[Any, ...]:
        """Copy arguments that nodes write into, if they are read-only or share memory with others.

        Otherwise an array that is passed twice could be read after it was overwritten.
        """
        values = [c.storage[0] for c in self.input_storage]
        for i, value in zip(self._given, args, strict=True):
            values[i] = value
        for i in self._overwritten:
            value = values[i]
            if isinstance(value, ndarray) and (
                # read-only memory of another library
                not value.flags.writeable
                or any(
                    isinstance(other, ndarray) and may_share_memory(value, other)
                    for k, other in enumerate(values)
                    if k != i
                )
            ):
                values[i] = value.copy()
        return tuple([values[i] for i in self._given])

    def _subset(self, wanted: Sequence[Any]) -> list[int]:
        if self.output_keys is not None:
            return [k if isinstance(k, int) else self.output_keys.index(k) for k in wanted]
        return [int(k) for k in wanted]

    def _feed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Check the arguments and store them; raise if a required input has no value."""
        given = self._given
        if len(args) > len(given):
            raise TypeError(
                f"Too many parameter passed to theano function: {self._text()} takes "
                f"{len(given)} ({', '.join(self._names(given))}), got {len(args)}"
            )
        storage, specs = self.input_storage, self._specs
        if self.trust_input:
            for i, value in zip(given, args, strict=False):
                storage[i].storage[0] = value
        else:
            for k, (i, value) in enumerate(zip(given, args, strict=False)):
                self._put(storage[i], specs[i], k, value)
        if kwargs:
            self._feed_by_name(args, kwargs)
        if len(args) + len(kwargs) < len(given):
            missing = [
                specs[i]
                for i in given[len(args) :]
                if self.defaults[i][0] and storage[i].storage[0] is None
            ]
            if missing:
                names = ", ".join(str(s.name or s.variable) for s in missing)
                raise TypeError(
                    f"Missing required input: {names} of {self._text()}; "
                    f"{len(args) + len(kwargs)} of {len(given)} inputs were given"
                )

    def _put(self, container: Container, spec: In, position: int, value: Any) -> None:
        container.storage[0] = self._filtered(container, spec, position, value)

    def _filtered(self, container: Container, spec: In, position: int, value: Any) -> Any:
        if value is None and position in self._none_for:
            return None
        if self._for_jax and self._takes_as_is(container, spec, value):
            return value
        try:
            result = container.type.filter(
                value, strict=container.strict, allow_downcast=container.allow_downcast
            )
        except Exception as e:
            if getattr(self.fn, "plan", None) is not None:
                process_group.note(f"an argument that {spec.variable} does not take")
            raise self._bad_argument(spec, position, e) from None
        if spec.mutable:
            if result is value:
                return _copy.copy(value) if not spec.borrow else value
            # never write into read-only memory of another library
            if isinstance(result, ndarray) and not result.flags.writeable:
                return result.copy()
        return result

    def _takes_as_is(self, container: Container, spec: In, value: Any) -> bool:
        """Whether a value is a jax array that XLA can use without a copy through the host."""
        if not hasattr(type(value), "is_fully_addressable"):
            return False
        kind = container.type
        if container.strict or spec.mutable or self._overwritten or not is_plain(kind):
            return False
        if value.dtype != kind.numpy_dtype or value.ndim != kind.ndim:
            return False
        if any(b and n != 1 for b, n in zip(kind.broadcastable, value.shape, strict=True)):
            return False
        return bool(self.fn.takes_as_is(value))

    def _bad_argument(self, spec: In, position: int, error: Exception) -> Exception:
        called = f' with name "{spec.name}"' if spec.name is not None else ""
        text = (
            f"Bad input argument{called} to {self._text()} at index {position} (0-based), which "
            f"takes {spec.variable.type}.\n{error}"
        )
        kind = type(error)
        return kind(text) if kind in (TypeError, ValueError) else TypeError(text)

    def _feed_by_name(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        taken = {id(self.input_storage[i]) for i in self._given[: len(args)]}
        can = {id(self.input_storage[i]): i for i in self._given}
        for name, value in kwargs.items():
            result = self.finder.get(name)
            if result is None:
                names = [str(s.name) for s in self._specs if s.name is not None and not s.shared]
                near = nearest(name, names)
                hint = f" Did you mean {near}?" if near else ""
                if not names:
                    hint = (
                        " A variable gets a name when it is made, as in theano.tensor.dvector('x')."
                    )
                raise TypeError(
                    f"Unknown input or state: {name}. The function has {len(names)} named inputs "
                    f"({', '.join(names)}).{hint}"
                )
            if result is AMBIGUOUS:
                raise TypeError(f"Ambiguous name: {name} - please check the names of the inputs")
            if id(result) not in can:
                raise TypeError(f"Tried to provide value for implicit input: {name}")
            if id(result) in taken:
                raise TypeError(f"Multiple values for input: {name}")
            taken.add(id(result))
            i = can[id(result)]
            self._put(result, self._specs[i], i, value)

    def _names(self, positions: Sequence[int]) -> list[str]:
        return [str(self._specs[i].name or self._specs[i].variable) for i in positions]

    def _text(self) -> str:
        return f'theano function with name "{self.name}"' if self.name else "theano function"

    def __str__(self) -> str:
        return f"<{self._text()} at {id(self):#x}>"

    __repr__ = __str__

    @cached_property
    def native(self) -> Any:
        """The native code of the function as a pointer, compiled when it is first read.

        It has an address, a C signature, and views for ctypes, cffi and SciPy: see
        ``NativePointer``.
        """
        return _native_pointer()(self)

    # copies

    def free(self) -> None:
        """Free the intermediate results that are still held."""
        keep = {id(c.storage) for c in self.input_storage}
        for variable, cell in self.fn.storage_map.items():
            if id(cell) not in keep and variable.owner is not None:
                cell[0] = None

    @short_traceback
    def copy(
        self,
        share_memory: bool = False,
        swap: Any = None,
        delete_updates: bool = False,
        name: str | None = None,
        profile: Any = None,
    ) -> Any:
        """Return a function of the same graph and shared variables, with its own other values.

        The graph is rewritten again only if updates are deleted, or if there are swaps and two
        inputs share one cell.

        Parameters
        ----------
        share_memory : bool
            Accepted and ignored: intermediate results are never shared between functions.
        swap : dict, optional
            ``{shared: other shared}``: the copy reads and updates the others.
        delete_updates : bool
            Whether the copy leaves shared variables unchanged.
        name : str, optional
            ``"<name of this function> copy"`` by default.
        profile : optional
            As for ``function``; by default a copy has no profile.
        """
        return copied(self, swap, delete_updates, name, profile)

    def __copy__(self) -> Any:
        return self.copy()

    def __reduce__(self) -> Any:
        """Pickle the declaration and the held values; loading compiles the function again."""
        return remade, pickled(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # pickles from before trust_input was an option
        self.__dict__.update(state, _call=self._first_call)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return deep_copied(self, memo)


# for inspect.signature(f) and help(f)
setattr(Function, "__signature__", OfInstance(lambda f: _signature_of()(f)))  # noqa: B010
setattr(Function, "__doc__", OfInstance(lambda f: _help_of()(f), Function.__doc__))  # noqa: B010


@documented_in("theano.compile.function_module")
def remade(
    maker: Any, inputs: Any, outputs: Any, options: dict[str, Any], values: list[Any]
) -> Function | None:
    """Rebuild a pickled function: rewrite and link it again, with the values it held.

    Return None if ``config.unpickle_function`` is False. If
    ``config.reoptimize_unpickled_function`` is False, both when the function was pickled and now,
    its rewritten graph is used as it is.

    >>> import pickle
    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> f = pickle.loads(pickle.dumps(theano.function([x], x + 1)))  # pickle calls it
    >>> f(2).item()
    3.0
    """
    if not config.unpickle_function:
        return None
    function: Function = unpickled(Function, maker, inputs, outputs, options, values)
    return function


def _takes_none(v: Variable) -> bool:
    """Whether all nodes that read an input accept None for it."""
    users = v._clients or ()
    return bool(users) and all(
        node != "output" and i in _inputs_for_none().get(node.op, ()) for node, i in users
    )
