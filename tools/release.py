"""Builds the wheel and the sdist and goes through the check list of a release.

With `--environments` it also installs the wheel into empty environments, of every Python that is
found, with the oldest and the newest versions of what it depends on, runs the examples of some
pages there, and with `--write` records the versions in docs/installation.md.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from theano._src.rules.pipeline import RULES
from tools.marked import with_block
from tools.proofs.page import lacking

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "installation.md"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# bytes; some 10 % above what it is, so that growth is a decision
LARGEST = {".whl": 2_300_000, ".gz": 4_800_000}
JUNK = re.compile(r"(^|/)(__pycache__|\.git|\.hypothesis|build|dist)/|\.(pyc|so|o|orig|rej|log)$")
# whose examples must run on a plain install
PAGES = ("README.md", *(f"docs/tutorial/{n}.md" for n in ("training", "saving", "distributed")))
# which Python, jax, NumPy and SciPy an environment has
VERSIONS = (
    "import sys, jax, numpy, scipy, theano; "
    "print(sys.version.split()[0], jax.__version__, numpy.__version__, scipy.__version__)"
)
# every public module, from the installed package alone
IMPORTS = """
import importlib, pkgutil, sys, warnings
import theano
assert not theano.__file__.startswith(sys.argv[1]), theano.__file__
warnings.simplefilter("ignore")
names = [m.name for m in pkgutil.walk_packages(theano.__path__, "theano.") if "_src" not in m.name]
for name in names:
    importlib.import_module(name)
print(len(names), "public modules imported")
"""


class Failed(Exception):
    """A point of the check list that does not hold."""


def call(*command: object, **options: object) -> str:
    """What a command prints; its output is the error where it fails."""
    done = subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options,
    )  # fmt: skip
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))[:200]}\n{done.stdout.strip()[-4000:]}")
    return done.stdout.strip()


def release() -> str:
    text = (ROOT / "theano" / "_src" / "ground" / "version.py").read_text(encoding="utf-8")
    return re.search(r'^release = "([^"]+)"', text, re.M)[1]


def build(folder: Path) -> tuple[Path, Path]:
    """The sdist of the checkout, and the wheel made from that sdist."""
    call(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def project() -> dict:
    with open(ROOT / "pyproject.toml", "rb") as file:
        return tomllib.load(file)


def tracked(*folders: str) -> set[str]:
    """Files that git has or would have, by their path from the root."""
    asked = ("ls-files", "--cached", "--others", "--exclude-standard")
    names = call("git", "-C", ROOT, *asked, *folders).split("\n")
    return {name for name in names if (ROOT / name).exists()}


def difference(what: str, found: Iterable[str], expected: Iterable[str]) -> None:
    more, less = sorted(set(found) - set(expected)), sorted(set(expected) - set(found))
    if more or less:
        raise Failed(f"{what} has {more[:10]} too much and lacks {less[:10]}")


def shipped_examples() -> set[str]:
    """The files of examples/, where the wheel has them."""
    return {name.replace("examples/", "theano/_examples/", 1) for name in tracked("examples")}


def files_of_wheel(wheel: Path, sdist: Path) -> str:
    """The package and the examples as git has them, the metadata, and nothing else."""
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    about = {name for name in names if name.split("/")[0].endswith(".dist-info")}
    difference(wheel.name, names - about, tracked("theano") | shipped_examples())
    return f"{len(names)} files"


def files_of_sdist(wheel: Path, sdist: Path) -> str:
    """Package, tests, tools, pages: what is needed to build it and to test it again."""
    with tarfile.open(sdist) as archive:
        names = {m.name.partition("/")[2] for m in archive.getmembers() if m.isfile()}
    if junk := sorted(filter(JUNK.search, names)):
        raise Failed(f"{sdist.name} has {junk[:10]}")
    targets = project()["tool"]["hatch"]["build"]["targets"]
    always = {"PKG-INFO", "pyproject.toml", "README.md", "LICENSE", ".gitignore"}
    difference(sdist.name, names - always, tracked(*targets["sdist"]["include"]) - always)
    return f"{len(names)} files"


def sizes(wheel: Path, sdist: Path) -> str:
    """Neither is larger than it may be."""
    for path in (wheel, sdist):
        if path.stat().st_size > LARGEST[path.suffix]:
            raise Failed(
                f"{path.name} has {path.stat().st_size:,} bytes of {LARGEST[path.suffix]:,}"
            )
    return ", ".join(f"{path.stat().st_size / 1e6:.2f} MB" for path in (wheel, sdist))


def metadata(wheel: Path, sdist: Path) -> str:
    """What the package index shows is valid, and the version is that of the source."""
    call(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)
    version = release()
    if f"-{version}-" not in wheel.name or not sdist.name.endswith(f"-{version}.tar.gz"):
        raise Failed(f"{wheel.name} and {sdist.name} are not of version {version}")
    return version


def links_of_readme(wheel: Path, sdist: Path) -> str:
    """README on the package index has no links relative to a checkout."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        text = archive.read(name).decode("utf-8").partition("\n\n")[2]
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    if relative := [t for t in targets if not t.startswith(("https://", "#"))]:
        raise Failed(f"{relative[:10]} lead nowhere outside a checkout")
    return f"{len(targets)} links"


def changelog(wheel: Path, sdist: Path) -> str:
    """The version has a section with its date, unless it is one of development."""
    version = release()
    heading = r"\[Unreleased\]" if "dev" in version else rf"\[{version}\] - \d{{4}}-\d\d-\d\d"
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if not (found := re.search(rf"^## {heading}$", text, re.M)):
        raise Failed(f"CHANGELOG.md has no line like '## {heading}'")
    return found[0]


def public_modules(wheel: Path, sdist: Path) -> str:
    """Every public module is imported from the wheel, without the checkout."""
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        environ = os.environ | {"PYTHONPATH": folder}
        return call(sys.executable, "-c", IMPORTS, ROOT, cwd=folder, env=environ)


def examples_of_wheel(wheel: Path, sdist: Path) -> str:
    """The wheel has the example programs, and its command writes them."""
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        environ = os.environ | {"PYTHONPATH": folder}
        command = (sys.executable, "-m", "theano", "examples")
        if f"They are in {folder}" not in call(*command, cwd=folder, env=environ):
            raise Failed("python -m theano examples lists others than those of the wheel")
        call(*command, "ode_fit", cwd=folder, env=environ)
        return call(sys.executable, "ode_fit.py", "--help", cwd=folder, env=environ).split("\n")[0]


def certificates(wheel: Path, sdist: Path) -> str:
    """Every rule has a row in the page of proofs, and nothing in the record is wrong."""
    if lines := list(lacking()):
        raise Failed("\n".join(lines[:10]))
    return f"{len(RULES)} rules"


CHECKS = (
    metadata, files_of_wheel, files_of_sdist, sizes, links_of_readme, changelog, public_modules,
    examples_of_wheel, certificates,
)  # fmt: skip


@dataclass(frozen=True)
class Tested:
    """An environment in which the wheel was installed and used: a row of the table."""

    python: str
    resolution: str
    jax: str
    numpy: str
    scipy: str

    def row(self) -> str:
        return f"| {self.python} | {self.resolution} | {self.jax} | {self.numpy} | {self.scipy} |"


def interpreter(version: str) -> str | None:
    """A Python of that version that starts and can make environments."""
    home = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    candidates = [shutil.which(f"python{version}"), *home.glob(f"{version}.*/bin/python")]
    asked = "import sys, venv; print('{}.{}'.format(*sys.version_info))"
    for candidate in filter(None, candidates):
        done = subprocess.run([candidate, "-c", asked], capture_output=True, text=True, check=False)
        if done.stdout.strip() == version:
            return str(candidate)
    return None


def examples(page: Path) -> str:
    """The Python blocks of a page as one doctest."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S))


def use(wheel: Path, python: str, resolution: str, folder: Path) -> Tested:
    """The wheel in an empty environment: self-test, pages, a program, away from the checkout."""
    env, away = folder / "env", folder / "away"
    away.mkdir(parents=True)
    call(python, "-m", "venv", env)
    inside = env / "bin" / "python"
    # what the package needs is asked for itself, for "lowest-direct" to mean it
    call(
        sys.executable, "-m", "uv", "pip", "install", "--python", inside,
        "--only-binary", ":all:", "--resolution", resolution,
        wheel, *project()["project"]["dependencies"],
    )  # fmt: skip
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "THEANO"))}
    clean["THEANO_FLAGS"] = f"base_compiledir={folder / 'compiled'}"

    def run(*command: object) -> str:
        return call(inside, *command, cwd=away, env=clean)

    run("-m", "theano", "test")
    flags = ("-o", "ELLIPSIS", "-o", "NORMALIZE_WHITESPACE", "-o", "IGNORE_EXCEPTION_DETAIL")
    for page in PAGES:
        (away / "page.txt").write_text(examples(ROOT / page), encoding="utf-8")
        run("-m", "doctest", *flags, "page.txt")
    shutil.copytree(ROOT / "examples", away / "examples")
    run("examples/text_topics.py")
    made, *others = run("-c", VERSIONS).split()
    shutil.rmtree(folder)
    return Tested(made, "oldest" if resolution == "lowest-direct" else "newest", *others)


def environments(wheel: Path, folder: Path, versions: Iterable[str]) -> list[Tested]:
    """Each Python that is here, with the oldest and the newest of what the package needs."""
    made = []
    for version in versions:
        python = interpreter(version)
        if python is None:
            print(f"  Python {version}: not found here", flush=True)
            continue
        for resolution in ("lowest-direct", "highest"):
            made.append(use(wheel, python, resolution, folder / f"{version}-{resolution}"))
            print(" ", made[-1].row(), flush=True)
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="where the files go; by default nowhere")
    parser.add_argument("--environments", action="store_true", help="install and use the wheel")
    parser.add_argument("--pythons", default=",".join(PYTHONS), help="of these versions")
    parser.add_argument("--write", action="store_true", help="record what was tested")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = options.folder or Path(made, "dist")
        files = build(folder)
        lost = 0
        for check in CHECKS:
            try:
                mark, told = "ok", check(*files)
            except Failed as error:
                mark, told = "FAILED", str(error)
                lost += 1
            print(f"{mark:7}{check.__doc__} ({told})", flush=True)
        if options.environments and not lost:
            tested = environments(files[0], Path(made), options.pythons.split(","))
            if options.write:
                head = "| Python | versions | jax | NumPy | SciPy |\n|---|---|---|---|---|\n"
                rows = "\n".join(one.row() for one in tested)
                text = PAGE.read_text(encoding="utf-8")
                PAGE.write_text(with_block(text, "tested", head + rows), encoding="utf-8")
    return bool(lost)


if __name__ == "__main__":
    raise SystemExit(main())
