"""What the devices of a mesh send each other, as read from XLA's text."""

import pytest

from theano._src.engines.mesh.collectives import (
    LINKS,
    Collective,
    collectives_in,
    facts_of,
    seconds_of,
    summed,
)

TEXT = """
  %all-reduce = f64[784,10]{1,0} all-reduce(%dot), channel_id=1, replica_groups=[1,8]<=[8]
  %both = (f64[10]{0}, pred[2]{0}) all-reduce(%a, %b), channel_id=2
  %start = bf16[4,2]{1,0} all-gather-start(%p), dimensions={0}
  %shift = (s32[]) collective-permute(%c), channel_id=4
  %plain = f64[784,10]{1,0} add(%all-reduce, %all-reduce)
"""


def test_each_collective_has_its_kind_and_its_bytes():
    assert collectives_in(TEXT) == [
        Collective("all-reduce", 62_720),
        Collective("all-reduce", 82),
        Collective("all-gather", 16),
        Collective("collective-permute", 4),
    ]
    assert summed(collectives_in(TEXT))["all-reduce"] == (2, 62_802)


@pytest.mark.parametrize("link", LINKS, ids=lambda link: link.name)
def test_a_collective_takes_longer_with_more_bytes_and_devices(link):
    small, large = Collective("all-reduce", 100), Collective("all-reduce", 10**8)
    assert seconds_of(small, 1, link) == 0
    assert seconds_of(small, 8, link) < seconds_of(large, 8, link)
    assert seconds_of(large, 8, link) < seconds_of(large, 512, link)
    # small values go over a tree: its latency grows with the logarithm
    assert seconds_of(small, 4096, link) == pytest.approx(
        2 * (12 * link.latency + 100 / link.bandwidth)
    )


def test_a_gather_that_is_no_split_state_is_warned_of():
    found = [Collective("all-gather", 3_276_800)]
    assert any("constrain" in line for line in facts_of(found, 8, set()))
    assert not any("constrain" in line for line in facts_of(found, 8, {3_276_800}))
    assert facts_of([], 8, set()) == ["nothing"]
