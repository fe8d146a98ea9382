"""Shared variables, and the containers that hold the values of inputs and shared variables."""

from __future__ import annotations

import contextlib
import copy
import os
import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.graph.source_line import mark_shared
from theano._src.graph.type import Type
from theano._src.ground.documented import documented_in, short_traceback
from theano._src.types.other_arrays import RefusedArrayError, kept
from theano._src.types.sharding import Sharding
from theano._src.types.tensor import TensorBase, TensorType


class Group:
    """Shared variables that functions use together, and the lock that their calls hold.

    A single lock is taken by one ``with``: an interrupt cannot leave it half taken, and two calls
    cannot deadlock. Compiling a function merges the groups of its variables; ``root`` is the
    group that this one was merged into.

    A function that runs a user's Python code may call other functions there and wait for a second
    group, so it takes ``nesting`` first. Hence only one thread at a time holds one group while
    waiting for another, and no cycle of waiting threads can form.
    """

    __slots__ = ("__weakref__", "lock", "parent")

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.parent: Group | None = None
        _groups.add(self)

    @property
    def root(self) -> Group:
        group = self
        while group.parent is not None:
            group = group.parent
        return group


_groups: weakref.WeakSet[Group] = weakref.WeakSet()

#: taken before the group's lock by each call that runs a user's Python code
nesting = threading.RLock()


def unite(groups: Iterable[Group]) -> Group:
    """Merge groups into one, and return it; waits for running calls, one at a time."""
    first: Group | None = None
    while True:
        roots = sorted({g.root for g in groups}, key=id)
        if first in roots:
            roots.remove(first)
            roots.insert(0, first)
        first = None
        with contextlib.ExitStack() as held:
            for group in roots:
                # the holder of a group may wait for another, so hold nothing while waiting
                if not group.lock.acquire(blocking=group is roots[0]):
                    first = group
                    break
                held.callback(group.lock.release)
            if first is not None or any(group.parent is not None for group in roots):
                continue
            for group in roots[1:]:
                group.parent = roots[0]
            return roots[0]


# the child has none of the parent's other threads: no lock may be held, no value half stored
def _before_fork() -> None:
    nesting.acquire()
    for group in list(_groups):
        group.lock.acquire()
        _at_fork.append(group)


def _after_fork() -> None:
    while _at_fork:
        _at_fork.pop().lock.release()
    nesting.release()


_at_fork: list[Group] = []
os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


@documented_in("theano.compile.sharedvalue")
class Cell(list[Any]):
    """The storage of a shared variable: one value, as a NumPy array or an engine's own array.

    ``borrowed``: the user also holds the array and may change it at any time.
    ``group``: has the lock that every call holds while it reads or writes the value.
    ``sharding``: how functions on a mesh split the value; ``on_mesh``: whether one of them has
    placed it there; ``used``: whether any function uses the variable.
    """

    __slots__ = ("borrowed", "group", "on_mesh", "sharding", "used")

    def __init__(
        self, value: Any, borrowed: bool = False, sharding: Sharding | None = None
    ) -> None:
        super().__init__((value,))
        self.borrowed = borrowed
        self.group = Group()
        self.sharding = sharding
        self.on_mesh = False
        self.used = False

    @property
    def lock(self) -> Any:
        return self.group.root.lock

    def __reduce__(self) -> Any:
        return (Cell, (on_host(self[0]), False, self.sharding))


def on_host(value: Any) -> Any:
    """Return a value with jax arrays converted to NumPy arrays; all else is unchanged."""
    # NOTE: do not test for __array__: a generic variable may hold a table, which has it too
    if isinstance(value, np.ndarray) or not hasattr(type(value), "is_fully_addressable"):
        return value
    if not (value.is_fully_addressable or value.is_fully_replicated):
        raise ValueError(
            f"a value of shape {value.shape} is split over processes, and this one has a part of "
            "it: distributed.gather(variable), called by all of them, gives the whole"
        )
    return np.array(value)


@documented_in("theano.gof.link")
class Container:
    """A storage cell whose value is filtered by a Type whenever it is set.

    Parameters
    ----------
    r : Variable or Type
    storage : list of one element
    readonly, strict, allow_downcast, name : as for ``In``
    """

    def __init__(
        self,
        r: Any,
        storage: list[Any],
        readonly: bool = False,
        strict: bool = False,
        allow_downcast: bool | None = None,
        name: Any = None,
    ) -> None:
        if not isinstance(storage, list) or not len(storage) >= 1:
            raise TypeError(f"Container takes a list of one element as storage, got {storage!r}")
        self.type: Any = r if isinstance(r, Type) else r.type
        self.name = r.name if name is None and isinstance(r, Variable) else name
        self.storage = storage
        self.readonly = readonly
        self.strict = strict
        self.allow_downcast = allow_downcast

    def _get(self) -> Any:
        return self.storage[0]

    def _set(self, value: Any) -> None:
        self.store(value)

    def store(self, value: Any, borrow: bool = False) -> None:
        """Set the value; with ``borrow``, another library's array may keep its own memory."""
        if self.readonly:
            raise Exception(f"Cannot set readonly storage: {self.name}")
        if value is None:
            self.storage[0] = None
            return
        try:
            kwargs: dict[str, Any] = {"strict": True} if self.strict else {}
            if self.allow_downcast is not None:
                kwargs["allow_downcast"] = self.allow_downcast
            inplace = getattr(self.type, "filter_inplace", None)
            if inplace is not None:
                self.storage[0] = inplace(value, self.storage[0], **kwargs)
            elif isinstance(value, np.ndarray) or not isinstance(self.type, TensorType):
                self.storage[0] = self.type.filter(value, **kwargs)
            else:
                self.storage[0] = kept(self.type, value, borrow, **kwargs)
        except Exception as e:
            if self.name is not None:
                e.add_note(f'Container name "{self.name}"')
            raise

    data = property(_get, _set)
    value = property(_get, _set)

    def __str__(self) -> str:
        return f"<{self.storage[0]}>"

    def __repr__(self) -> str:
        return f"<{self.storage[0]!r}>"

    def __deepcopy__(self, memo: dict[int, Any]) -> Container:
        done = id(self.storage) in memo
        new = type(self)(
            self.type,
            copy.deepcopy(self.storage, memo),
            self.readonly,
            self.strict,
            self.allow_downcast,
            self.name,
        )
        if not done and new.storage[0] is not None:
            new.storage[0] = self.type.filter(new.storage[0], strict=False, allow_downcast=False)
        return new


@documented_in("theano.compile.sharedvalue")
class SharedVariable(Variable):
    """A variable with its own value, which all functions that use it read and may update.

    Parameters
    ----------
    name : str or None
    type : Type
    value : object
        None if ``container`` is given.
    strict : bool
        Assigned values are neither cast nor copied; a value of another type is refused.
    container : Container, optional
    """

    __slots__ = ("container", "default_update")

    container: Container
    #: unset until assigned: programs test for it with hasattr
    default_update: Any

    def __init__(
        self,
        name: Any,
        type: Any,
        value: Any,
        strict: bool,
        allow_downcast: bool | None = None,
        container: Container | None = None,
    ) -> None:
        Variable.__init__(self, type, None, None, name)
        mark_shared(self)
        if container is not None:
            if value is not None or strict is not None:
                raise TypeError("SharedVariable takes a container or a value, not both")
            self.container = container
        else:
            self.container = Container(
                self,
                Cell(
                    type.filter(value, strict=strict, allow_downcast=allow_downcast)
                    if value is not None
                    else None
                ),
                readonly=False,
                strict=strict,
                allow_downcast=allow_downcast,
            )

    def get_value(self, borrow: bool = False, return_internal_type: bool = False) -> Any:
        """Return a copy of the value, or with ``borrow`` the stored object itself.

        With ``return_internal_type`` as well, an array that jax keeps is returned without a
        transfer; the next call that updates the variable may overwrite and so delete it.

        >>> import theano
        >>> theano.shared(3).get_value().item()
        3
        """
        cell = self.container.storage
        with getattr(cell, "lock", _NO_LOCK):
            value = cell[0]
            if borrow and return_internal_type and not isinstance(value, np.ndarray):
                return value
            here = on_host(value)
            if borrow:
                # from now on the caller may write into it
                cell[0] = here
                if isinstance(cell, Cell):
                    cell.borrowed = True
                return here
            return here if here is not value else copy.deepcopy(value)

    @short_traceback
    def set_value(self, new_value: Any, borrow: bool = False) -> None:
        """Store a copy of ``new_value``; with ``borrow``, the object itself where possible."""
        cell = self.container.storage
        with getattr(cell, "lock", _NO_LOCK):
            try:
                # for all but NumPy arrays, a tensor type makes a new array anyway
                if not borrow and (
                    isinstance(new_value, np.ndarray) or not isinstance(self.type, TensorType)
                ):
                    new_value = copy.deepcopy(new_value)
                self.container.store(new_value, borrow)
            except TypeError as error:
                raise TypeError(self._refused(new_value, error)) from None
            if isinstance(cell, Cell):
                cell.borrowed = borrow

    def _refused(self, value: Any, error: TypeError) -> str:
        dtype, given = getattr(self.type, "dtype", None), getattr(value, "dtype", None)
        who = self.name or "a shared variable"
        text = f"set_value of {who} takes {self.type}. {error}"
        if isinstance(error, RefusedArrayError):
            return text
        if dtype is not None and given is not None and str(given) != dtype:
            text += f" Here: set_value(numpy.asarray(value, {dtype!r}))."
        return text

    @property
    def value(self) -> Any:
        """The value: reading calls ``get_value()``, assigning calls ``set_value()``."""
        return self.get_value()

    @value.setter
    def value(self, new_value: Any) -> None:
        self.set_value(new_value)

    def zero(self, borrow: bool = False) -> None:
        """Set all elements to 0."""
        value = self.get_value(borrow=True)
        self.set_value(value * 0, borrow=True)

    def clone(self) -> SharedVariable:
        cp = self.__class__(
            name=self.name,
            type=self.type,
            value=None,
            strict=None,  # type: ignore[arg-type]
            container=self.container,
        )
        if self._tag is not None:
            cp._tag = copy.copy(self._tag)
        return cp

    def __getstate__(self) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        own, slots = Variable.__getstate__(self)
        held = {"container": self.container}
        if hasattr(self, "default_update"):
            held["default_update"] = self.default_update
        return (own, slots | held)

    def __setstate__(self, state: Any) -> None:
        Variable.__setstate__(self, state)
        cell = self.container.storage
        if not isinstance(cell, Cell):
            self.container.storage = Cell(cell[0])  # from a pickle of Theano 1.0


@documented_in("theano.tensor.sharedvar")
class TensorSharedVariable(TensorBase, SharedVariable):
    """A shared variable that holds an array; made by ``shared``.

    It supports DLPack: ``numpy.from_dlpack(w)`` and ``torch.from_dlpack(w)`` copy the value; with
    ``copy=False`` they share the memory of ``get_value(borrow=True)``.
    """

    __slots__ = ()

    def __dlpack__(self, *, copy: bool | None = None, **options: Any) -> Any:
        value = np.asarray(self.get_value(borrow=copy is False))
        return value.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)  # the host: the value is brought there wherever an engine keeps it

    def zero(self, borrow: bool = False) -> None:
        value = self.get_value(borrow=True)
        if borrow:
            value[...] = 0
        else:
            self.set_value(np.zeros_like(value), borrow=True)


@documented_in("theano.tensor.sharedvar")
class ScalarSharedVariable(TensorSharedVariable):
    """A shared variable that holds one number, as a 0-d array."""

    __slots__ = ()


@documented_in("theano.distributed")
def shard(variable: SharedVariable, sharding: Sharding) -> SharedVariable:
    """Set how functions split a shared variable over a mesh.

    For variables that other code creates; ``shared`` takes ``sharding`` too.

    Parameters
    ----------
    variable : shared variable
        Not yet used by any compiled function.
    sharding : Sharding
        From indexing a mesh.

    Returns
    -------
    SharedVariable
        The same variable.

    Raises
    ------
    TypeError
        If the variable does not hold an array.
    ValueError
        If the sharding splits more dimensions than the variable has, or a function already uses
        the variable.

    Examples
    --------
    >>> import numpy as np, theano
    >>> from theano import distributed as dist
    >>> W = theano.shared(np.zeros((4, 2)), "W")
    >>> dist.shard(W, dist.mesh({"data": -1})["data"])
    W
    """
    cell = getattr(getattr(variable, "container", None), "storage", None)
    if not isinstance(cell, Cell) or not isinstance(variable.type, TensorType):
        raise TypeError(
            f"shard takes a shared variable that holds an array, got {variable!r} of "
            f"{type(variable).__name__}"
        )
    if not isinstance(sharding, Sharding):
        raise TypeError(f"shard takes a Sharding, as mesh['data'] gives it, got {sharding!r}")
    sharding.check(variable.type.ndim, variable)
    with cell.lock:
        if cell.used and cell.sharding != sharding:
            raise ValueError(
                f"shard comes before the functions of a variable are made, and {variable} has some "
                "already"
            )
        cell.sharding = sharding
    return variable


_NO_LOCK = contextlib.nullcontext()

#: tried from the last to the first; each raises TypeError for values that it does not take
constructors: list[Callable[..., SharedVariable]] = []
