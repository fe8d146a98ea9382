"""The small utilities of layer 0."""

import contextlib
import copy
import hashlib
import io
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st

from theano._src.ground import utils


class Named:
    def __init__(self, name):
        self.name = name


def names_after(*names):
    variables = [Named(name) for name in names]
    utils.give_variables_names(variables)
    first = [v.name for v in variables]
    utils.give_variables_names(variables)
    assert [v.name for v in variables] == first
    return first


# sequences


def test_difference_keeps_order_and_takes_what_cannot_be_hashed():
    assert utils.difference([3, 1, 3, 2], [1]) == [3, 3, 2]
    assert utils.difference([[1], [2], 3], [[2]]) == [[1], 3]
    assert utils.difference(iter([[1], 2, 3]), iter([2])) == [[1], 3]


def test_flatten_goes_through_tuples_lists_and_sets_only():
    assert utils.flatten([1, (2, [3, {4}]), 5]) == [1, 2, 3, 4, 5]
    assert utils.flatten("ab") == ["ab"]
    assert utils.flatten([{"a": [1]}, ()]) == [{"a": [1]}]


def test_flatten_takes_any_depth():
    nested = 1
    for _ in range(100_000):
        nested = [nested]
    assert utils.flatten(nested) == [1]


def test_uniq_keeps_the_first_of_each_even_when_not_hashable():
    assert utils.uniq("abcab") == ["a", "b", "c"]
    assert utils.uniq([[1], [2], [1]]) == [[1], [2]]


@given(st.lists(st.integers(0, 5)))
def test_uniq_keeps_the_pattern_of_repetition(values):
    renamed = [f"v{v}" for v in values]
    assert utils.uniq(renamed) == [f"v{v}" for v in utils.uniq(values)]
    assert utils.unique(utils.uniq(values))
    assert utils.unique(values) == (len(values) == len(set(values)))


def test_remove_drops_what_the_predicate_holds_for():
    assert utils.remove(lambda v: v > 2, (3, 1, 2)) == [1, 2]


def test_hist_counts():
    assert utils.hist([1, 2, 1]) == {1: 2, 2: 1}


def test_return_values_go_to_a_list_and_back():
    assert [utils.from_return_values(v) for v in (1, [1], (1, 2))] == [[1], [1], [1, 2]]
    assert [utils.to_return_values(v) for v in ([1], [1, 2], [])] == [1, [1, 2], []]


# order


@given(st.lists(st.sets(st.integers(0, 11)), max_size=12))
def test_toposort_puts_all_prerequisites_first(raw):
    # an edge only to a smaller number: no cycle
    graph = {k: {p for p in prereqs if p < k} for k, prereqs in reversed(list(enumerate(raw)))}
    order = utils.toposort(graph)
    place = {k: i for i, k in enumerate(order)}
    assert sorted(order) == sorted(graph)
    assert all(place[p] < place[k] for k, prereqs in graph.items() for p in prereqs)


def test_toposort_refuses_a_cycle_and_a_missing_key():
    with pytest.raises(ValueError, match="without cycles, got one at or before 'a'"):
        utils.toposort({"c": set(), "a": {"b"}, "b": {"a"}})
    with pytest.raises(ValueError, match="got none for 'b'"):
        utils.toposort({"a": {"b"}})


def test_toposort_of_a_long_chain_is_quick():
    n = 50_000
    assert utils.toposort({k: [k - 1] if k else [] for k in range(n)}) == list(range(n))


# names


def test_names_become_unique_and_good_ones_stay():
    assert names_after("a", "a", None, None, "b") == ["a_0", "a_1", "_2", "_3", "b"]


def test_a_made_name_does_not_meet_a_given_one():
    assert len(set(names_after("a", "a", "a_0", "a_1", None, "_2"))) == 6


@given(st.lists(st.sampled_from([None, "", "a", "a_0", "a_1", "_0", "_1"]), max_size=12))
def test_names_are_unique_whatever_they_were(names):
    after = names_after(*names)
    assert len(set(after)) == len(after) and all(after)


def test_the_same_variable_twice_has_one_name():
    v = Named("a")
    utils.give_variables_names([v, v])
    assert v.name == "a"


# functions


def test_memoize_calls_once_for_each_tuple_of_arguments():
    calls = []

    @utils.memoize
    def power(base, to=2):
        """base ** to"""
        calls.append((base, to))
        return base**to

    assert [power(2), power(2), power(2, to=3), power(2, to=3), power(3)] == [4, 4, 8, 8, 9]
    assert calls == [(2, 2), (2, 3), (3, 2)]
    assert (power.__name__, power.__doc__) == ("power", "base ** to")


def test_a_deprecated_function_says_so_once():
    @utils.deprecated("myfile", "do something different...")
    def fn_name(*args):
        return args

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert fn_name(1) == (1,)
        fn_name()
    assert out.getvalue() == "WARNING myfile.fn_name deprecated. do something different...\n"


def test_the_stack_ends_at_the_caller_and_has_the_text_of_its_line():
    def inner():
        return utils.simple_extract_stack(limit=2)

    outer, last = inner()
    assert last[0] == outer[0] == __file__
    assert last[2:] == ("inner", "return utils.simple_extract_stack(limit=2)")
    assert outer[3] == "outer, last = inner()" and outer[1] > last[1]
    frame = sys._getframe()
    assert utils.simple_extract_stack(frame, limit=1)[0][2] == frame.f_code.co_name


def test_frames_of_skipped_modules_are_left_out_at_the_end_of_the_stack():
    assert all(frame[0] != __file__ for frame in utils.simple_extract_stack(skips=[__name__]))
    assert utils.simple_extract_stack(skips=["no_such"])[-1][0] == __file__


# containers


def test_a_scratchpad_holds_shows_copies_and_forgets():
    tag = utils.scratchpad()
    tag.trace, tag.test_value = [1], 2.0
    assert str(tag) == "scratchpad{'trace': [1], 'test_value': 2.0}"
    shallow, deep = copy.copy(tag), copy.deepcopy(tag)
    assert shallow.trace is tag.trace and deep.trace == [1] and deep.trace is not tag.trace
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        tag.info()
    assert out.getvalue().splitlines()[1:] == ["  trace: [1]", "  test_value: 2.0"]
    tag.clear()
    assert not hasattr(tag, "trace") and shallow.trace == [1]
    assert tag.__update__(shallow).test_value == 2.0


def test_props_give_equality_hash_and_text_but_what_the_class_writes_stays():
    class Step(utils.object2):
        __props__ = ("size", "name")

        def __init__(self, size, name="s"):
            self.size, self.name, self.cache = size, name, object()

    class Loud(Step):
        __props__ = ("size",)

        def __str__(self):
            return "loud"

    assert Step(3) == Step(3) and hash(Step(3)) == hash(Step(3))
    assert Step(3) != Step(4) and Step(3) != Loud(3) and Step(3) != 3
    assert repr(Step(3)) == "Step{size=3, name='s'}" and str(Loud(3)) == "loud"
    assert Loud(3, "a") == Loud(3, "b")


# hashes


def test_an_array_is_hashed_by_elements_shape_dtype_and_order_in_memory():
    a = np.arange(6, dtype="int32")
    others = [a.reshape(2, 3), np.asfortranarray(a.reshape(2, 3))]
    others += [a.view("float32"), a[::-1], a + 1, a.astype(">i4"), a[::2]]
    assert len({utils.hash_from_ndarray(v) for v in [a, *others]}) == 8
    for v in others:
        assert utils.hash_from_ndarray(v) == utils.hash_from_ndarray(v.copy(order="K"))
    assert utils.hash_from_ndarray(a[None]) == utils.hash_from_ndarray(np.asfortranarray(a[None]))


def test_arrays_without_dimensions_and_of_length_one_differ_in_hash():
    assert utils.hash_from_ndarray(np.zeros(())) != utils.hash_from_ndarray(np.zeros((1,)))


def test_an_array_of_objects_has_no_hash():
    with pytest.raises(TypeError, match="plain values, got dtype object"):
        utils.hash_from_ndarray(np.array([None]))


def test_a_dict_is_hashed_whatever_its_order():
    assert utils.hash_from_dict({"a": 1, "b": [2, 3]}) == utils.hash_from_dict(
        {"b": [2, 3], "a": 1}
    )
    assert utils.hash_from_dict({"a": 1}) != utils.hash_from_dict({"a": 2})


def test_the_hash_of_a_text_is_the_same_in_every_process(tmp_path):
    expected = "m" + hashlib.sha256("λ".encode()).hexdigest()
    assert utils.hash_from_code("λ") == utils.hash_from_code("λ".encode()) == expected
    path = tmp_path / "file"
    path.write_bytes("λ".encode())
    assert utils.hash_from_file(str(path)) == expected
