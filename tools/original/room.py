"""The environment with Theano 1.0.5, and the folder in which its tests run on ours."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tools.original.lists import ROOT

# What the tests import besides Theano, NumPy and SciPy; a plain copy serves any Python 3.
CARRIED = ("six.py", "parameterized")
SETTINGS = """\
[pytest]
python_files = test_*.py
python_classes = Test* test* T_* *_test* *_Test*
python_functions = test* Test* [!_]*_test*
addopts = -p no:cacheprovider -q --tb=no --continue-on-collection-errors
"""


def make_oracle(shared: Path, folder: Path, verbose: bool = False) -> Path:
    """Return the environment in `folder`, made by `oracle/setup.sh` unless it is there."""
    if not any(folder.glob("lib/python3*/site-packages/theano/version.py")):
        command = ["bash", str(shared / "oracle" / "setup.sh"), str(folder)]
        subprocess.run(
            command, check=True, stdout=None if verbose else subprocess.DEVNULL, stderr=None
        )
    return folder


def install_pytest(oracle: Path) -> None:
    """Let the oracle's environment run tests itself; to run them on ours it need not."""
    subprocess.run([str(oracle / "bin" / "pip"), "-q", "install", "pytest"], check=True)


@dataclass(frozen=True)
class Room:
    """A folder with the suite (`suite/theano/**/tests`) and what its processes import (`lib`)."""

    path: Path
    oracle: Path

    @property
    def suite(self) -> Path:
        return self.path / "suite"

    @property
    def site(self) -> Path:
        (site,) = self.oracle.glob("lib/python3*/site-packages")
        return site

    def fill(self) -> "Room":
        """Take the tests from the package in the oracle's environment; GPU tests stay there."""
        for folder in sorted(self.site.glob("theano/**/tests")):
            name = folder.relative_to(self.site)
            if "gpuarray" not in name.parts:
                # A package would be imported by pytest; the plugin imports the tests itself.
                ignored = shutil.ignore_patterns("__init__.py", "__pycache__")
                shutil.copytree(folder, self.suite / name, ignore=ignored)
        (self.suite / "pytest.ini").write_text(SETTINGS, encoding="utf-8")
        lib = self.path / "lib"
        lib.mkdir()
        for name in CARRIED:
            source = self.site / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, lib / name)
        (lib / "tools").symlink_to(ROOT / "tools", target_is_directory=True)
        return self

    def modules(self) -> list[str]:
        """The test files, longest first: they take longest."""
        files = sorted(self.suite.rglob("test_*.py"), key=lambda path: -path.stat().st_size)
        return [path.relative_to(self.suite).as_posix() for path in files]

    def python(self, on_oracle: bool) -> str:
        return str(self.oracle / "bin" / "python") if on_oracle else sys.executable

    def environment(self, on_oracle: bool) -> dict[str, str]:
        """What a process sees of the world: nothing of the caller's flags, its own cache."""
        cache = self.path / ("cache-oracle" if on_oracle else "cache")
        paths = [str(self.path / "lib")] + [str(ROOT)] * (not on_oracle)
        return {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.path),
            "PYTHONPATH": ":".join(paths),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "OMP_NUM_THREADS": "1",
            "THEANORC": "/dev/null",
            # tests that ask for a compiler are run here; the oracle's C code does not compile
            "THEANO_FLAGS": f"base_compiledir={cache},"
            + ("cxx=,blas.ldflags=" if on_oracle else "cxx=g++"),
            "ORIGINAL_SUITE": str(self.suite),
            "ORIGINAL_PACKAGE": str(self.site / "theano"),
            "ORIGINAL_ON_ORACLE": "1" * on_oracle,
        }
