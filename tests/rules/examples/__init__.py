"""By name of a rule, a function that gives the inputs and outputs of a graph on which it fires."""

from importlib import import_module
from pkgutil import iter_modules

MODULES = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]

EXAMPLES = {
    name: example for module in MODULES for name, example in getattr(module, "EXAMPLES", {}).items()
}


def example_of(rule):
    """The inputs and outputs of the example of a rule that is a function."""
    return (rule.example or EXAMPLES[rule.name])()
