"""The library reference: which page holds each public name, and whether its docstring is whole.

There is one page for each public module that `reference.toml` lists; what is in a smaller module
below it is a section of that page. The names are not listed by hand: a public module says what it
has, and its imports say which file under `theano/_src` it comes from, hence its family.
`docs/conf.py` writes the pages into `docs/reference` before Sphinx reads them; `--check` says what
lacks words or an example and writes nothing.
"""

import argparse
import ast
import importlib
import inspect
import pkgutil
import re
import sys
import tomllib
from collections import Counter, defaultdict
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


TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
GROUPS: dict[str, list[str]] = TABLES["groups"]
FAMILIES: dict[str, dict[str, list[str]]] = TABLES["families"]
PREFERRED = set(TABLES["preferred"])
PAGE_MODULES = [name for group in GROUPS.values() for name in group]
CONSTRUCTORS = "theano._src.types.constructors"
PLAIN = "scalar vector row col matrix tensor3 tensor4 tensor5 tensor6 tensor7".split()


@dataclass
class Entry:
    """A public object: the path users reach it by, its other paths, and where it is written."""

    path: str
    thing: object
    home: str
    others: list[str] = field(default_factory=list)

    @property
    def module(self) -> str:
        return self.path.rpartition(".")[0]

    @property
    def name(self) -> str:
        return self.path.rpartition(".")[2]

    @property
    def kind(self) -> str:
        if inspect.isclass(self.thing):
            return "class"
        if isinstance(self.thing, PureOp):
            return "op"
        return "function" if inspect.isroutine(self.thing) else "data"

    @property
    def page(self) -> str:
        # loops have a page of their own, whichever module the name is in
        loop = self.home.startswith("theano._src.control.scan.")
        return "theano.scan" if loop else page_of(self.module)

    @property
    def section(self) -> str:
        """Its family on a long page; a smaller module's names are together under its path."""
        if self.module not in (self.page, "theano"):
            return self.module
        inside = self.home.removeprefix("theano._src.")
        fits = [
            (len(file), title)
            for title, files in FAMILIES.get(self.page, {}).items()
            for file in files
            if f"{inside}.".startswith(f"{file}.")
        ]
        if fits:
            return max(fits)[1]
        return "Classes" if self.kind == "class" else "Functions"


@cache
def page_of(module: str) -> str:
    """The page of a module: its own, or that of the nearest module above it that has one."""
    if ".tests" in module:
        return "theano.tests"
    if module.startswith("theano.scan"):  # theano.scan_module too
        return "theano.scan"
    return max((p for p in PAGE_MODULES if f"{module}.".startswith(f"{p}.")), key=len)


@cache
def public_modules() -> list[str]:
    found = (m.name for m in pkgutil.walk_packages(theano.__path__, "theano."))
    # importing theano.old_packages changes the process; it has a page of its own
    return ["theano", *(n for n in found if "._src" not in n and n != "theano.old_packages")]


@cache
def imported(module: str) -> dict[str, tuple[str, str]]:
    """``{name: (module, its name there)}`` of what a module takes from others, or names anew."""
    path = Path(importlib.import_module(module).__file__)
    renames = not module.startswith("theano._src")
    if renames:  # a public module has a table, its stub has the imports
        path = path.with_suffix(".pyi")
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        match node:
            case ast.ImportFrom(module=base, names=names) if base.startswith("theano"):
                for alias in names:
                    if alias.name == "*":
                        found.update((name, (base, name)) for name in exported(base))
                    else:
                        found[alias.asname or alias.name] = (base, alias.name)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=same)) if renames:
                found[name] = (module, same)
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
        if not module.startswith("theano._src.") or module == "theano._src.ground.public":
            continue
        documented = getattr(thing, "__module__", None) or ""
        # the shortest path; of those, the one the object carries, under the name it was given
        rank = (
            f"{module_path}.{name}" not in PREFERRED,
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
    return " ".join(text.split("\n\n")[0].split())


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


def full(entry: Entry) -> bool:
    """Whether its docstring is shown, not its name alone."""
    return not short(entry) or (entry.home == CONSTRUCTORS and entry.name in PLAIN)


def names(found: list[Entry]) -> str:
    """Names without docstrings, each a target of links."""
    return ", ".join(f"{{name}}`{entry.path}`" for entry in found)


def links(found: list[Entry]) -> str:
    return ", ".join(f"{{py:obj}}`~{entry.path}`" for entry in found)


def constructors(found: list[Entry]) -> list[str]:
    """A table of what makes variables of a given dtype."""
    rows: dict[str, list[Entry]] = defaultdict(list)
    for entry in found:
        if entry.name.endswith("_types"):
            rows["lists of types"].append(entry)
        elif entry.kind == "data":
            rows[f"one, {entry.thing.dtype}"].append(entry)
        else:
            rows["several at once"].append(entry)
    order = lambda e: (getattr(e.thing, "ndim", 0), e.name)
    body = [f"| {kind} | {names(sorted(row, key=order))} |" for kind, row in sorted(rows.items())]
    return ["| makes | names |", "|---|---|", *body, ""]


def section(title: str, found: list[Entry]) -> list[str]:
    """Return the section of a page for a family or a smaller module."""
    text = [f"## {title}", ""]
    if title in public_modules():
        text += [first_sentence(title), ""]
    shown = [e for e in found if full(e)]
    ordered = [e for e in shown if e.kind != "class"] + [e for e in shown if e.kind == "class"]
    if body := [line for entry in ordered for line in directive(entry)]:
        text += ["```{eval-rst}", *body, "```", ""]
    rest = [e for e in found if not full(e)]
    if made := [e for e in rest if e.home == CONSTRUCTORS]:
        text += constructors(made)
    if rest := [e for e in rest if e.home != CONSTRUCTORS]:
        text += ["By name: " + names(rest) + ".", ""]
    return text


def summary(sections: dict[str, list[Entry]]) -> list[str]:
    """The table on top of a page: its sections and the functions and classes in them."""
    rows = ["```{container} summary", "| section | functions and classes |", "|---|---|"]
    for title, found in sections.items():
        shown = [e for e in found if full(e)]
        functions = links([e for e in shown if e.kind != "class"])
        classes = links([e for e in shown if e.kind == "class"])
        words = "; ".join(filter(None, (functions, classes))) or f"{len(found)} names"
        rows.append(f"| [{title}](#{slug(title)}) | {words} |")
    return [*rows, "```", ""]


def slug(title: str) -> str:
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def elsewhere(page: str) -> list[str]:
    """Names that this page's modules have and another page, or section, describes."""
    homes = {id(entry.thing): entry for entry in entries()}
    own: list[str] = []
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for module, name, thing in public():
        entry = homes.get(id(thing))
        if page_of(module) != page or entry is None or entry.path == f"{module}.{name}":
            continue
        if module != page:
            counts[module][entry.module] += 1
        elif not (entry.module == module and entry.name == name):
            own.append(f"{{elsewhere}}`{module}.{name} <{entry.path}>`")
    if not own and not counts:
        return []
    text = ["## Also here", ""]
    if own:
        text += [f"Described elsewhere, and in `{page}` too: " + ", ".join(own) + ".", ""]
    if counts:
        text += ["| module | holds names of |", "|---|---|"]
        for module, count in counts.items():
            of = [
                f"[{home}]({page_of(home)}.md)" if page_of(home) != page else f"`{home}`"
                for home, _ in count.most_common()
            ]
            text.append(f"| `{module}` | {', '.join(of)} |")
        text.append("")
    return text


@cache
def pages() -> dict[str, str]:
    """``{name: text}`` of every page."""
    grouped: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries():
        grouped[entry.page].append(entry)
    made = {}
    for page in PAGE_MODULES:
        sections: dict[str, list[Entry]] = {title: [] for title in FAMILIES.get(page, ())}
        own = ["Functions", "Classes"]
        found = sorted(grouped[page], key=lambda e: (e.module != page, e.module, e.name.lower()))
        for title in own:
            sections.setdefault(title, [])
        for entry in found:
            sections.setdefault(entry.section, []).append(entry)
        sections = {title: inside for title, inside in sections.items() if inside}
        text = [f"# {page}", "", first_sentence(page), ""]
        text += summary(sections)
        for title, inside in sections.items():
            text += section(title, inside)
        made[page] = "\n".join(text + elsewhere(page))
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
    """The pages by group, for the end of the index."""
    text = []
    for group, modules in GROUPS.items():
        text += [f"## {group}", "", "| module | holds |", "|---|---|"]
        text += [f"| [{m}]({m}.md) | {first_sentence(m)} |" for m in modules]
        text.append("")
    return "\n".join(text)


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
