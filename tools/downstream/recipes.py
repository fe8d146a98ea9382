"""The table that `python -m theano recipe` prints, made of the files in `tests/downstream`."""

import json
import re
import shlex

from tools.downstream.packages import Package, Script
from tools.original.lists import ROOT

TABLE = ROOT / "theano" / "_src" / "ground" / "old_packages" / "recipes.json"


def table(packages: list[Package]) -> dict[str, dict]:
    """The recipes, by name. Files of one package have one recipe, which is the same in both."""
    found: dict[str, dict] = {}
    for package in packages:
        name = package.recipe or package.name
        made = {
            "title": re.split(", " if package.recipe else r" \(|, and ", package.title)[0],
            "commands": commands(package),
            "corrected": corrected(package),
            "edited": edited(package),
        }
        if found.setdefault(name, made) != made:
            raise ValueError(f"{package.name}: its recipe is called {name}, as another one is")
    return dict(sorted(found.items()))


def text(packages: list[Package]) -> str:
    return json.dumps(table(packages), indent=1, ensure_ascii=False) + "\n"


def commands(package: Package) -> list[str]:
    """What a user types, after `theano` is installed."""
    sources = [source.split() for source in (package.source, *package.beside)]
    alone = [words[1] for words in sources if words[0] != "repository"] + list(package.alone)
    cloned = [words[1:] for words in sources if words[0] == "repository"]
    lines = [_pip("", package.needs)] * bool(package.needs)
    lines += [_pip("--no-deps ", alone)] * bool(alone)
    for repository, commit in cloned:
        folder = repository.partition("/")[2]
        lines.append(f"git clone https://github.com/{repository}")
        lines.append(f"git -C {folder} checkout {commit}")
    imported = cloned if package.tests else cloned[1:] if package.kind == "repository" else cloned
    if imported:
        paths = ":".join(f"$PWD/{repository.partition('/')[2]}" for repository, _ in imported)
        lines.append(f"export PYTHONPATH={paths}")
    lines += [f"export {key}={value}" for key, value in package.environment.items()]
    if package.flags not in ("", "floatX=float64"):
        lines.append(f"export THEANO_FLAGS={package.flags}")
    return lines + _run(package)


def _pip(options: str, wanted: list[str] | tuple[str, ...]) -> str:
    words = (f'"{w}"' if set(w) & set("<>") else w for w in wanted)
    return f"pip install {options}{' '.join(words)}"


def _run(package: Package) -> list[str]:
    """How its first program runs that is the package's own; or any program."""
    option = "--python2 " * bool(package.python2)
    own = [s for s in package.scripts if not _is_ours(package, s)]
    if package.kind != "repository" or package.tests or not own:
        return [f"python -m theano run {option}PROGRAM.py"]
    folder = package.source.split()[1].partition("/")[2]
    return [
        f"cd {folder}/{own[0].folder}".removesuffix("/."),
        f"python -m theano run {option}{own[0].run}",
    ]


def _is_ours(package: Package, script: Script) -> bool:
    return (package.folder / "data" / shlex.split(script.run)[0]).exists()


def corrected(package: Package) -> list[str]:
    """The modules in which lines are exchanged when they are imported, with the reason."""
    return [
        f"{module}: {reason}"
        for module, corrections in package.corrections().items()
        for reason in dict.fromkeys(c.reason for c in corrections)
    ]


def edited(package: Package) -> list[str]:
    """The edits without which the sources that users have do not run."""
    found = (f"{e.file}: {e.reason}" for e in package.edits if e.for_users)
    return list(dict.fromkeys(found))
