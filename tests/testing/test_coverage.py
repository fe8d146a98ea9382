"""Every op is in the graph of some OpSpec, as it is written or in its gradient."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import theano._src.control
import theano._src.ops
import theano.tensor as T
from theano._src.graph.op import Op, PureOp
from theano._src.graph.walk import nodes_of
from theano._src.testing.gradients import gradient_cases, why_not
from theano.testing import OpSpec

OPS = Path(__file__).parents[1] / "ops"

# By name, with the reason; a name that has a spec after all is an error.
EXCEPTIONS = {
    "BaseAdvancedIncSubtensor": "what two ops share",
    "BaseAdvancedSubtensor": "what two ops share",
    "BetaIncA": "the slope of betainc in a; tests/ops/elementwise/test_special.py by mpmath",
    "BetaIncB": "the slope of betainc in b; tests/ops/elementwise/test_special.py by mpmath",
    "Branches": "holds graphs, so that no two are equal; tests/control/test_ifelse_lazy.py",
    "ConvGradient": "what two ops share",
    "Default": "chooses by whether a value is None; tests/ops/meta/test_default.py",
    "FFIOp": "means what its author writes; tests/c_code/test_ffi_op.py",
    "IfElse": "a choice between graphs; tests/control/test_ifelse.py has a table of its own",
    "LazyThunk": "holds what a user's lazy op runs by; tests/extend/test_lazy_thunks.py",
    "LinearSolve": "what two ops share",
    "MakeSlice": "makes a slice, not an array; tests/ops/index/test_slice_values.py",
    "OpFromGraph": "means what its graph means; tests/control/test_opfromgraph.py",
    "Vmap": "only vectorize makes one; tests/control runs the cases of every spec through it",
    "Scan": "holds a graph; tests/control/test_scan_table.py has a table of its own",
    "SameRows": "only vectorize makes one; tests/control",
    "SliceParts": "reads a slice, not an array; tests/ops/index/test_slice_values.py",
    "Tied": "stands for a product that is not computed; tests/grad",
    "LoadFromDisk": "reads a file; tests/ops/meta/test_misc.py reads some",
    "PdbBreakpoint": "opens a debugger; tests/compile/test_monitormode.py",
    "OutputGuard": "only the compiler puts it around outputs, which a spec compares anyway",
}

#: families whose values are no arrays, or that hold graphs, with tables in tests/sparse,
#: tests/typed_list and tests/control
OWN_TABLES = (
    "theano._src.ops.sparse",
    "theano._src.ops.typed_list",
    "theano._src.control.solvers",
    "theano._src.control.sparsity",
)


@cache
def specs() -> list[OpSpec]:
    found = []
    for path in sorted(OPS.rglob("test_*.py")):
        module = importlib.import_module(f"tests.ops.{path.parent.name}.{path.stem}")
        found += getattr(module, "SPECS", ())
    return found


def op_classes() -> Iterator[type]:
    """The ops of two layers; not those that only others are made of."""
    for package in (theano._src.ops, theano._src.control):
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if info.name.startswith(OWN_TABLES):
                continue
            module = importlib.import_module(info.name)
            for name, thing in vars(module).items():
                is_op = isinstance(thing, type) and issubclass(thing, Op)
                if is_op and not name.startswith("_") and has_meaning(thing):
                    yield thing


def has_meaning(cls: type) -> bool:
    above = [base for base in cls.__mro__ if base not in (Op, PureOp, object)]
    meanings = {"compute", "perform", "make_thunk", "impl"}
    given = [base for base in above if meanings & vars(base).keys()]
    # ScalarOp itself means what its subclasses say
    return any(base.__name__ != "ScalarOp" for base in given) and "make_node" in dir(cls)


def classes_in(outputs: Iterable) -> set[type]:
    found = set()
    for node in nodes_of(outputs):
        op = node.op
        while op is not None:
            found.add(type(op))
            op = getattr(op, "scalar_op", None)
    return found


def written(spec: OpSpec) -> set[type]:
    return set().union(*[classes_in(case.build(spec.fn).outputs) for case in spec.all_cases()])


def differentiated(spec: OpSpec) -> set[type]:
    """The ops of gradients of a spec."""
    found: set[type] = set()
    for case in gradient_cases(spec)[:4] if why_not(spec) is None else ():
        built = case.build(spec.fn)
        floats = [v for v in built.outputs if v.dtype.startswith("float")]
        wrt = [
            v
            for i, v in enumerate(built.inputs)
            if i not in spec.fixed and v.dtype.startswith("float")
        ]
        if floats and wrt:
            cost = sum(v.sum() for v in floats)
            found |= classes_in(T.grad(cost, wrt, disconnected_inputs="ignore"))
    return found


def test_every_op_is_in_the_graph_of_a_spec():
    wanted = set(op_classes())
    seen = set().union(*map(written, specs()))
    excused = {cls for cls in wanted if cls.__name__ in EXCEPTIONS}
    for spec in specs():
        if seen >= wanted - excused:
            break
        seen |= differentiated(spec)
    lacking = sorted(f"{cls.__module__}.{cls.__name__}" for cls in wanted - excused - seen)
    assert not lacking, "\n  ".join(["no OpSpec of tests/ops has one of these:", *lacking])
    assert not excused & seen, f"these have specs after all: {excused & seen}"


def test_every_table_of_specs_is_run():
    for path in sorted(OPS.rglob("test_*.py")):
        module = importlib.import_module(f"tests.ops.{path.parent.name}.{path.stem}")
        if hasattr(module, "SPECS"):
            assert hasattr(module, "test_ops"), f"{path.name} has SPECS that nothing runs"
