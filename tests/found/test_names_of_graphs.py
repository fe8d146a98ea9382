"""Names and lines of variables, messages of test values, copies of functions with inputs."""

import copy
import io
import pickle
from itertools import count

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.gof import Variable
from theano.gof.op import debug_assert, debug_error_message, missing_test_message
from theano.misc.pkl_utils import StripPickler

# variables


def test_every_variable_has_a_name_of_its_own_once_it_is_asked():
    first = next(Variable.__count__)
    Variable.__count__ = count(first)
    x, y = T.dscalars("xy")
    s = theano.shared(1.0)
    assert [v.auto_name for v in (x, y, s, x)] == [f"auto_{first + i}" for i in (0, 1, 2, 0)]
    assert x.clone().auto_name == f"auto_{first + 3}"


def made_here():
    return T.dvector("x"), T.TensorType("int8", (False,))("y"), T.vectors("ab")[0]


def test_a_variable_of_a_user_knows_the_line_that_made_it():
    for v in made_here():
        ((file, _, function, text),) = [t for t in v.tag.trace[0] if t[2] == "made_here"]
        assert file == __file__ and function == "made_here" and "return T.dvector" in text


def test_a_line_is_kept_by_clones_and_pickles():
    x, *_ = made_here()
    again = pickle.loads(pickle.dumps(x))
    assert again.tag.trace == x.clone().tag.trace == x.tag.trace
    assert copy.deepcopy(x).tag.trace == x.tag.trace


def test_outputs_of_nodes_keep_the_line_of_their_node():
    x, *_ = made_here()
    y = T.exp(x)
    assert "_made_at" not in y.__dict__ and y.tag.trace == y.owner.tag.trace


def test_how_many_lines_are_kept_is_a_flag():
    with theano.config.change_flags(**{"traceback.limit": 1}):
        assert [len(v.tag.trace[0]) for v in made_here()] == [1, 1, 1]


def test_an_input_that_is_not_declared_is_named_with_its_line():
    x = T.dvector("lost")
    with pytest.raises(theano.gof.fg.MissingInputError, match=r"lost.*made at .*test_names_of_gr"):
        theano.function([], x + 1)


def test_lines_of_variables_can_be_stripped():
    with io.BytesIO() as file:
        StripPickler(file).dump(made_here()[0])
        assert not hasattr(pickle.loads(file.getvalue()).tag, "trace")


# test values


@pytest.mark.parametrize("how", ["raise", "ignore", "warn"])
def test_what_test_values_show_is_raised_or_warned_of(how):
    with theano.config.change_flags(compute_test_value=how):
        if how == "warn":
            for say in (debug_error_message, missing_test_message):
                with pytest.warns(UserWarning, match="too long"):
                    say("too long")
        else:
            with pytest.raises(ValueError, match="too long"):
                debug_error_message("too long")
            with pytest.raises(ValueError, match="debug_assert failed"):
                debug_assert(False)
        debug_assert(True)
        if how == "raise":
            with pytest.raises(AttributeError, match="none"):
                missing_test_message("none")


# functions


def test_a_function_without_a_name_is_called_by_its_line():
    x = T.dscalar("x")
    f = theano.function([x], x + 1)
    assert f.name.rpartition(":")[0] == __file__
    with pytest.raises(TypeError, match=r"test_names_of_graphs\.py:\d+.* at index 0"):
        f("text")
    assert theano.function([x], x + 1, name="mine").name == "mine"


@pytest.mark.parametrize("bad", [[], {}, set()])
def test_a_name_that_cannot_be_looked_up_is_refused(bad):
    with pytest.raises(TypeError, match="takes a str as name"):
        theano.In(T.dscalar(), name=bad)


def test_a_shared_variable_is_no_input_however_it_is_wrapped():
    s = theano.shared(1.0)
    for given in (s, theano.In(s)):
        with pytest.raises(TypeError, match="as explicit input"):
            theano.function([given], s + 1)


def test_a_default_update_is_there_once_it_was_given():
    s = theano.shared(1.0)
    assert not hasattr(s, "default_update")
    assert not hasattr(pickle.loads(pickle.dumps(s)), "default_update")
    s.default_update = s + 1
    again = pickle.loads(pickle.dumps(s))
    assert again.default_update.owner.inputs[0] is again


def test_default_updates_are_left_out_by_a_list_or_a_truth_value():
    s = theano.shared(1.0)
    s.default_update = s + 1
    with pytest.raises(TypeError, match="no_default_updates is True, False or a list"):
        theano.function([], s, no_default_updates=s)
    theano.function([], s, no_default_updates=[s])()
    assert s.get_value() == 1


def test_a_deep_copy_is_reached_by_copies_of_its_inputs():
    class Model:
        def __init__(self):
            self.s, x = T.dscalar("s"), T.dscalar("x")
            self.step = theano.function(
                [x, theano.In(self.s, value=0.0, update=self.s + x)], self.s + x
            )
            held = theano.In(self.s, value=self.step.container[self.s], update=self.s - x)
            self.back = theano.function([x, held], self.s - x)

    model = Model()
    other = copy.deepcopy(model)
    assert model.s not in other.step and other.s in other.step
    assert other.step.container[other.s].storage is other.back.container[other.s].storage
    other.step(5.0)
    assert (other.step[other.s], other.back[other.s], model.step[model.s]) == (5.0, 5.0, 0.0)
    other.back(2.0)
    assert (other.step[other.s], model.back[model.s]) == (3.0, 0.0)


def test_a_deep_copy_without_its_variables_keeps_names_and_positions():
    x, a = T.dscalar("x"), T.dscalar("a")
    f = theano.function([x, theano.In(a, value=2.0, name="factor")], x * a)
    g = copy.deepcopy(f)
    assert x not in g.container and a not in g.container
    assert g.container["factor"].value == g.container[1].value == 2.0
    assert g(3.0) == f(3.0) == 6.0 and np.isclose(copy.deepcopy(g)(3.0), 6.0)
