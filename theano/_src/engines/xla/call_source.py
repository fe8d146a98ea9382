"""The call path of a staged graph, as the source of one Python function.

Names: ``c`` cells, ``r`` values as read, ``h`` values on the host, ``i`` sizes as Python
numbers, ``d`` values on the device, ``p`` programs, ``f`` host calls. Each line that can fail
belongs to one node or program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from theano._src.engines.error_report import host_call
from theano._src.engines.link import Cells, overwritten_state
from theano._src.engines.mesh.plan import MeshPlan
from theano._src.engines.numpy.lines import text_of
from theano._src.engines.xla.overwriting import LARGE
from theano._src.engines.xla.program import DeviceProgram
from theano._src.engines.xla.staging import Staging
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.ground.function_text import FunctionText
from theano._src.ops.shape.shape import Shape, Shape_i
from theano._src.types.scalar import Scalar
from theano._src.types.shared import Cell
from theano._src.types.tensor import TensorType


class CallWriter:
    """Writes ``run()``: sections and programs in turn, then state is stored, results returned."""

    def __init__(
        self,
        staging: Staging,
        stages: Sequence[DeviceProgram],
        cells: Cells,
        updates: dict[int, int],
        call: Callable[[Apply], Callable[..., Any]] = host_call,
        plan: MeshPlan | None = None,
    ) -> None:
        self._plan = plan
        self.staging = staging
        self.stages = stages
        self.cells = cells
        self.updates = updates
        self._call = call
        self.space: dict[str, Any] = {}
        self.owner_of_line: dict[int, Apply] = {}
        self._index: dict[Variable, int] = {}
        self._host: set[Variable] = set()
        self._device: set[Variable] = set()
        self._raw: dict[Variable, str] = {}
        self.names: dict[str, Variable] = {}
        self._holds = False
        self._overwrites = False
        #: lines that store updates that do not replace an operand, once their values are computed
        self._other: list[str] | None = None
        self._fetched: set[Variable] = set()
        self._ints: set[Variable] = set()
        #: state that host nodes write to; a call that fails must not change it
        self._copied = {v for v in overwritten_state(staging.fgraph) if v.type.holds_values}
        inputs = staging.fgraph.inputs
        #: the positions of the inputs that ``run`` takes as arguments; others are read from cells
        self.params = [i for i, v in enumerate(inputs) if not isinstance(cells[v], Cell)]
        self._raw.update({inputs[i]: self._name("r", inputs[i]) for i in self.params})
        params = ", ".join(self._raw[inputs[i]] for i in self.params)
        self.text = FunctionText("run", params, self.space, "xla plan")

    def write(self) -> FunctionText:
        fgraph = self.staging.fgraph
        sections = self.staging.sections
        if self._plan is not None:
            self._arguments_on_mesh(self._plan)
        for k, program in enumerate(self.stages):
            if k < len(sections):
                self._section(sections[k])
            self._program(program)
        for nodes in sections[len(self.stages) :]:
            self._section(nodes)
        if not self._holds:
            self._hold()
        self._results(fgraph)
        self._release()
        return self.text

    # interrupts

    def _hold(self) -> None:
        """Write lines after which Ctrl-C waits for the end of the call.

        XLA cannot be stopped, and the updates of a started program are stored. Also, an
        interrupt inside jax's garbage-collector callback would only be printed and then lost.
        """
        self._holds = True
        self._say("kept = False")
        self._say("held = hold()")
        self._say("try:")
        self.text.depth += 1

    def _release(self) -> None:
        self.text.depth -= 1
        self._say("finally:")
        self._say("    if held is not None: held.release()")

    # values

    def _number(self, v: Variable) -> int:
        return self._index.setdefault(v, len(self._index))

    def _name(self, kind: str, v: Variable) -> str:
        name = f"{kind}{self._number(v)}"
        self.names[name] = v
        return name

    def _say(self, line: str, node: Apply | None = None) -> None:
        self.text.add(line)
        if node is not None:
            self.owner_of_line[len(self.text.lines)] = node

    def _read(self, v: Variable) -> str:
        """The name of an input's value as it is in its cell."""
        name = self._raw.get(v)
        if name is None:
            name = self._raw[v] = self._name("r", v)
            self.space[f"c{self._number(v)}"] = self.cells[v]
            self._say(f"{name} = c{self._number(v)}[0]")
        return name

    def host(self, v: Variable) -> str:
        """The name of a value on the host; write the line that brings it there."""
        name = self._name("h", v)
        if v in self._host:
            return name
        self._host.add(v)
        if isinstance(v, Constant):
            self.space[name] = v.data
        elif v in self._ints:
            self.space[f"t{self._number(v)}"] = v.type.numpy_dtype
            self._say(f"{name} = array({self._name('i', v)}, t{self._number(v)})")
        elif self._from_program(v):
            self._fetched.add(v)
            brought = f"asarray({self._name('d', v)})"
            self._say(f"{name} = {brought}{'[()]' if isinstance(v.type, Scalar) else ''}")
        else:
            raw = self._read(v)
            if isinstance(self.cells[v], Cell) or self._is_split(v):
                here = f"on_host({raw})"
            elif isinstance(v.type, TensorType):
                # the caller may pass a jax array
                here = f"({raw} if {raw}.__class__ is ndarray else on_host({raw}))"
            else:
                here = raw
            self._say(f"{name} = copied({here})" if v in self._copied else f"{name} = {here}")
        return name

    def whole(self, v: Variable) -> str:
        """A 0-d integer or bool on the host, as a name or literal of a Python number."""
        if isinstance(v, Constant):
            return repr(v.data.item())
        name = self._name("i", v)
        if v not in self._ints:
            here = self.host(v)
            self._ints.add(v)
            self._say(f"{name} = {here}.item()")
        return name

    def device(self, v: Variable) -> str:
        """The name of a value as a program takes it; a caller's NumPy array is passed as it is."""
        if v in self._device:
            return self._name("d", v)
        if v in self._ints:
            self.host(v)
        name = self._name("d", v)
        self._device.add(v)
        if v in self._host and not (v in self.cells and isinstance(self.cells[v], Cell)):
            self._say(f"{name} = {self._name('h', v)}")
        else:
            raw = self._read(v)
            if isinstance(self.cells[v], Cell) and isinstance(v.type, TensorType):
                self._say(f"{name} = {self._kept(v, raw)}")
            else:
                self._say(f"{name} = {raw}")
        return name

    def _kept(self, v: Variable, raw: str) -> str:
        """Text for a shared variable's value where programs need it."""
        number = self._number(v)
        if self._plan is None:
            there = f"{raw}.__class__ is ndarray or c{number}.on_mesh"
            return f"put(c{number}, {raw}) if {there} else {raw}"
        self.space[f"s{number}"] = self._plan.held[v]
        return f"placed(c{number}, {raw}, s{number}, {str(v)!r})"

    # meshes

    def _is_split(self, v: Variable) -> bool:
        return self._plan is not None and v in self._plan.given

    def _meet(self, k: int) -> None:
        """Wait until all processes are about to run a program: a collective cannot be stopped."""
        if self._plan is not None:
            self._say(f"if group.joined: meet(*p{k}.marks[key])")

    def _arguments_on_mesh(self, plan: MeshPlan) -> None:
        # noted first: the history of a process also counts calls that raise in it alone
        names = ", ".join(map(str, self.staging.fgraph.inputs))
        self._say(f"if group.joined: group.note({f'a call with {names}'!r})")
        for v in self.staging.fgraph.inputs:
            if v in plan.given:
                self._join(v)
            elif isinstance(v.type, TensorType) and not isinstance(self.cells[v], Cell):
                self._say(f"same({self._read(v)}, {str(v)!r})")

    def _join(self, v: Variable) -> None:
        """Join the processes' values of an input into one array, before its shape is read."""
        assert self._plan is not None
        raw, number = self._read(v), self._number(v)
        self.space[f"s{number}"] = self._plan.given[v]
        self._say(f"{raw} = joined({raw}, s{number}, {str(v)!r})")

    # parts

    def _section(self, nodes: Sequence[Apply]) -> None:
        for node in nodes:
            text = self._as_text(node)
            if text is not None:
                (out,) = node.outputs
                self._ints.add(out)
                self._say(f"{self._name('i', out)} = {text}", node)
                continue
            if isinstance(node.op, Shape | Shape_i):
                args = self._shaped(node.inputs[0])
            else:
                args = ", ".join([self.host(v) for v in node.inputs])
            number = len(self.space)
            self.space[f"f{number}"] = self._call(node)
            outs = ", ".join(self._name("h", v) for v in node.outputs)
            self._host.update(node.outputs)
            self._say(f"{outs} = f{number}({args})", node)

    def _as_text(self, node: Apply) -> str | None:
        """Arithmetic on sizes as Python text: a NumPy operation on one number costs far more."""
        if type(node.op) is Shape_i:
            return f"{self._shaped(node.inputs[0])}.shape[{node.op.i}]"
        # tried with dummy names first: the real ones add lines
        if text_of(node, *["x"] * len(node.inputs)) is None:
            return None
        return text_of(node, *[self.whole(v) for v in node.inputs])

    def _shaped(self, v: Variable) -> str:
        """The name of a value with the shape of ``v``; a length does not wait for the value."""
        if v in self._host:
            return self._name("h", v)
        if v in self._device:
            return self._name("d", v)
        return self.host(v) if isinstance(v, Constant) else self._read(v)

    def _program(self, program: DeviceProgram) -> None:
        k = program.number
        self.space[f"p{k}"] = program
        args = [self.device(v) for v in program.operands]
        sizes = [self.whole(v) for v in program.sizes]
        shapes = "".join(f"{a}.shape, " for a in args)
        self._say(f"key = (({shapes}), ({''.join(s + ', ' for s in sizes)}))")
        lookup = f"run{k} = p{k}.last if key == p{k}.key else p{k}.find(key)"
        if program.state:
            self._hold()
        # only around the program: user code must not see the setting
        self._say("with x64():" if self._plan is None else "with x64(), one_at_a_time:")
        self.text.depth += 1
        if program.state:
            self._dispatch_state(program, lookup, args)
        else:
            self._say(lookup)
            self._meet(k)
            constants = [f"*p{k}.constants()"] if program.large else []
            self._say(f"out = run{k}({', '.join(args + constants)})")
        if self._plan is not None:
            self._say("ready(out[-1])")
        self.text.depth -= 1
        for r, v in enumerate(program.results):
            self._device.add(v)
            self._say(f"{self._name('d', v)} = out[{r}]")
        n = len(program.results)
        self._say(f"if len(out) > {n}:")
        self._say(
            f"    if not all(asarray(out[{n}]).tolist()): p{k}.raise_failed_check(key, out[{n}])"
        )
        if program.donate:
            self._say("kept = overwrites")

    def _dispatch_state(self, program: DeviceProgram, lookup: str, args: list[str]) -> None:
        """Write a call whose results replace state, overwriting it if nothing can fail (ADR 23).

        Then nothing may come between the call and the stores: the call goes through a C iterator,
        so that its results are in a list before Python handles signals, and no call comes between
        two stores. Otherwise state is stored when all results are computed.
        """
        k = program.number
        constants = [f"*p{k}.constants()"] if program.large else []
        call = f"out = run{k}({', '.join(args + constants)})"
        self._say(lookup)
        self._meet(k)
        if not program.donate:
            self._say(call)
            return
        packed = [f"({a},)" for a in args] + ([f"*p{k}.packed()"] if program.large else [])
        self._overwrites = True
        self._other = self._other_stores()
        self._say(f"need = p{k}.need")
        self._say(f"overwrites = need is not None and (need < {LARGE} or has_room(need))")
        self._say("if overwrites:")
        self._say("    box = []")
        self._say("    try:")
        self._say(f"        extend(box, map(run{k}, {', '.join(packed)}))")
        self._say("    finally:")
        self._say("        if box:")
        self._say("            out = box[0]")
        for store in self._other + self._state_stores(program):
            self._say(f"            {store}")
        self._say("else:")
        taken = "".join(f"{args[i]}, " for i in program.donate)
        self._say(f"    ({taken}), spare = spared({taken})")
        self._say(f"    {call}")

    def _state_stores(self, program: DeviceProgram) -> list[str]:
        stores = []
        for i, r in program.state:
            number = self._number(program.operands[i])
            self.space.setdefault(f"c{number}", self.cells[program.operands[i]])
            stores.append(f"c{number}[0] = out[{r}]")
        return stores

    def _results(self, fgraph: Any) -> None:
        n = len(fgraph.outputs) - len(self.updates)
        outs = self._outputs(fgraph.outputs[:n], fgraph.outputs[n:])
        names = [f"o{i}" for i in range(n)]
        for name, out in zip(names, outs, strict=True):
            self._say(f"{name} = {out}")
        for program in self.stages:
            # the results of a program are ready at the same time
            if program.results and not self._fetched.intersection(program.results):
                self._say(f"ready({self._name('d', program.results[0])})")
        stores = self._other_stores() if self._other is None else self._other
        for program in self.stages:
            stores = stores + self._state_stores(program)
        # no call between these lines: an interrupt cannot come between two of them
        if self._overwrites and stores:
            self._say("if not overwrites:")
        for store in stores:
            self._say(f"    {store}" if self._overwrites else store)
        self._say("kept = True")
        self._say(f"return [{', '.join(names)}]")

    def _other_stores(self) -> list[str]:
        """Lines that store the updates that do not replace an operand of the last program."""
        fgraph = self.staging.fgraph
        stored = {p.operands[i] for p in self.stages for i, _ in p.state}
        stores = []
        for o, i in self.updates.items():
            held, new = fgraph.inputs[i], fgraph.outputs[o]
            if held in stored or new is held:
                continue
            in_program = self._from_program(new)
            value = self._name("d", new) if in_program else self.host(new)
            if not in_program and isinstance(new.type, TensorType):
                value = f"writeable({value})"
            if in_program and not isinstance(self.cells[held], Cell):
                value = f"owned({value})"
            number = self._number(held)
            self.space.setdefault(f"c{number}", self.cells[held])
            self._say(f"n{number} = {value}")
            stores.append(f"c{number}[0] = n{number}")
        return stores

    def _outputs(self, outputs: list[Variable], updates: list[Variable]) -> list[str]:
        """Texts of the outputs as the caller's arrays; without a copy if nothing shares memory."""
        texts = [self._owned(v) for v in outputs]
        if self._plan is not None:
            return texts
        once = [
            self._from_program(v)
            and getattr(v.type, "ndim", 0) > 0
            and v not in updates
            and v not in outputs[:i]
            for i, v in enumerate(outputs)
        ]
        if any(once):
            others = [self._name("d", v) for v in sorted(self._device, key=self._number)]
            others += [f"*p{p.number}.constants()" for p in self.stages if p.large]
            self._say(f"others = ({', '.join(others)},)")
        return [
            f"taken({self._name('d', v)}, others)" if take else name
            for v, name, take in zip(outputs, texts, once, strict=True)
        ]

    def _from_program(self, v: Variable) -> bool:
        return v in self._device and v.owner is not None

    def _owned(self, v: Variable) -> str:
        """The text of an output as an array that the caller owns."""
        if self._plan is not None and v in self._plan.shown and v in self._device:
            self._fetched.add(v)
            return f"own_part({self._name('d', v)})"
        if self._from_program(v):
            self._fetched.add(v)
            return f"owned({self._name('d', v)})"
        name = self.host(v)
        if v.owner is None:
            return f"owned({name})"
        # a host node may return a view of a device array, which NumPy must not write to
        return f"writeable({name})" if isinstance(v.type, TensorType) else name
