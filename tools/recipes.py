"""Follows the pages on old packages: from a wheel, in empty environments, exactly what they say.

A page has, for each recipe, a program in Python and the commands that install and run it, between
marks of the recipe's name. The commands are those of `python -m theano recipe`; a test compares.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from theano._src.ground.old_packages.recipes import recipes
from tools.marked import with_block

ROOT = Path(__file__).resolve().parents[1]
#: the page of each recipe that the gate follows
PAGES = {
    "lasagne-0.1": ROOT / "docs" / "library" / "old_packages.md",
    "keras-2.3.1": ROOT / "docs" / "library" / "old_packages.md",
    "pymc3-3.11.6": ROOT / "docs" / "tutorial" / "pymc3.md",
}
PROGRAM = "train.py"


def block(name: str) -> str:
    """The commands of a recipe, as a page shows them."""
    lines = [line.replace("PROGRAM.py", PROGRAM) for line in recipes()[name]["commands"]]
    return "\n".join(["```sh", *lines, "```"])


def with_recipes(page: Path) -> str:
    """A page with its commands made anew."""
    text = page.read_text(encoding="utf-8")
    for name in (name for name, of in PAGES.items() if of == page):
        text = with_block(text, name, block(name))
    return text


def commands_and_program(name: str) -> tuple[str, str]:
    """What the page says of a recipe: the commands, and the programs of that section or page."""
    text = PAGES[name].read_text(encoding="utf-8")
    marked = re.search(f"<!-- {name}: begin -->(.*?)<!-- {name}: end -->", text, re.DOTALL)
    (commands,) = re.findall(r"^```sh\n(.*?)^```", marked[1], re.MULTILINE | re.DOTALL)
    sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    own = [section for section in sections if f"<!-- {name}: begin -->" in section]
    if len([1 for page in PAGES.values() if page == PAGES[name]]) == 1:
        own = sections
    programs = re.findall(r"^```python\n(.*?)^```", "".join(own), re.MULTILINE | re.DOTALL)
    return commands, "\n".join(programs)


def follow(name: str, wheel: Path, python: str, folder: Path) -> None:
    """Make an environment with the wheel, and do what the page says."""
    began = time.monotonic()
    folder.mkdir(parents=True)
    commands, program = commands_and_program(name)
    (folder / PROGRAM).write_text(program, encoding="utf-8")
    subprocess.run([python, "-m", "venv", str(folder / "env")], check=True)
    script = f"set -e\n{_pip(folder)}\npip install {wheel}\nhash -r\n{commands}"
    environment = {key: value for key, value in os.environ.items() if "THEANO" not in key}
    environment |= {
        "PATH": f"{folder / 'env' / 'bin'}:{os.environ['PATH']}",
        "VIRTUAL_ENV": str(folder / "env"),
        "THEANORC": os.devnull,
        "MPLBACKEND": "Agg",
        "HOME": str(folder),
    }
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{name}: failed\n{done.stdout[-4000:]}")
    (last,) = done.stdout.strip().splitlines()[-1:]
    print(
        f"{name}: {time.monotonic() - began:.0f} s; its last line: {last.strip()[-70:]}", flush=True
    )


def _pip(folder: Path) -> str:
    """`pip` by uv where it is installed, in a tenth of the time."""
    uv = shutil.which("uv")
    return f'pip() {{ {uv} pip "$@" --quiet || python -m pip "$@" --quiet; }}' if uv else ""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.recipes", description=__doc__)
    parser.add_argument("names", nargs="*", default=list(PAGES))
    parser.add_argument("--wheel", type=Path, help="made of this checkout unless given")
    parser.add_argument("--python", default=sys.executable, help="for the environments")
    parser.add_argument("--write", action="store_true", help="put the commands into the pages")
    options = parser.parse_args(arguments)
    if options.write:
        for page in set(PAGES.values()):
            page.write_text(with_recipes(page), encoding="utf-8")
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = options.wheel or _built(folder / "wheel")
        for recipe in options.names:
            follow(recipe, wheel.resolve(), options.python, folder / recipe)
    return 0


def _built(folder: Path) -> Path:
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "-w",
        str(folder),
        str(ROOT),
    ]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


if __name__ == "__main__":
    sys.exit(main())
