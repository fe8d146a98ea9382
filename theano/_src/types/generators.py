"""Fast copies of NumPy's random states, which a draw needs: it must not change its input.

``deepcopy`` of a ``RandomState`` takes a hundred times as long as a small draw. Here the 2500 bytes
of its Mersenne twister are copied into the twister of an earlier copy that is no longer in use.
"""

from __future__ import annotations

import copy
import ctypes
import sys
from collections import deque
from functools import cache
from typing import Any

import numpy as np

#: 624 words and the position among them, as ``bit_generator.ctypes`` points to them
_BYTES = 624 * 4 + 4

#: number of earlier copies that are searched; more are in use only if a user keeps them
_MOST = 4


class Spares:
    """Copies random states, and reuses the twisters of copies that are no longer in use."""

    def __init__(self) -> None:
        self._twisters: deque[tuple[Any, int]] = deque(maxlen=_MOST)

    def copy(self, state: Any) -> Any:
        """Return an independent ``RandomState`` that will draw the same numbers as ``state``."""
        source = state._bit_generator
        if type(source) is not np.random.MT19937 or not _is_known():
            return copy.deepcopy(state)
        twister, at = self._free() or _twister()
        with source.lock:
            kept = _kept(state)
            ctypes.memmove(at, source.ctypes.state_address, _BYTES)
        result = np.random.RandomState(twister)
        self._twisters.append((twister, at))
        if kept["has_gauss"]:
            _keep(result, kept)
        return result

    def _free(self) -> tuple[Any, int] | None:
        for _ in range(len(self._twisters)):
            try:
                # remove it first: another thread may be searching too
                result = self._twisters.popleft()
            except IndexError:
                return None
            if _holders(result) <= _ALONE:
                return result
            self._twisters.append(result)
        return None


def _holders(result: tuple[Any, int]) -> int:
    return sys.getrefcount(result[0])


#: the reference count of an object without other references
_ALONE = _holders((object(), 0))


def _twister() -> tuple[Any, int]:
    result = np.random.MT19937(0)
    return result, result.ctypes.state_address


class _Aside:
    """Placeholder bit generator, to read or set only the rest of a RandomState's state."""

    def __init__(self) -> None:
        # without the 624 words: listing them is the slow part
        self.state: Any = {"bit_generator": "MT19937", "state": {}}


def _kept(state: Any) -> dict[str, Any]:
    """Return the cached normal draw of a RandomState, in the form of ``get_state``."""
    generator = state._bit_generator
    try:
        state._bit_generator = _Aside()
        result: dict[str, Any] = state.get_state(legacy=False)
    finally:
        state._bit_generator = generator
    return result


def _keep(state: Any, kept: dict[str, Any]) -> None:
    generator = state._bit_generator
    try:
        state._bit_generator = _Aside()
        state.set_state(kept)
    finally:
        state._bit_generator = generator


@cache
def _is_known() -> bool:
    """Whether this NumPy has the memory layout that is assumed here; tested once."""
    try:
        one = np.random.RandomState(1)
        one.normal(size=3)
        words = one.get_state(legacy=False)["state"]
        raw = ctypes.string_at(one._bit_generator.ctypes.state_address, _BYTES)
        as_listed = words["key"].astype(np.uint32).tobytes() + np.int32(words["pos"]).tobytes()
        other = np.random.RandomState(2)
        _keep(other, _kept(one))
        same = other.get_state(legacy=False)["gauss"] == one.get_state(legacy=False)["gauss"]
        return bool(raw == as_listed and same)
    except Exception:
        return False
