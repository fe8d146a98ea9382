"""Error messages for packages that are not installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any


def not_loaded(package: str, why: object = "it is not installed") -> str:
    """Return the message that a package cannot be loaded, and how to install it.

    The command names the package itself, not an extra: pip would look for our name on an index,
    where anybody may have registered it.

    >>> not_loaded("onnx")
    'onnx cannot be loaded (it is not installed); install it: pip install onnx'
    """
    return f"{package} cannot be loaded ({why}); install it: pip install {package}"


def load_for(what: str, module: str, package: str | None = None) -> Any:
    """Import a module that ``what`` needs; the ImportError says how to install its package.

    >>> load_for("this page", "no_such_package.numpy")
    Traceback (most recent call last):
    ImportError: this page takes no_such_package: no_such_package cannot be loaded (No module named
    'no_such_package'); install it: pip install no_such_package
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = package or module.partition(".")[0]
        raise ImportError(f"{what} takes {package}: {not_loaded(package, error)}") from None


def packages_for(what: str, packages: Sequence[str]) -> str:
    """Return the message that ``what`` needs packages, and how to install them.

    >>> packages_for("planning for TPUs", ["libtpu"])
    'planning for TPUs takes libtpu: pip install libtpu'
    """
    named = ", ".join(packages[:-1]) + " and " * (len(packages) > 1) + packages[-1]
    return f"{what} takes {named}: pip install {' '.join(packages)}"
