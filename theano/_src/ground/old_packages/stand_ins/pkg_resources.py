"""``pkg_resources``, which setuptools 82 removed: versions and files of packages."""

from __future__ import annotations

import importlib.resources
import os
import re
from collections.abc import Iterator
from importlib import import_module, metadata
from typing import IO, Any

__all__ = [
    "DistributionNotFound",
    "Distribution",
    "get_distribution",
    "iter_entry_points",
    "parse_version",
    "require",
    "resource_exists",
    "resource_filename",
    "resource_isdir",
    "resource_listdir",
    "resource_stream",
    "resource_string",
]


class DistributionNotFound(Exception):
    """A distribution is not installed."""


class VersionConflict(Exception):
    """A distribution has another version than required; never raised here."""


class Distribution:
    """An installed distribution: name, version and location."""

    def __init__(self, distribution: metadata.Distribution) -> None:
        self.project_name = distribution.metadata["Name"]
        self.key = self.project_name.lower()
        self.version = distribution.version
        self.location = str(distribution.locate_file(""))


def get_distribution(dist: str) -> Distribution:
    """Return the installed distribution; conditions after the name are not checked."""
    name = re.split(r"[^\w.-]", dist, maxsplit=1)[0]
    try:
        return Distribution(metadata.distribution(name))
    except metadata.PackageNotFoundError:
        raise DistributionNotFound(f"The distribution {name!r} is not installed") from None


def require(*requirements: str) -> list[Distribution]:
    return [get_distribution(requirement) for requirement in requirements]


def iter_entry_points(group: str, name: str | None = None) -> Iterator[metadata.EntryPoint]:
    result = metadata.entry_points(group=group)
    return iter(result if name is None else result.select(name=name))


def parse_version(version: str) -> Any:
    from packaging.version import Version

    return Version(version)


def _place(package: str, resource: str) -> str:
    module = import_module(package)
    if hasattr(module, "__path__"):
        return os.path.join(str(importlib.resources.files(package)), *resource.split("/"))
    return os.path.join(os.path.dirname(module.__file__ or ""), *resource.split("/"))


resource_filename = _place


def resource_exists(package: str, resource: str) -> bool:
    return os.path.exists(_place(package, resource))


def resource_isdir(package: str, resource: str) -> bool:
    return os.path.isdir(_place(package, resource))


def resource_listdir(package: str, resource: str) -> list[str]:
    return os.listdir(_place(package, resource))


def resource_stream(package: str, resource: str) -> IO[bytes]:
    return open(_place(package, resource), "rb")


def resource_string(package: str, resource: str) -> bytes:
    with resource_stream(package, resource) as file:
        return file.read()
