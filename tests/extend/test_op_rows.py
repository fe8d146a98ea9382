"""Rows that authors add to tables of engines, and classes that mean something else than their base.

Nothing is rewritten here: rules look at classes too.
"""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import scalar
from theano._src.engines.numpy.lines import text_of
from theano._src.engines.undo import can_be_undone
from theano._src.ops.core.composite import Composite
from theano._src.rules.inplace import forms_of
from theano.extend import (
    BinaryScalarOp,
    CAReduce,
    Elemwise,
    UnaryScalarOp,
    host_text,
    inplace_forms,
    written_at,
)

ENGINES = ["numpy", pytest.param("xla", marks=pytest.mark.xla)]
x = T.dvector("x")
n = T.lscalar("n")
length = theano.compile.ops.Shape_i(0)(x)


class OneMore(scalar.basic.Add):
    """a + b + 1"""

    def compute(self, xp, a, b):
        return a + b + 1


class Shifted(scalar.basic.Switch):
    """a + 1 where the condition is not 0, else b"""

    def compute(self, xp, condition, a, b):
        return xp.where(condition != 0, a + 1, b)


class NamedAnew(scalar.basic.Add):
    """The same as its base."""


class Even(UnaryScalarOp):
    """The next even number"""

    def compute(self, xp, a):
        return a + a % 2


def compiled(engine, outputs, inputs=(x,)):
    return theano.function(list(inputs), outputs, mode=theano.Mode(engine, None))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_length_is_what_the_class_of_a_user_computes(engine):
    more = Elemwise(OneMore())
    f = compiled(engine, T.zeros((more(length, 2), 2)))
    assert f([1.0, 2.0]).shape == (5, 2)
    f = compiled(engine, x.reshape((more(length, -3), 2)))
    assert f(np.arange(4.0)).shape == (2, 2)
    g = compiled(engine, T.arange(more(n, n)), [n])
    assert g(2).shape == (5,)


def test_text_is_that_of_classes_that_mean_the_same():
    i = [T.lscalar(), T.lscalar()]
    assert text_of(Elemwise(OneMore()).make_node(*i), "a", "b") is None
    assert text_of(Elemwise(NamedAnew()).make_node(*i), "a", "b") == text_of(
        T.add.make_node(*i), "a", "b"
    )


def test_an_op_with_an_impl_of_its_own_has_no_text():
    op = scalar.basic.Add()
    op.impl = lambda a, b: a + b + 1
    assert text_of(Elemwise(op).make_node(n, n), "a", "b") is None


@pytest.mark.parametrize("engine", ENGINES)
def test_another_compute_is_not_the_function_of_numpy_that_the_base_is(engine):
    class Product(scalar.basic.Maximum):
        def compute(self, xp, a, b):
            return a * b

    assert OneMore.nfunc is None and NamedAnew.nfunc == "add"
    assert compiled(engine, Elemwise(OneMore())(x, x))([1.0, 2.0]).tolist() == [3.0, 5.0]
    assert compiled(engine, CAReduce(Product())(x))([2.0, 3.0, 5.0]) == 30


@pytest.mark.parametrize("engine", ENGINES)
def test_a_step_of_a_composite_is_what_its_class_computes(engine):
    a, b, c = [scalar.float64() for _ in range(3)]
    twice = Elemwise(Composite([a, b, c], [Shifted()(a, b, c) * 2]))
    f = compiled(engine, twice(x, x, -x))
    assert f([0.0, 2.0]).tolist() == [0.0, 6.0]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_function_of_numpy_is_all_that_a_class_needs_to_name(engine):
    class Hypot(BinaryScalarOp):
        nfunc = "hypot"

    class Powers(BinaryScalarOp):
        nfunc = "float_power"

        def impl(self, a, b):
            raise AssertionError("nfunc comes first")

    assert compiled(engine, Elemwise(Hypot())(x, 4.0))([3.0, 0.0]).tolist() == [5.0, 4.0]
    assert compiled(engine, Elemwise(Powers())(x, 2.0))([3.0, 0.0]).tolist() == [9.0, 0.0]
    assert str(Elemwise(Hypot()).__signature__) == "(a, b)"


@pytest.mark.parametrize("engine", ENGINES)
def test_an_author_gives_the_text_of_a_length(engine):
    class Rounded(Even):
        pass

    host_text[Rounded] = "{0} + 1 if {0} % 2 else {0}"
    f = compiled(engine, x.reshape((Elemwise(Rounded())(length) // 2, 2)))
    assert f(np.arange(4.0)).shape == (2, 2)
    assert " + 1 if " in f.fn.source
    assert text_of(Elemwise(Even()).make_node(n), "a") is None


def test_an_author_says_how_an_op_works_in_place_and_where_it_writes():
    class Written(T.subtensor.IncSubtensor):
        def compute(self, xp, x, y, *parts):
            return super().compute(xp, x, y, *parts)

    plain = T.inc_subtensor(x[1:3], 1.0).owner
    node = Written(plain.op.idx_list).make_node(*plain.inputs)
    done = Written(plain.op.idx_list, inplace=True).make_node(*plain.inputs)
    assert list(forms_of(plain)) and not list(forms_of(node))
    assert not can_be_undone(done, ())
    inplace_forms[Written] = 0
    written_at[Written] = lambda op, values: np.s_[1:3]
    ((position, form),) = forms_of(node)
    assert position == 0 and form == done.op
    assert can_be_undone(done, ()) and not list(forms_of(done))
