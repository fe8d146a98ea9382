"""Small containers and functions that every layer may use."""

from __future__ import annotations

import functools
import linecache
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

from theano._src.ground.documented import documented_in

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
F = TypeVar("F", bound=Callable[..., Any])


def is_several(given: object) -> TypeGuard[Sequence[Any]]:
    """Whether an argument is a collection; strings and zero-dimensional arrays are not.

    >>> is_several(range(2)), is_several("x"), is_several(3)
    (True, False, False)
    """
    # zero-dimensional arrays and variables define __iter__, but cannot be iterated over
    return (
        isinstance(given, Iterable) and not isinstance(given, str) and getattr(given, "ndim", 1) > 0
    )


@documented_in("theano.gof.utils")
class MethodNotDefined(Exception):
    """A class does not define a required method.

    >>> raise MethodNotDefined("grad", "MyOp")
    Traceback (most recent call last):
    ...
    theano.gof.utils.MethodNotDefined: ('grad', 'MyOp')
    """

    def __str__(self) -> str:
        if len(self.args) != 3:
            return super().__str__()
        method, _, name = self.args
        needs = _CONTRACT.get(method, f"it needs {method}, which its class does not define")
        return f"{name} does not define {method}: {needs}"


_CONTRACT = {
    "make_node": "an Op gives make_node(self, *inputs), which returns an Apply, or itypes and "
    "otypes",
    "perform": "an Op gives perform(self, node, inputs, output_storage) or "
    "compute(self, xp, *inputs), which say what it computes",
    "grad": "an Op gives grad(self, inputs, output_grads) or L_op to be differentiated",
    "R_op": "an Op gives R_op(self, inputs, eval_points) to be differentiated forwards",
}


@documented_in("theano.gof.utils")
class Scratchpad:
    """An object with free attributes.

    >>> tag = Scratchpad()
    >>> tag.origin = "here"
    >>> tag
    scratchpad{'origin': 'here'}
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: Any) -> None: ...

    def clear(self) -> None:
        """Delete all attributes."""
        self.__dict__.clear()

    def __update__(self, other: Scratchpad) -> Scratchpad:
        self.__dict__.update(other.__dict__)
        return self

    def __repr__(self) -> str:
        return f"scratchpad{self.__dict__}"

    def info(self) -> None:
        """Print all attributes."""
        print(f"<theano.gof.utils.scratchpad instance at {id(self)}>")
        for name, value in self.__dict__.items():
            print(f"  {name}: {value}")


# the documented name, which is in pickles
scratchpad = Scratchpad
scratchpad.__name__ = scratchpad.__qualname__ = "scratchpad"


@documented_in("theano.gof.utils")
class object2:
    """A base class that derives equality, hash and repr from the attributes in ``__props__``.

    >>> class Step(object2):
    ...     __props__ = ("size",)
    ...     def __init__(self, size): self.size = size
    >>> Step(3) == Step(3), Step(3) == Step(4), Step(3)
    (True, False, Step{size=3})
    """

    __slots__: Sequence[str] = ()
    __props__: tuple[str, ...]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = cls.__dict__
        if "__props__" not in own:
            return
        # methods that the class defines itself are kept
        if "__eq__" not in own and "__hash__" not in own:
            setattr(cls, "__eq__", _props_equal)  # noqa: B010
            setattr(cls, "__hash__", _props_hash)  # noqa: B010
        if "__repr__" not in own and "__str__" not in own:
            setattr(cls, "__repr__", _props_text)  # noqa: B010

    def _props(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__props__)


MetaObject = object2


def _props_equal(self: Any, other: Any) -> bool:
    return type(self) is type(other) and bool(self._props() == other._props())


def _props_hash(self: Any) -> int:
    return hash((type(self), self._props()))


def _props_text(self: Any) -> str:
    pairs = ", ".join(f"{name}={value!r}" for name, value in zip(self.__props__, self._props()))
    return f"{type(self).__name__}{{{pairs}}}"


@documented_in("theano.gof.utils")
def deprecated(filename: str, msg: str = "") -> Callable[[F], F]:
    """Mark a function as deprecated; its first call prints a warning.

    >>> @deprecated("myfile", "Call new instead.")
    ... def old(): return 1
    >>> old()
    WARNING myfile.old deprecated. Call new instead.
    1
    >>> old()
    1
    """

    def mark(f: F) -> F:
        text = False

        @functools.wraps(f)
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal text
            if not text:
                text = True
                print(f"WARNING {filename}.{f.__name__} deprecated. {msg}")
            return f(*args, **kwargs)

        return call  # type: ignore[return-value]

    return mark


@documented_in("theano.gof.utils")
def difference(seq1: Iterable[T], seq2: Iterable[T]) -> list[T]:
    """Return the elements of `seq1` that are not in `seq2`, in order.

    >>> difference([1, 2, 3, 4], [2, 4])
    [1, 3]
    """
    kept, gone = list(seq1), list(seq2)
    try:
        quick = set(gone)
        return [x for x in kept if x not in quick]
    except TypeError:  # something is not hashable: compare one by one
        return [x for x in kept if x not in gone]


@documented_in("theano.gof.utils")
def flatten(a: Any) -> list[Any]:
    """Return the elements of nested tuples, lists and sets as one list.

    >>> flatten([1, (2, [3]), 4])
    [1, 2, 3, 4]
    """
    flat: list[Any] = []
    pending = [a]
    while pending:
        item = pending.pop()
        if isinstance(item, tuple | list | set | frozenset):
            pending.extend(reversed(list(item)))
        else:
            flat.append(item)
    return flat


@documented_in("theano.gof.utils")
def hist(coll: Iterable[K]) -> dict[K, int]:
    """Count how often each element occurs.

    >>> hist("abba")
    {'a': 2, 'b': 2}
    """
    counts: dict[K, int] = {}
    for element in coll:
        counts[element] = counts.get(element, 0) + 1
    return counts


@documented_in("theano.gof.utils")
def give_variables_names(variables: Iterable[Any]) -> None:
    """Give each variable a unique name; names that are already unique stay.

    >>> one, two, three = Scratchpad(), Scratchpad(), Scratchpad()
    >>> one.name, two.name, three.name = "a", "a", None
    >>> give_variables_names([one, two, three])
    >>> one.name, two.name, three.name
    ('a_0', 'a_1', '_2')
    """
    # a variable that is listed twice needs one name
    distinct = list({id(variable): variable for variable in variables}.values())
    counts = hist(variable.name for variable in distinct)
    taken = set(counts)
    number = 0
    for variable in distinct:
        if variable.name and counts[variable.name] == 1:
            continue
        stem = variable.name or ""
        while (name := f"{stem}_{number}") in taken:
            number += 1
        taken.add(name)
        variable.name = name
        number += 1


@documented_in("theano.gof.utils")
def memoize(f: F) -> F:
    """Cache the results of `f` by its arguments, which must be hashable.

    >>> calls = []
    >>> square = memoize(lambda n: calls.append(n) or n * n)
    >>> square(3), square(3), calls
    (9, 9, [3])
    """
    known: dict[Any, Any] = {}

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        key = (args, tuple(sorted(kwargs.items()))) if kwargs else args
        if key not in known:
            known[key] = f(*args, **kwargs)
        return known[key]

    return call  # type: ignore[return-value]


@documented_in("theano.gof.utils")
def remove(predicate: Callable[[T], object], coll: Iterable[T]) -> list[T]:
    """Return the items for which `predicate` is false.

    >>> remove(lambda n: n % 2 == 0, [1, 2, 3, 4])
    [1, 3]
    """
    return [item for item in coll if not predicate(item)]


@documented_in("theano.gof.utils")
def simple_extract_stack(
    f: FrameType | None = None, limit: int | None = None, skips: Sequence[str] = ()
) -> list[tuple[str, int, str, str | None]]:
    """Return the stack as (file, line, function, text), the caller last; files are not rechecked.

    Parameters
    ----------
    f
        The frame to begin at; by default the caller's.
    limit
        The maximum number of frames; the innermost ones are kept.
    skips
        The innermost frames are left out while their module is, or is inside, one of these.

    >>> simple_extract_stack(limit=1)[0][2]
    '<module>'
    """
    # the wrapper of `documented_in` is between this frame and the caller
    frame = sys._getframe(2) if f is None else f
    if limit is None:
        limit = getattr(sys, "tracebacklimit", None)
    rows: list[tuple[str, int, str, str | None]] = []
    at: FrameType | None = frame
    while at is not None and (limit is None or len(rows) < limit):
        module = at.f_globals.get("__name__", "")
        if rows or not any(module == skip or module.startswith(skip + ".") for skip in skips):
            code = at.f_code
            # NOTE: no linecache.checkcache here: it accesses the file system for every frame
            text = linecache.getline(code.co_filename, at.f_lineno, at.f_globals).strip()
            rows.append((code.co_filename, at.f_lineno, code.co_name, text or None))
        at = at.f_back
    return rows[::-1]


@documented_in("theano.gof.utils")
def toposort(prereqs_d: Mapping[K, Iterable[K]]) -> list[K]:
    """Return the keys in topological order: all of ``prereqs_d[x]`` come before ``x``.

    Otherwise, keys keep the order of the dict.

    >>> toposort({"a": {"b", "c"}, "b": {"c"}, "c": set(), "d": {"a"}})
    ['c', 'b', 'a', 'd']
    """
    missing: dict[K, int] = {}
    after: dict[K, list[K]] = {key: [] for key in prereqs_d}
    for key, prereqs in prereqs_d.items():
        before = set(prereqs)
        missing[key] = len(before)
        for prereq in before:
            if prereq not in after:
                raise ValueError(f"toposort takes a key for each element, got none for {prereq!r}")
            after[prereq].append(key)
    order = [key for key, count in missing.items() if count == 0]
    for key in order:  # grows during the loop
        for later in after[key]:
            missing[later] -= 1
            if missing[later] == 0:
                order.append(later)
    if len(order) < len(missing):
        stuck = next(key for key, count in missing.items() if count)
        raise ValueError(f"toposort takes an order without cycles, got one at or before {stuck!r}")
    return order


@documented_in("theano.gof.utils")
def uniq(seq: Iterable[T]) -> list[T]:
    """Return the distinct elements of `seq`, in the order of their first occurrence.

    >>> uniq([3, 1, 3, 2, 1])
    [3, 1, 2]
    """
    items = list(seq)
    try:
        return list(dict.fromkeys(items))
    except TypeError:  # something is not hashable: compare one by one
        return [item for place, item in enumerate(items) if item not in items[:place]]


@documented_in("theano.gof.utils")
def unique(x: Sequence[Hashable]) -> bool:
    """Whether no element occurs twice.

    >>> unique([1, 2]), unique([1, 1])
    (True, False)
    """
    return len(set(x)) == len(x)


@documented_in("theano.gof.utils")
def from_return_values(values: Any) -> list[Any]:
    """Return the result of a function, one value or several, as a list.

    >>> from_return_values(1), from_return_values((1, 2))
    ([1], [1, 2])
    """
    return list(values) if isinstance(values, list | tuple) else [values]


@documented_in("theano.gof.utils")
def to_return_values(values: Sequence[T]) -> Sequence[T] | T:
    """Return the element of a list of length one, and any other list unchanged.

    >>> to_return_values([1]), to_return_values([1, 2])
    (1, [1, 2])
    """
    return values[0] if len(values) == 1 else values


@documented_in("theano.gof.utils")
def hashtype(self: object) -> int:
    """Return a hash of the type of ``self``.

    >>> hashtype(3) == hashtype(4)
    True
    """
    return hash((type(self).__module__, type(self).__qualname__))


@documented_in("theano.gof.utils")
def hash_from_code(msg: str | bytes) -> str:
    """Return a digest of a text that is the same in every process.

    >>> hash_from_code("x + 1") == hash_from_code(b"x + 1")
    True
    """
    import hashlib

    # starts with a letter, so that the digest can be used in a name
    return "m" + hashlib.sha256(msg.encode() if isinstance(msg, str) else msg).hexdigest()


@documented_in("theano.gof.utils")
def hash_from_file(file_path: str) -> str:
    """Return a digest of the contents of a file.

    >>> hash_from_file(__file__) == hash_from_file(__file__)
    True
    """
    with open(file_path, "rb") as file:
        return hash_from_code(file.read())


@documented_in("theano.tensor.utils")
def hash_from_ndarray(data: np.ndarray[Any, Any]) -> str:
    """Return a digest of the array ``data``: its elements, shape, dtype and memory order.

    >>> import numpy
    >>> a = numpy.arange(6)
    >>> hash_from_ndarray(a) == hash_from_ndarray(a.copy())
    True
    >>> hash_from_ndarray(a) == hash_from_ndarray(a.reshape(2, 3))
    False
    """
    import hashlib

    if data.dtype.hasobject:
        raise TypeError(f"hash_from_ndarray takes arrays of plain values, got dtype {data.dtype}")
    digest = hashlib.sha256(data.tobytes())
    # the strides of a copy; 0 for dimensions of length 0 or 1, whose strides are not used
    copied = data.copy(order="K")
    strides = tuple(step if length > 1 else 0 for step, length in zip(copied.strides, data.shape))
    digest.update(repr((data.dtype.descr, data.shape, strides)).encode())
    return "m" + digest.hexdigest()


@documented_in("theano.tensor.utils")
def hash_from_dict(d: Mapping[Any, Any]) -> int:
    """Return a hash of the dict ``d`` that ignores its order.

    The keys must be sortable; lists are hashed as tuples.

    >>> hash_from_dict({"a": 1, "b": [2, 3]}) == hash_from_dict({"b": [2, 3], "a": 1})
    True
    """
    return hash(
        tuple((key, tuple(d[key]) if isinstance(d[key], list) else d[key]) for key in sorted(d))
    )
