"""The example on sparse counts of words learns topics, and draws what it has learnt."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

HOME = Path(__file__).parents[2]


@pytest.fixture
def program(monkeypatch):
    monkeypatch.syspath_prepend(str(HOME / "examples"))
    yield importlib.import_module("text_topics")
    for name in ("text_topics", "digits", "drawing"):
        sys.modules.pop(name, None)


def test_topics_of_texts_that_were_not_seen_are_named(program, tmp_path):
    result = program.main(quiet=True)
    (losses,) = result["losses"].values()
    chance = 1 / program.N_TOPICS
    assert result["held out"][-1] > 0.9 > 5 * chance
    assert "| `text_topics.py` | over 90 %" in (HOME / "examples" / "README.md").read_text()
    assert losses[-1] < 0.2 * losses[0]
    # what it goes by are the words that the topics do prefer
    assert result["found"] > 0.95
    pytest.importorskip("matplotlib")
    program.draw(result, tmp_path / "topics.png")
    assert (tmp_path / "topics.png").stat().st_size > 10_000


def test_texts_have_the_words_of_their_topic_more_often(program):
    counts, topics, own, words = program.make_texts()
    assert counts.shape == (program.N_TEXTS, len(words)) and counts.format == "csr"
    assert counts.nnz < 0.005 * np.prod(counts.shape)
    mine = np.asarray(counts[:, own[0]].sum(axis=1)).reshape(-1)
    lengths = np.asarray(counts.sum(axis=1)).reshape(-1)
    share = mine / lengths
    assert share[topics == 0].mean() > 0.13 > 4 * share[topics != 0].mean()
