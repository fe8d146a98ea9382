"""map, reduce, foldl and foldr: simple forms of scan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from theano._src.control.scan.api import scan
from theano._src.control.scan.args import as_list
from theano._src.ground.documented import documented_in
from theano._src.types.updates import OrderedUpdates


@documented_in("theano.scan_module.scan_views")
def map(
    fn: Callable[..., Any],
    sequences: Any,
    non_sequences: Any = None,
    truncate_gradient: int = -1,
    go_backwards: bool = False,
    mode: Any = None,
    name: str | None = None,
) -> tuple[Any, OrderedUpdates]:
    """Apply a function to each element of sequences; arguments as for ``scan``.

    Parameters
    ----------
    fn, sequences, non_sequences, truncate_gradient, go_backwards, mode, name : as for ``scan``

    >>> import theano, theano.tensor as T
    >>> x, y = T.dvectors("xy")
    >>> products, _ = theano.map(lambda a, b: a * b, [x, y])
    >>> products.eval({x: [1, 2], y: [3, 4]}).tolist()
    [3.0, 8.0]
    """
    return scan(
        fn,
        sequences=sequences,
        non_sequences=non_sequences,
        truncate_gradient=truncate_gradient,
        go_backwards=go_backwards,
        mode=mode,
        name=name,
    )


@documented_in("theano.scan_module.scan_views")
def reduce(
    fn: Callable[..., Any],
    sequences: Any,
    outputs_info: Any,
    non_sequences: Any = None,
    go_backwards: bool = False,
    mode: Any = None,
    name: str | None = None,
) -> tuple[Any, OrderedUpdates]:
    """Reduce sequences to one value by a function of each element and the value so far.

    Parameters
    ----------
    fn, sequences, outputs_info, non_sequences, go_backwards, mode, name : as for ``scan``

    >>> import theano, theano.tensor as T
    >>> x = T.dvector("x")
    >>> total, _ = theano.reduce(lambda a, sum: a + sum, x, T.constant(0, dtype="float64"))
    >>> total.eval({x: [1, 2, 3]}).item()
    6.0
    """
    outputs, updates = scan(
        fn,
        sequences=sequences,
        outputs_info=outputs_info,
        non_sequences=non_sequences,
        go_backwards=go_backwards,
        mode=mode,
        name=name,
    )
    last = [rows[-1] for rows in as_list(outputs)]
    return (last if isinstance(outputs, list) else last[0]), updates


@documented_in("theano.scan_module.scan_views")
def foldl(
    fn: Callable[..., Any],
    sequences: Any,
    outputs_info: Any,
    non_sequences: Any = None,
    mode: Any = None,
    name: str | None = None,
) -> tuple[Any, OrderedUpdates]:
    """``reduce`` from the first element to the last.

    Parameters
    ----------
    fn, sequences, outputs_info, non_sequences, mode, name : as for ``scan``

    >>> import theano, theano.tensor as T
    >>> x = T.dvector("x")
    >>> digits, _ = theano.foldl(lambda a, n: a + 10 * n, x, T.constant(0, dtype="float64"))
    >>> digits.eval({x: [1, 2, 3]}).item()
    123.0
    """
    return reduce(fn, sequences, outputs_info, non_sequences, False, mode, name)


@documented_in("theano.scan_module.scan_views")
def foldr(
    fn: Callable[..., Any],
    sequences: Any,
    outputs_info: Any,
    non_sequences: Any = None,
    mode: Any = None,
    name: str | None = None,
) -> tuple[Any, OrderedUpdates]:
    """``reduce`` from the last element to the first.

    Parameters
    ----------
    fn, sequences, outputs_info, non_sequences, mode, name : as for ``scan``

    >>> import theano, theano.tensor as T
    >>> x = T.dvector("x")
    >>> digits, _ = theano.foldr(lambda a, n: a + 10 * n, x, T.constant(0, dtype="float64"))
    >>> digits.eval({x: [1, 2, 3]}).item()
    321.0
    """
    return reduce(fn, sequences, outputs_info, non_sequences, True, mode, name)
