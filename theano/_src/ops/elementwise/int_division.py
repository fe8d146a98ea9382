"""Division as in Python 2: ``/`` of integers depends on the flag ``int_division``."""

from __future__ import annotations

from typing import Any

from theano._src.graph.graph import Variable
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.tracebacks import warn_user
from theano._src.ops.core.cast import cast
from theano._src.ops.elementwise.arithmetic import int_div, mod, true_div
from theano._src.ops.elementwise.compare import neq
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import discrete_dtypes
from theano._src.types.scalar import as_scalar
from theano._src.types.tensor import TensorVariable


@documented_in("theano.scalar.basic")
class IntegerDivisionError(Exception):
    """Raised when two integers are divided while ``config.int_division`` is 'raise'."""


@documented_in("theano.scalar.basic")
def int_or_true_div(x_discrete: bool, y_discrete: bool) -> Any:
    """Return the scalar op that divides: ``int_div`` or ``true_div``.

    Parameters
    ----------
    x_discrete, y_discrete : bool
        Whether the dividend, and the divisor, are integers or bools. If both are,
        ``config.int_division`` decides.

    >>> import theano.scalar as ts
    >>> print(ts.basic.int_or_true_div(True, False))
    true_div
    """
    if not (x_discrete and y_discrete) or config.int_division == "floatX":
        return true_div.scalar_op
    if config.int_division == "raise":
        raise IntegerDivisionError(
            "with config.int_division='raise' integers are divided by // or true_div"
        )
    warn_user("x / y of two integers is deprecated, use x // y", DeprecationWarning)
    return int_div.scalar_op


def _is_discrete(v: Variable) -> bool:
    return v.type.dtype in discrete_dtypes


@documented_in("theano.scalar.basic")
def scalar_div_proxy(x: TensorLike, y: TensorLike) -> Any:
    """Divide numbers as Python 2 does; for integers the flag ``int_division`` decides.

    >>> import theano.scalar as ts
    >>> x, y = ts.floats("xy")
    >>> ts.div_proxy(x, y)
    true_div.0
    """
    a, b = as_scalar(x), as_scalar(y)
    return int_or_true_div(_is_discrete(a), _is_discrete(b))(a, b)


@documented_in("theano.tensor.basic")
def ceil_intdiv(a: TensorLike, b: TensorLike) -> TensorVariable:
    """Return ``a / b`` rounded up; exact for integers.

    >>> import theano.tensor as T
    >>> T.ceil_intdiv([6, 7, -7], 3).eval().tolist()
    [2, 3, -2]
    """
    result = int_div(a, b)
    return cast(neq(mod(a, b), 0), result.dtype) + result


@documented_in("theano.tensor.basic")
def div_proxy(x: TensorLike, y: TensorLike) -> TensorVariable:
    """Return ``x / y`` as Python 2 does; for integers the flag ``int_division`` decides.

    >>> import theano.tensor as T
    >>> T.div_proxy(7.0, 2).eval().item()
    3.5
    """
    x, y = as_tensor_variable(x), as_tensor_variable(y)
    chosen = int_or_true_div(_is_discrete(x), _is_discrete(y))
    return int_div(x, y) if chosen == int_div.scalar_op else true_div(x, y)
