"""Stand-ins for names that ours lacks."""

from typing import Any


class MissingName(Exception):
    """A test uses a name that could not be bound when its module was imported."""


class Missing(type):
    """The type of stand-ins: they can be held, derived from and asked about, but not used."""

    why: str

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        raise MissingName(f"{cls.__name__}: {cls.why}")

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise MissingName(f"{cls.__name__}.{name}: {cls.why}")
