"""Objects saved with their arrays beside the pickle, and graphs without notes."""

import io
import pickle
import zipfile

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.misc.pkl_utils import (
    CompatUnpickler,
    PersistentNdarrayID,
    PersistentSharedVariableID,
    StripPickler,
    dump,
    load,
)
from theano.sandbox.rng_mrg import MRG_RandomStreams


def saved(obj, **options):
    file = io.BytesIO()
    dump(obj, file, **options)
    return file


def arrays(file):
    file.seek(0)
    return np.load(file)


def test_shared_variables_of_one_name_are_numbered():
    foos = [theano.shared(i, name="foo") for i in range(3)]
    file = saved((*foos, np.array(3)))
    assert list(arrays(file)) == ["foo", "foo_2", "foo_3", "array_0", "pkl"]
    assert arrays(file)["foo_3"] == 2
    *again, array = load(file)
    assert [v.get_value() for v in again] == [0, 1, 2] and array == 3
    assert [v.name for v in again] == ["foo"] * 3


def test_an_array_that_comes_twice_is_saved_once_and_stays_one():
    a = np.arange(3.0)
    file = saved([a, a, a.copy()])
    assert list(arrays(file)) == ["array_0", "array_1", "pkl"]
    first, second, third = load(file)
    assert first is second is not third


def test_a_value_that_an_engine_holds_is_saved_under_its_name():
    w = theano.shared(np.zeros(4), "w")
    f = theano.function([], updates=[(w, w + 1)], mode=theano.Mode("xla"))
    f()
    file = saved(w)
    assert arrays(file)["w"].tolist() == [1.0] * 4
    f()
    assert w.get_value().tolist() == [2.0] * 4 and load(file).get_value().tolist() == [1.0] * 4


def test_names_can_be_demanded():
    def strict(zip_file):
        return PersistentSharedVariableID(zip_file, allow_unnamed=False, allow_duplicates=False)

    with pytest.raises(ValueError, match="has no name"):
        saved(theano.shared(1.0), persistent_id=strict)
    with pytest.raises(ValueError, match="several shared variables are called w"):
        saved([theano.shared(1.0, "w"), theano.shared(2.0, "w")], persistent_id=strict)
    with pytest.raises(ValueError, match="called pkl"):
        saved(theano.shared(1.0, "pkl"))


def test_arrays_alone_may_be_taken_out():
    file = saved(theano.shared(np.ones(2), "w"), persistent_id=PersistentNdarrayID)
    assert list(arrays(file)) == ["array_0", "pkl"]
    assert load(file).get_value().tolist() == [1.0, 1.0]


def test_arrays_of_objects_stay_in_the_pickle():
    file = saved(np.array([None, "a"], dtype=object))
    assert zipfile.ZipFile(file).namelist() == ["pkl"] and load(file).tolist() == [None, "a"]


def test_functions_and_streams_are_saved():
    w = theano.shared(np.ones(2), "w")
    x = T.dvector("x")
    f = load(saved(theano.function([x], x * w)))
    assert f([2.0, 3.0]).tolist() == [2.0, 3.0]
    rng = MRG_RandomStreams(3)
    assert type(load(saved(rng))) is type(rng)


def test_lines_and_test_values_are_left_out():
    x = T.dvector("x")
    x.tag.test_value, x.tag.unit, x.tag.secret = np.ones(2), "m", 1
    y = T.exp(x)
    assert y.tag.trace
    file = io.BytesIO()
    StripPickler(file, protocol=-1, extra_tag_to_remove=["secret"]).dump([x, y])
    again, computed = pickle.loads(file.getvalue())
    assert vars(again.tag) == {"unit": "m"} and not hasattr(computed.tag, "trace")
    assert not hasattr(computed.owner.tag, "trace")
    assert x.tag.test_value.tolist() == [1.0, 1.0]  # what was saved is as it was
    assert theano.function([again], computed)([0.0]).tolist() == [1.0]


class Bytes:
    def __init__(self, raw):
        if not isinstance(raw, bytes):
            raise TypeError("bytes are needed")
        self.raw = raw


def test_strings_of_python_2_may_be_bytes():
    module = Bytes.__module__.encode()
    old = b"c" + module + b"\nBytes\n(S'ab\\xe4'\ntR."
    found = CompatUnpickler(io.BytesIO(old), encoding="latin1").load()
    assert found.raw == b"ab\xe4"
    with pytest.raises(TypeError, match="bytes are needed"):
        CompatUnpickler(io.BytesIO(b"c" + module + b"\nBytes\n(I3\ntR."), encoding="latin1").load()
