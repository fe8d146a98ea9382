"""The library reference: which page holds each public name, and whether its docstring is whole.

Nothing is listed by hand. A public module says what there is, and its imports say which file under
`theano/_src` it comes from; that file, and its docstring, are the page. `docs/conf.py` has the
pages written into `docs/reference` before Sphinx reads them; `--check` says what lacks words or an
example and writes nothing.
"""

import argparse
import ast
import importlib
import inspect
import pkgutil
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
from numpydoc.docscrape import NumpyDocString

import theano
from theano.gof import PureOp
from theano.gof.type import PureType
from theano.scalar import ScalarOp

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "reference"
LANGUAGE = ("theano.tensor.", "theano.gradient.")


@dataclass
class Entry:
    """A public object: the path users reach it by, its other paths, and where it is written."""

    path: str
    thing: object
    home: str
    others: list[str] = field(default_factory=list)

    @property
    def kind(self) -> str:
        if inspect.isclass(self.thing):
            return "class"
        if isinstance(self.thing, PureOp):
            return "op"
        return "function" if inspect.isroutine(self.thing) else "data"

    @property
    def layer(self) -> str:
        return self.home.split(".")[2]

    @property
    def page(self) -> str:
        """One for each family of ops, one for each other layer."""
        return f"ops-{self.home.split('.')[3]}" if self.layer == "ops" else self.layer


@cache
def public_modules() -> list[str]:
    found = pkgutil.walk_packages(theano.__path__, "theano.")
    return ["theano", *(m.name for m in found if "._src" not in m.name)]


@cache
def imported(module: str) -> dict[str, tuple[str, str]]:
    """``{name: (module, its name there)}`` of what a module takes from others, or names anew."""
    source = Path(importlib.import_module(module).__file__).read_text(encoding="utf-8")
    found = {}
    renames = not module.startswith("theano._src")
    todo = ast.parse(source).body
    for node in todo:
        match node:
            case ast.If(body=body):  # for type checkers: what is loaded at first use
                todo.extend(body)
            case ast.ImportFrom(module=base, names=names) if base.startswith("theano"):
                for alias in names:
                    if alias.name == "*":
                        found.update((name, (base, name)) for name in exported(base))
                    else:
                        found[alias.asname or alias.name] = (base, alias.name)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=same)) if renames:
                found[name] = (module, same)
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Attribute(value=ast.Name(id=base), attr=same),
            ) if renames and base in found:
                found[name] = (".".join(found[base]), same)
    return found


def exported(module: str) -> list[str]:
    """What `from module import *` gives."""
    own = vars(importlib.import_module(module))
    return own.get("__all__") or sorted(name for name in own if not name.startswith("_"))


def home(module: str, name: str) -> tuple[str, str]:
    """The module in which a name is written, and its name there."""
    while name in imported(module):
        module, name = imported(module)[name]
    return module, name


def public() -> Iterator[tuple[str, str, object]]:
    for module_path in public_modules():
        module = importlib.import_module(module_path)
        for name in exported(module_path):
            thing = getattr(module, name)
            if not name.startswith("_") and not isinstance(thing, ModuleType):
                yield module_path, name, thing


@cache
def entries() -> list[Entry]:
    """Every public object that is written in this project, once, by the path that fits it best."""
    paths: dict[int, list[tuple[tuple, str, str, object]]] = defaultdict(list)
    for module_path, name, thing in public():
        module, own = home(module_path, name)
        if not module.startswith("theano._src.") or module == "theano._src.ground.absent":
            continue
        documented = getattr(thing, "__module__", None) or ""
        # the shortest path; of those, the one the object carries, under the name it was given
        rank = (
            f"{module_path}.{name}" in public_modules(),  # a module of that path hides it
            module_path.count("."),
            not documented.startswith(module_path),
            name != own,
            module_path,
            name,
        )
        paths[id(thing)].append((rank, f"{module_path}.{name}", module, thing))
    found = []
    for ways in paths.values():
        ways.sort(key=lambda way: way[0])
        (_, path, module, thing), *rest = ways
        last = path.rpartition(".")[2]
        # under another name, or a shorter path; the same name in another module is no news
        others = [
            other
            for _, other, *_ in rest
            if other.rpartition(".")[2] != last or other.count(".") < path.count(".")
        ]
        found.append(Entry(path, thing, module, others))
    return sorted(found, key=lambda e: (e.home, e.path.lower(), e.path))


def docstring(thing: object) -> str:
    return with_heading(inspect.getdoc(thing) or "")


def with_heading(text: str) -> str:
    """A docstring with the heading that numpydoc wants above an example."""
    if "Examples\n---" in text:
        return text
    return re.sub(r"^(?=>>>)", "Examples\n--------\n", text, count=1, flags=re.MULTILINE)


def signature(entry: Entry) -> inspect.Signature:
    """Of an op, the signature of what it makes nodes from."""
    plain = isinstance(entry.thing, PureOp) and not hasattr(entry.thing, "__signature__")
    found = inspect.signature(entry.thing.make_node if plain else entry.thing)
    # types are told in words
    bare = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    return found.replace(parameters=bare, return_annotation=found.empty)


def must_be_whole(entry: Entry) -> bool:
    """Functions, and ops called as functions; not those that others stand for."""
    return entry.kind in ("function", "op") and not short(entry)


def tells_parameters(entry: Entry) -> bool:
    """The language itself names each parameter; for the tools around it an example will do."""
    return entry.kind == "function" and (
        entry.path.startswith(LANGUAGE) or entry.path.count(".") == 1
    )


def described(text: str) -> set[str]:
    """The parameters that a docstring tells of."""
    return {
        name.strip().lstrip("*")
        for section in ("Parameters", "Other Parameters")
        for parameter in NumpyDocString(text)[section]
        for name in parameter.name.split(",")
    }


def untold(entry: Entry) -> list[str]:
    """Parameters that the docstring neither lists, nor names, nor refers to another function."""
    text = docstring(entry.thing)
    told = described(text)
    # a function of few words may tell of its parameters in its sentences, or name one that does
    for literal in re.findall(r"``(.+?)``", text):
        told.update(re.findall(r"\w+", literal))
    if re.search(r"\bas for\s+``[\w.]+``", text):
        return []
    # of *these and **those the words tell, not the name
    many = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = signature(entry).parameters.values()
    return [p.name for p in parameters if p.name not in told and p.kind not in many]


def told_by_numpy(entry: Entry) -> list[str]:
    """Those of them that NumPy tells of, its function having the same name."""
    twin = getattr(np, entry.path.rpartition(".")[2], None)
    known = described(inspect.getdoc(twin) or "") if callable(twin) else set()
    return [name for name in untold(entry) if name in known]


def lacks(entry: Entry) -> list[str]:
    """What a docstring must have and does not: words, an example, each parameter."""
    text = docstring(entry.thing)
    if not text:
        return ["a docstring"]
    missing = [] if ">>>" in text else ["an example"]
    if tells_parameters(entry):
        numpys = told_by_numpy(entry)
        missing += [f"``{name}``" for name in untold(entry) if name not in numpys]
    return missing


def complaints() -> list[str]:
    return [
        f"{entry.path} ({entry.home}) lacks {', '.join(found)}"
        for entry in entries()
        if must_be_whole(entry) and (found := lacks(entry))
    ]


def first_sentence(module: str) -> str:
    text = inspect.getdoc(importlib.import_module(module)) or ""
    return re.sub(r"^Layer \d+: ", "", " ".join(text.split("\n\n")[0].split()))


def directive(entry: Entry) -> list[str]:
    name = {"class": "class", "data": "data"}.get(entry.kind, "function")
    lines = [f".. auto{name}:: {entry.path}"]
    if entry.kind == "op":
        lines[0] += str(signature(entry))
    if entry.kind == "data":
        lines.append("   :no-value:")
    if entry.kind == "class" and not issubclass(entry.thing, PureOp | PureType):
        lines.append("   :members:")
    if tells_parameters(entry) and (names := told_by_numpy(entry)):
        same = f"numpy.{entry.path.rpartition('.')[2]}"
        lines += ["", "   " + ", ".join(f"``{name}``" for name in names) + f": as for ``{same}``."]
    if entry.others:
        lines += ["", "   Also " + ", ".join(f"``{other}``" for other in entry.others) + "."]
    return [*lines, ""]


def section(title: str, found: list[Entry]) -> list[str]:
    if not found:
        return []
    body = [line for entry in found for line in directive(entry)]
    return [f"## {title}", "", "```{eval-rst}", *body, "```", ""]


def named(title: str, found: list[Entry]) -> list[str]:
    if not found:
        return []
    return [f"## {title}", "", ", ".join(f"`{entry.path}`" for entry in found) + ".", ""]


def links(found: list[Entry]) -> str:
    return ", ".join(f"{{py:obj}}`~{entry.path}`" for entry in found)


def pages() -> dict[str, str]:
    """``{name: text}`` of every page."""
    grouped: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries():
        grouped[entry.page].append(entry)
    made = {}
    for page, found in grouped.items():
        module = found[0].home if found[0].layer == "ops" else f"theano._src.{page}"
        shown = [e for e in found if not short(e)]
        functions = [e for e in shown if e.kind in ("function", "op")]
        text = [f"# {page.removeprefix('ops-')}", "", first_sentence(module), ""]
        text += [links(functions), ""] if functions else []
        text += section("Functions", functions)
        text += section("Classes", [e for e in shown if e.kind == "class"])
        text += named("By name", [e for e in found if short(e)])
        made[page] = "\n".join(text)
    return made


def short(entry: Entry) -> bool:
    """Whether its name says all: a value, one of many made alike, or what another stands for."""
    match entry.kind:
        case "data":
            return True
        case "op":
            return isinstance(entry.thing, ScalarOp) or bool(entry.thing.destroy_map)
        case "class":
            # of a kind; the kinds themselves are written in ops/core/scalar.py
            return issubclass(entry.thing, ScalarOp) and not entry.home.endswith(".ops.scalar")
        case "function":
            code = getattr(inspect.unwrap(entry.thing), "__code__", None)
            return code is not None and code.co_name != entry.thing.__name__


def contents() -> str:
    """The list of pages, for the end of the index."""
    rows = ["| page | holds |", "|---|---|"]
    for page in pages():
        found = [e for e in entries() if e.page == page and not short(e)]
        names = links([e for e in found if e.kind != "class"])
        rows.append(f"| [{page.removeprefix('ops-')}]({page}.md) | {names} |")
    return "\n".join(rows)


def write(folder: Path = PAGES) -> list[Path]:
    """Write the pages that are not there as they should be, and remove those of the past."""
    made = {folder / f"{page}.md": text for page, text in pages().items()}
    for path in folder.glob("*.md"):
        if path not in made and path.name != "index.md":
            path.unlink()
    for path, text in made.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    return list(made)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="say what is lacking; write nothing")
    options = parser.parse_args()
    found = complaints()
    print(*found, sep="\n")
    whole = sum(map(must_be_whole, entries()))
    print(f"{whole} functions, {whole - len(found)} with words, parameters and an example")
    if not options.check:
        print(f"{len(write())} pages in {PAGES.relative_to(ROOT)}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
