"""What the devices of a mesh send each other, as read from XLA's text.

The texts in ``hlo`` are what XLA compiled three programs to, on a mesh of 4 x 2 devices ("data",
"model"): for CPUs by jaxlib 0.10.1, for TPU v5e and for H100 by 0.12.0. Metadata is cut off.

- ``loop``: six layers of 256 x 256, split over both axes, in a loop, and their gradient in another.
- ``plain``: a product with 256 x 128 weights, split over "data", a replicated bias, and gradients.
- ``shuffle``: a roll by one row of a split matrix, and its transpose, split again.
"""

from pathlib import Path

import pytest

from theano._src.engines.mesh.collectives import (
    LINKS,
    Collective,
    collectives_in,
    facts_of,
    seconds_of,
    summed,
)
from theano._src.engines.mesh.hlo_text import (
    HloText,
    cycles_in,
    flops_in,
    lengths_in,
    nbytes,
    unestimated_in,
)

DATA, MODEL = (0, 2, 4, 6), (0, 1)
LAYERS, ROWS, WIDTH = 6, 64, 256

#: float32, and the bytes of what TPUs gather: their products read bfloat16
SIZE = {"cpu": 4, "h100": 4, "v5e": 2}


def text_of(platform, program):
    return (Path(__file__).parent / "hlo" / f"{platform}-{program}.txt").read_text()


def program(*lines, devices=8):
    head = f"HloModule jit_f, num_partitions={devices}\nENTRY %main () -> f32[] {{\n"
    return head + "\n".join(f"  {line}" for line in lines) + "\n}\n"


@pytest.mark.parametrize("platform", SIZE)
def test_a_collective_in_a_loop_counts_for_every_step(platform):
    weights = WIDTH * WIDTH // 2  # of a layer, whole over "data"
    rows = ROWS // 4 * WIDTH  # of a device, whole over "model"
    size = SIZE[platform]
    gathers = [(size * weights, DATA, LAYERS)] * 2 + [(size * rows, MODEL, LAYERS)] * 2
    sums = [(4 * weights, DATA, LAYERS), (4 * rows, MODEL, LAYERS)]
    found = collectives_in(text_of(platform, "loop"))
    # XLA scatters sums on accelerators, where each device needs its part alone
    kind = "all-reduce" if platform == "cpu" else "reduce-scatter"
    assert sorted(c[1:4] for c in found if c.kind == "all-gather") == sorted(gathers)
    assert sorted(c[1:4] for c in found if c.kind == kind) == sorted(sums)
    assert len(found) == 6


@pytest.mark.parametrize("platform", SIZE)
def test_sizes_are_those_of_whole_values_however_they_are_written(platform):
    found = collectives_in(text_of(platform, "plain"))
    weights, bias = WIDTH * 128, 128
    if platform == "cpu":
        sums = [Collective("all-reduce", 4 * (weights + bias), DATA)]
    else:
        sums = [
            Collective("all-reduce", 4 * bias, DATA),
            Collective("reduce-scatter", 4 * weights, DATA),
        ]
    gather = Collective("all-gather", SIZE[platform] * weights, DATA)
    assert sorted(found) == sorted([gather, *sums])


@pytest.mark.parametrize("platform", SIZE)
def test_shifts_and_exchanges_are_counted(platform):
    assert sorted(collectives_in(text_of(platform, "shuffle"))) == [
        Collective("all-to-all", 4 * ROWS * WIDTH // 4, DATA),
        Collective("collective-permute", 4 * WIDTH, (0, 2)),
    ]


@pytest.mark.parametrize("platform", SIZE)
def test_products_are_counted_with_their_loops(platform):
    loops = HloText(text_of(platform, "loop"))
    assert flops_in(loops) == 3 * LAYERS * 2 * ROWS * WIDTH * WIDTH // 8
    assert loops.uncounted == 0
    assert flops_in(HloText(text_of(platform, "plain"))) == 2 * 2 * ROWS * WIDTH * 128 // 4


def test_cycles_are_known_for_tpus_alone():
    assert cycles_in(HloText(text_of("cpu", "loop"))) is None
    assert cycles_in(HloText(text_of("h100", "loop"))) is None
    loop, plain = (cycles_in(HloText(text_of("v5e", name))) for name in ("loop", "plain"))
    assert loop > LAYERS * plain


@pytest.mark.parametrize(
    ("groups", "first"),
    [
        ("replica_groups={{0,1},{2,3}}", (0, 1)),
        ("replica_groups={{0,2,4,6},{1,3,5,7}}", (0, 2, 4, 6)),
        ("replica_groups=[4,2]<=[8]", (0, 1)),
        ("replica_groups=[2,4]<=[4,2]T(1,0)", (0, 2, 4, 6)),
        ("replica_groups=[2,4]<=[2,2,2]T(1,0,2)", (0, 1, 4, 5)),
        ("replica_groups=mesh['a'=4,'b'=2] {'a'}", (0, 2, 4, 6)),
        ("replica_groups=mesh['a'=4,'b'=2] {'b'}", (0, 1)),
        ("replica_groups=mesh['a'=4,'b'=2] {'a','b'}", tuple(range(8))),
        ("replica_groups=mesh['a'=4,'b'=2] {'a':(1)2}", (0, 4)),
        ("replica_groups=mesh['a'=4,'b'=2] {'a':(2)2}", (0, 2)),
        ("replica_groups={}", tuple(range(8))),
        ("channel_id=1", tuple(range(8))),
    ],
)
def test_a_group_is_read_in_each_notation(groups, first):
    line = f"%r = f32[8]{{0}} all-reduce(%p), channel_id=1, {groups}, to_apply=%add"
    (each,) = collectives_in(program(line))
    assert each.group == first


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%s = (f32[4]{0}, f32[2]{0}) all-reduce-start(%a, %b)", 24),
        ("%s = ((f32[4]{0}), f32[4]{0}) all-reduce-start(%a)", 16),
        ("%s = (f32[4]{0}, f32[32]{0}) all-gather-start(%a)", 128),
        ("%s = ((f32[4], f32[1]), (f32[32], f32[8])) all-gather-start(%a, %b)", 160),
        ("%s = ((f32[32]{0}), f32[4]{0}) reduce-scatter-start(%a)", 128),
        ("%s = f32[4]{0} reduce-scatter(%a)", 128),
        ("%s = (s32[3]{0}, s32[3]{0}, u32[], u32[]) collective-permute-start(%a)", 12),
        ("%s = (f64[10]{0:T(256)}, pred[2]{0:T(512)}) all-reduce(%a, %b)", 82),
        ("%s = bf16[4,2]{1,0:T(8,128)(2,1)S(1)} all-gather(%a)", 16),
    ],
)
def test_a_start_counts_its_result_once(line, expected):
    (found,) = collectives_in(program(f"{line}, replica_groups=[1,8]<=[8]"))
    assert found.nbytes == expected
    done = line.replace("-start(", "-done(")
    assert "-done(" not in done or collectives_in(program(done)) == []


LOOP = """HloModule jit_f, num_partitions=4
%inner (c: (s32[], f32[8])) -> (s32[], f32[8]) {{
  %c = (s32[], f32[8]) parameter(0)
  %x = f32[8]{{0}} get-tuple-element(%c), index=1
  ROOT %r = (s32[], f32[8]) all-reduce(%x), replica_groups=[2,2]<=[4]
}}
%less (c.1: (s32[], f32[8], s32[])) -> pred[] {{
  %c.1 = (s32[], f32[8], s32[]) parameter(0)
  %i = s32[] get-tuple-element(%c.1), index=0
  {bound}
  ROOT %lt = pred[] compare(%i, %n), direction={direction}
}}
ENTRY %main (p: f32[8]) -> f32[8] {{
  %p = f32[8]{{0}} parameter(0)
  %zero = s32[] constant({first})
  %seven = s32[]{{:T(128)}} constant(7)
  %end = s32[] copy(%seven)
  %t = (s32[], f32[8], s32[]) tuple(%zero, %p, %end)
  ROOT %w = (s32[], f32[8], s32[]) while(%t), condition=%less, body=%inner
}}
"""
CONSTANT, CARRIED = "%n = s32[] constant(7)", "%n = s32[] get-tuple-element(%c.1), index=2"


@pytest.mark.parametrize(
    ("bound", "first", "direction", "steps"),
    [
        (CONSTANT, 0, "LT", 7),
        (CARRIED, 0, "LT", 7),
        (CONSTANT, 2, "LT", 5),
        (CONSTANT, 9, "LT", 0),
        (CONSTANT, 0, "NE", None),
    ],
)
def test_the_steps_of_a_loop_are_read_from_its_condition(bound, first, direction, steps):
    text = LOOP.format(bound=bound, first=first, direction=direction)
    (each,) = collectives_in(text)
    assert (each.kind, each.group, each.times) == (
        "all-reduce",
        (0, 1),
        1 if steps is None else steps,
    )
    read = HloText(text)
    list(read.runs())
    assert read.uncounted == (1 if steps is None else 0)


#: two steps of a loop as one, which XLA for TPUs writes where devices pass parts of a product on;
#: a gather starts before a loop, goes on beside each of its steps, and ends after it
TWO_AT_ONCE = """HloModule jit_f, num_partitions=4
%more (q: s32[]) -> s32[] {{
  %q = s32[] parameter(0)
  %two = s32[] constant(2)
  ROOT %sum = s32[] add(%q, %two)
}}
%going_on (a: f32[4]) -> f32[8] {{
  %a = f32[4]{{0}} parameter(0)
  ROOT %g = f32[8]{{0}} all-gather(%a), channel_id=5, replica_groups=[2,2]<=[4], dimensions={{0}}
}}
%starting (b: f32[4]) -> f32[8] {{
  %b = f32[4]{{0}} parameter(0)
  ROOT %h = f32[8]{{0}} all-gather(%b), channel_id=5, replica_groups=[2,2]<=[4], dimensions={{0}}
}}
%inner (c: (s32[], f32[4])) -> (s32[], f32[4]) {{
  %c = (s32[], f32[4]) parameter(0)
  %i = s32[] get-tuple-element(%c), index=0
  %x = f32[4]{{0}} get-tuple-element(%c), index=1
  %y = f32[4]{{0}} collective-permute(%x), channel_id=6, source_target_pairs={{{{0,1}},{{1,0}}}}
  %rest = f32[8]{{0}} fusion(%y), kind=kLoop, calls=%going_on
  %two = s32[] constant(2)
  %next = {next}
  ROOT %r = (s32[], f32[4]) tuple(%next, %y)
}}
%less (c.1: (s32[], f32[4])) -> pred[] {{
  %c.1 = (s32[], f32[4]) parameter(0)
  %i = s32[] get-tuple-element(%c.1), index=0
  %n = s32[] constant(7)
  ROOT %lt = pred[] compare(%i, %n), direction=LT
}}
ENTRY %main (p: f32[4]) -> (s32[], f32[4]) {{
  %p = f32[4]{{0}} parameter(0)
  %zero = s32[] constant(0)
  %first = f32[8]{{0}} fusion(%p), kind=kLoop, calls=%starting
  %t = (s32[], f32[4]) tuple(%zero, %p)
  ROOT %w = (s32[], f32[4]) while(%t), condition=%less, body=%inner
}}
"""


@pytest.mark.parametrize(
    ("counted", "steps"),
    [
        ("s32[] add(%i, %two)", 4),
        ("s32[] fusion(%i), kind=kLoop, calls=%more", 4),
        # nothing shows what is added
        ("s32[] multiply(%i, %two)", 7),
    ],
)
def test_two_steps_of_a_loop_as_one_and_parts_of_a_gather_are_counted_right(counted, steps):
    found = collectives_in(TWO_AT_ONCE.format(next=counted))
    assert sorted((c.kind, c.times) for c in found) == [
        ("all-gather", 1),
        ("collective-permute", steps),
    ]


def test_a_batched_product_written_as_a_convolution_counts_as_one():
    # a batch of 8 products of 16 x 32 with 32 x 4, as XLA for TPUs writes it
    line = (
        "%c = f32[8,16,4] convolution(%a, %b), window={size=8 stride=7 pad=0_0 lhs_dilate=8}, "
        "dim_labels=0bf_0io->0bf"
    )
    operands = "%a = f32[8,16,32] parameter(0)", "%b = f32[8,32,4] parameter(1)"
    assert flops_in(HloText(program(*operands, line))) == 2 * 8 * 16 * 32 * 4


def test_a_convolution_does_not_count_its_padding():
    line = "%c = f32[1,5,1] convolution(%a, %b), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f"
    operands = "%a = f32[1,5,1] parameter(0)", "%b = f32[3,1,1] parameter(1)"
    # the first and the last place reach two elements
    assert flops_in(HloText(program(*operands, line))) == 2 * (3 * 3 + 2 + 2)


def test_work_without_an_estimate_is_listed():
    known = '"estimated_cycles":"7"'
    text = program(
        "%a = f32[4]{0} sort(%x)",
        f"%b = f32[4]{{0}} sort(%a), backend_config={{{known}}}",
        "%c = f32[8]{0} select-and-scatter(%a, %b)",
        "%d = f32[4]{0} copy(%a)",
    )
    assert unestimated_in(HloText(text)) == ["select-and-scatter", "sort"]
    assert cycles_in(HloText(text)) == 7


def test_types_with_layouts_are_read():
    assert lengths_in("f32[6,16,128]{2,1,0:T(8,128)S(1)}") == [6, 16, 128]
    assert lengths_in("s32[]") == []
    assert nbytes("(s32[]{:T(128)}, /*index=5*/c128[3]{0}, pred[7]{0}, f8e4m3fn[2])") == 61


def test_each_kind_is_summed_with_its_times():
    found = [Collective("all-reduce", 10, DATA, 3), Collective("all-reduce", 1, MODEL)]
    assert summed(found) == {"all-reduce": (4, 31)}


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
    assert seconds_of(large._replace(times=6), 8, link) == 6 * seconds_of(large, 8, link)


def test_a_shift_takes_as_long_on_many_devices_as_on_two():
    (link, *_), shift = LINKS, Collective("collective-permute", 10**6, MODEL)
    assert seconds_of(shift, 2, link) == seconds_of(shift, 512, link)
    assert seconds_of(shift, 2, link) == pytest.approx(link.latency + 1e6 / link.bandwidth)


def test_a_gather_that_is_no_split_state_is_warned_of():
    found = [Collective("all-gather", 3_276_800, tuple(range(8)))]
    assert any("constrain" in line for line in facts_of(found, set()))
    assert not any("constrain" in line for line in facts_of(found, {3_276_800}))
    assert facts_of([], set()) == ["nothing"]


def test_values_that_are_gathered_at_once_have_sizes_of_their_own():
    line = "%g = (f32[8,4]{1,0}, f32[16]{0}) all-gather(%a, %b), replica_groups=[1,8]<=[8]"
    (each,) = collectives_in(program(line))
    assert (each.nbytes, each.pieces) == (192, (128, 64))


def test_of_gathers_at_once_only_those_that_are_no_split_state_are_warned_of():
    pieces = 3_276_800, 99_328, 3_276_800
    found = [Collective("all-gather", sum(pieces), tuple(range(8)), pieces=pieces)]
    assert not any("constrain" in line for line in facts_of(found, set(pieces)))
    (warning,) = (line for line in facts_of(found, {3_276_800}) if "constrain" in line)
    assert "99,328 bytes" in warning


def test_a_loop_with_a_counter_of_64_bits_on_a_tpu_has_its_steps():
    text = HloText(text_of("v5e", "wide-counter"))
    assert cycles_in(text) == 640
    assert text.uncounted == 0
