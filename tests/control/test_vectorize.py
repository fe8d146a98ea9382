"""vectorize: what it takes, what it refuses, and what becomes of ops of every kind."""

import pickle

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.control.batching import Vmap
from theano._src.graph.walk import nodes_of

ENGINES = ["numpy", pytest.param("xla", marks=pytest.mark.xla)]
on_each_engine = pytest.mark.parametrize("engine", ENGINES)


def compiled(inputs, outputs, engine, **kwargs):
    return theano.function(inputs, outputs, mode=theano.Mode(engine), **kwargs)


def rowwise_ops(outputs):
    return [node.op.op for node in nodes_of(outputs) if isinstance(node.op, Vmap)]


x, y = T.dvectors("xy")
xs, ys = T.dmatrices("xs", "ys")
X = np.arange(6.0).reshape(2, 3)


@on_each_engine
def test_one_graph_serves_all_rows_and_shares_what_is_not_replaced(engine):
    out = theano.vectorize([x * y, (x + y).sum(), y], {x: xs})
    w = np.array([1.0, 2.0, 3.0])
    product, total, kept = compiled([xs, y], out, engine)(X, w)
    np.testing.assert_array_equal(product, [X[0] * w, X[1] * w])
    np.testing.assert_array_equal(total, [9.0, 18.0])
    np.testing.assert_array_equal(kept, [w, w])


def test_the_form_of_the_outputs_is_kept():
    assert isinstance(theano.vectorize((x, x), {x: xs}), tuple)
    assert isinstance(theano.vectorize([x], {x: xs}), list)
    assert theano.vectorize(x, {x: xs}) is xs


def test_common_ops_have_forms_of_their_own():
    m = T.dmatrix("m")
    parts = [
        T.exp(m - m.max(axis=1, keepdims=True)).sum(),
        m[1:, ::2].T.reshape((-1,)),
        T.concatenate([m.flatten(), m[0]]),
        T.sort(m, axis=0).cumsum(),
        T.set_subtensor(m[0], 1.0).argmax(axis=1),
        T.diag(m[:, 0]) + T.zeros_like(m).shape[0],
        T.stack([m.sum(), m.prod()]),
    ]
    many = theano.vectorize(parts, {m: T.dtensor3("ms")})
    assert rowwise_ops(many) == []


def test_nodes_below_no_replaced_variable_stay_as_they_are():
    shared = T.exp(y)
    many = theano.vectorize(x * shared, {x: xs})
    assert shared.owner in nodes_of([many])


def test_a_part_that_is_used_twice_is_computed_once():
    part = T.exp(x)
    many = theano.vectorize([part * 2, part + 1], {x: xs})
    assert sum(str(n.op) == str(part.owner.op) for n in nodes_of(many)) == 1


def test_a_computed_variable_can_be_replaced():
    part = T.exp(x)
    many = theano.vectorize(part * 2 + x[0], {part: xs})
    np.testing.assert_array_equal(many.eval({xs: X, x: [1.0, 1.0, 1.0]}), X * 2 + 1)


def test_a_replacement_of_no_further_dimension_takes_the_place_for_all_rows():
    z = T.dvector("z")
    many = theano.vectorize(x * y, {x: xs, y: z})
    np.testing.assert_array_equal(many.eval({xs: X, z: [1.0, 2.0, 0.0]}), X * [1, 2, 0])


@on_each_engine
def test_several_leading_dimensions_are_kept(engine):
    cube = T.dtensor4("cube")
    m = T.dmatrix("m")
    out = theano.vectorize([m.sum(axis=0), m[0, 0] > 3, T.nonzero(T.ones_like(m))[0]], {m: cube})
    values = np.arange(48.0).reshape(2, 3, 2, 4)
    total, big, places = compiled([cube], out, engine)(values)
    np.testing.assert_array_equal(total, values.sum(axis=2))
    np.testing.assert_array_equal(big, values[:, :, 0, 0] > 3)
    np.testing.assert_array_equal(places, np.broadcast_to([0] * 4 + [1] * 4, (2, 3, 8)))


@on_each_engine
def test_no_rows_give_no_rows_of_the_right_shape(engine):
    m = T.dmatrix("m")
    parts = [m.sum(axis=0), T.dot(m, m.T), T.repeat(m, 2, axis=1), m.reshape((-1,)), m[1]]
    ms = T.dtensor3("ms")
    f = compiled([ms], theano.vectorize(parts, {m: ms}), engine)
    shapes = [out.shape for out in f(np.zeros((0, 2, 3)))]
    assert shapes == [(0, 3), (0, 2, 2), (0, 2, 6), (0, 6), (0, 3)]


@on_each_engine
def test_replacements_have_equally_many_rows(engine):
    f = compiled([xs, ys], theano.vectorize([x.sum(), y.sum()], {x: xs, y: ys}), engine)
    assert [v.tolist() for v in f(X, X)] == [[3.0, 12.0], [3.0, 12.0]]
    for other in (X[:1], X[:0]):
        with pytest.raises(ValueError, match="same lengths in their leading dimensions"):
            f(X, other)


@on_each_engine
def test_a_single_row_by_type_does_not_stretch(engine):
    row = T.drow("row")
    f = compiled([xs, row], theano.vectorize(x + y, {x: xs, y: row}), engine)
    with pytest.raises(ValueError, match="same lengths in their leading dimensions"):
        f(X, X[:1])


@on_each_engine
def test_a_check_that_fails_in_one_row_raises(engine):
    i, many = T.lscalar("i"), T.lvector("many")
    f = compiled([x, many], theano.vectorize(x[i], {i: many}), engine)
    np.testing.assert_array_equal(f([5.0, 6.0], [0, -1, 1]), [5, 6, 6])
    with pytest.raises(IndexError, match="out of bounds"):
        f([5.0, 6.0], [0, 1, 2])
    safe = T.opt.Assert("x is negative")(x, (x >= 0).all())
    g = compiled([xs], theano.vectorize(safe * 2, {x: xs}), engine)
    np.testing.assert_array_equal(g(X), X * 2)
    with pytest.raises(AssertionError, match="x is negative"):
        g(X - 1)


@on_each_engine
def test_rows_of_different_shapes_are_refused(engine):
    f = compiled([xs], theano.vectorize(T.nonzero(x)[0], {x: xs}), engine)
    assert f([[1, 0, 2], [0, 3, 4]]).tolist() == [[0, 2], [1, 2]]
    with pytest.raises(ValueError, match=r"rows of shapes .* rows whose shapes differ"):
        f([[1, 0, 2], [0, 3, 0]])


@on_each_engine
def test_rows_may_differ_in_shape_on_the_way(engine):
    chosen = x[x > y.sum()]
    share = (chosen / (2 * chosen.sum())).max()
    out = theano.vectorize([chosen.sum(), share, chosen.shape[0], x.max()], {x: xs})
    total, most, count, largest = out
    assert "Vmap" not in str(largest.owner.op)
    values = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, -6.0], [-1.0, -1.0, 8.0]])
    f = compiled([xs, y], [total, most, count, T.grad(total.sum(), xs)], engine)
    got = f(values, [0.5, -0.5])
    np.testing.assert_array_equal(got[0], [6, 9, 8])
    np.testing.assert_allclose(got[1], [3 / 12, 5 / 18, 8 / 16])
    np.testing.assert_array_equal(got[2], [3, 2, 1])
    np.testing.assert_array_equal(got[3], values > 0)


def test_a_replaced_variable_behind_ragged_rows_is_still_replaced():
    chosen = x[x > 0]
    middle = T.exp(chosen.sum())
    zs = T.dvector("zs")
    out = theano.vectorize(chosen.sum() * middle, {x: xs, middle: zs})
    got = out.eval({xs: [[1.0, -2.0], [3.0, 4.0]], zs: [10.0, 100.0]})
    np.testing.assert_array_equal(got, [10, 700])


@on_each_engine
def test_sizes_that_are_shared_are_known_before_tracing(engine):
    n = T.lscalar("n")
    out = theano.vectorize(T.repeat(x, n), {x: xs})
    assert rowwise_ops([out])
    f = compiled([xs, n], out, engine)
    np.testing.assert_array_equal(f(X, 2), X.repeat(2, axis=1))
    np.testing.assert_array_equal(f(X, 3), X.repeat(3, axis=1))


@theano.as_op(itypes=[T.dvector, T.lscalar], otypes=[T.dvector, T.dscalar])
def top(values, k):
    return np.sort(values)[-k:], np.asarray(values.max())


@on_each_engine
def test_an_op_with_only_a_python_function_runs_row_by_row(engine):
    k = T.lscalar("k")
    f = compiled([xs, k], theano.vectorize(list(top(x, k)), {x: xs}), engine)
    best, most = f(X, 2)
    np.testing.assert_array_equal(best, X[:, 1:])
    np.testing.assert_array_equal(most, X[:, 2])
    ks = T.lvector("ks")
    g = compiled([x, ks], theano.vectorize(list(top(x, k)), {k: ks}), engine)
    np.testing.assert_array_equal(g([3.0, 1.0, 2.0], [2, 2])[0], [[2, 3], [2, 3]])


@on_each_engine
def test_an_op_made_of_a_graph_keeps_its_own_gradient(engine):
    op = theano.OpFromGraph([x], [(x**2).sum()], grad_overrides=lambda i, g: [g[0] * i[0] * 100])
    many = theano.vectorize(op(x), {x: xs})
    value, slope = compiled([xs], [many, T.grad(many.sum(), xs)], engine)(X)
    np.testing.assert_array_equal(value, (X**2).sum(axis=1))
    np.testing.assert_array_equal(slope, X * 100)


@on_each_engine
def test_a_jacobian_can_be_taken_of_many_rows(engine):
    jacobian = theano.gradient.jacobian(x**2 * x.sum(), x)
    found = compiled([xs], theano.vectorize(jacobian, {x: xs}), engine)(X)
    for row, got in zip(X, found, strict=True):
        np.testing.assert_allclose(got, np.diag(2 * row * row.sum()) + (row**2)[:, None])


@on_each_engine
def test_an_op_that_works_in_place_leaves_the_rows_alone(engine):
    double = T.inplace.exp_inplace(x * 1)
    many = theano.vectorize(double, {x: xs})
    given = X.copy()
    np.testing.assert_allclose(compiled([xs], many, engine)(given), np.exp(X))
    np.testing.assert_array_equal(given, X)


class Twice(theano.Op):
    """An op that destroys its input."""

    __props__ = ()
    destroy_map = {0: [0]}

    def make_node(self, v):
        return theano.Apply(self, [v], [v.type()])

    def perform(self, node, inputs, output_storage):
        inputs[0] *= 2
        output_storage[0][0] = inputs[0]


def test_rows_are_copied_for_an_op_that_destroys_its_input():
    many = theano.vectorize(Twice()(x), {x: xs})
    given = X.copy()
    f = theano.function([xs], [many, xs + 0], mode=theano.Mode("numpy"))
    doubled, kept = f(given)
    np.testing.assert_array_equal(doubled, X * 2)
    np.testing.assert_array_equal(kept, X)
    np.testing.assert_array_equal(given, X)


class NormalisedGradient(theano.compile.ViewOp):
    """A view whose gradient looks at all of its row."""

    __props__ = ()

    def grad(self, inputs, output_grads):
        (g,) = output_grads
        return [g / g.norm(2)]


def test_a_subclass_with_another_gradient_does_not_inherit_the_form():
    many = theano.vectorize(NormalisedGradient()(x), {x: xs})
    assert rowwise_ops([many]) == [NormalisedGradient()]
    got = T.grad(None, xs, known_grads={many: ys}).eval({ys: X + 1})
    np.testing.assert_allclose(got, (X + 1) / np.linalg.norm(X + 1, axis=1, keepdims=True))


@on_each_engine
def test_gradients_and_directional_derivatives_go_through_rows_one_by_one(engine):
    out = theano.vectorize(T.repeat(x, 2) * y.sum(), {x: xs})
    assert rowwise_ops([out])
    gx, gy = T.grad((out**2).sum(), [xs, y])
    dx = T.dmatrix("dx")
    along = T.Rop(out, xs, dx)
    w = np.array([1.0, 2.0])
    got = compiled([xs, y, dx], [gx, gy, along], engine)(X, w, X + 1)
    np.testing.assert_allclose(got[0], 4 * X * 9)
    np.testing.assert_allclose(got[1], np.full(2, 4 * (X**2).sum() * 3))
    np.testing.assert_allclose(got[2], (X + 1).repeat(2, axis=1) * 3)


def test_nodes_remember_the_line_of_the_node_of_one_row():
    made = T.repeat(x, 2)
    many = theano.vectorize(made, {x: xs})
    assert many.owner.trace == made.owner.trace


def test_row_by_row_ops_are_equal_and_pickled_as_their_ops_are():
    one, two = (theano.vectorize(T.repeat(x, 2), {x: xs}).owner.op for _ in range(2))
    three = theano.vectorize(T.repeat(x, 3), {x: xs}).owner.op
    assert one == two and hash(one) == hash(two) and one != three
    assert pickle.loads(pickle.dumps(one)) == one
    assert str(one).startswith("Vmap{")


def test_a_deep_graph_is_no_deep_recursion():
    out = x
    for _ in range(3000):
        out = out + 1
    many = theano.vectorize(out, {x: xs})
    assert len(nodes_of([many])) >= 3000


@pytest.mark.parametrize(
    ("outputs", "replace", "exception", "match"),
    [
        (3, {x: xs}, TypeError, "takes Variables"),
        (x, {x: T.fmatrix()}, TypeError, "float64 tensor of at least 1 dimensions"),
        (x, {x: T.dscalar()}, TypeError, "float64 tensor of at least 1 dimensions"),
        (x, {x: y}, ValueError, "equally many further dimensions for all variables, got none"),
        (x + y, {x: xs, y: T.dtensor3()}, ValueError, "got 1 for x, 2 for y"),
        (x, {}, ValueError, "got none"),
    ],
    ids=["number", "dtype", "fewer", "no_rows", "differ", "nothing"],
)
def test_what_is_no_batch_is_refused(outputs, replace, exception, match):
    with pytest.raises(exception, match=match):
        theano.vectorize(outputs, replace)


def test_rows_of_what_is_no_tensor_are_refused():
    kind = theano.generic
    wrap = theano.as_op(itypes=[T.dvector], otypes=[kind])(lambda v: v.tolist())
    with pytest.raises(TypeError, match="rows are stacked of tensors and of numbers only"):
        theano.vectorize(wrap(x), {x: xs})


def test_functions_stretch_over_leading_dimensions_as_in_numpy():
    fn = T.vectorize(lambda a, b: (a[:, 0] * b.sum(), a.sum()), "(n,m),(k)->(n),()")
    a, b = T.dtensor4("a"), T.TensorType("float64", (False, True, False))("b")
    A, B = np.arange(48.0).reshape(2, 3, 2, 4), np.arange(10.0).reshape(2, 1, 5)
    for p, q in ((A, B), (A[0, 0], B), (A, B[0, 0])):
        v = T.TensorType("float64", (False,) * p.ndim)()
        w = b if q.ndim == 3 else T.dvector()
        if p.ndim == 2:
            w = T.dtensor3()
        got = theano.function([v, w], list(fn(v, w)))(p, q)
        want = np.vectorize(lambda r, s: r[:, 0] * s.sum(), signature="(n,m),(k)->(n)")(p, q)
        np.testing.assert_array_equal(got[0], want)
        assert got[1].shape == want.shape[:-1]
    plain = T.vectorize(lambda u, v: T.switch(u > v, u, v * 2))
    assert plain(a, 3.0).type == a.type


@pytest.mark.parametrize(
    ("signature", "match"),
    [("(n)", "with '->'"), ("(n,->()", "such as"), ("n->()", "such as")],
)
def test_a_signature_that_is_none_is_refused(signature, match):
    with pytest.raises(ValueError, match=match):
        T.vectorize(lambda v: v.sum(), signature)


def test_a_function_must_give_what_its_signature_says():
    with pytest.raises(ValueError, match="got \\[1\\] dimensions"):
        T.vectorize(lambda v: v, "(n)->()")(xs)
    with pytest.raises(TypeError, match="takes 1 arguments, got 2"):
        T.vectorize(lambda v: v, "(n)->(n)")(xs, xs)
    with pytest.raises(ValueError, match="at least 2 dimensions"):
        T.vectorize(lambda v: v, "(n,m)->(n,m)")(x)


def test_test_values_travel_through_rows():
    with theano.change_flags(compute_test_value="raise"):
        one, many, k = T.dvector("one"), T.dmatrix("many"), T.lscalar("k")
        one.tag.test_value, many.tag.test_value, k.tag.test_value = X[0], X, 2
        total = one.sum()  # a reduction settles its dtype in its node
        assert total.tag.test_value == 3
        out = theano.vectorize(T.repeat(one, k) * total, {one: many})
        slope = T.grad(out.sum(), many)
    sums = X.sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(out.tag.test_value, X.repeat(2, axis=1) * sums)
    np.testing.assert_array_equal(slope.tag.test_value, np.broadcast_to(4 * sums, X.shape))


PRODUCTS = {
    "dot_vectors": (T.dot, (3,), (3,)),
    "dot_matrix_vector": (T.dot, (2, 3), (3,)),
    "dot_vector_matrix": (T.dot, (3,), (3, 2)),
    "dot_matrices": (T.dot, (5, 3), (3, 2)),
    "batched_matrices": (T.batched_dot, (2, 5, 3), (2, 3, 4)),
    "batched_vector_matrix": (T.batched_dot, (2, 3), (2, 3, 4)),
    "batched_vectors": (T.batched_dot, (2, 3), (2, 3)),
    "tensordot": (lambda a, b: T.tensordot(a, b, [[0, 2], [1, 0]]), (2, 5, 3), (3, 2, 4)),
    "tensordot_outer": (lambda a, b: T.tensordot(a, b, 0), (2,), (5, 3)),
    "batched_tensordot": (
        lambda a, b: T.batched_tensordot(a, b, [[1, 3], [2, 1]]),
        (2, 3, 5, 4),
        (2, 4, 3),
    ),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_have_forms_of_their_own_whichever_factor_has_rows(name):
    fn, *shapes = PRODUCTS[name]
    rng = np.random.default_rng(7)
    one = [T.TensorType("float64", (False,) * len(shape))() for shape in shapes]
    alone = theano.function(one, fn(*one), mode=theano.Mode("numpy"))
    for moved in ((True, False), (False, True), (True, True)):
        values = [
            rng.normal(size=(4, *shape) if m else shape)
            for shape, m in zip(shapes, moved, strict=True)
        ]
        many = [T.TensorType("float64", (False,) * v.ndim)() for v in values]
        out = theano.vectorize(fn(*one), dict(zip(one, many, strict=True)))
        assert rowwise_ops([out]) == []
        got = theano.function(many, out, mode=theano.Mode("numpy"))(*values)
        rows = [[v[i] if m else v for v, m in zip(values, moved, strict=True)] for i in range(4)]
        np.testing.assert_allclose(got, [alone(*row) for row in rows], 1e-12, 1e-14)


@on_each_engine
def test_a_row_that_fails_leaves_shared_variables_as_they_were(engine):
    state = theano.shared(np.zeros(3))
    i, many = T.lscalar("i"), T.lvector("many")
    written = theano.vectorize(T.set_subtensor(x[i], 5.0) * 2, {i: many})
    f = compiled([x, many], [], engine, updates=[(state, state + written.sum(axis=0))])
    f([1.0, 2.0, 3.0], [0, 1])
    np.testing.assert_array_equal(state.get_value(), [12, 14, 12])
    with pytest.raises(IndexError):
        f([1.0, 2.0, 3.0], [0, 7])
    np.testing.assert_array_equal(state.get_value(), [12, 14, 12])


@on_each_engine
def test_what_is_vectorized_can_be_vectorized_again(engine):
    cube = T.dtensor3("cube")
    inner = theano.vectorize(T.repeat(x, 2) * x.sum(), {x: xs})
    values = np.arange(12.0).reshape(2, 3, 2)
    got = compiled([cube], theano.vectorize(inner, {xs: cube}), engine)(values)
    np.testing.assert_array_equal(got, values.repeat(2, axis=2) * values.sum(axis=2)[..., None])
