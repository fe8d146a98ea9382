"""Programs of Keras, Lasagne, PyMC3 and theanets as they stand, here and on Theano 1.0.5.

    python benchmarks/packages.py [--only TEXT] [--mirrors FOLDER]

Both sides have what a user would have: Theano 1.0.5 its C code by g++ and Debian's OpenBLAS, ours
jax. Environments are those of `python -m tools.downstream`. Each figure comes from a process of its
own, with nothing compiled before, the two sides in turns. The first is seconds from the start of
Python to the end of the first batch, or the first draw: imports, building and compiling are in it.
The second is seconds of an epoch, or of 1,000 draws, when it has settled: the least of what ran in
25 seconds, 60 at most; ours moves to XLA meanwhile where that pays. All of them follow, both sides.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
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


def apart(place, name: str) -> dict:
    """The same in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        environment = place.environment()
        del environment["OMP_NUM_THREADS"]  # as many threads as a user would have
        environment["THEANO_FLAGS"] = f"base_compiledir={folder},{place.package.flags}"
        if place.on_oracle:
            environment["THEANO_FLAGS"] += ",blas.ldflags=-lopenblas,gcc.cxxflags=-w"
        done = subprocess.run(
            [
                place.python, "-W", "ignore", str(PROGRAM), "3600", __file__,
                "--measure", name, "--begun", str(time.time()),
            ],
            env=environment, cwd=place.suite, capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def compare(chosen: argparse.Namespace) -> None:
    """Print a row for each program."""
    from tools.downstream.environments import Place
    from tools.downstream.packages import FOLDER, read_package

    print("program | first result, s | 1.0.5 | unit | s | 1.0.5 | ratio")
    for name, (package, _, unit) in PROGRAMS.items():
        if chosen.only not in name:
            continue
        read = read_package(FOLDER / f"{package}.toml")
        folder, shared = chosen.folder.resolve(), chosen.shared.resolve()
        mirrors = chosen.mirrors.resolve() if chosen.mirrors else None
        places = [Place(folder, read, shared, mirrors, old).ready() for old in (False, True)]
        ours, old = (apart(place, name) for place in places)
        first = f"{ours['first']:.1f} | {old['first']:.1f}"
        steady = f"{ours['steady']:.3g} | {old['steady']:.3g}"
        ratio = ours["steady"] / old["steady"]
        missed = ours["first"] > old["first"] or ratio > AIM
        print(f"{name} | {first} | {unit} | {steady} | {ratio:.2f}{' misses' * missed}")
        for side in (ours, old):
            print("  ", *(f"{seconds:.3g}" for seconds in side["all"]), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--measure")
    parser.add_argument("--begun", type=float)
    parser.add_argument("--only", default="")
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--folder", type=Path, default=Path("build/downstream"))
    parser.add_argument("--mirrors", type=Path)
    chosen = parser.parse_args()
    if chosen.measure:
        print(json.dumps(measure(chosen.measure, chosen.begun)))
        return
    if not (chosen.shared / "downstream").exists():
        print(f"{chosen.shared}/downstream is absent: give its folder with --shared")
        return
    sys.path.insert(0, str(ROOT))
    compare(chosen)


if __name__ == "__main__":
    main()
