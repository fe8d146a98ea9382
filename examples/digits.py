"""The digits of scikit-learn as shared variables, and what the programs show while they learn."""

import argparse
import inspect
import time

import numpy as np
from drawing import can_draw

import theano
import theano.tensor as T


def shared_digits(seed=1):
    """Images in rows, between 0 and 1, and their labels: three quarters to learn from, the rest."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    order = np.random.RandomState(seed).permutation(len(images))
    images = np.asarray(images[order] / 16.0, dtype=theano.config.floatX)
    labels = labels[order].astype("int32")
    cut = len(images) * 3 // 4

    def share(x, y):
        # floats, as they would have to be on a GPU; the labels are cast back for use as indices
        y = np.asarray(y, dtype=theano.config.floatX)
        return theano.shared(x, borrow=True), T.cast(theano.shared(y, borrow=True), "int32")

    return share(images[:cut], labels[:cut]), share(images[cut:], labels[cut:])


def learn(name, n_epochs, train_epoch, quiet=False):
    """Call ``train_epoch(epoch)`` for each epoch under a progress bar; returns its losses."""
    losses, start = [], time.time()
    for epoch in progress(range(n_epochs), name, quiet):
        losses.append(float(train_epoch(epoch)))
    if not quiet:
        took = time.time() - start
        print(f"{name}: {n_epochs} epochs, {took:.1f} s, loss {losses[0]:.4f} to {losses[-1]:.4f}")
    return losses


def progress(steps, name, quiet):
    """The steps, under a bar if rich is installed."""
    if quiet:
        return steps
    try:
        from rich.progress import track
    except ImportError:
        return steps
    return track(steps, description=name)


def plot(losses, path):
    """Draw the losses of each epoch into a file."""
    if not can_draw():
        print("no plot: install matplotlib")
        return
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    for name, values in losses.items():
        axes.semilogy(np.arange(1, len(values) + 1), values, label=name)
    axes.set_xlabel("epoch")
    axes.set_ylabel("loss")
    axes.legend()
    figure.savefig(path, bbox_inches="tight", dpi=120)
    pyplot.close(figure)
    print(f"loss drawn to {path}")


def run(main, doc, draw=None):
    """Read the command line of a program, and run it."""
    parser = argparse.ArgumentParser(description=doc)
    if "n_epochs" in inspect.signature(main).parameters:
        parser.add_argument("--epochs", type=int, help="how often to go through the data")
        parser.add_argument("--plot", metavar="FILE", help="where to draw the loss")
    if draw is not None:
        parser.add_argument("--figure", metavar="FILE", help="where to draw what it finds")
    options = vars(parser.parse_args())
    chosen = {} if options.get("epochs") is None else {"n_epochs": options["epochs"]}
    results = main(**chosen)
    if "accuracy" in results:
        print(f"test accuracy {results['accuracy']:.1%}")
    if options.get("plot"):
        plot(results["losses"], options["plot"])
    if options.get("figure"):
        if can_draw():
            draw(results, options["figure"])
        else:
            print("no figure: install matplotlib")
