"""Compiled functions as programs that need no Python: their arguments, state and code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from theano._src.engines.link import Job
from theano._src.engines.native import ir
from theano._src.engines.native.inline import TYPES
from theano._src.engines.native.standalone.lowering import (
    Argument,
    Member,
    Refused,
    StandaloneInner,
    StandaloneMain,
    StandaloneParts,
    refused_variable,
)
from theano._src.engines.native.standalone.names import Names
from theano._src.engines.native.standalone.simplify import OfValues, simplified, without_codes
from theano._src.engines.native.standalone.stored_elements import pattern_of
from theano._src.graph.graph import Variable
from theano._src.types.sparse import SparseType
from theano._src.types.tensor import TensorType


@dataclass
class Exported:
    """A function of a module: its C name, arguments, outputs, and code."""

    name: str
    inputs: list[Argument]
    outputs: list[Argument]
    low: StandaloneMain
    sizes: ir.Function
    has_state: bool
    changes_state: bool

    @property
    def known_sizes(self) -> list[int] | None:
        """Values that its function of sizes stores, where that is the same for all calls."""
        stores = self.sizes.body[:-1]
        if not all(isinstance(s, ir.Store) and isinstance(s.value, ir.Number) for s in stores):
            return None
        return [int(s.value.value) for s in stores]  # type: ignore[union-attr]

    @property
    def size_count(self) -> int:
        return 1 + sum(bool(n) for a in self.outputs for n in a.shape)


class Lowered:
    """Compiled functions that share their state and kernels.

    Parameters
    ----------
    functions : dict
        Compiled functions by their names.
    parts : StandaloneParts
    shapes : dict, optional
        Lengths of inputs, by variables or their names: numbers, or names.
    in_c : bool
        Whether they are written as C: the state is a parameter, and comments have lines.
    """

    def __init__(
        self,
        functions: Mapping[str, Any],
        parts: StandaloneParts,
        shapes: Mapping[Any, Sequence[int | str | None]] | None = None,
        in_c: bool = True,
    ) -> None:
        self.parts, self._in_c = parts, in_c
        self._shapes = dict(shapes or {})
        self._shaped: set[Any] = set()
        self._members: dict[int, Member] = {}
        self._member_names = Names()
        self.exported = [self._lower(n, f) for n, f in functions.items()]
        unknown = [str(v) for v in self._shapes if v not in self._shaped]
        if unknown:
            names = [a.name for e in self.exported for a in e.inputs if not a.is_number]
            raise ValueError(
                f"shapes has {', '.join(unknown)}, and the arrays are {', '.join(names)}"
            )
        self.functions = self._in_order()

    #: names of the module that no argument has
    _own_names: Sequence[str] = ()

    def _lower(self, name: str, f: Any) -> Exported:
        maker = f.maker
        fgraph = maker.fgraph
        for v in (*fgraph.inputs, *fgraph.outputs):
            if not isinstance(v.type, TensorType) and not self._has_pattern(v):
                is_sparse = self._in_c and isinstance(v.type, SparseType)
                why = "its positions are not constants" if is_sparse else "it is not an array"
                raise refused_variable(v, why)
        updated = set((fgraph.update_mapping or {}).values())
        names = Names([*self._own_names, "state", "scratch", "sizes"])
        arguments: dict[int, Argument] = {}
        members: dict[int, Member] = {}
        lengths: set[str] = set()
        for i, (v, spec, container) in enumerate(
            zip(fgraph.inputs, maker.inputs, f.input_storage, strict=True)
        ):
            if spec.shared or i in updated:
                members[i] = self._member(spec.variable, container)
            else:
                given = spec.variable
                arguments[i] = self._argument(v, given.name or f"in{i}", given, names, lengths)
        outs = [
            self._output(v, given.name or f"out{o}", names)
            for o, (v, given) in enumerate(
                zip(fgraph.outputs, [out.variable for out in maker.outputs], strict=False)
            )
        ]
        job = Job(fgraph, {}, fgraph.toposort())
        low = StandaloneMain(job, name, self.parts, arguments, members, outs, self._in_c)
        sizes = self._sizes_of(low, name)
        simplified(low.main, self._is_pure)
        return Exported(
            name, list(arguments.values()), outs, low, sizes, bool(members), bool(updated)
        )

    def _has_pattern(self, v: Variable) -> bool:
        return self._in_c and pattern_of(v) is not None

    @property
    def _is_pure(self) -> Callable[[str], bool]:
        return self.parts.functions.is_pure

    def _sizes_of(self, low: StandaloneMain | StandaloneInner, name: str) -> ir.Function:
        inner = {each.main.name: f"{each.main.name}_sizes" for each in self.parts.inner}
        try:
            sizes = low.sizes(inner)
        except OfValues:
            raise Refused(
                f"{name} cannot be written in C: the size of an array depends on values that it "
                "computes, and the caller gives the memory"
            ) from None
        simplified(sizes, self._is_pure)
        return sizes

    def _argument(
        self, v: Variable, hint: str, given: Variable, names: Names, lengths: set[str]
    ) -> Argument:
        name = names.new(hint)
        kind: Any = v.type
        if TYPES.get(kind.numpy_dtype) is None:
            raise refused_variable(v, f"C has no {kind.dtype}")
        if not kind.ndim:
            return Argument(name, kind.numpy_dtype, True)
        wanted = self._shapes.get(given, self._shapes.get(given.name, (None,) * kind.ndim))
        self._shaped |= {given, given.name}
        if len(wanted) != kind.ndim:
            raise ValueError(f"shapes has {len(wanted)} lengths for {given}, which has {kind.ndim}")
        shape, new = [], []
        for axis, (n, is_one) in enumerate(zip(wanted, kind.broadcastable, strict=True)):
            if is_one:
                shape.append("1")
            elif isinstance(n, str):
                if n not in lengths:
                    new.append(names.new(n))
                    lengths.add(n)
                shape.append(n)
            elif n is not None:
                shape.append(str(int(n)))
            else:
                new.append(names.new(f"{name}_n" if kind.ndim == 1 else f"{name}_n{axis}"))
                shape.append(new[-1])
        return Argument(name, kind.numpy_dtype, False, tuple(new), tuple(shape))

    def _output(self, v: Variable, hint: str, names: Names) -> Argument:
        name = names.new(hint)
        kind: Any = v.type
        pattern = pattern_of(v)
        known_ones = kind.broadcastable if pattern is None else (False,)
        shape = tuple("" if is_one else f"{name}_n{i}" for i, is_one in enumerate(known_ones))
        return Argument(name, kind.numpy_dtype, False, (), shape, pattern)

    def _member(self, v: Variable, container: Any) -> Member:
        """A shared variable in the state; functions that share it have one."""
        key = id(container.storage)
        if key not in self._members:
            value = np.array(container.value, order="C")
            if TYPES.get(value.dtype) is None:
                raise refused_variable(v, f"C has no {value.dtype}")
            self._members[key] = Member(self._member_names.new(v.name or "shared"), value)
        return self._members[key]

    @property
    def members(self) -> list[Member]:
        return list(self._members.values())

    def _in_order(self) -> list[ir.Function]:
        """All functions, each after those that it calls."""
        inner = {each.main.name: each for each in self.parts.inner}
        kernels: list[ir.Function] = []
        wanted = {
            ins.target
            for e in self.exported
            for ins in all_instructions(e.sizes.body)
            if isinstance(ins, ir.Call)
        }
        for k in self.parts.kernels:
            simplified(k, self._is_pure)
            kernels.append(k)
            if k.name in inner and wanted:
                kernels.append(self._sizes_of(inner[k.name], k.name))
        mains = [f for e in self.exported for f in (e.sizes, e.low.main)]
        wanted_names = [f.name for f in mains]
        functions = _reachable([*kernels, *mains], wanted_names)
        self.succeed = without_codes(functions, self._is_pure)
        return _reachable(functions, wanted_names)


def name_of(f: Any) -> str | None:
    """The name of a function, if the user gave it one that C can have."""
    name = f.name
    return name if name and name.isascii() and name.isidentifier() else None


def all_instructions(body: Sequence[ir.Instruction]) -> list[ir.Instruction]:
    result: list[ir.Instruction] = []
    blocks = [body]
    while blocks:
        block = blocks.pop()
        result += block
        blocks += [i.body for i in block if isinstance(i, ir.Loop | ir.If)]
    return result


def _reachable(functions: Sequence[ir.Function], wanted: Sequence[str]) -> list[ir.Function]:
    """The functions that those of these names call, each after what it calls."""
    by_name = {f.name: f for f in functions}
    done: dict[str, ir.Function] = {}
    stack = [(name, False) for name in reversed(wanted)]
    while stack:
        name, is_ready = stack.pop()
        if name in done or name not in by_name:
            continue
        f = by_name[name]
        if is_ready:
            done[name] = f
            continue
        stack.append((name, True))
        calls = [i.target for i in all_instructions(f.body) if isinstance(i, ir.Call)]
        stack += [(c, False) for c in calls if isinstance(c, str) and c not in ("self", name)]
    return list(done.values())
