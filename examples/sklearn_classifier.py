"""A perceptron as an estimator of scikit-learn: in a pipeline, searched over a grid."""

import argparse
import functools
import threading
import time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

import theano
import theano.tensor as T

#: the parameters of the one compiled network are those of whoever fits
_one_fits = threading.Lock()


@functools.cache
def network():
    """The cost over shared parameters, and probabilities for given ones: compiled once for all."""
    x, y, penalty = T.dmatrix("x"), T.lvector("y"), T.dscalar("penalty")
    params = [theano.shared(np.zeros((1,) * ndim)) for ndim in (2, 1, 2, 1)]
    W, b, V, c = params
    p = T.nnet.softmax(T.dot(T.tanh(T.dot(x, W) + b), V) + c)
    cost = T.nnet.categorical_crossentropy(p, y).mean() + penalty * ((W**2).sum() + (V**2).sum())
    fit = theano.Minimizer(cost, params, [x, y, penalty])
    values = [v.type() for v in params]
    return fit, theano.function([x, *values], p, givens=list(zip(params, values)))


class PerceptronClassifier(ClassifierMixin, BaseEstimator):
    """One hidden layer of ``n_hidden`` units, learned by L-BFGS from all of the data at once.

    ``penalty`` weighs the squares of the weights, ``max_iter`` limits the iterations.
    """

    def __init__(self, n_hidden=32, penalty=1e-3, max_iter=200, random_state=None):
        self.n_hidden = n_hidden
        self.penalty = penalty
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y):
        X, y = validate_data(self, X, y, dtype="float64")
        check_classification_targets(y)
        self.classes_, labels = np.unique(column_or_1d(y, warn=True), return_inverse=True)
        random = check_random_state(self.random_state)
        sizes = (X.shape[1], self.n_hidden, len(self.classes_))
        fit, _ = network()
        with _one_fits:
            for i, param in enumerate(fit.params):
                shape = sizes[i // 2 : i // 2 + 2]
                # weights as wide as their inputs are many, and biases of 0
                start = random.normal(size=shape) / np.sqrt(shape[0])
                param.set_value(start if i % 2 == 0 else np.zeros(shape[1]))
            options = {"maxiter": self.max_iter}
            data = X, labels.astype("int64"), self.penalty
            found = fit(*data, method="L-BFGS-B", options=options)
        self.arrays_ = found.arrays
        self.n_iter_ = max(1, found.nit)
        return self

    def predict_proba(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype="float64")
        _, probabilities = network()
        return probabilities(X, *self.arrays_)

    def predict(self, X):
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]


def main(quiet=False):
    """Search the width and the penalty; the accuracy on digits that the search has not seen."""
    images, labels = load_digits(return_X_y=True)
    split = train_test_split(images, labels, test_size=0.25, random_state=1, stratify=labels)
    train_x, test_x, train_y, test_y = split
    model = make_pipeline(StandardScaler(), PerceptronClassifier(max_iter=50, random_state=0))
    grid = {
        "perceptronclassifier__n_hidden": [16, 32],
        "perceptronclassifier__penalty": [1e-4, 1e-2],
    }
    start = time.time()
    search = GridSearchCV(model, grid, cv=3).fit(train_x, train_y)
    if not quiet:
        for params, score in zip(
            search.cv_results_["params"], search.cv_results_["mean_test_score"]
        ):
            chosen = ", ".join(f"{k.partition('__')[2]}={v}" for k, v in params.items())
            print(f"{chosen}: {score:.1%} in cross-validation")
        print(f"{time.time() - start:.1f} s")
    return search.score(test_x, test_y), search


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    print(f"test accuracy {main()[0]:.1%}")
