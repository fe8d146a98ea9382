"""Programs of the tests for TPUs and GPUs, as they are passed to the compilers.

Lowering takes no plugin. A part of the items is lowered here; `make hardware` lowers and compiles
all of them, and holds the lists in this folder.
"""

import os
import zlib

import pytest

from theano import config
from theano._src.engines.planning.compiler import check_packages
from theano._src.types.topology import topology
from tools.hardware.cases import Item, hidden_float64, items, lowered
from tools.hardware.lists import CHIPS, compiling, reason_for, reasons
from tools.hardware.programs import programs
from tools.hardware.sweep import Result, read, run, together

pytestmark = pytest.mark.xla

#: one in so many items is lowered for TPUs here
_ONE_IN = 40

ITEMS = [i for i in items() if zlib.crc32(str(i).encode()) % _ONE_IN == 0]


@pytest.mark.parametrize("item", [i for i in ITEMS if i.dtype == "float32"], ids=str)
def test_a_program_of_float32_has_no_float64_on_a_tpu_that_its_graph_has_not(item):
    call = lowered(item, topology("v5e:1x1"))
    assert call is None or hidden_float64(call) == []


def test_float64_that_an_op_brings_is_seen():
    (item,) = (i for i in items() if str(i) == "reduce.test_reduce::sum float32")
    assert hidden_float64(lowered(item, topology("v5e:1x1"))) == []
    assert hidden_float64(lowered(item, topology("h100:1x1"))) != []


def test_an_item_has_floats_of_its_dtype_or_is_none():
    for item in ITEMS:
        call = lowered(item, topology("h100:1x1"))
        held = [h.dtype for p in call.programs for h in p.held] if call is not None else []
        other = {"float32": {"float64", "complex128"}, "float64": {"float32", "complex64"}}
        assert not other[item.dtype].intersection(held)


def test_lists_name_items_that_there_are_and_reasons_fit_what_is_on_no_list():
    names = {str(i) for i in (*items(), *programs())}
    groups = reasons()
    for chip in CHIPS:
        listed = compiling(chip)
        assert listed <= names
        assert not [n for n in listed if reason_for(chip, n, groups) is not None]
    for group in groups:
        assert set(group.chips) <= set(CHIPS)
        for pattern in group.items:
            assert any(
                reason_for(c, n, [group._replace(items=(pattern,))])
                for c in group.chips
                for n in names
            )


def test_a_sweep_goes_on_where_it_ended(tmp_path, monkeypatch):
    done = []

    def compiled(chip, some):
        done.extend(some)
        return [Result(chip, str(i), "compiled") for i in some]

    monkeypatch.setattr("tools.hardware.sweep.together", compiled)
    path = tmp_path / "results.jsonl"
    some = [Item(f"a.test_b::{n}", "float32", False) for n in range(30)]
    assert len(list(run("v5e", some[:25], path))) == 25
    assert [r.item for r in run("v5e", some, path)] == [str(i) for i in some[25:]]
    assert done == some and len(read(path)) == 30


def has_compiler(chip):
    try:
        check_packages(topology(CHIPS[chip]))
    except ImportError:
        return False
    return True


def test_listed_items_compile_where_the_compilers_are(monkeypatch):
    """A few items of each list; THEANO_PLAN_PYTHON names a Python that has the compilers."""
    monkeypatch.setattr(config.plan, "python", os.environ.get("THEANO_PLAN_PYTHON", ""))
    chips = [c for c in CHIPS if has_compiler(c)]
    if not chips:
        pytest.skip("the compilers are not installed, and THEANO_PLAN_PYTHON is not set")
    for chip in chips:
        listed = compiling(chip)
        some = [i for i in ITEMS if str(i) in listed][:5]
        assert {r.what for r in together(chip, some)} <= {"compiled", "host"}
