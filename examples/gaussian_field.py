"""A Gaussian process in the plane, written with inverses and determinants as in a textbook."""

import time

import numpy as np
from digits import run
from drawing import RED, canvas

import theano
import theano.tensor as T
from theano.tensor.nlinalg import det, matrix_inverse


def truth(x):
    return np.sin(1.5 * x[:, 0]) * np.cos(x[:, 1]) + 0.3 * x[:, 1]


def make_data(n, seed=2):
    rng = np.random.RandomState(seed)
    x = rng.uniform(-3, 3, (n, 2))
    return x, truth(x) + 0.2 * rng.normal(size=n)


def kernel(a, b, length):
    squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1)[None, :] - 2 * T.dot(a, b.T)
    return T.exp(-squares / (2 * length**2))


def log_likelihood(K, y):
    """Of values with mean 0 and covariance K, as it is written on paper."""
    return -0.5 * (
        T.dot(T.dot(y, matrix_inverse(K)), y) + T.log(det(K)) + y.shape[0] * np.log(2 * np.pi)
    )


def model(x, y, at, length, noise):
    n = x.shape[0]
    K = kernel(x, x, length) + noise**2 * T.eye(n)
    K = T.assume(K, "positive_definite")
    across = kernel(at, x, length)
    mean = T.dot(across, T.dot(matrix_inverse(K), y))
    variance = 1 - T.diag(T.dot(across, T.dot(matrix_inverse(K), across.T)))
    return -log_likelihood(K, y), mean, T.sqrt(variance)


def count_nodes(f):
    """Nodes of a function, those of the steps of its loops included."""
    nodes, count = list(f.maker.fgraph.apply_nodes), 0
    while nodes:
        node = nodes.pop()
        count += 1
        for graph in getattr(node.op, "inner_graphs", ()):
            nodes += graph.order
    return count


def compare(inputs, outputs, values, repeats):
    """Nodes, seconds and outputs of a function with the rules about matrices and without."""
    mode = theano.Mode("numpy")
    # the cheapest order of products is optional
    modes = {"with": mode.including("dot_chain"), "without": mode.excluding("matrix_facts")}
    functions = {name: theano.function(inputs, outputs, mode=mode) for name, mode in modes.items()}
    results = {name: f(*values) for name, f in functions.items()}
    seconds = dict.fromkeys(functions, np.inf)
    for _ in range(repeats):  # in turn, so that both meet the same load
        for name, f in functions.items():
            start = time.process_time()
            f(*values)
            seconds[name] = min(seconds[name], time.process_time() - start)
    return {
        name: {
            "nodes": count_nodes(f),
            "seconds": seconds[name],
            "outputs": results[name],
        }
        for name, f in functions.items()
    }


def main(n=400, side=40, repeats=3, quiet=False):
    data_x, data_y = make_data(n)
    line = np.linspace(-3.5, 3.5, side)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    x, at, y = T.dmatrix("x"), T.dmatrix("at"), T.dvector("y")
    log_length, log_noise = (theano.shared(v, n) for v, n in ((0.0, "length"), (-0.5, "noise")))
    cost, mean, deviation = model(x, y, at, T.exp(log_length), T.exp(log_noise))
    params = [log_length, log_noise]
    theano.minimize(cost, params, {x: data_x, y: data_y})
    look = theano.function([x, y, at], [mean, deviation])
    means, deviations = look(data_x, data_y, grid)
    slopes = T.grad(cost, params)
    with np.errstate(all="ignore"):
        sides = compare([x, y], [cost, *slopes], [data_x, data_y], repeats)
    after, before = sides["with"], sides["without"]
    if not quiet:
        length, noise = (float(np.exp(p.get_value())) for p in params)
        print(f"length {length:.2f}, noise {noise:.2f}")
        for name, side_ in (("without", before), ("with", after)):
            value = float(side_["outputs"][0])
            print(f"{name} the rules: {side_['nodes']} nodes, cost {value:.2f}")
        print(f"time without / with: {before['seconds'] / after['seconds']:.1f}")
    return {
        "x": data_x,
        "grid": grid,
        "line": line,
        "mean": means,
        "deviation": deviations,
        "with": after,
        "without": before,
    }


def draw(results, path):
    """The truth, the mean and the deviation."""
    line, side = results["line"], len(results["line"])
    pictures = {
        "truth": truth(results["grid"]),
        "mean given the data": results["mean"],
        "deviation": results["deviation"],
    }
    with canvas(path, 240) as figure:
        for axes, (name, values) in zip(figure.subplots(1, 3, sharey=True), pictures.items()):
            span = {"vmin": -2, "vmax": 2} if name != "deviation" else {"vmin": 0}
            image = axes.pcolormesh(line, line, values.reshape(side, side), **span)
            axes.plot(*results["x"].T, ".", color=RED, ms=2)
            axes.set_title(name)
            figure.colorbar(image, ax=axes, shrink=0.7)


if __name__ == "__main__":
    run(main, __doc__, draw)
