"""``numpy.testing.decorators``: test marks that unittest and pytest understand."""

from __future__ import annotations

import unittest
from collections.abc import Callable
from typing import Any, TypeVar

Test = TypeVar("Test", bound=Callable[..., Any])


def slow(test: Test) -> Test:
    test.slow = True  # type: ignore[attr-defined]
    return test


def setastest(is_test: bool = True) -> Callable[[Test], Test]:
    def mark(test: Test) -> Test:
        test.__test__ = is_test  # type: ignore[attr-defined]
        return test

    return mark


def skipif(condition: Any, msg: str = "skipped") -> Callable[[Test], Test]:
    holds = condition() if callable(condition) else condition
    return unittest.skipIf(bool(holds), msg)


def knownfailureif(condition: Any, msg: str = "known to fail") -> Callable[[Test], Test]:
    return skipif(condition, msg)
