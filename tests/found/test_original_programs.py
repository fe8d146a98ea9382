"""Programs that Theano 1.0.5 takes, which its own tests found to be refused here."""

from __future__ import annotations

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.configparser import (
    AddConfigVar,
    IntParam,
    TheanoConfigParser,
    TheanoConfigWarning,
)

ENGINES = [pytest.param("numpy"), pytest.param("xla", marks=pytest.mark.xla)]


def test_the_linker_named_c_runs_what_the_others_run():
    x = T.dvector("x")
    f = theano.function([x], x * 2, mode=theano.Mode("c", "fast_run"))
    assert f([1, 2]).tolist() == [2, 4]


def test_the_flag_linker_takes_the_linker_named_c():
    with theano.change_flags(linker="c"):
        assert theano.Mode().provided_linker == "c"


# loops


@pytest.mark.parametrize("given", [lambda y: y, lambda y: y * 2], ids=["input", "computed"])
@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE", theano.Mode("numpy", None)])
def test_a_non_sequence_that_the_step_does_not_read_may_be_an_input_of_a_function(given, mode):
    x, y = T.dscalars("xy")
    out, _ = theano.scan(
        lambda i, before, a, unread: before + a * i,
        sequences=T.arange(3),
        outputs_info=T.zeros(()),
        non_sequences=[x, given(y)],
    )
    f = theano.function([x, y], [out, T.grad(out[-1], x)], mode=mode)
    found, slope = f(2, 5)
    assert found.tolist() == [0, 2, 6]
    assert slope == 3


def test_a_non_sequence_that_the_step_does_not_read_is_not_computed():
    x, y = T.dscalars("xy")
    out, _ = theano.scan(
        lambda i, a, unread: a * i, sequences=T.arange(3), non_sequences=[x, T.exp(y)]
    )
    f = theano.function([x, y], out)
    names = [str(node.op) for node in f.maker.fgraph.toposort()]
    assert not [name for name in names if "exp" in name]


def test_what_no_loop_is_given_is_an_input_that_a_function_does_not_use():
    x, y = T.dscalars("xy")
    out, _ = theano.scan(lambda i, a: a * i, sequences=T.arange(3), non_sequences=[x])
    with pytest.raises(theano.compile.UnusedInputError):
        theano.function([x, y], out)


# indices


@pytest.mark.parametrize("engine", ENGINES)
def test_the_op_of_advanced_indices_takes_slices_and_none_as_variables(engine):
    x, start = T.dmatrix("x"), T.lscalar("start")
    value = np.arange(20.0).reshape(4, 5)
    odd = T.type_other.SliceConstant(type=T.type_other.slicetype, data=slice(1, None, 2))
    outs = [
        T.subtensor.AdvancedSubtensor()(x, [2, 3], odd),
        T.subtensor.AdvancedSubtensor()(x, T.make_slice(start, None), [2, 0]),
        T.subtensor.AdvancedSubtensor()(x, [2, 3], T.type_other.NoneConst),
    ]
    made = theano.function([x, start], outs, mode=theano.Mode(engine))(value, 2)
    wanted = [value[[2, 3], 1::2], value[2:, [2, 0]], value[[2, 3], None]]
    for found, want in zip(made, wanted, strict=True):
        np.testing.assert_array_equal(found, want)


# slices


FAR = [2**62, 2**63 - 1, -(2**62), -(2**63 - 1), -(2**63), 5, -5, -6]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("start", [None, 1, -1, 7, -9])
@pytest.mark.parametrize("given", ["constant", "input"])
def test_a_step_as_long_as_integers_go_takes_one_element(given, start, engine):
    v, s = T.dvector("v"), T.lscalar("s")
    value = np.arange(5.0)

    def outs(step):
        part = v[start::step]
        return [part, part.shape[0], T.set_subtensor(part, 9.0), T.inc_subtensor(part, 1.0)]

    mode = theano.Mode(engine)
    by_input = theano.function([v, s], outs(s), mode=mode)
    for step in FAR:
        if given == "input":
            read, length, put, added = by_input(value, step)
        else:
            read, length, put, added = theano.function([v], outs(step), mode=mode)(value)
        wanted = value[start::step]
        assert read.tolist() == wanted.tolist()
        assert length == len(wanted)
        written = value.copy()
        written[start::step] = 9
        assert put.tolist() == written.tolist()
        more = value.copy()
        more[start::step] += 1
        assert added.tolist() == more.tolist()


# shapes


def test_the_shape_of_a_number_may_be_specified():
    x = T.dscalar("x")
    assert T.specify_shape(x, ()).eval({x: 3}) == 3


@pytest.mark.parametrize("engine", ENGINES)
def test_a_vector_of_counts_longer_than_ndim_is_told(engine):
    x, reps = T.dvector("x"), T.lvector("reps")
    f = theano.function([x, reps], T.tile(x, reps, ndim=2), mode=theano.Mode(engine))
    assert f([1, 2], [3]).shape == (1, 6)
    assert f([1, 2], [2, 3]).shape == (2, 6)
    with pytest.raises(AssertionError, match="at most as many reps"):
        f([1, 2], [1, 2, 3])


@pytest.mark.parametrize("dims", [(1, 0), (0, 1), (0, -2)])
def test_lengths_of_dimensions_that_are_not_there_are_not_compared(dims):
    x, y = T.dvectors("xy")
    fgraph = theano.gof.FunctionGraph([x, y], [x + y], clone=False)
    feature = T.opt.ShapeFeature()
    fgraph.attach_feature(feature)
    with pytest.raises(IndexError, match="has no dimension"):
        feature.same_shape(x, fgraph.outputs[0], *dims)


def test_tensors_stacked_one_by_one_give_a_warning():
    x, y = T.dvectors("xy")
    with pytest.warns(DeprecationWarning, match="use stack"):
        both = T.stack(x, y)
    assert both.eval({x: [1, 2], y: [3, 4]}).tolist() == [[1, 2], [3, 4]]


def test_assert_is_reached_by_both_its_names():
    assert T.opt.assert_ is T.opt.assert_op


# flags


def test_the_default_of_a_flag_of_your_own_is_checked_and_read_like_any_value():
    flags = TheanoConfigParser({})
    AddConfigVar("lab.workers", "How many.", IntParam("7"), root=flags)
    assert flags.lab.workers == 7
    with pytest.raises(ValueError, match="seed takes an integer, got 'x'"):
        AddConfigVar("lab.seed", "Of what is drawn.", IntParam("x"), root=flags)


def test_a_wrong_default_of_a_flag_does_not_matter_where_a_value_is_given():
    with pytest.warns(TheanoConfigWarning, match="seed"):
        flags = TheanoConfigParser({"THEANO_FLAGS": "lab.seed=3"})
    AddConfigVar("lab.seed", "Of what is drawn.", IntParam("x"), root=flags)
    assert flags.lab.seed == 3
