"""Programs of Keras, Lasagne, PyMC3 and theanets as they stand, here and on Theano 1.0.5.

    python benchmarks/packages.py [--only TEXT] [--mirrors FOLDER]

Both sides have what a user would have: Theano 1.0.5 its C code by g++ and OpenBLAS, ours jax and
llvmlite. Environments are those of `python -m tools.downstream`, with llvmlite. Each figure comes
from a process of its own, with nothing compiled before, the two sides in turns. The first is
seconds from the start of Python to the end of the first batch, or the first draw: imports, building
and compiling are in it. The second is seconds of an epoch, or of 1,000 draws, when it has settled:
the least of what ran in 25 seconds, 60 at most; ours moves to machine code or XLA meanwhile where
that pays. All of them follow, both sides.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from ctypes.util import find_library
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "tools" / "downstream" / "program.py"
#: what steady time may be, as a share of the original's
AIM = 1.1
#: for how long a program runs, and how many epochs at most
SECONDS, MOST = 25.0, 60


def keras_mlp() -> Iterator[None]:
    import numpy as np
    from keras.layers import Dense, Dropout
    from keras.models import Sequential

    x, y = images(6_000, (784,))
    model = Sequential([Dense(512, activation="relu", input_shape=(784,)), Dropout(0.2)])
    model.add(Dense(512, activation="relu"))
    model.add(Dropout(0.2))
    model.add(Dense(10, activation="softmax"))
    yield from keras_epochs(model, x, np.eye(10, dtype="float32")[y])


def keras_cnn() -> Iterator[None]:
    import numpy as np
    from keras.layers import Conv2D, Dense, Dropout, Flatten, MaxPooling2D
    from keras.models import Sequential

    x, y = images(640, (28, 28, 1))
    model = Sequential([Conv2D(32, (3, 3), activation="relu", input_shape=(28, 28, 1))])
    model.add(Conv2D(64, (3, 3), activation="relu"))
    model.add(MaxPooling2D((2, 2)))
    model.add(Dropout(0.25))
    model.add(Flatten())
    model.add(Dense(128, activation="relu"))
    model.add(Dense(10, activation="softmax"))
    yield from keras_epochs(model, x, np.eye(10, dtype="float32")[y])


def keras_epochs(model, x, y) -> Iterator[None]:
    model.compile(loss="categorical_crossentropy", optimizer="rmsprop")
    model.train_on_batch(x[:128], y[:128])
    yield
    while True:
        model.fit(x, y, batch_size=128, epochs=1, verbose=0)
        yield


def lasagne_mnist() -> Iterator[None]:
    """The perceptron and the training of Lasagne's examples/mnist.py."""
    import lasagne

    import theano
    import theano.tensor as T

    x, y = images(10_000, (1, 28, 28))
    y = y.astype("int32")
    image, label = T.tensor4("inputs"), T.ivector("targets")
    net = lasagne.layers.InputLayer((None, 1, 28, 28), image)
    net = lasagne.layers.DropoutLayer(net, p=0.2)
    for _ in range(2):
        net = lasagne.layers.DenseLayer(net, 800, nonlinearity=lasagne.nonlinearities.rectify)
        net = lasagne.layers.DropoutLayer(net, p=0.5)
    net = lasagne.layers.DenseLayer(net, 10, nonlinearity=lasagne.nonlinearities.softmax)
    found = lasagne.layers.get_output(net)
    loss = lasagne.objectives.categorical_crossentropy(found, label).mean()
    params = lasagne.layers.get_all_params(net, trainable=True)
    updates = lasagne.updates.nesterov_momentum(loss, params, learning_rate=0.01, momentum=0.9)
    train = theano.function([image, label], loss, updates=updates)
    train(x[:500], y[:500])
    yield
    while True:
        for begin in range(0, len(x), 500):
            train(x[begin : begin + 500], y[begin : begin + 500])
        yield


def eight_schools() -> Iterator[None]:
    import numpy as np
    import pymc3 as pm

    effect = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
    spread = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])
    with pm.Model():
        mu = pm.Normal("mu", 0, sigma=5)
        tau = pm.HalfCauchy("tau", beta=5)
        raw = pm.Normal("raw", 0, sigma=1, shape=8)
        pm.Normal("obs", mu=mu + tau * raw, sigma=spread, observed=effect)
        yield from draws(pm)


def regression() -> Iterator[None]:
    import numpy as np
    import pymc3 as pm

    rng = np.random.RandomState(0)
    x = rng.randn(1000, 5)
    y = x.dot(np.arange(5.0)) + 1 + rng.randn(1000)
    with pm.Model():
        a, b = pm.Normal("a", 0, sigma=10), pm.Normal("b", 0, sigma=10, shape=5)
        sigma = pm.HalfNormal("sigma", sigma=1)
        pm.Normal("y", mu=a + pm.math.dot(x, b), sigma=sigma, observed=y)
        yield from draws(pm)


def draws(pm) -> Iterator[None]:
    options = {"chains": 1, "cores": 1, "progressbar": False, "compute_convergence_checks": False}
    step = pm.NUTS(target_accept=0.9)
    pm.sample(1, tune=0, step=step, random_seed=1, **options)
    yield
    for seed in range(100):
        pm.sample(500, tune=500, step=pm.NUTS(target_accept=0.9), random_seed=seed, **options)
        yield


def theanets_autoencoder() -> Iterator[None]:
    import theanets

    x, _ = images(3_200, (784,))
    net = theanets.Autoencoder([784, 256, 64, 256, 784])
    steps = net.itertrain(
        [x[:64]], algo="rmsprop", learning_rate=1e-4, batch_size=64, train_batches=1
    )
    next(steps)
    yield
    for _ in net.itertrain(
        [x], algo="rmsprop", learning_rate=1e-4, batch_size=64, train_batches=50
    ):
        yield


def images(count: int, shape: tuple[int, ...]):
    """Images of numbers between 0 and 1, and labels that depend on them."""
    import numpy as np

    rng = np.random.RandomState(0)
    flat = rng.rand(count, 784).astype("float32")
    return flat.reshape(count, *shape), flat.dot(rng.randn(784, 10)).argmax(1)


#: by name: the package of tests/downstream, the program, the unit of the steady figure
PROGRAMS: dict[str, tuple[str, Callable[[], Iterator[None]], str]] = {
    "Keras 2.3.1, perceptron": ("keras-layers", keras_mlp, "epoch"),
    "Keras 2.3.1, CNN": ("keras-layers", keras_cnn, "epoch"),
    "Lasagne, mnist perceptron": ("lasagne-head", lasagne_mnist, "epoch"),
    "theanets, autoencoder": ("theanets", theanets_autoencoder, "epoch"),
    "PyMC3 3.7, eight schools": ("pymc3-3.7", eight_schools, "1,000 draws"),
    "PyMC3 3.7, regression": ("pymc3-3.7", regression, "1,000 draws"),
}


def measure(name: str, begun: float) -> dict:
    """Seconds to the first batch or draw since `begun`, and of an epoch or 1,000 draws."""
    _, program, _ = PROGRAMS[name]
    running = program()
    next(running)
    first = time.time() - begun
    took: list[float] = []
    while (sum(took) < SECONDS or len(took) < 3) and len(took) < MOST:
        start = time.perf_counter()
        next(running)
        took.append(time.perf_counter() - start)
    return {"first": first, "steady": min(took), "all": took}


def places_of(package: str, chosen: argparse.Namespace) -> list:
    """Where a package of tests/downstream runs: here, with llvmlite beside it, and on its original.

    What is not there is made.
    """
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    from tools.downstream.environments import Place
    from tools.downstream.packages import FOLDER, read_package

    read = read_package(FOLDER / f"{package}.toml")
    # the tests do without: a folder of another name leaves theirs as it is
    ours = replace(read, name=f"{package}-timed", requires=(*read.requires, "llvmlite"))
    folder, shared = chosen.folder.resolve(), chosen.shared.resolve()
    mirrors = chosen.mirrors.resolve() if chosen.mirrors else None
    sides = ((ours, False), (read, True))
    return [Place(folder, read, shared, mirrors, old).ready() for read, old in sides]


def compiler_flags(place) -> str:
    """Flags of an original with what its users have: g++ and OpenBLAS."""
    dot = "__" if place.package.original == "theano-pymc" else "."
    return f"blas{dot}ldflags={openblas(place.env)},gcc{dot}cxxflags=-w"


def openblas(environment: Path) -> str:
    """Flags that link the system's OpenBLAS or, where it has none, the one in SciPy's wheel."""
    libraries = sorted(environment.glob("lib/python3*/site-packages/scipy.libs/libopenblas*.so"))
    if find_library("openblas") or not libraries:
        return "-lopenblas"
    folder = libraries[0].parent
    # with no comma, which ends a flag of Theano
    return f"-L{folder} -l:{libraries[0].name} -Xlinker --rpath={folder}"


def apart(place, words: Sequence[str], flags: str) -> dict:
    """What a program prints as JSON, in a process of its own."""
    environment = place.environment()
    del environment["OMP_NUM_THREADS"]  # as many threads as a user would have
    environment["THEANO_FLAGS"] = f"{place.package.flags},{flags}"
    done = subprocess.run(
        [place.python, "-W", "ignore", str(PROGRAM), "3600", *words],
        env=environment, cwd=place.suite, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:].strip() or f"ended with {done.returncode}")
    printed: dict = json.loads(done.stdout.splitlines()[-1])
    return printed


def compare(chosen: argparse.Namespace) -> None:
    """Print a row for each program."""
    print("program | first result, s | 1.0.5 | unit | s | 1.0.5 | ratio")
    for name, (package, _, unit) in PROGRAMS.items():
        if chosen.only not in name:
            continue
        ours, old = (timed(place, name) for place in places_of(package, chosen))
        first = f"{ours['first']:.1f} | {old['first']:.1f}"
        steady = f"{ours['steady']:.3g} | {old['steady']:.3g}"
        ratio = ours["steady"] / old["steady"]
        missed = ours["first"] > old["first"] or ratio > AIM
        print(f"{name} | {first} | {unit} | {steady} | {ratio:.2f}{' misses' * missed}")
        for side in (ours, old):
            print("  ", *(f"{seconds:.3g}" for seconds in side["all"]), flush=True)


def timed(place, name: str) -> dict:
    """What `measure` says in a process of its own, with nothing compiled before."""
    with tempfile.TemporaryDirectory() as folder:
        flags = f"base_compiledir={folder}"
        flags += f",{compiler_flags(place)}" if place.on_oracle else ""
        begun = str(time.time())
        return apart(place, [__file__, "--measure", name, "--begun", begun], flags)


def options(doc: str) -> argparse.ArgumentParser:
    """The options that say what runs, and where environments and sources are."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--only", default="", help="what has this text in its name")
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--folder", type=Path, default=Path("build/downstream"))
    parser.add_argument("--mirrors", type=Path)
    return parser


def can_run(chosen: argparse.Namespace) -> bool:
    """Whether environments can be made; if not, say so."""
    if (chosen.shared / "downstream").exists():
        return True
    print(f"{chosen.shared}/downstream is absent: give its folder with --shared")
    return False


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--begun", type=float, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        print(json.dumps(measure(chosen.measure, chosen.begun)))
    elif can_run(chosen):
        compare(chosen)


if __name__ == "__main__":
    main()
