"""The display methods that notebooks call; drawing code is imported on the first call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from theano._src.compile.function_object import Function
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Variable
from theano._src.ground.config import TheanoConfigParser
from theano._src.ground.lazy import at_first_use
from theano._src.types.shared import SharedVariable

_variable_latex = at_first_use("theano._src.show.cards:variable_latex")
_shared_html = at_first_use("theano._src.show.cards:shared_html")
_config_html = at_first_use("theano._src.show.cards:config_html")
_function_html = at_first_use("theano._src.compile.display.function_card:function_html")
_function_text = at_first_use("theano._src.compile.display.function_card:function_pretty")
_graph_svg = at_first_use("theano._src.compile.display.function_card:graph_svg")

#: the class, the method that notebooks call, and the function that implements it
METHODS = (
    (Variable, "_repr_latex_", _variable_latex),
    (SharedVariable, "_repr_html_", _shared_html),
    (TheanoConfigParser, "_repr_html_", _config_html),
    (FunctionGraph, "_repr_svg_", _graph_svg),
    (Function, "_repr_html_", _function_html),
    (Function, "_repr_pretty_", _function_text),
)


def _method(name: str, function: Callable[[], Any]) -> Callable[..., Any]:
    def method(self: Any, *args: Any) -> Any:
        return function()(self, *args)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = "Return the form of this object in notebooks."
    return method


def install() -> None:
    """Install the methods; called once on import."""
    for cls, name, result in METHODS:
        setattr(cls, name, _method(name, result))


install()
