"""Tables by class of ops: which row a class has, and rows that authors add."""

import gc
import weakref

import pytest

from theano._src.graph.op_table import OpTable


class Base:
    def compute(self, xp, x):
        return x


class Derived(Base):
    pass


class Other(Derived):
    def compute(self, xp, x):
        return -x


HERE = __name__


def test_a_class_has_the_row_of_its_nearest_base():
    table = OpTable({f"{HERE}.Base": 1, f"{HERE}.Other": 3})
    assert [table[cls()] for cls in (Base, Derived, Other)] == [1, 1, 3]
    assert [table.of_class(cls) for cls in (Base, Derived, Other)] == [1, 1, 3]


def test_what_has_no_row_is_none_a_default_or_an_error():
    table = OpTable({f"{HERE}.Other": 3})
    assert table.get(Base()) is None
    assert table.get(Base(), 7) == 7
    with pytest.raises(KeyError, match=r"test_op_table\.Base"):
        table[Base()]


def test_another_meaning_ends_what_is_inherited():
    table = OpTable({f"{HERE}.Base": 1}, by_meaning=True)
    assert table[Derived()] == 1
    assert table.get(Other()) is None


def test_a_row_that_is_added_counts_from_then_on():
    table = OpTable({f"{HERE}.Base": 1})
    assert table[Derived()] == 1
    table[Derived] = 2
    assert (table[Base()], table[Derived()], table[Other()]) == (1, 2, 2)


def test_a_row_may_be_none():
    table = OpTable({f"{HERE}.Base": None, f"{HERE}.Other": 3})
    assert table.get(Base(), 7) is None


def test_a_table_does_not_keep_classes_alive():
    table = OpTable({})
    table[type("Gone", (), {})] = 1
    cls = type("Asked", (), {})
    table.get(cls())
    ref = weakref.ref(cls)
    del cls
    gc.collect()
    assert ref() is None
    assert len(table._by_class) == 0
