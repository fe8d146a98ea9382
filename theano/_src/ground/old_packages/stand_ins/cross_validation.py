"""``sklearn.cross_validation``: splitters that take the data and are iterated over."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np


class _Splits:
    """The pairs (train, test) of indices that a current splitter yields for some data."""

    def __init__(self, splitter: str, y: Any, *arguments: Any, groups: Any = None, **options: Any):
        result = getattr(import_module("sklearn.model_selection"), splitter)
        self._splitter = result(*arguments, **options)
        self._y, self._groups = np.asarray(y), groups

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        yield from self._splitter.split(np.zeros(len(self._y)), self._y, self._groups)

    def __len__(self) -> int:
        return int(self._splitter.get_n_splits(self._y, self._y, self._groups))


def _shuffled(shuffle: bool, random_state: Any) -> dict[str, Any]:
    # a seed without shuffling was ignored, and raises today
    return {"shuffle": True, "random_state": random_state} if shuffle else {}


class KFold(_Splits):
    def __init__(self, n: int, n_folds: int = 3, shuffle: bool = False, random_state: Any = None):
        super().__init__("KFold", np.zeros(n), int(n_folds), **_shuffled(shuffle, random_state))


class StratifiedKFold(_Splits):
    def __init__(self, y: Any, n_folds: int = 3, shuffle: bool = False, random_state: Any = None):
        super().__init__("StratifiedKFold", y, int(n_folds), **_shuffled(shuffle, random_state))


class LeaveOneOut(_Splits):
    def __init__(self, n: int):
        super().__init__("LeaveOneOut", np.zeros(n))


class LeavePOut(_Splits):
    def __init__(self, n: int, p: int):
        super().__init__("LeavePOut", np.zeros(n), p)


class LabelKFold(_Splits):
    def __init__(self, labels: Any, n_folds: int = 3):
        super().__init__("GroupKFold", np.zeros(len(labels)), int(n_folds), groups=labels)


class LeaveOneLabelOut(_Splits):
    def __init__(self, labels: Any):
        super().__init__("LeaveOneGroupOut", np.zeros(len(labels)), groups=labels)


class ShuffleSplit(_Splits):
    def __init__(self, n: int, n_iter: int = 10, test_size: Any = 0.1, **options: Any):
        super().__init__("ShuffleSplit", np.zeros(n), n_iter, test_size=test_size, **options)


class StratifiedShuffleSplit(_Splits):
    def __init__(self, y: Any, n_iter: int = 10, test_size: Any = 0.1, **options: Any):
        super().__init__("StratifiedShuffleSplit", y, n_iter, test_size=test_size, **options)
