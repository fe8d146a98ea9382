"""What whole programs call is lowered for chips: each function with its first arguments."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from tools.hardware.lists import CHIPS, SEVERAL
from tools.hardware.programs import Program, programs
from tools.hardware.recorder import distributed, lowered, recorded, saved, write

pytestmark = pytest.mark.xla


def test_each_function_is_recorded_once_with_its_first_arguments():
    x, n = T.fmatrix("x"), T.iscalar("n")
    with recorded() as seen:
        f = theano.function([x, theano.In(n, name="n", value=2)], x[:n].sum(axis=0))
        theano.function([x], x + 1)
        f(np.ones((5, 3), "float32"))
        f(np.ones((7, 3), "float32"), n=4)
    [(called, given)] = seen
    assert called is f and [v.shape for v in given.values()] == [(5, 3)]
    [call] = lowered(seen, "v5e").calls
    assert call.programs and call.left is None


def test_what_runs_on_another_engine_is_no_program_of_a_chip():
    x = T.fvector("x")
    with recorded() as seen:
        theano.function([x], x + 1, mode=theano.Mode("numpy"))([1, 2])
    assert len(seen) == 1
    assert lowered(seen, "h100") == ("h100:1x1", None, [], [])


def test_a_call_that_raises_is_left_out():
    x = T.fmatrix("x")
    with recorded() as seen, pytest.raises(ValueError):
        theano.function([x], T.dot(x, x))(np.ones((2, 3), "float32"))
    assert seen == []


def test_a_function_that_cannot_be_lowered_has_a_line():
    x = T.fmatrix("x")
    with recorded() as seen:
        f = theano.function([x], T.dot(x, x.T), name="products")
        f(np.ones((2, 3), "float32"))
    [(_, given)] = seen
    del given[f.maker.inputs[0].variable]
    [line] = lowered(seen, "v5e").failed
    assert "products" in line and "ValueError: plan takes the shape of each input" in line


def test_a_program_is_stopped_and_what_it_called_is_kept(tmp_path):
    x = T.fvector("x")

    def endless():
        f = theano.function([x], x * 2)
        while True:
            f([1, 2])

    write(tmp_path / "calls", endless, seconds=2)
    found = saved(tmp_path / "calls")
    assert set(found) == set(CHIPS)
    assert all(len(one.calls) == 1 and not one.failed for one in found.values())


def test_a_program_on_a_mesh_is_lowered_for_several_chips():
    with theano.config.change_flags(floatX="float32"):
        found = distributed("perceptron, data and tensor parallel", "h100")
    assert (found.topology, found.axes) == (SEVERAL["h100"], {"data": 4, "model": 2})
    assert found.calls[0].programs


def test_a_page_runs_in_a_process_of_its_own():
    found = Program("page", "docs/howto/dropout-batchnorm").lowered()
    assert all(one.calls and not one.failed for one in found.values())


def test_programs_have_names_of_their_own():
    names = list(map(str, programs()))
    assert len(set(names)) == len(names)
    assert {"gallery::transformer", "page::README", "distributed::logistic regression",
            "downstream::lasagne-examples, mnist cnn"} <= set(names)  # fmt: skip
