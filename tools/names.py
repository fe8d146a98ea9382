"""Documented names: which are carried, which are absent with a reason, which are missing.

The list is `spec/documented-names.txt` in the shared folder, one dotted name a line. A name is
carried when it can be reached by imports and attributes, or is an attribute that instances of a
documented class get.
"""

import argparse
import contextlib
import dis
import importlib
import inspect
import itertools
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

from theano._src.ground.absent import reason

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
}


def groups(documented: list[str]) -> dict[str, list[str]]:
    """The named groups, each a list of documented names."""
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
    return found


@cache
def module(name: str):
    """The module of that name, or None; a face may be a module and a function at once."""
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
            for before, after in itertools.pairwise(dis.get_instructions(method)):
                owner = before.argval[-1:] if isinstance(before.argval, tuple) else before.argval
                if after.opname == "STORE_ATTR" and owner in ("self", ("self",)):
                    names.add(after.argval)
    return frozenset(names)


def carried(name: str) -> bool:
    """Whether some split of the dotted name into module and attributes leads to an object."""
    parts = name.split(".")
    if module(name) is not None:
        return True
    return any(
        (root := module(".".join(parts[:cut]))) is not None and reaches(root, parts[cut:])
        for cut in range(len(parts) - 1, 0, -1)
    )


def reaches(thing: object, attributes: list[str]) -> bool:
    for position, attribute in enumerate(attributes):
        try:
            thing = getattr(thing, attribute)
        except Exception:
            last = position == len(attributes) - 1
            return last and isinstance(thing, type) and attribute in instance_attributes(thing)
    return True


def page(name: str) -> str:
    """The heading a name is counted under: its module, to two levels."""
    parts = name.split(".")
    return ".".join(parts[:2]) if len(parts) > 2 or name == "theano.config" else "theano"


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
    path = options.shared / "spec" / "documented-names.txt"
    if not path.exists():
        print(f"names: {path} is absent, so nothing was checked; give its folder with --shared")
        return 0
    documented = path.read_text(encoding="utf-8").split()
    named = groups(documented)
    asked = list(named) if options.groups == [] else options.groups or []
    if unknown := set(asked) - set(named):
        parser.error(f"no group {sorted(unknown)}; there are {sorted(named)}")

    state = {}
    for name in documented:
        state[name] = "absent" if reason(name) else "carried" if carried(name) else "missing"
    report("module", tally((page(name), state[name]) for name in documented))
    report("group", tally((group, state[n]) for group, names in named.items() for n in names))
    missing = [name for name in documented if state[name] == "missing"]
    if options.verbose:
        print("\nmissing:", *missing, sep="\n  ")

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
