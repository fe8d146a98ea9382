"""Test values: sample values that are propagated through a graph while it is built."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from inspect import signature
from typing import Any

from theano._src.graph import source_line
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.walk import nodes_of
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import TestValueError
from theano._src.ground.tracebacks import warn_user


def policy() -> str:
    """Return the current ``compute_test_value`` setting: an override, or the config flag."""
    return source_line.test_values.get() or config.compute_test_value


@contextmanager
def under(word: str) -> Iterator[None]:
    """Override ``config.compute_test_value`` with ``word`` inside, in this thread."""
    token = source_line.test_values.set(word)
    try:
        yield
    finally:
        source_line.test_values.reset(token)


#: converts a value to a variable; set by the layer that defines arrays
AS_VARIABLE: list[Callable[[Any], Variable]] = []


@documented_in("theano.gof.op")
def get_test_value(v: Any) -> Any:
    """Return the test value of a variable: its data if constant or shared, or ``tag.test_value``.

    The test value of an array or a number is itself. Raises TestValueError, an AttributeError, if
    there is none.

    >>> import theano
    >>> theano.gof.op.get_test_value(theano.tensor.constant(3)).item()
    3
    """
    if not isinstance(v, Variable):
        v = AS_VARIABLE[0](v)
    if isinstance(v, Constant):
        return v.data
    container = getattr(v, "container", None)
    if container is not None:
        return v.get_value(borrow=True, return_internal_type=True)
    if v._tag is None or not hasattr(v.tag, "test_value"):
        raise TestValueError(f"{v} has no test value; set {v}.tag.test_value")
    value = v.tag.test_value
    try:
        return v.type.filter(value)
    except Exception as e:
        e.add_note(f"While filtering the test value of {v}, which is of type {v.type}.")
        raise


@documented_in("theano.gof.op")
def get_debug_values(*args: Any) -> list[Any]:
    """Return a list with one tuple of the test values of all arguments, or an empty list.

    For a single argument, the list holds its value, not a tuple.

    Meant for ``for a, b in get_debug_values(x, y): assert ...``: the body runs once if test values
    are enabled and available, and not at all otherwise. If ``config.compute_test_value`` is
    ``'raise'``, an argument without a test value raises TestValueError.

    >>> import theano.tensor as T
    >>> get_debug_values(T.dscalar())
    []
    """
    wanted = policy()
    if wanted == "off":
        return []
    results = []
    for i, x in enumerate(args):
        try:
            results.append(get_test_value(x) if isinstance(x, Variable) else x)
        except AttributeError:
            if wanted == "raise":
                raise TestValueError(
                    f"get_debug_values takes variables that have test values, argument {i} ({x}) "
                    f"has no test value; set {x}.tag.test_value"
                ) from None
            if wanted == "warn":
                warn_user(f"Argument {i} ({x}) has no test value")
            return []
    return results if len(results) == 1 else [tuple(results)]


@documented_in("theano.gof.op")
def missing_test_message(msg: str) -> None:
    """Report a missing test value: raise, warn or pass, depending on ``config.compute_test_value``.

    >>> from theano.gof.op import missing_test_message
    >>> missing_test_message("x has none")  # test values are off
    """
    if config.compute_test_value == "raise":
        raise TestValueError(msg)
    if config.compute_test_value == "warn":
        warn_user(msg)


@documented_in("theano.gof.op")
def debug_error_message(msg: str) -> None:
    """Report an error that test values revealed: raise ValueError, or warn.

    It raises if ``config.compute_test_value`` is ``'raise'`` or ``'ignore'``, and warns otherwise.

    >>> import theano
    >>> from theano.gof.op import debug_error_message
    >>> with theano.config.change_flags(compute_test_value="raise"):
    ...     debug_error_message("the shapes differ")
    Traceback (most recent call last):
    ValueError: the shapes differ
    """
    if config.compute_test_value in ("raise", "ignore"):
        raise ValueError(msg)
    warn_user(msg)


@documented_in("theano.gof.op")
def debug_assert(condition: Any, msg: str | None = None) -> None:
    """Call ``debug_error_message`` if a condition on test values is false.

    >>> from theano.gof.op import debug_assert
    >>> debug_assert(1 < 2, "order")
    """
    if not condition:
        debug_error_message(msg or "debug_assert failed")


def compute(op: Any, node: Any) -> None:
    """Run one node on the test values of its inputs; see ``policy`` for missing ones."""
    storage_map: dict[Variable, list[Any]] = {}
    compute_map: dict[Variable, list[Any]] = {}
    for i, v in enumerate(node.inputs):
        try:
            storage_map[v] = [get_test_value(v)]
            compute_map[v] = [True]
        except AttributeError:
            match policy():
                case "warn":
                    warn_user(
                        f"Warning, Cannot compute test value: input {i} ({v}) of Op {node} "
                        "missing default value"
                    )
                    return
                case "raise":
                    raise ValueError(
                        f"Cannot compute test value: input {i} ({v}) of Op {node} missing "
                        f"default value; set {v}.tag.test_value"
                    ) from None
                case "pdb":
                    import pdb

                    pdb.post_mortem()
                    try:  # the user may have set one in the debugger
                        storage_map[v], compute_map[v] = [get_test_value(v)], [True]
                    except AttributeError:
                        return
                case _:
                    return
    for out in node.outputs:
        storage_map[out] = [None]
        compute_map[out] = [False]
    thunk = thunk_of(op, node, storage_map, compute_map)
    thunk()
    for out in node.outputs:
        # not filtered: a value that does not fit its type raises where it is used
        out.tag.__dict__["test_value"] = storage_map[out][0]


@documented_in("theano.graph.op")
def compute_test_value(node: Apply) -> None:
    """Compute the test values of the outputs of ``node`` from those of its inputs.

    >>> import theano.tensor as T
    >>> from theano.graph.op import compute_test_value
    >>> x = T.dscalar()
    >>> x.tag.test_value = 2.0
    >>> y = x**2
    >>> compute_test_value(y.owner)
    >>> y.tag.test_value.item()
    4.0
    """
    compute(node.op, node)


def thunk_of(
    op: Any, node: Any, storage_map: Any, compute_map: Any, impl: str | None = None
) -> Callable[[], Any]:
    """Call an op's ``make_thunk``, which may or may not take the argument ``impl``.

    It has four arguments up to Theano 0.8, and five since. ``impl`` is ``'py'``, ``'c'``, or
    None for C code if there is any.
    """
    make = op.make_thunk
    args = [node, storage_map, compute_map, []]
    if _takes_five(getattr(make, "__func__", make), hasattr(make, "__func__")):
        args.append(impl)
    function: Callable[[], Any] = make(*args)
    return function


@cache
def _takes_five(function: Callable[..., Any], bound: bool) -> bool:
    """Whether a function can be called with five arguments, and ``self`` if it is bound."""
    try:
        signature(function).bind(*range(5 + bound))
    except TypeError:
        return False
    return True


def give(results: Iterable[Variable | None], given: Collection[Variable]) -> None:
    """Compute test values, if enabled, of nodes that were built from ``given`` without them."""
    if policy() != "off":
        for node in nodes_of([v for v in results if v is not None], given):
            compute(node.op, node)
