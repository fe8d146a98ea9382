"""Where a package's tests run: an environment with what it needs, and its sources, edited.

Packages that need the same share an environment.
"""

import hashlib
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

from tools.downstream.packages import ORIGINALS, Original, Package
from tools.original.lists import ROOT
from tools.original.room import make_oracle

#: what runs the tests: pytest of the time in which they were written
RUNNER = ("pytest==7.4.4", "setuptools<66", "wheel")
#: what most of the tests import
COMMON = (
    "six scikit-learn joblib matplotlib mock nose parameterized pandas mpmath tqdm patsy h5py "
    "pyyaml click hypothesis flatbuffers"
).split()

#: processes that a test spawns see the shim too
SPAWNED = """import sys
if any("from multiprocessing.spawn import" in word for word in sys.orig_argv):
    import tools.downstream.shim
"""
#: the shipped names that old packages miss
SHIM = "theano._src.ground.old_packages"
#: the files beside it that it uses
USED_BY_SHIM = ("tracebacks.py", "lazy.py")


@dataclass(frozen=True)
class Place:
    """The folder of one package in `home`: its sources, and a cache for compiled code."""

    home: Path
    package: Package
    shared: Path
    mirrors: Path | None = None
    on_oracle: bool = False

    @property
    def path(self) -> Path:
        return self.home / (self.package.name + "-oracle" * self.on_oracle)

    @property
    def original(self) -> Original:
        return ORIGINALS[self.package.original]

    @property
    def env(self) -> Path:
        """The environment: its name goes by what is installed there."""
        package = self.package
        needed = (*RUNNER, *COMMON, *package.needs, *package.requires, *package.alone)
        needed += self.original.alone if self.on_oracle else ()
        name = hashlib.sha256(repr(needed).encode()).hexdigest()[:8]
        return self.home / f"{'oracle' if self.on_oracle else 'env'}-{name}"

    @property
    def python(self) -> str:
        return str(self.env / "bin" / "python")

    @property
    def suite(self) -> Path:
        return self.path / "sources"

    @property
    def shim(self) -> str:
        """The package that brings old names: a copy of ours, where `theano` is the original."""
        return "old_packages" if self.on_oracle else SHIM

    @property
    def beside(self) -> list[Path]:
        """The sources of other packages that it imports."""
        return [self.path / f"beside-{i}" for i in range(len(self.package.beside))]

    def ready(self) -> "Place":
        """Make what is not there, or was made for other data."""
        if not (self.env / "complete").exists():
            shutil.rmtree(self.env, ignore_errors=True)
            self._make_environment()
            (self.env / "complete").touch()
        makers = [shlex.split(command) for command in self.package.prepare]
        data = self.package.folder / "data"
        made_from = [repr(self.package), *((data / maker[0]).read_text() for maker in makers)]
        wanted = hashlib.sha256("".join(made_from).encode()).hexdigest()
        mark = self.path / "made-for"
        if mark.exists() and mark.read_text() == wanted:
            return self
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir(parents=True)
        self._take_sources(self.package.source, self.suite)
        for source, folder in zip(self.package.beside, self.beside, strict=True):
            self._take_sources(source, folder)
        for edit in self.package.edits:
            file = self.suite / edit.file
            text = file.read_text(encoding="utf-8")
            if edit.old not in text:
                raise ValueError(f"{self.package.name}: {edit.file} has no {edit.old!r}")
            file.write_text(text.replace(edit.old, edit.new), encoding="utf-8")
        for name, *arguments in makers:
            command = [self.python, str(data / name), *arguments]
            subprocess.run(command, cwd=self.suite, check=True)
        (self.path / "lib").mkdir()
        if self.on_oracle:
            self._copy_shim()
        (self.path / "lib" / "sitecustomize.py").write_text(SPAWNED, encoding="utf-8")
        (self.path / "lib" / "tools").symlink_to(ROOT / "tools", target_is_directory=True)
        mark.write_text(wanted)
        return self

    def _copy_shim(self) -> None:
        """Put the shipped names beside the original, under a name of their own."""
        ground, _, folder = SHIM.rpartition(".")
        root, target = ROOT / ground.replace(".", "/"), self.path / "lib" / self.shim
        for source in (*(root / folder).rglob("*.py"), *(root / name for name in USED_BY_SHIM)):
            copy = target / source.relative_to(root / folder if folder in source.parts else root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            text = source.read_text(encoding="utf-8").replace(SHIM, self.shim)
            copy.write_text(text.replace(ground, self.shim))

    def _pip(self, *arguments: str) -> None:
        subprocess.run([self.python, "-m", "pip", "-q", *arguments], check=True)

    def _install(self, *wanted: str) -> None:
        """Install packages: by uv, in a tenth of the time, or by pip where uv cannot."""
        uv = [sys.executable, "-m", "uv", "pip", "install", "-q", "--python", self.python, *wanted]
        if subprocess.run(uv, stderr=subprocess.DEVNULL, check=False).returncode:
            self._pip("install", *wanted)

    def _make_environment(self) -> None:
        limits: list[str] = []
        wanted: tuple[str, ...] = ()
        if self.on_oracle:
            make_oracle(self.shared, self.env)
            if self.original.alone:
                self._pip("uninstall", "-y", "Theano")
                self._pip("install", "--no-deps", "--no-build-isolation", *self.original.alone)
            # what comes must not bring a NumPy that the original does not know
            fixed = self.env / "constraints.txt"
            kept = subprocess.check_output([self.python, "-m", "pip", "freeze"], text=True)
            lines = (line for line in kept.splitlines() if "==" in line)
            fixed.write_text("\n".join(line for line in lines if "setuptools" not in line))
            limits, wanted = ["-c", str(fixed)], self.original.requires
        else:
            subprocess.run([sys.executable, "-m", "venv", str(self.env)], check=True)
            self._install(*_needed_by_ours())
        self._install(
            *limits, *RUNNER, *COMMON, *wanted, *self.package.needs, *self.package.requires
        )
        if self.package.alone:
            self._pip("install", "--no-deps", "--no-build-isolation", *self.package.alone)

    def _take_sources(self, source: str, target: Path) -> None:
        kind, *where = source.split()
        if kind == "wheel":
            self._pip("install", "--no-deps", "--target", str(target), where[0])
        elif kind == "sdist":
            got = self.path / "got"
            self._pip("download", "--no-deps", "--no-binary", ":all:", "--no-build-isolation",
                      "-d", str(got), where[0])  # fmt: skip
            (archive,) = got.iterdir()
            _unpack(archive, got)
            (found,) = (p for p in got.iterdir() if p.is_dir())
            shutil.move(found, target)
            shutil.rmtree(got)
        else:
            self._check_out(*where, target)

    def _check_out(self, repository: str, commit: str, target: Path) -> None:
        name = repository.replace("/", "+")
        if self.mirrors is None or not (self.mirrors / name).exists():
            raise FileNotFoundError(
                f"{self.package.name} comes from the repository {repository}: give a folder with "
                f"copies of repositories, this one as {name}, by --mirrors"
            )
        found = self.mirrors / name
        gits = [p.parent for p in (found, *found.rglob("HEAD")) if p.name == "HEAD"]
        git = ["git", "--git-dir", str(gits[0])]
        archive = self.path / "sources.tar"
        # large files may be absent from a copy of a repository
        left_out = [f":(exclude,literal){path}" for path in _absent(git, commit)]
        command = [*git, "archive", "-o", str(archive), commit, ".", *left_out]
        subprocess.run(command, check=True)
        with tarfile.open(archive) as tar:
            tar.extractall(target, filter="data")

    def environment(self) -> dict[str, str]:
        """What a process sees of the world: nothing of the caller's flags, its own cache."""
        paths = [self.path / "lib", self.suite, *self.beside] + [ROOT] * (not self.on_oracle)
        flags = [f"base_compiledir={self.path / 'cache'}", self.package.flags]
        flags += [self.original.flags] if self.on_oracle else []
        return {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.path),
            "PYTHONPATH": ":".join(map(str, paths)),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "DOWNSTREAM_SHIM": self.shim,
            "DOWNSTREAM_PYTHON2": ":".join(str(self.suite / p) for p in self.package.python2),
            "MPLBACKEND": "Agg",
            "OMP_NUM_THREADS": "1",
            "THEANORC": "/dev/null",
            "THEANO_FLAGS": ",".join(filter(None, flags)),
            **self.package.environment,
        }


def _absent(git: list[str], commit: str) -> list[str]:
    """The paths of a commit whose contents the copy of the repository does not hold."""
    tree = subprocess.check_output([*git, "ls-tree", "-r", "-z", commit], text=True)
    entries = [entry.split("\t", 1) for entry in tree.split("\0") if entry]
    asked = "\n".join(facts.split()[2] for facts, _ in entries)
    check = subprocess.run(
        [*git, "cat-file", "--batch-check"], input=asked, stdout=subprocess.PIPE, text=True
    )
    said = check.stdout.splitlines()
    return [p for (_, p), line in zip(entries, said, strict=True) if line.endswith(" missing")]


def _needed_by_ours() -> list[str]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        found: list[str] = tomllib.load(file)["project"]["dependencies"]
    return found


def _unpack(archive: Path, folder: Path) -> None:
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(folder)
    else:
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
