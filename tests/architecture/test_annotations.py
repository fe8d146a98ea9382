"""Parameters of ops say what they take."""

import ast

from tests.architecture.sources import SRC, sources, tree

#: of all parameters of functions in ops, how many may be annotated as Any alone
MOST = 0.15


def parameters(module):
    """All parameters of the functions of a module, but for self and cls."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            args = node.args
            more = [a for a in (args.vararg, args.kwarg) if a is not None]
            for a in (*args.posonlyargs, *args.args, *args.kwonlyargs, *more):
                if a.arg not in ("self", "cls"):
                    yield a


def says_nothing(parameter):
    return parameter.annotation is None or ast.unparse(parameter.annotation) == "Any"


def test_few_parameters_of_ops_are_any():
    ops = SRC / "ops"
    found = [a for p in sources() if p.is_relative_to(ops) for a in parameters(tree(p))]
    assert len(found) > 5000
    share = sum(map(says_nothing, found)) / len(found)
    assert share <= MOST, f"{share:.1%} of {len(found)} parameters in ops are Any"


def test_parameters_that_say_nothing_are_found():
    module = ast.parse("def f(self, a, b: Any, *c: int, d: 'int' = 0, **e: Any): pass")
    assert [a.arg for a in parameters(module) if says_nothing(a)] == ["a", "b", "e"]
