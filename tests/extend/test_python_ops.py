"""Ops in Python, by the documented contract, on every engine and between compiled nodes."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import gof
from theano.compile import optdb
from theano.gof import Apply, Op, ParamsType
from theano.gradient import DisconnectedInputError, DisconnectedType, verify_grad

LINKERS = ["py", "numpy", "xla", "cvm"]


@pytest.fixture(params=LINKERS)
def mode(request):
    return theano.Mode(request.param, "fast_run")


x, y = T.dvectors("x", "y")


class Unary(Op):
    """One tensor in, one of its type out."""

    __props__ = ()

    def make_node(self, v):
        v = T.as_tensor_variable(v)
        return Apply(self, [v], [v.type()])

    def infer_shape(self, node, shapes):
        return shapes


# working in place


class Increment(Unary):
    __props__ = ("inplace",)

    def __init__(self, inplace=False):
        self.inplace = inplace
        if inplace:
            self.destroy_map = {0: [0]}

    def perform(self, node, inputs, output_storage):
        v = inputs[0] if self.inplace else inputs[0].copy()
        v += 1
        output_storage[0][0] = v


increment, increment_inplace = Increment(), Increment(inplace=True)


def test_what_reads_an_overwritten_input_sees_it_as_it_was(mode):
    made = increment_inplace(x)
    f = theano.function(
        [theano.In(x, mutable=True)], [T.log(x), made, T.log(made)], mode=mode, accept_inplace=True
    )
    before, after, log_after = f(np.array([1.0, 2.0]))
    np.testing.assert_allclose(before, np.log([1, 2]), rtol=1e-12)
    assert after.tolist() == [2, 3]
    np.testing.assert_allclose(log_after, np.log([2, 3]), rtol=1e-12)


def test_a_computed_value_that_is_overwritten_is_read_before(mode):
    inner = T.sqr(x)
    outs = [T.exp(inner), increment_inplace(inner), inner.sum()]
    f = theano.function([x], outs, mode=mode, accept_inplace=True)
    one, two, three = f([1.0, 2.0])
    np.testing.assert_allclose(one, np.exp([1, 4]), rtol=1e-12)
    assert two.tolist() == [2, 5] and three == 5


def test_a_rewrite_puts_in_the_form_that_overwrites(mode):
    @gof.local_optimizer([increment], inplace=True)
    def local_increment_inplace(node):
        return [increment_inplace(node.inputs[0])] if node.op == increment else False

    visit = gof.TopoOptimizer(
        local_increment_inplace, failure_callback=gof.TopoOptimizer.warn_inplace
    )
    optdb.register("local_increment_inplace", visit, 75, "fast_run", "inplace")
    try:
        chosen = theano.Mode(mode.provided_linker, "fast_run")
        f = theano.function([x], T.exp(increment(T.sqr(x))), mode=chosen)
        g = theano.function([x], increment(x), mode=chosen)
        state = theano.shared(np.zeros(2))
        step = theano.function([], state.sum(), updates=[(state, increment(state))], mode=chosen)
    finally:
        optdb.remove("local_increment_inplace")
    np.testing.assert_allclose(f([1, 2]), np.exp([2, 5]), rtol=1e-12)
    given = np.array([1.0, 2.0])
    assert g(given).tolist() == [2, 3] and given.tolist() == [1, 2]
    assert [float(step()), float(step())] == [0, 2] and state.get_value().tolist() == [2, 2]
    overwrites = [n for n in f.maker.fgraph.toposort() if n.op == increment_inplace]
    assert len(overwrites) == (mode.provided_linker != "xla")


def test_a_view_that_is_declared_is_never_given_out_as_the_callers_array(mode):
    class Backwards(Unary):
        view_map = {0: [0]}

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0][::-1]

        def grad(self, inputs, output_grads):
            return [self(output_grads[0])]

    back = Backwards()
    outs = [back(x), back(T.exp(x)) + 1, T.grad((back(x) * T.arange(2)).sum(), x)]
    given = np.array([1.0, 2.0])
    one, two, slope = theano.function([x], outs, mode=mode)(given)
    one[0] = 99
    assert given.tolist() == [1, 2] and slope.tolist() == [1, 0]
    np.testing.assert_allclose(two, np.exp([2, 1]) + 1, rtol=1e-12)


# outputs


def test_an_op_may_hide_an_output_that_is_its_buffer(mode):
    class Buffered(Unary):
        default_output = 0

        def make_node(self, v):
            return Apply(self, [v], [v.type(), v.type()])

        def perform(self, node, inputs, output_storage):
            out, buffer = output_storage
            n = len(inputs[0])
            if buffer[0] is None or len(buffer[0]) < n:
                buffer[0] = np.empty(2 * n)
            out[0] = buffer[0][:n]
            out[0][...] = inputs[0] * 2

        def infer_shape(self, node, shapes):
            return [shapes[0], (2 * shapes[0][0],)]

        def grad(self, inputs, output_grads):
            return [output_grads[0] * 2]

    made = Buffered()(x)
    f = theano.function([x], [made, T.grad(made.sum(), x), made.shape], mode=mode)
    first = f([1, 2])
    f([5, 6])
    assert [v.tolist() for v in first] == [[2, 4], [2, 2], [2]]


def test_gradients_of_an_op_with_several_outputs(mode):
    class SortedAndMost(Op):
        __props__ = ()
        itypes, otypes = [T.dvector], [T.dvector, T.dscalar]

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = np.sort(inputs[0])
            output_storage[1][0] = np.asarray(inputs[0].max())

        def L_op(self, inputs, outputs, output_grads):
            (v,), (_, most), (g, g_most) = inputs, outputs, output_grads
            total = v.zeros_like()
            if not isinstance(g.type, DisconnectedType):
                total += g[T.argsort(T.argsort(v))]
            if not isinstance(g_most.type, DisconnectedType):
                total += T.eq(v, most) * g_most
            return [total]

    ordered, most = SortedAndMost()(x)
    weights = T.arange(3)
    costs = [most**2, (ordered * weights).sum(), (ordered * weights).sum() + most]
    f = theano.function([x], [T.grad(cost, x) for cost in costs], mode=mode)
    assert [g.tolist() for g in f([5, 1, 3])] == [[10, 0, 0], [2, 0, 1], [3, 0, 1]]


class PowerAndPad(Op):
    """v ** n with k zeros behind, and how long v was: everything that derivatives may ask for."""

    __props__ = ("n",)

    def __init__(self, n):
        self.n = n

    def make_node(self, v, k):
        v, k = T.as_tensor_variable(v), T.as_tensor_variable(k)
        return Apply(self, [v, k], [v.type(), T.lscalar()])

    def perform(self, node, inputs, output_storage):
        v, k = inputs
        output_storage[0][0] = np.concatenate([v**self.n, np.zeros(int(k))])
        output_storage[1][0] = np.asarray(len(v), "int64")

    def infer_shape(self, node, shapes):
        return [(shapes[0][0] + node.inputs[1],), ()]

    def connection_pattern(self, node):
        return [[True, False], [False, False]]

    def grad(self, inputs, output_grads):
        (v, _), (g, _) = inputs, output_grads
        return [self.n * v ** (self.n - 1) * g[: v.shape[0]], DisconnectedType()()]

    def R_op(self, inputs, eval_points):
        (v, k), (dv, _) = inputs, eval_points
        if dv is None:
            return [None, None]
        step = self.n * v ** (self.n - 1) * dv
        return [T.concatenate([step, T.zeros((k,))]), T.zeros_like(k)]


def test_every_derivative_goes_through_a_python_op(mode):
    k = T.lscalar("k")
    made, length = PowerAndPad(3)(T.exp(x), k)
    outs = [
        made,
        length,
        T.grad(made.sum(), x),
        T.Rop(made, x, y),
        made.shape,
        theano.gradient.jacobian(made, x),
        theano.gradient.hessian(made.sum(), x),
    ]
    value, n, slope, step, shape, jac, hess = theano.function([x, k, y], outs, mode=mode)(
        [0, 0.1], 1, [1, 2]
    )
    cubes = np.exp([0, 0.3])
    np.testing.assert_allclose(value, [*cubes, 0], rtol=1e-12)
    np.testing.assert_allclose(slope, 3 * cubes, rtol=1e-12)
    np.testing.assert_allclose(step, [*(3 * cubes * [1, 2]), 0], rtol=1e-12)
    np.testing.assert_allclose(jac[:2], np.diag(3 * cubes), rtol=1e-12)
    np.testing.assert_allclose(hess, np.diag(9 * cubes), rtol=1e-12)
    assert n == 2 and shape.tolist() == [3] and jac[2].tolist() == [0, 0]
    with pytest.raises(DisconnectedInputError):
        T.grad(made.sum(), k)
    verify_grad(
        lambda v: PowerAndPad(3)(v, 2)[0],
        [np.array([0.3, 0.4])],
        rng=np.random.RandomState(1),
        mode=mode,
    )


def test_the_shape_of_a_python_op_does_not_need_the_op(mode):
    k = T.lscalar("k")
    f = theano.function([x, k], PowerAndPad(3)(x, k)[0].shape, mode=mode, on_unused_input="ignore")
    assert not any(isinstance(n.op, PowerAndPad) for n in f.maker.fgraph.toposort())
    assert f([1, 2], 5).tolist() == [7]


def test_a_gradient_that_is_no_list_is_told():
    class Bare(Unary):
        def grad(self, inputs, output_grads):
            return output_grads[0]

    with pytest.raises(TypeError, match="gradient of Bare is a list with a Variable for each"):
        T.grad(Bare()(x).sum(), x)


# parameters, preparation, folding


def test_parameters_of_any_kind_reach_perform(mode):
    class Affine(Unary):
        __props__ = ("a", "b")
        params_type = ParamsType(a=theano.scalar.float64, b=T.dvector)

        def __init__(self, a, b):
            self.a, self.b = a, tuple(b)

        def get_params(self, node):
            return self.params_type.get_params(self, b=np.asarray(self.b))

        def perform(self, node, inputs, output_storage, params):
            output_storage[0][0] = inputs[0] * params.a + params.b

    class Scaled(Unary):
        __props__ = ("by",)
        params_type = gof.generic

        def __init__(self, by):
            self.by = by

        def get_params(self, node):
            return {"by": self.by, "ndim": node.inputs[0].ndim}

        def perform(self, node, inputs, output_storage, params):
            output_storage[0][0] = inputs[0] * params["by"] + params["ndim"]

    f = theano.function([x], [Affine(2.0, [1, 2])(T.sqr(x)), Scaled(3)(T.sqr(x))], mode=mode)
    assert [v.tolist() for v in f([1, 2])] == [[3, 10], [4, 13]]


def test_prepare_node_comes_before_the_first_run(mode):
    seen = []

    class Prepared(Unary):
        def prepare_node(self, node, storage_map, compute_map, impl):
            seen.append((set(storage_map) >= {*node.inputs, *node.outputs}, impl))
            node.tag.factor = 7

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] * node.tag.factor

    f = theano.function([x], Prepared()(T.sqr(x)) + 1, mode=mode)
    assert f([1, 2]).tolist() == [8, 29]
    assert seen and set(seen) == {(True, "py")}


def test_an_op_may_refuse_to_be_computed_beforehand(mode):
    class Counts(Unary):
        __props__ = ("fold",)
        runs = 0

        def __init__(self, fold):
            self.fold = fold

        def do_constant_folding(self, node):
            return self.fold

        def perform(self, node, inputs, output_storage):
            Counts.runs += 1
            output_storage[0][0] = inputs[0] + Counts.runs

    fixed = T.constant(np.zeros(1))
    each = theano.function([], Counts(False)(fixed), mode=mode)
    once = theano.function([], Counts(True)(fixed), mode=mode)
    assert each() != each() and once() == once()


def test_as_op_wraps_a_function_with_its_shapes(mode):
    @theano.compile.ops.as_op(
        itypes=[T.dmatrix, T.dmatrix],
        otypes=[T.dmatrix],
        infer_shape=lambda node, shapes: [(shapes[0][0], shapes[1][1])],
    )
    def numpy_dot(a, b):
        return np.dot(a, b)

    a, b = T.dmatrices("a", "b")
    f = theano.function([a, b], [numpy_dot(T.sqr(a), b).sum(), numpy_dot(a, b).shape], mode=mode)
    total, shape = f(np.full((2, 3), 2.0), np.ones((3, 4)))
    assert total == 96 and shape.tolist() == [2, 4]


def test_add_tag_trace_is_a_method_of_ops_and_a_function():
    assert increment.add_tag_trace(x) is x
    v = gof.utils.add_tag_trace(T.dvector("v"))
    assert v.tag.trace[-1][-1][0].endswith("test_python_ops.py")


def test_ops_tell_test_values_by_the_name_that_programs_use():
    assert Op._get_test_value(T.constant(3)) == 3
    v = T.dvector("v")
    with pytest.raises(AttributeError, match="v has no test value"):
        increment._get_test_value(v)
    v.tag.test_value = np.ones(2)
    assert gof.PureOp._get_test_value(v).tolist() == [1, 1]
