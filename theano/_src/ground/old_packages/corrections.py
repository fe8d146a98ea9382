"""Corrected source lines of packages, for cases where adding a name is not enough.

Lines are replaced in memory when the module is imported; the files are not changed. A module
without the line, such as another version, is not changed.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CORRECTIONS", "Correction"]


@dataclass(frozen=True)
class Correction:
    """A text in a module, its replacement and the reason; ``version`` if only that one has it."""

    old: str
    new: str
    reason: str
    version: str = ""


_TEXTS = "h5py 3 reads what was written as bytes as text"
_RAGGED = "NumPy makes no array of arrays of several shapes"
_ONE_ELEMENT = "NumPy 2.4 takes no array of one element for a number"
_ITERATORS = "networkx gives iterators, no lists"
_ORDER = "scikit-learn takes an estimator for what its first class says"
_CLONE = "scikit-learn no longer copies an estimator that keeps other parameters than it is given"

CORRECTIONS: dict[str, tuple[Correction, ...]] = {
    "downhill.base": (
        Correction(
            "self._best_loss = 1e100",
            "self._best_loss = np.float64(1e100)",
            "with NumPy 2, 1e100 less a float32 is a float32, so no loss is an improvement",
        ),
    ),
    "keras.backend.numpy_backend": (
        Correction(
            "np.argsort(-predictions)",
            "np.argsort(-predictions, kind='stable')",
            "NumPy 2 no longer keeps the order of equal values unless asked to",
        ),
    ),
    "keras.engine.saving": (
        Correction("n.decode('utf8')", "n if isinstance(n, str) else n.decode('utf8')", _TEXTS),
        Correction("f.attrs['keras_version'].decode('utf8')", "f.attrs['keras_version']", _TEXTS),
        Correction("f.attrs['backend'].decode('utf8')", "f.attrs['backend']", _TEXTS),
    ),
    "keras.utils.io_utils": (
        Correction(
            "val = self.data.attrs[attr]\n",
            """val = self.data.attrs[attr]
            if isinstance(val, str):
                val = val.encode('utf8')
            elif getattr(val, 'dtype', None) == object:
                val = [v.encode('utf8') for v in val]
""",
            _TEXTS,
        ),
        Correction(
            "h5py.File('in-memory-h5py', driver='core', backing_store=False)",
            "h5py.File('in-memory-h5py', 'w', driver='core', backing_store=False)",
            "h5py 3 opens files for reading by default",
        ),
        Correction(
            "[x.decode('utf8') for x in chunk]",
            "[x if isinstance(x, str) else x.decode('utf8') for x in chunk]",
            _TEXTS,
        ),
    ),
    "neupy.algorithms.competitive.lvq": (
        Correction("int(output.argmin(axis=1))", "int(output.argmin(axis=1).item())", _ONE_ELEMENT),
    ),
    "neupy.datasets.reber": (
        Correction("np.array(index_samples)", "np.array(index_samples, dtype=object)", _RAGGED),
    ),
    "nolearn.lasagne.base": (
        Correction(
            "    def _get_param_names(self):\n",
            """
    X_tensor_type = loss = eval_size = None

    def __sklearn_clone__(self):
        from sklearn.base import clone
        params = self.get_params(deep=False)
        return type(self)(**{k: clone(v, safe=False) for k, v in params.items()})

    def _get_param_names(self):
""",
            _CLONE,
        ),
    ),
    "pymc3.backends.ndarray": (
        Correction(
            "data[key][self.draw_idx] = val\n",
            "data[key][self.draw_idx] = val.item() if getattr(val, 'size', 0) == 1 else val\n",
            _ONE_ELEMENT,
        ),
    ),
    "pymc3.data": (
        Correction(
            "data[in_memory_slc]",
            "data[tuple(in_memory_slc)]",
            "NumPy 2 takes no list as an index of several dimensions",
        ),
    ),
    "pymc3.stats": (
        Correction(
            "axis=1, join_axes=[dforg.index])",
            "axis=1).reindex(dforg.index)",
            "a keyword that pandas 1 no longer has",
            version="3.7",
        ),
    ),
    "rl.agents.cem": (
        Correction(
            "batch = np.array([state])",
            "batch = [state] if self.processor else np.array([state])",
            _RAGGED,
        ),
    ),
    "rl.agents.ddpg": (
        Correction(
            "batch = np.array(batch)",
            "batch = batch if self.processor else np.array(batch)",
            _RAGGED,
        ),
    ),
    "rl.agents.dqn": (
        Correction(
            "batch = np.array(batch)",
            "batch = batch if self.processor else np.array(batch)",
            _RAGGED,
        ),
    ),
    "rl.memory": (
        Correction(
            "[np.copy(x) for x in state0[1:]]",
            "[__import__('copy').deepcopy(x) for x in state0[1:]]",
            _RAGGED,
        ),
    ),
    "sknn.mlp": (
        Correction(
            'lambda _: "multiclass"',
            'lambda *_, **__: "multiclass"',
            "a function of scikit-learn that takes more now",
        ),
        Correction(
            "class Classifier(MultiLayerPerceptron, sklearn.base.ClassifierMixin):",
            "class Classifier(sklearn.base.ClassifierMixin, MultiLayerPerceptron):",
            _ORDER,
        ),
        Correction(
            "class Regressor(MultiLayerPerceptron, sklearn.base.RegressorMixin):",
            "class Regressor(sklearn.base.RegressorMixin, MultiLayerPerceptron):",
            _ORDER,
        ),
        Correction(
            "    def get_params(self, deep=True):\n",
            """
    warning = parameters = None

    def __sklearn_is_fitted__(self):
        return True

    def __sklearn_clone__(self):
        from sklearn.base import clone
        params = self.get_params(deep=False)
        return type(self)(**{k: clone(v, safe=False) for k, v in params.items()})

    def get_params(self, deep=True):
""",
            _CLONE + ", and asks whether it was fitted",
        ),
    ),
    "theanolm.vocabulary.vocabulary": (
        Correction(
            "h5_vocabulary['words'].value",
            "h5_vocabulary['words'].asstr()[()]",
            "h5py 3 reads texts as bytes by default",
        ),
    ),
    "treeano.core.graph": (
        Correction(
            "nx.topological_sort(self.architectural_tree)",
            "list(nx.topological_sort(self.architectural_tree))",
            _ITERATORS,
        ),
        Correction(
            "nx.topological_sort(self.computation_graph)",
            "list(nx.topological_sort(self.computation_graph))",
            _ITERATORS,
        ),
        Correction(
            "self.architectural_tree.successors(current_name)",
            "list(self.architectural_tree.successors(current_name))",
            _ITERATORS,
        ),
    ),
}
