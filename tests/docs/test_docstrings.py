"""Every `>>>` example in a docstring runs, with the names of its module at hand.

Found by reading the source: objects that carry their documented path are passed over by the
collectors that go by ``__module__``.
"""

import ast
import doctest
import importlib

import pytest

from tests.architecture.sources import ROOT
from tests.docs.test_examples import FLAGS


def docstrings(path):
    """``(name, docstring, line)`` of each definition in a file that shows an example."""
    todo = [("", ast.parse(path.read_text(encoding="utf-8")))]
    while todo:
        outer, node = todo.pop()
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node)
            if text and ">>>" in text:
                yield outer, text, getattr(node, "lineno", 1)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef | ast.FunctionDef):
                todo.append((f"{outer}.{child.name}" if outer else child.name, child))


def found():
    for path in sorted((ROOT / "theano").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for name, text, line in docstrings(path):
            yield pytest.param(module, text, path, line, id=f"{module}:{name}")


@pytest.mark.parametrize(("module", "text", "path", "line"), list(found()))
def test_the_examples_of_a_docstring_run(module, text, path, line):
    space = dict(vars(importlib.import_module(module.removesuffix(".__init__"))))
    test = doctest.DocTestParser().get_doctest(text, space, module, str(path), line)
    report: list[str] = []
    failed, _ = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert not failed, "".join(report)
