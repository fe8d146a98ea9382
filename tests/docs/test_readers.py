"""Five readers find an answer within two pages of README or of the site's first page."""

import re
from itertools import pairwise

import pytest

from tests.architecture.sources import ROOT

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")

# reader, question, the pages from the first one on, and the words of the answer on the last page
QUESTIONS = [
    (
        "old program",
        "it is Python 2 and uses np.int: how do I run it",
        "README.md docs/tutorial/theano-programs.md",
        "`python -m theano run program.py`",
    ),
    (
        "old program",
        "how do I install and run Lasagne",
        "README.md docs/library/old_packages.md",
        "pip install --no-deps Lasagne==0.1",
    ),
    (
        "old program",
        "does a pickle of Theano 1.0 load",
        "docs/index.md docs/tutorial/theano-programs.md",
        "shared variables, graphs, functions and streams load",
    ),
    ("student", "how do I compute a derivative", "README.md", "T.grad(y.sum(), x)"),
    (
        "student",
        "how do I train with Adam",
        "README.md docs/howto/index.md docs/howto/minibatches.md",
        "adam(cost, [w1, b1, w2, b2], rate=0.01)",
    ),
    (
        "student",
        "why is `if x > 0:` an error",
        "README.md docs/faq.md",
        "Use `T.switch(x > 0, a, b)`",
    ),
    (
        "PyMC3",
        "what do I install",
        "README.md docs/tutorial/pymc3.md",
        "pip install --no-deps pymc3==3.11.6",
    ),
    (
        "PyMC3",
        "does it sample faster than on Theano",
        "docs/index.md docs/tutorial/pymc3.md",
        "times as many samples a second",
    ),
    (
        "PyMC3",
        "how do I use my own likelihood with its gradient",
        "docs/index.md docs/tutorial/pymc3.md docs/howto/custom-op.md",
        "def L_op(self, inputs, outputs, output_grads):",
    ),
    (
        "JAX",
        "what do I write instead of jit, vmap and lax.scan",
        "README.md docs/tutorial/coming-from.md",
        "| `jax.vmap(f)` | `theano.vectorize(y, {row: matrix})` |",
    ),
    ("JAX", "can optax train my cost", "README.md docs/tutorial/jax.md", "optax.apply_updates"),
    (
        "JAX",
        "when is it faster than JAX",
        "docs/index.md docs/performance/index.md docs/performance/peers.md",
        "Compared with JAX, theano-xla is faster in small calls",
    ),
    (
        "contributor",
        "how do I run the tests of what I change",
        "README.md CONTRIBUTING.md",
        "python -m pytest tests/ops/elementwise",
    ),
    (
        "contributor",
        "where do I add a rewrite rule",
        "README.md CONTRIBUTING.md",
        "| add an equation | `RULES` at the end of the file",
    ),
    (
        "contributor",
        "which file decides where a call runs",
        "docs/index.md docs/internals/index.md docs/internals/choice.md",
        "`engines/choice/policy.py` decides",
    ),
]


@pytest.mark.parametrize(
    ("path", "answer"),
    [row[2:] for row in QUESTIONS],
    ids=[": ".join(row[:2]) for row in QUESTIONS],
)
def test_a_reader_finds_an_answer_within_two_pages(path, answer):
    pages = [ROOT / name for name in path.split()]
    assert pages[0] in (ROOT / "README.md", ROOT / "docs" / "index.md")
    assert len(pages) <= 3
    for page, following in pairwise(pages):
        links = LINK.findall(page.read_text(encoding="utf-8"))
        assert following in {(page.parent / link).resolve() for link in links}
    assert answer in pages[-1].read_text(encoding="utf-8")


def test_each_of_five_readers_has_three_questions():
    readers = [reader for reader, *_ in QUESTIONS]
    assert len(set(readers)) == 5
    assert all(readers.count(reader) == 3 for reader in readers)
