"""Containers: cells that check what is put into them."""

import copy
import pickle

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.gof import Container, Type


def test_a_container_filters_what_is_set():
    cell = [None]
    c = Container(T.fvector("x"), cell)
    c.data = [1, 2]
    assert cell[0] is c.data is c.value and cell[0].dtype == np.float32
    c.value = None
    assert cell == [None]


def test_a_refusal_names_the_container():
    c = Container(T.fvector("x"), [None])
    with pytest.raises(TypeError) as caught:
        c.data = np.ones(2)
    assert caught.value.__notes__ == ['Container name "x"']
    assert c.data is None


def test_a_strict_container_casts_nothing():
    c = Container(T.dvector(), [None], strict=True)
    with pytest.raises(TypeError, match="strict"):
        c.data = [1.0]
    a = np.ones(1)
    c.data = a
    assert c.data is a


def test_a_container_may_allow_loss():
    c = Container(T.bvector(), [None], allow_downcast=True)
    c.data = np.array([1.7, 2.2])
    assert c.data.tolist() == [1, 2]


def test_a_readonly_container_is_not_set():
    c = Container(T.dscalar("x"), [np.array(1.0)], readonly=True)
    with pytest.raises(Exception, match="Cannot set readonly storage: x"):
        c.data = 2
    assert c.data == 1


def test_storage_is_a_list_of_one_cell():
    for storage in ((1,), [], 3):
        with pytest.raises(TypeError, match="takes a list of one element as storage"):
            Container(T.dscalar(), storage)


def test_filter_inplace_is_used_where_a_type_has_it():
    class Reuses(Type):
        def filter(self, value, strict=False, allow_downcast=None):
            return list(value)

        def filter_inplace(self, value, storage, strict=False, allow_downcast=None):
            if storage is None:
                return self.filter(value)
            storage[:] = value
            return storage

    c = Container(Reuses(), [None])
    c.data = (1, 2)
    first = c.data
    c.data = (3,)
    assert c.data is first == [3]


@pytest.mark.parametrize("remake", [copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))])
def test_a_copied_container_has_a_value_of_its_own(remake):
    c = Container(T.dvector("x"), [np.zeros(2)])
    made = remake(c)
    made.data[0] = 5
    assert c.data.tolist() == [0, 0] and made.type == c.type and made.name == "x"


def test_containers_that_share_a_cell_still_share_it_after_a_copy():
    cell = [np.zeros(2)]
    a, b = copy.deepcopy([Container(T.dvector(), cell), Container(T.dvector(), cell)])
    assert a.storage is b.storage and a.storage is not cell


def test_a_container_shows_its_value():
    assert str(Container(T.dscalar(), [np.array(1.5)])) == "<1.5>"


def test_a_shared_variable_takes_a_container_or_a_value_not_both():
    s = theano.shared(1.0)
    with pytest.raises(TypeError, match="container or a value, not both"):
        type(s)(name=None, type=s.type, value=1.0, strict=False, container=s.container)


def test_a_clone_of_a_shared_variable_shares_the_container():
    s = theano.shared(np.zeros(2), name="s")
    c = s.clone()
    s.set_value([1, 2])
    assert c.get_value().tolist() == [1, 2] and c.name == "s" and c is not s


def test_a_copy_of_a_shared_variable_does_not():
    s = theano.shared(np.zeros(2), name="s")
    s.tag.note = "kept"
    c = copy.deepcopy(s)
    s.set_value([1, 2])
    assert c.get_value().tolist() == [0, 0] and c.name == "s" and c.tag.note == "kept"
