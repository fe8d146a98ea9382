"""Parts of pages that tools write are replaced, and nothing else."""

import pytest

from tools.marked import with_block


def test_a_block_is_replaced_between_its_marks_and_nothing_else():
    page = "a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb <!-- y: begin -->\n"
    made = with_block(page, "x", "new")
    assert made == "a\n<!-- x: begin -->\n\nnew\n\n<!-- x: end -->\nb <!-- y: begin -->\n"
    assert with_block(made, "x", "new") == made


@pytest.mark.parametrize("times", [0, 2])
def test_a_page_has_the_marks_once(times):
    page = "<!-- x: begin -->\n<!-- x: end -->\n" * times
    with pytest.raises(ValueError, match=f"begin --> and <!-- x: end --> once, found {times}"):
        with_block(page, "x", "new")
