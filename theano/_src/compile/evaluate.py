"""Variable.eval: compute a variable's value with a function that is compiled once and cached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from theano._src.compile.function import function
from theano._src.graph.graph import Variable
from theano._src.ground.documented import short_traceback
from theano._src.ground.errors import MissingInputError
from theano._src.ground.lazy import ABOVE, at_first_use
from theano._src.types.tensor import _tensor_py_operators

_mode = at_first_use("theano._src.compile.mode:Mode")


@short_traceback
def evaluate(self: Any, inputs_to_values: dict[Any, Any] | None = None) -> Any:
    """Compute the value of this variable from values of its inputs.

    The compiled function is cached on the variable, so later calls are fast.

    Parameters
    ----------
    inputs_to_values : dict
        ``{Variable: value}``.

    >>> import theano.tensor as T
    >>> x, y = T.dscalars("xy")
    >>> (x + y).eval({x: 16.3, y: 12.1}).item()
    28.4
    """
    given = {} if inputs_to_values is None else inputs_to_values
    if not isinstance(given, Mapping):
        raise TypeError(
            f"eval takes a dict {{variable: value}}, got {given!r:.80} of {type(given).__name__}"
        )
    for v in given:
        if not isinstance(v, Variable):
            raise TypeError(
                f"eval takes a dict with Variables as keys, got {v!r:.80}; a variable itself is "
                "the key, not its name. theano.function makes what takes values by name"
            )
    inputs = tuple(sorted(given, key=id))
    cache = self.__dict__.setdefault("_fn_cache", {})
    if inputs not in cache:
        try:
            cache[inputs] = function(list(inputs), self)
        except MissingInputError as error:
            raise MissingInputError(
                f"{error}\nIts value is given by .eval({{variable: value}})"
            ) from None
    return cache[inputs](*[given[v] for v in inputs])


def inner_function(self: Any) -> Any:
    """The step of a loop as a function, without rewrites, for inspection."""
    return function(
        self.inputs,
        self.outputs,
        mode=_mode()("py", None),
        accept_inplace=True,
        on_unused_input="ignore",
    )


def install() -> None:
    """Install ``eval`` on variables and ``fn`` on loops; called once on import."""
    ABOVE["scan_fn"] = inner_function
    Variable.eval = evaluate
    _tensor_py_operators.eval = evaluate


install()
