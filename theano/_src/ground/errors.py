"""Exceptions that several layers raise or catch; each class is a documented name."""

from __future__ import annotations

from typing import Any

from theano._src.ground.documented import documented_in


@documented_in("theano.gof.fg")
class MissingInputError(Exception):
    """A graph needs the value of a variable that is neither an input, a constant nor shared."""


@documented_in("theano.gof.fg")
class CachedConstantError(Exception):
    """A cached constant was used in two graphs; never raised here, as constants are not cached."""


@documented_in("theano.gof.fg")
class InconsistencyError(Exception):
    """In-place ops make a graph invalid: no order works, or protected memory is overwritten."""


@documented_in("theano.graph.utils")
class TestValueError(AttributeError):
    """A variable has no test value, but one is needed."""

    __test__ = False  # pytest would collect it because of its name


@documented_in("theano.gof.toolbox")
class AlreadyThere(Exception):
    """Raised by ``on_attach`` if the graph already has such a feature: attaching is a no-op."""


@documented_in("theano.gof.toolbox")
class ReplacementDidntRemovedError(Exception):
    """A replacement should have removed a variable that is still in the graph."""


@documented_in("theano.tensor.var")
class AsTensorError(TypeError):
    """An object cannot be converted to a tensor variable."""


@documented_in("theano.tensor.basic")
class EmptyConstantError(Exception):
    """A constant with no elements has no scalar value."""


@documented_in("theano.tensor.basic")
class NotScalarConstantError(Exception):
    """The variable is not known to be a scalar constant."""


@documented_in("theano.tensor.subtensor")
class AdvancedIndexingError(TypeError):
    """An op that takes integers and slices was indexed with an array of integers."""


@documented_in("theano.tensor.subtensor")
class AdvancedBooleanIndexingError(TypeError):
    """An op that takes integers and slices was indexed with a boolean mask."""


@documented_in("theano.tensor.optimize")
class ConvergenceError(RuntimeError):
    """A solver did not converge; the message has the residual."""


@documented_in("theano.tensor.basic")
class ShapeError(Exception):
    """The shape cannot be computed."""


@documented_in("theano.compile.function_module")
class UnusedInputError(Exception):
    """No output and no update depends on an input."""


@documented_in("theano.compile.function_module")
class AliasedMemoryError(Exception):
    """Two variables share memory and a function may overwrite one of them."""


@documented_in("theano.gradient")
class DisconnectedInputError(ValueError):
    """The gradient of a cost was requested for a variable that the cost does not depend on."""


@documented_in("theano.gof.toolbox")
class BadOptimization(TypeError):
    """A rewrite replaced a variable by one of another type or value.

    Attributes
    ----------
    old_r, new_r : Variable
        The replaced variable and its replacement.
    old_r_val, new_r_val : values
        Their values in the call that showed the difference; None if their types already differ.
    reason : str
        The name of the rewrite.
    old_graph, new_graph : str
        Both graphs as text, at the time of the replacement.
    """

    def __init__(
        self,
        old_r: Any,
        new_r: Any = None,
        old_r_val: Any = None,
        new_r_val: Any = None,
        reason: Any = None,
        old_graph: str | None = None,
        new_graph: str | None = None,
    ) -> None:
        super().__init__(old_r, new_r, old_r_val, new_r_val, reason, old_graph, new_graph)
        self.old_r, self.new_r = old_r, new_r
        self.old_r_val, self.new_r_val = old_r_val, new_r_val
        self.reason = reason
        self.old_graph, self.new_graph = old_graph or "", new_graph or ""

    def __str__(self) -> str:
        if self.new_r is None:
            return str(self.old_r)
        return (
            f"the type of the replacement must be that of the variable: {self.old_r} is of "
            f"{self.old_r.type}, {self.new_r} is of {self.new_r.type} (rewrite: {self.reason})"
        )


class OnlyOnHost(Exception):
    """Raised while a node is traced that has no form for the device: the host runs it."""


@documented_in("theano")
class GraphFileError(ValueError):
    """A graph file is damaged, inconsistent, or contains unknown entries."""
