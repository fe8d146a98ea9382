"""What work ops do: kinds and amounts by op, and rows that authors add."""

import ast
import inspect

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.op_classes import op_classes
from theano._src.engines.choice import work_rows
from theano._src.engines.choice.work import op_work, work_of
from theano._src.engines.costs import KINDS
from theano._src.ops.core.composite import Composite
from theano._src.ops.core.scalar import ScalarOp
from theano.extend import Apply, BinaryScalarOp, Elemwise, Op

x, y, z, i = T.dmatrix("x"), T.dmatrix("y"), T.dtensor3("z"), T.lvector("i")
# fmt: off
AMOUNTS = {
    "a sum of elements": (x + y, [(3, 4), (3, 4)], (3, 4), {"light": 12}),
    "a sum over rows": (x.sum(axis=0), [(3, 4)], (4,), {"reduction": 12}),
    "a product": (T.dot(x, y), [(3, 4), (4, 5)], (3, 5), {"product": 120, "stream": 32}),
    "a vector": (T.dot(x, T.dvector()), [(3, 4), (4,)], (3,), {"product": 24, "stream": 16}),
    "a stack": (T.batched_dot(z, z), [(7, 3, 3)] * 2, (7, 3, 3), {"products": 378, "stream": 126}),
    "a factor": (T.slinalg.cholesky(x), [(4, 4)], (4, 4), {"lapack": 64}),
    "a stack of them": (T.slinalg.cholesky(z), [(5, 4, 4)], (5, 4, 4), {"lapack of stacks": 320}),
    "rows": (x[i], [(9, 4), (3,)], (3, 4), {"gather": 12}),
    "a sort": (T.sort(T.dvector()), [(15,), ()], (15,), {"sort": 60}),
    "a copy": (x.flatten(), [(3, 4)], (12,), {"copy": 12}),
}
# fmt: on


@pytest.mark.parametrize("name", AMOUNTS)
def test_the_work_of_a_node_follows_from_its_op_and_shapes(name):
    out, ins, shape, expected = AMOUNTS[name]
    assert dict(work_of(out.owner, ins, [shape])) == pytest.approx(expected)


def test_a_composite_does_the_work_of_its_steps():
    a, b = theano.scalar.float64("a"), theano.scalar.float64("b")
    steps = theano.scalar.exp(a) * b + theano.scalar.log(b)
    node = Elemwise(Composite([a, b], [steps]))(x, y).owner
    kinds = [kind for kind, amount in work_of(node, [(3, 4)] * 2, [(3, 4)]) if amount == 12]
    assert sorted(kinds) == ["exp", "light", "light", "log"]


N = T.lscalar("n")


@pytest.mark.parametrize(("length", "steps"), [(1000, 1000), (N, 10)])
def test_the_steps_of_a_loop_that_keeps_its_last_state_alone_are_counted(length, steps):
    first = T.dscalar("first")
    states, _ = theano.scan(lambda s: s * 1.01, outputs_info=first, n_steps=length)
    f = theano.function([first] if length is not N else [first, length], states[-1])
    (loop,) = (n for n in f.maker.fgraph.toposort() if "Scan" in type(n.op).__name__)
    work = dict(work_of(loop, [()] * len(loop.inputs), [()] * len(loop.outputs)))
    assert work["call"] == steps * len(loop.op.order)


# rows of authors


class Twice(Op):
    """An op of somebody else."""

    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def compute(self, xp, x):
        return x * 2


class Smooth(BinaryScalarOp):
    """A function of numbers of somebody else."""

    def impl(self, a, b):
        return a + b


@pytest.fixture
def rows():
    """The table, without the rows of a test when that is over."""
    before = dict(op_work._by_class)
    yield theano.extend.op_work
    op_work._by_class.clear()
    op_work._by_class.update(before)
    op_work._nearest.clear()


def test_an_op_of_an_author_copies_what_it_makes_unless_a_row_says_more(rows):
    node = Twice()(x).owner
    assert work_of(node, [(3, 4)], [(3, 4)]) == (("copy", 12),)
    rows[Twice] = "sort"
    assert work_of(node, [(3, 4)], [(3, 4)]) == (("sort", 12),)
    rows[Twice] = lambda op, node, ins, outs: [("product", ins[0][0] ** 3), ("call", 1)]
    assert work_of(node, [(3, 4)], [(3, 4)]) == [("product", 27), ("call", 1)]


def test_a_function_of_numbers_of_an_author_is_light_unless_a_row_says_more(rows):
    node = Elemwise(Smooth())(x, y).owner
    assert work_of(node, [(3, 4)] * 2, [(3, 4)]) == [("light", 12)]
    rows[Smooth] = "special"
    assert work_of(node, [(3, 4)] * 2, [(3, 4)]) == [("special", 12)]


def test_a_row_counts_in_estimates_and_profiles(rows):
    rows[Twice] = lambda op, node, ins, outs: [("product", 1e6)]
    profile = theano.compile.ProfileStats(atexit_print=False)
    f = theano.function([x], Twice()(x), profile=profile)
    for _ in range(3):
        f(np.ones((300, 300)))
    (record,) = f.fn.policy.records.values()
    assert record.estimate.numpy > 1e6 * KINDS["product"].numpy
    assert record.estimate.blas > 0
    assert list(profile.op_flops()) == [Twice()]


class OfOne(T.Dot):
    """A class of somebody else that takes other inputs than its base."""

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def compute(self, xp, x):
        return x @ x


def test_a_row_of_a_base_that_does_not_fit_counts_as_none():
    assert work_of(OfOne()(x).owner, [(3, 3)], [(3, 3)]) == (("copy", 9),)


# the rows of ours


def test_every_kind_that_a_row_names_has_rates():
    named = {row for row in work_rows.ROWS.values() if isinstance(row, str)}
    for part in ast.walk(ast.parse(inspect.getsource(work_rows))):
        match part:
            case ast.Tuple(elts=[ast.Constant(value=str(kind)), _]):
                named.add(kind)
            case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(kind)), *_]):
                if name in ("_of_first", "_sort", "_sparse_product"):
                    named.add(kind)
    assert len(named) > 20
    assert named <= KINDS.keys()


#: functions of numbers that NumPy and XLA do in about the time of a sum
LIGHT = """
AND Abs Add Cast Cbrt Ceil Clip Complex ComplexFromPolar Composite Conj CopySign Deg2Rad EQ FMod
Floor GE GT Hypot Identity Imag InRange Invert IsFinite IsInf IsNan LE LT LeakyRelu LeftShift
LogAddExp LogAddExp2 Maximum Minimum Mul MulWithoutZeros NEQ Neg NextAfter OR Rad2Deg Real Relu
RightShift RoundHalfAwayFromZero RoundHalfToEven Second Sgn SignBit Sinc Sqr Sub Trunc XOR _Number
"""
#: other ops whose work counts as a copy of what they make
COPIES = """
ARange Alloc AllocDiag Append Bartlett BinCountLength BinCountOp Branches CGpuKernelBase
COp CheckLengths CholeskyGrad Choose ColouredPattern ConsiderConstant Constrain Count CpuContiguous
DeepCopyOp Default DiagonalSubtensor DiffOp DimShuffle DisconnectedGrad DotModulo DoubleOp ExpmGrad
Extend ExtractDiag Eye FFIOp FillDiagonal FillDiagonalOffset Flatten FromFunctionOp GetItem
GpuAllocEmpty GpuOp GradClip GradScale Hint IncDiagonalSubtensor IncSubtensor Index Insert JaxOp
Join Kron LazyThunk Length LoadFromDisk Lstsq MakeList MakeSlice MakeVector Minimize MinimizeScalar
Nonzero OdeAdjoint Odeint OpFromGraph OutputGuard PdbBreakpoint PermuteRowElements
Prepend_scalar_constant_to_each_row Prepend_scalar_to_each_row Print RandomFunction RavelMultiIndex
Rebroadcast Remove RepeatOp Reshape Reverse Roll Root RootScalar SameRows ScalarFromTensor
SearchsortedOp Shape Shape_i SliceParts SoftmaxWithBias SpecifyShape Split Subtensor SumToLengths
TensorFromScalar Tied Tile Tri UndefinedGrad Unique UnravelIndex Vmap _HasNumbers _Other
"""


def without_a_row(is_scalar):
    """Classes that no other of ours derives from, and that have the row of ScalarOp or none."""
    every = op_classes()
    bases = {base for cls in every.values() for base in cls.__mro__[1:]}
    named = set(op_work.names()) - {"theano.scalar.basic.ScalarOp"}
    return {
        cls.__qualname__
        for cls in every.values()
        if cls not in bases
        and issubclass(cls, ScalarOp) == is_scalar
        and not any(f"{base.__module__}.{base.__qualname__}" in named for base in cls.__mro__)
    }


def test_every_function_of_numbers_has_a_row_or_is_listed_as_light():
    assert without_a_row(is_scalar=True) == set(LIGHT.split())


def test_every_other_op_has_a_row_or_is_listed_as_a_copy():
    assert without_a_row(is_scalar=False) == set(COPIES.split())
