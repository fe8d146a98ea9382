"""Every node remembers the user's line that made it."""

import pickle

import theano
import theano.tensor as T
from theano._src.graph import source_line


def test_a_node_knows_the_line_that_made_it():
    x = T.dscalar("x")
    y = x + 1  # this very line
    file, _, function, text = source_line.lines(y.owner.trace)[-1]
    assert file == __file__
    assert function == "test_a_node_knows_the_line_that_made_it"
    assert text == "y = x + 1  # this very line"
    assert y.tag.trace[0][-1][0] == __file__


def test_a_node_made_deep_inside_the_library_names_the_user():
    x = T.dmatrix("x")
    y = x.mean(axis=0)  # several nodes come from here
    for node in theano.gof.graph.io_toposort([x], [y]):
        assert "several nodes" in source_line.lines(node.trace)[-1][3]


def test_a_copy_keeps_the_line():
    x = T.dscalar("x")
    y = T.exp(x)
    fgraph = theano.gof.FunctionGraph([x], [y])
    assert fgraph.outputs[0].owner.trace == y.owner.trace


def test_a_pickled_node_still_shows_its_line():
    x = T.dscalar("x")
    y = pickle.loads(pickle.dumps(x * 3))
    assert "pickle.loads" in y.owner.tag.trace[0][-1][3]
