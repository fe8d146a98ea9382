"""What is measured: the programs' names, their inputs by seed, and how near the results must be.

Every framework has one module beside this one (``in_jax.py``...), with one function a program. It
takes the initial state, if there is one, and gives a call: NumPy arrays in, NumPy arrays that the
caller may write out, several as a list or tuple.
"""

import dataclasses
import zlib
from collections.abc import Callable, Iterator

import numpy as np
from models import COUNTIES

CALLS_A_SIZE = 5


def aligned(values: np.ndarray) -> np.ndarray:
    """A copy at a multiple of 64 bytes: XLA reads it where it is and would copy others first."""
    room = np.empty(values.nbytes + 64, "uint8")
    start = -room.ctypes.data % 64
    found = room[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    found[...] = values
    return found


class Draw:
    """Arrays drawn for one task, the same in every process."""

    def __init__(self, name: str, quick: bool) -> None:
        self.quick = quick
        self.random = np.random.default_rng(zlib.crc32(name.encode()))

    def normal(self, *shape: int, dtype: str = "float64", scale: float = 1.0) -> np.ndarray:
        return aligned((scale * self.random.normal(size=shape)).astype(dtype))

    def uniform(self, *shape: int) -> np.ndarray:
        return aligned(self.random.uniform(size=shape))

    def labels(self, kinds: int, count: int) -> np.ndarray:
        return aligned(self.random.integers(0, kinds, count))


def _nothing(draw: Draw) -> list:
    return []


# the columns of a row that names none; CasADi and Theano 1.0.5 have the rows on short arrays
_PEERS = ("ours", "jax", "pytensor", "pytensor-c", "torch", "torch-compile", "numpy")
_ON_SHORT = (*_PEERS, "casadi", "casadi-buffers", "theano-1.0.5")
_WITH_GAMMALN = (*_PEERS, "theano-1.0.5")
_WITH_TRUST = ("ours", "pytensor", "pytensor-c", "numpy", "theano-1.0.5")
# PyTensor has no convolution of images, and compiles a minute at each of its scans: one is enough
_NETS = ("ours", "jax", "torch", "torch-compile", "numpy")


@dataclasses.dataclass(frozen=True)
class Task:
    """One row: ``state`` goes to the program once, ``args`` to every call.

    With ``sizes`` the row is a sequence: every size comes ``CALLS_A_SIZE`` times, all in random
    order, and each call takes that many rows of ``args``. ``short`` rows, on short arrays, stand in
    tables of their own; ``only`` names the columns.
    """

    name: str
    title: str
    program: str
    args: Callable[[Draw], list]
    state: Callable[[Draw], list] = _nothing
    sizes: Callable[[Draw], np.ndarray] | None = None
    rtol: float = 1e-10
    only: tuple[str, ...] = _PEERS
    short: bool = False

    @property
    def kind(self) -> str:
        """Which tables it stands in: those of short, long or sequence rows."""
        return "sequence" if self.sizes is not None else "short" if self.short else "long"

    def data(self, quick: bool) -> tuple[list, list[list]]:
        """The state, and the arguments of the calls: one list, or a sequence of lists."""
        draw = Draw(self.name, quick)
        state, args = self.state(draw), self.args(draw)
        if self.sizes is None:
            return state, [args]
        order = np.repeat(self.sizes(draw), CALLS_A_SIZE)
        draw.random.shuffle(order)
        return state, list(_cut(args, order))


def _cut(args: list, order: np.ndarray) -> Iterator[list]:
    # a size comes back as the same arrays, as a loader that keeps its buffers would give them
    made = {int(n): [aligned(a[:n]) for a in args] for n in set(order.tolist())}
    for n in order:
        yield made[int(n)]


def _spd(draw: Draw) -> np.ndarray:
    a = draw.random.normal(size=(300, 300))
    return aligned(a @ a.T + 300 * np.eye(300))


def _schools(draw: Draw) -> list:
    effects, errors = [28, 8, -3, 7, -1, 1, 18, 12], [15, 10, 16, 11, 9, 11, 10, 18]
    return [aligned(np.array(v, "float64")) for v in (effects, errors)]


def _houses(draw: Draw) -> list:
    """The county of each of 919 houses, the floor, and the level of radon."""
    floor = draw.labels(2, 919).astype("float64")
    return [draw.labels(COUNTIES, 919), aligned(floor), draw.normal(919)]


def _counts(draw: Draw) -> list:
    return [aligned(draw.random.poisson(3, 200).astype("float64")), draw.normal(200)]


def _perceptron_state(draw: Draw) -> list:
    return [draw.normal(*shape, scale=0.1) for shape in ((20, 32), (32,), (32, 3), (3,))]


def _logistic_state(draw: Draw) -> list:
    return [draw.normal(784, scale=0.01), np.zeros(())]


def _logistic_args(draw: Draw) -> list:
    return [draw.normal(400, 784), aligned(draw.labels(2, 400).astype("float64"))]


def _mlp_state(draw: Draw) -> list:
    shapes = (784, 500), (500,), (500, 10), (10,)
    return [draw.normal(*shape, dtype="float32", scale=0.05) for shape in shapes]


def _mlp_args(rows: int) -> Callable[[Draw], list]:
    return lambda draw: [draw.normal(rows, 784, dtype="float32"), draw.labels(10, rows)]


def _lenet_state(draw: Draw) -> list:
    found = []
    for shape in (20, 1, 5, 5), (50, 20, 5, 5), (800, 500), (500, 10):
        inside = np.prod(shape[1:]) if len(shape) == 4 else shape[0]
        found.append(draw.normal(*shape, dtype="float32", scale=float(inside) ** -0.5))
        found.append(draw.normal(shape[0 if len(shape) == 4 else 1], dtype="float32", scale=0.1))
    return found


def _lenet_args(draw: Draw) -> list:
    return [draw.normal(20, 1, 28, 28, dtype="float32"), draw.labels(10, 20)]


def _recurrent_state(gates: int) -> Callable[[Draw], list]:
    shapes = (50, 100 * gates), (100, 100 * gates), (100 * gates,)
    return lambda draw: [draw.normal(*s, dtype="float32", scale=0.1) for s in shapes]


def _sequences(draw: Draw) -> list:
    return [draw.normal(100, 20, 50, dtype="float32")]


def _many(first: int, last: int) -> Callable[[Draw], np.ndarray]:
    def sizes(draw: Draw) -> np.ndarray:
        found = draw.random.permutation(np.arange(first, last + 1))[: 8 if draw.quick else 200]
        return found

    return sizes


def _steps(draw: Draw) -> list:
    return [75 if draw.quick else 750]


# fmt: off
TASKS = (
    Task("add_scalar", "`x + 1`, one number", "add_scalar", lambda d: [1.5],
         only=_ON_SHORT, short=True),
    Task("add_vector", "`x + 1`, 10 numbers", "add_vector", lambda d: [d.normal(10)],
         only=_ON_SHORT, short=True),
    Task("add_trusted", "`x + 1`, 10 numbers, `trust_input`", "add_trusted",
         lambda d: [d.normal(10)], only=_WITH_TRUST, short=True),
    Task("powers_short", "polynomial of degree 16, 1e3", "powers_short",
         lambda d: [d.uniform(1000)], only=_ON_SHORT, short=True),
    Task("logs_short", "`exp(-x) * log(x + 1) + 2*tanh(x)`, 1e3", "logs_short",
         lambda d: [d.uniform(1000)], only=_ON_SHORT, short=True),
    Task("eight_schools", "eight schools: log-density, gradient of 10", "eight_schools",
         lambda d: [d.normal(10)], _schools, only=_ON_SHORT, short=True),
    Task("radon", "radon, 919 houses: log-density, gradient of 175", "radon",
         lambda d: [d.normal(5 + 2 * COUNTIES, scale=0.1)], _houses, only=_ON_SHORT, short=True),
    Task("negative_binomial", "negative binomial, 200 counts: log-density, gradient of 3",
         "negative_binomial", lambda d: [d.normal(3, scale=0.1)], _counts, only=_WITH_GAMMALN,
         short=True),
    Task("perceptron", "step of a perceptron, 20-32-3, batch 16", "perceptron",
         lambda d: [d.normal(16, 20), d.normal(16, 3)], _perceptron_state, only=_ON_SHORT,
         short=True),
    Task("rnn_last", "last state of an RNN, 100 times, 64 to 64", "rnn_last",
         lambda d: [d.normal(100, 64), d.normal(64)],
         lambda d: [d.normal(64, 64, scale=1 / 8) for _ in range(2)], only=_ON_SHORT, short=True),
    Task("polynomial", "`1 + x - 2*x**2 + 3*x**3 - x**4`, 1e6", "polynomial",
         lambda d: [d.normal(1_000_000)], rtol=1e-8),
    Task("transcendental", "`log(1 + exp(-x**2)) + sin(x) * tanh(x)`, 1e6", "transcendental",
         lambda d: [d.normal(1_000_000)]),
    Task("logistic", "step of logistic regression, 400x784", "logistic",
         _logistic_args, _logistic_state),
    Task("mlp", "step of a perceptron, 784-500-10, batch 60, float32", "mlp",
         _mlp_args(60), _mlp_state, rtol=1e-4),
    Task("logsoftmax", "log-softmax of 256x10000", "logsoftmax", lambda d: [d.normal(256, 10_000)]),
    Task("matmul", "matrix product, 1000x1000", "matmul",
         lambda d: [d.normal(1000, 1000), d.normal(1000, 1000)], rtol=1e-8),
    Task("cholesky", "Cholesky of 300x300", "cholesky", lambda d: [_spd(d)]),
    Task("solve", "solve 300x300 for a vector", "solve", lambda d: [_spd(d), d.normal(300)]),
    Task("sort", "sort of 1e6", "sort", lambda d: [d.normal(1_000_000)], rtol=0),
    Task("lenet", "step of LeNet, 28x28, batch 20, float32", "lenet",
         _lenet_args, _lenet_state, rtol=1e-4, only=_NETS),
    Task("rnn", "step of an RNN, 100 times, 50 to 100, batch 20, float32", "rnn",
         _sequences, _recurrent_state(1), rtol=1e-4, only=(*_NETS, "pytensor")),
    Task("lstm", "step of an LSTM, the same sizes", "lstm",
         _sequences, _recurrent_state(4), rtol=1e-4, only=_NETS),
    Task("gru", "step of a GRU, the same sizes", "gru",
         _sequences, _recurrent_state(3), rtol=1e-4, only=_NETS),
    Task("mlp_batches", "the perceptron's step, 200 batch sizes", "mlp",
         _mlp_args(256), _mlp_state, _many(1, 256), rtol=1e-3),
    Task("lengths", "`sum(exp(-x**2) * cos(x)) / sqrt(sum(x**2))`, 200 lengths", "reduction",
         lambda d: [d.normal(20_000)], sizes=_many(1_000, 20_000)),
    # last: those who cannot compile it in a minute are waited for
    Task("unrolled", "`h = tanh(a*h + x[t])`, 750 steps: 3,000 nodes", "unrolled",
         lambda d: [d.normal(*_steps(d), 32), d.normal(32)], _steps),
)
# fmt: on

BY_NAME = {task.name: task for task in TASKS}

# why a peer is ahead in a row, where that was looked into; shown beside the rows in which it is
_MKL = "its LAPACK and BLAS are MKL's; theano-xla uses OpenBLAS through SciPy and NumPy"
_CALL = "a call checks its arguments and sets NumPy's error state, in Python"
_THREADS = (
    "in one process a call takes 1.04 to 1.09 times NumPy's own product; the rest is how threads "
    "of BLAS meet free processors"
)
_SOLVE = "the same LAPACK: 1.40 and 1.33 ms of one core; the rest is its threads"
_BURSTS = (
    "a call on XLA takes 1.9 ms in bursts of 0.3 s, and 3.4 to 4.7 in blocks of 10 to 100 calls "
    "after a pause, where NumPy's by hand takes 2.5 to 3.4; JAX's takes 3.3 here"
)
REASONS = {
    ("torch", "transcendental"): "it has sines of float64 by vectors (4.7 ms of one core for 1e6); "
    "XLA takes them one by one (14 ms)",
    (
        "torch",
        "logsoftmax",
    ): "of one core it takes 9.4 ms, XLA 14.6 in three loops over the matrix: "
    "the maximum 4.7, exponentials and their sum 6.1, the rest 3.8; blocks of rows took longer",
    ("torch", "lstm"): "of one core it takes 14.3 ms, XLA 18.4: products 10.8, functions of the "
    "gates in the forward loop 4.1 (PyTorch's 2.2)",
    ("pytensor", "polynomial"): "XLA copies arrays that do not begin at a multiple of 64 bytes, as "
    "NumPy's do not: 1.4 of 3.0 ms; Numba reads them where they are",
    (
        "torch",
        "lenet",
    ): "of one core it takes 17.5 ms and theano-xla 14.9; it spreads "
    "convolutions over both, XLA in part",
    ("numpy", "matmul"): _THREADS,
    ("pytensor", "matmul"): _THREADS,
    ("jax", "matmul"): _THREADS,
    ("numpy", "solve"): _SOLVE,
    ("pytensor", "solve"): _SOLVE,
    ("numpy", "mlp"): _BURSTS,
    ("torch", "mlp"): _BURSTS,
    ("torch", "cholesky"): _MKL,
    ("torch", "solve"): _MKL,
    ("torch", "matmul"): _MKL,
    (
        "jax",
        "logistic",
    ): "softplus and sigmoid are computed for both classes, and the call has more "
    "Python around the program",
    ("jax", "mlp"): "indices are checked, with the new state in a conditional (0.02), and there is "
    "Python around the program; sums in float64, as documented, cost nothing",
    (
        "jax",
        "logsoftmax",
    ): "the logarithm of a sum is made exact where one element outweighs the rest",
    ("numpy", "add_scalar"): "the input is a Python float, which is converted in Python before "
    "machine code: 4.3 µs; with an array of one number a call takes 0.46",
    ("numpy", "add_vector"): _CALL,
    ("numpy", "add_trusted"): _CALL,
    (
        "numpy",
        "logistic",
    ): "derived by hand: two functions of 400 numbers instead of four",
}
