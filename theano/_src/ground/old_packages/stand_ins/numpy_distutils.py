"""``numpy.distutils`` for NumPy without it: packages import it but hardly use it."""

from __future__ import annotations

from typing import NoReturn

__path__: list[str] = []


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(
        f"numpy.distutils.{name} is gone: NumPy builds nothing on Python 3.12 and later; "
        "numpy.show_config() prints how it was built"
    )
