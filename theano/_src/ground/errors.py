"""Exceptions that several layers raise or catch; each class is a documented name."""

from __future__ import annotations

from theano._src.ground.documented import documented_in


@documented_in("theano.gof.fg")
class MissingInputError(Exception):
    """A graph needs the value of a variable that is neither an input, a constant nor shared."""


@documented_in("theano.gof.fg")
class InconsistencyError(Exception):
    """The order that in-place ops demand cannot be had."""


@documented_in("theano.gof.toolbox")
class AlreadyThere(Exception):
    """Raised by ``on_attach`` of a feature when the graph has one like it: attaching is a no-op."""


@documented_in("theano.gof.toolbox")
class ReplacementDidntRemovedError(Exception):
    """A replacement was to remove a variable, and the variable is still there."""


@documented_in("theano.tensor.var")
class AsTensorError(TypeError):
    """Something cannot be made a tensor variable."""


@documented_in("theano.tensor.basic")
class EmptyConstantError(Exception):
    """A constant with no elements has no scalar value."""


@documented_in("theano.tensor.basic")
class NotScalarConstantError(Exception):
    """The variable is not known to be one constant number."""


@documented_in("theano.tensor.subtensor")
class AdvancedIndexingError(TypeError):
    """An array of integers stands where an op takes integers and slices."""


@documented_in("theano.tensor.subtensor")
class AdvancedBooleanIndexingError(TypeError):
    """A boolean mask stands where an op takes integers and slices."""


@documented_in("theano.tensor.basic")
class ShapeError(Exception):
    """The shape cannot be computed."""


@documented_in("theano.compile.function_module")
class UnusedInputError(Exception):
    """An input that no output and no update depends on."""


@documented_in("theano.compile.function_module")
class AliasedMemoryError(Exception):
    """Two variables share memory and a function may overwrite one of them."""


@documented_in("theano.gradient")
class DisconnectedInputError(ValueError):
    """A gradient was asked for with respect to a variable that the cost does not depend on."""
