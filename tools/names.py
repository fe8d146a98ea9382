"""Names users know: which are carried, which are absent with a reason, which are missing.

Documented names are those of `spec/documented-names.txt` in the shared folder, one dotted name a
line; used ones, and used keywords, those that surveyed projects call (`usage.csv`,
`usage-keywords.csv`). A name is carried when it can be reached by imports and attributes, or is
an attribute that instances of a documented class get; a keyword when the object takes it.
"""

import argparse
import contextlib
import csv
import dis
import importlib
import inspect
import itertools
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from theano._src.graph.op import Op
from theano._src.ground.absent import reason
from theano._src.ground.utils import Scratchpad

PLAIN = "scalar vector row col matrix tensor3 tensor4".split()
PREFIXES = "bwilfdcz"
PLURALS = "scalars vectors rows cols matrices".split()

# The pages of theano.tensor, by what they do. `self.` stands for the methods of variables.
TENSOR = {
    "constructors": [
        *PLAIN,
        *(p + kind for p in PREFIXES for kind in PLAIN),
        *(p + kind for p in "ilfd" for kind in PLURALS),
        *"scalars matrices as_tensor_variable NumpyAutocaster basic.autocast_float".split(),
        *"TensorType TensorType.__init__ TensorType.broadcastable TensorType.dtype".split(),
        *"TensorType.ndim TensorVariable TensorConstant TensorSharedVariable".split(),
        *"_tensor_py_operators self.type self.ndim self.dtype self.copy".split(),
        *"self.get_scalar_constant_value self.zeros_like zeros_like ones_like fill alloc".split(),
        *"eye identity_like arange".split(),
    ],
    "elementwise": [
        *"cast real imag angle lt gt le ge eq neq isnan isinf switch where clip".split(),
        *"and_ or_ xor invert bitwise_and bitwise_or bitwise_xor bitwise_not".split(),
        *"add sub mul truediv intdiv mod pow neg inv abs_ sgn maximum minimum".split(),
        *"exp log log2 log10 ceil floor round iround sqr sqrt".split(),
        *"cos sin tan cosh sinh tanh erf erfc erfinv erfcinv gamma gammaln psi chi2sf".split(),
        *(
            f"self.__{name}__"
            for name in (
                "abs neg invert lt le gt ge and or xor add sub mul div truediv floordiv mod pow"
            ).split()
        ),
        *"self.astype self.clip self.conf self.round".split(),
    ],
    "reductions": [
        *"sum prod mean var std max min argmax argmin max_and_argmax all any ptp".split(),
        *(f"self.{name}" for name in "sum prod mean var std max min argmax argmin".split()),
        *"self.all self.any self.norm".split(),
    ],
    "shape": [
        *"shape reshape flatten shape_padleft shape_padright unbroadcast addbroadcast".split(),
        *"patternbroadcast tile stack concatenate stacklists extra_ops.squeeze".split(),
        *"extra_ops.repeat self.reshape self.dimshuffle self.flatten self.ravel self.T".split(),
        "self.repeat",
    ],
    "indexing": [
        *"set_subtensor inc_subtensor basic.choose".split(),
        *"self.__getitem__ self.take self.nonzero self.nonzero_values self.diagonal".split(),
    ],
}
# Whole pages: every documented name at or below one of these.
PAGES = {
    "config": ["theano.config"],
    "compile io": [
        *"theano.function theano.shared theano.Out theano.Param".split(),
        *"theano.compile.function theano.compile.function_module theano.compile.io".split(),
        *"theano.compile.sharedvalue theano.tensor._tensor_py_operators.eval".split(),
    ],
    "random": [
        *"theano.tensor.raw_random theano.tensor.shared_randomstreams".split(),
        "theano.sandbox.rng_mrg",
    ],
    "loops": [f"theano.{name}" for name in "scan scan_module map reduce foldl foldr".split()],
}
# All of theano.tensor but these.
SUBPACKAGES = "nnet signal raw_random shared_randomstreams".split()
# Names and keywords count as used from this many projects on: one alone may have made them up.
PROJECTS = 2
# Surveyed names that begin with a kind of object instead of a path: expressions that make one.
SPECIMENS = {
    "Variable": ["theano.tensor.dmatrix()", "theano.shared(0.0)"],
    "Function": ["theano.function([], [])"],
    "FunctionGraph": ["theano.FunctionGraph([], [])"],
    "RandomStreams": [
        "theano.tensor.shared_randomstreams.RandomStreams()",
        "theano.sandbox.rng_mrg.MRG_RandomStreams()",
    ],
}
# What the survey took for another thing: only draws of random streams have an update, and only
# shared variables a default one, once they were given it.
MEANT = {
    "Variable.update": "theano.tensor.shared_randomstreams.RandomVariable.update",
    "Variable.default_update": "theano.tensor.sharedvar.TensorSharedVariable.default_update",
}
# Keywords that a function takes by ** and looks at itself: a call with each.
SHOWN = {
    "theano.OpFromGraph(inline)": "theano.OpFromGraph([], [], inline=True)",
    "theano.configparser.change_flags(compute_test_value)": (
        "theano.configparser.change_flags(compute_test_value='off').__enter__()"
    ),
    "theano.shared(borrow)": "theano.shared(0.0, borrow=True)",
    "theano.shared(broadcastable)": (
        "theano.shared(theano._asarray([0.0], 'float64'), broadcastable=(True,))"
    ),
    "theano.shared(target)": "theano.shared(0.0, target='cpu')",
    "theano.tensor.opt.register_canonicalize(name)": (
        "theano.tensor.opt.register_canonicalize(theano.gof.OpRemove(theano.tensor.floor), "
        "name='no_floor')"
    ),
    "theano.tensor.stack(axis)": "theano.tensor.stack([theano.tensor.dvector()], axis=1)",
    "theano.tests.unittest_tools.verify_grad(eps)": (
        "theano.tests.unittest_tools.verify_grad(theano.tensor.sqr, [1.0], eps=1e-6)"
    ),
}


def groups(
    documented: Sequence[str], used: Sequence[str] = (), keywords: Sequence[str] = ()
) -> dict[str, list[str]]:
    """The named groups, each a list of names."""
    found = {}
    for group, short in TENSOR.items():
        found[group] = [
            "theano.tensor." + name.replace("self.", "_tensor_py_operators.") for name in short
        ]
        unknown = set(found[group]) - set(documented)
        if unknown:
            raise SystemExit(f"group {group} lists names that are not documented: {unknown}")
    for group, roots in PAGES.items():
        found[group] = [
            name
            for name in documented
            if any(name == root or name.startswith(root + ".") for root in roots)
        ]
    found["tensor"] = [name for name in documented if of_tensor(name)]
    found["tensor usage"] = [name for name in used if of_tensor(name)]
    found["tensor keywords"] = [name for name in keywords if of_tensor(name)]
    return found


def of_tensor(name: str) -> bool:
    """Whether a name is of theano.tensor or of its variables, and of none of its subpackages."""
    parts = MEANT.get(name, name).split(".")
    if parts[0] == "Variable":
        return True
    return parts[:2] == ["theano", "tensor"] and parts[2:3] not in [[name] for name in SUBPACKAGES]


@cache
def module(name: str):
    """The module of that name, or None; a name may be a module and a function at once."""
    with contextlib.suppress(Exception):
        return importlib.import_module(name)
    return None


@cache
def instance_attributes(cls: type) -> frozenset[str]:
    """Names that instances of `cls` get: annotations, and `self.name =` in its methods."""
    names: set[str] = set()
    for base in cls.__mro__[:-1]:
        names.update(vars(base).get("__annotations__", ()))
        # Bytecode, since the source cannot be found: classes carry their documented module.
        for method in filter(inspect.isfunction, vars(base).values()):
            for before, after in itertools.pairwise(dis.get_instructions(inspect.unwrap(method))):
                owner = before.argval[-1:] if isinstance(before.argval, tuple) else before.argval
                if after.opname == "STORE_ATTR" and owner in ("self", ("self",)):
                    names.add(after.argval)
    return frozenset(names)


def carried(name: str) -> bool:
    """Whether some split of the dotted name into module and attributes leads to an object."""
    return next(found(name), None) is not None


def found(name: str) -> Iterator[tuple[Any]]:
    """(object,) for each way in which a dotted name leads to an object; (None,) for attributes."""
    name = MEANT.get(name, name)
    parts = name.split(".")
    if (whole := module(name)) is not None:
        yield (whole,)
    for cut in range(len(parts) - 1, 0, -1):
        if (root := module(".".join(parts[:cut]))) is not None:
            yield from reached(root, parts[cut:])
    for specimen in specimens(parts[0]):
        yield from reached(specimen, parts[1:])


@cache
def specimens(kind: str) -> list[object]:
    """Objects of a kind that surveyed names begin with."""
    return made(SPECIMENS.get(kind, ()))


def made(expressions: Iterable[str]) -> list[object]:
    """What expressions give, but for those that use a name or a keyword that is not there."""
    values = []
    for expression in expressions:
        with contextlib.suppress(AttributeError, TypeError):
            values.append(eval(expression, {"theano": module("theano")}))
    return values


def reached(thing: Any, attributes: list[str]) -> Iterator[tuple[Any]]:
    for position, attribute in enumerate(attributes):
        if isinstance(thing, Scratchpad):
            # it is the user's own: whatever is put there, is there
            yield (None,)
            return
        try:
            thing = getattr(thing, attribute)
        except Exception:
            last = position == len(attributes) - 1
            if last and isinstance(thing, type) and attribute in instance_attributes(thing):
                yield (None,)
            return
    yield (thing,)


def takes(name: str, keyword: str) -> bool:
    """Whether what a name leads to is called with this keyword; `**` stands for any."""
    ways = [thing for (thing,) in found(name)]
    if keyword == "**":
        return bool(ways)
    if shown := SHOWN.get(f"{name}({keyword})"):
        return bool(made([shown]))
    return any(keyword in names_of(call) for thing in ways for call in calls(thing))


def calls(thing: Any) -> list[Any]:
    """The functions whose parameters are those of a call: an Op is called as its make_node."""
    return [thing, thing.make_node] if isinstance(thing, Op) else [thing]


def names_of(call: Any) -> set[str]:
    """Parameters that can be given by name."""
    try:
        parameters = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        return set()
    return {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}


def page(name: str) -> str:
    """The heading a name is counted under: its module, to two levels."""
    parts = name.split("(")[0].split(".")
    if parts[0] != "theano":
        return parts[0]
    return ".".join(parts[:2]) if len(parts) > 2 or name == "theano.config" else "theano"


def state_of(name: str) -> str:
    """Carried, absent or missing; `name(keyword)` asks for the keyword."""
    name, _, keyword = name.rstrip(")").partition("(")
    if takes(name, keyword) if keyword else carried(name):
        return "carried"
    return "absent" if reason(name) else "missing"


def surveyed(path: Path) -> list[str]:
    """Names, or `name(keyword)`, that enough projects use."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if int(row["number_of_projects"]) >= PROJECTS]
    if path.stem == "usage":
        return [row["name"] for row in rows]
    return [f"{row['function']}({row['keyword']})" for row in rows]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("-v", "--verbose", action="store_true", help="list the missing names")
    parser.add_argument(
        "--groups",
        nargs="*",
        metavar="GROUP",
        help="fail when one of these groups has a missing name (no GROUP: all groups)",
    )
    options = parser.parse_args()
    spec = options.shared / "spec"
    if not (spec / "documented-names.txt").exists():
        print(f"names: {spec} is absent, so nothing was checked; give its folder with --shared")
        return 0
    lists = {
        "documented": (spec / "documented-names.txt").read_text(encoding="utf-8").split(),
        "used": surveyed(spec / "usage.csv"),
        "keyword": surveyed(spec / "usage-keywords.csv"),
    }
    named = groups(*lists.values())
    asked = list(named) if options.groups == [] else options.groups or []
    if unknown := set(asked) - set(named):
        parser.error(f"no group {sorted(unknown)}; there are {sorted(named)}")

    state = {name: state_of(name) for names in lists.values() for name in names}
    for title, names in lists.items():
        report(title, tally((page(name), state[name]) for name in names))
    report("group", tally((group, state[n]) for group, names in named.items() for n in names))
    if options.verbose:
        for title, names in lists.items():
            missing = [name for name in names if state[name] == "missing"]
            print(f"\n{title}, missing:", *missing, sep="\n  ")

    failed = False
    for group in asked:
        if lost := [name for name in named[group] if state[name] == "missing"]:
            failed = True
            print(f"\ngroup {group} must be whole, and lacks:", *lost, sep="\n  ")
    return int(failed)


def tally(pairs) -> dict[str, Counter]:
    table: dict[str, Counter] = defaultdict(Counter)
    for heading, kind in pairs:
        table[heading][kind] += 1
    return table


def report(title: str, table: dict[str, Counter]) -> None:
    print(f"{title:24}{'carried':>9}{'absent':>9}{'missing':>9}")
    for heading, count in [*sorted(table.items()), ("all", sum(table.values(), Counter()))]:
        print(f"  {heading:22}", *(f"{count[k]:8}" for k in ("carried", "absent", "missing")))


if __name__ == "__main__":
    sys.exit(main())
