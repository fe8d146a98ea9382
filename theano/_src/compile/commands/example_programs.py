"""``python -m theano examples``: list and copy the example programs."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Sequence
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[3]
#: inside the package in a wheel, next to it in a checkout
_FOLDERS = (_PACKAGE / "_examples", _PACKAGE.parent / "examples")


def folder() -> Path | None:
    """Return the folder of the programs; None if this installation does not have them."""
    return next((path for path in _FOLDERS if (path / "digits.py").is_file()), None)


def main(names: Sequence[str] = ()) -> int:
    """List the programs, or copy the named ones into the current folder.

    Parameters
    ----------
    names : sequence of str
        Programs, with or without ``.py``; if empty, all programs are listed.

    Returns
    -------
    int
        0, or 1 if a program does not exist, or a different file with its name does.
    """
    home = folder()
    if home is None:
        print("The programs are not part of this installation; they are in the folder examples/ of")
        print("the source, and in the wheel.")
        return 1
    sources = {path.stem: path.read_text(encoding="utf-8") for path in sorted(home.glob("*.py"))}
    programs = [name for name in sources if "__main__" in sources[name]]
    wanted = [name.removesuffix(".py") for name in names]
    if not wanted:
        _print_list(home, {name: sources[name] for name in programs})
        return 0
    if strange := [name for name in wanted if name not in sources]:
        print(f"There is no example called {', '.join(strange)}; there are {', '.join(programs)}")
        return 1
    helped = _with_helpers(wanted, sources)
    files = [*(f"{name}.py" for name in helped), *_named_files(home, helped, sources)]
    return _copy(home, files, wanted[0])


def _print_list(home: Path, programs: dict[str, str]) -> None:
    for name, source in programs.items():
        title = (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
        print(f"{name:<25}{title}")
    print(f"\nThey are in {home}.")
    print("python -m theano examples NAME writes one, and what it imports, into this folder.")


def _with_helpers(wanted: Sequence[str], sources: dict[str, str]) -> list[str]:
    """The programs, and the files next to them that they import."""
    texts: list[str] = []
    todo = list(reversed(wanted))
    while todo:
        name = todo.pop()
        if name not in texts:
            texts.append(name)
            imports = [
                n for n in ast.walk(ast.parse(sources[name])) if isinstance(n, ast.ImportFrom)
            ]
            todo += [n.module for n in imports if n.module in sources]
    return texts


def _named_files(home: Path, programs: Sequence[str], sources: dict[str, str]) -> list[str]:
    """The files of C that the programs name, as ``"folder/file.c"``."""
    there = [path.relative_to(home).as_posix() for path in sorted(home.glob("*/*.[ch]"))]
    trees = [ast.parse(sources[name]) for name in programs]
    texts = {n.value for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Constant)}
    return [name for name in there if name in texts]


def _copy(home: Path, names: Sequence[str], first: str) -> int:
    """Copy missing files; if a different file has one of the names, copy nothing and return 1."""
    files = [(home / name, Path(name)) for name in names]
    taken = [t for s, t in files if t.exists() and t.read_bytes() != s.read_bytes()]
    if taken:
        print(f"{', '.join(map(str, taken))}: there already, and not the same; nothing is written")
        return 1
    for source, target in files:
        if not target.exists():
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(source, target)
            print(f"wrote {target}")
    print(f"Run it: python {first}.py. Some need more: pip install scikit-learn matplotlib rich")
    return 0
