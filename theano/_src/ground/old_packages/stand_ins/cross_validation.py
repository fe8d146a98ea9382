"""``sklearn.cross_validation``: splitters that were given the data, and were iterated over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn import model_selection as _new
from sklearn.model_selection import (
    cross_val_predict as cross_val_predict,
    cross_val_score as cross_val_score,
    permutation_test_score as permutation_test_score,
    train_test_split as train_test_split,
)


class _Splits:
    """The pairs (train, test) of positions that a splitter of today gives for some data."""

    def __init__(self, splitter: Any, y: Any, groups: Any = None) -> None:
        self._splitter, self._y, self._groups = splitter, np.asarray(y), groups

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        yield from self._splitter.split(np.zeros(len(self._y)), self._y, self._groups)

    def __len__(self) -> int:
        return int(self._splitter.get_n_splits(self._y, self._y, self._groups))


def _some(options: dict[str, Any], shuffle: bool) -> dict[str, Any]:
    # a seed without shuffling was ignored, and is refused today
    return options | {"shuffle": shuffle} if shuffle else {}


class KFold(_Splits):
    def __init__(self, n: int, n_folds: int = 3, shuffle: bool = False, random_state: Any = None):
        options = _some({"random_state": random_state}, shuffle)
        super().__init__(_new.KFold(int(n_folds), **options), np.zeros(n))


class StratifiedKFold(_Splits):
    def __init__(self, y: Any, n_folds: int = 3, shuffle: bool = False, random_state: Any = None):
        options = _some({"random_state": random_state}, shuffle)
        super().__init__(_new.StratifiedKFold(int(n_folds), **options), y)


class LeaveOneOut(_Splits):
    def __init__(self, n: int):
        super().__init__(_new.LeaveOneOut(), np.zeros(n))


class LeavePOut(_Splits):
    def __init__(self, n: int, p: int):
        super().__init__(_new.LeavePOut(p), np.zeros(n))


class LabelKFold(_Splits):
    def __init__(self, labels: Any, n_folds: int = 3):
        super().__init__(_new.GroupKFold(int(n_folds)), np.zeros(len(labels)), labels)


class LeaveOneLabelOut(_Splits):
    def __init__(self, labels: Any):
        super().__init__(_new.LeaveOneGroupOut(), np.zeros(len(labels)), labels)


class ShuffleSplit(_Splits):
    def __init__(self, n: int, n_iter: int = 10, test_size: Any = 0.1, train_size: Any = None,
                 random_state: Any = None):  # fmt: skip
        splitter = _new.ShuffleSplit(
            n_iter, test_size=test_size, train_size=train_size, random_state=random_state
        )
        super().__init__(splitter, np.zeros(n))


class StratifiedShuffleSplit(_Splits):
    def __init__(self, y: Any, n_iter: int = 10, test_size: Any = 0.1, train_size: Any = None,
                 random_state: Any = None):  # fmt: skip
        splitter = _new.StratifiedShuffleSplit(
            n_iter, test_size=test_size, train_size=train_size, random_state=random_state
        )
        super().__init__(splitter, y)
