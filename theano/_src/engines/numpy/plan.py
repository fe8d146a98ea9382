"""The plan of a graph for NumPy: Python source with one line per node, values in local names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from theano._src.engines.error_report import host_call
from theano._src.engines.errstate import quiet
from theano._src.engines.link import Cells, copied, overwritten_state
from theano._src.engines.numpy.equal_lengths import Lengths, agreement
from theano._src.engines.numpy.lines import text_of
from theano._src.engines.numpy.plan_sizes import PlanSizes, known_lengths, tuple_text
from theano._src.engines.undo import can_be_undone, keeper, put_back
from theano._src.engines.value_guard import Guard
from theano._src.graph.destroy import overwritten_inputs
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import meaning_of
from theano._src.graph.walk import view_roots
from theano._src.ground.function_text import FunctionText
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.linalg.blas import plain_product, product_or_say
from theano._src.ops.shape.alloc import AllocEmpty
from theano._src.ops.shape.shape import Shape_i
from theano._src.types.run_node import call_of
from theano._src.types.shared import Cell, on_host

#: up to this many elements, the steps of a composite run on whole arrays, not piece by piece
_SHORT = 1 << 13

# NumPy scalars follow the same rules as arrays here, in a tenth of the time
_OPERATORS: dict[Any, str] = {np.add: "+", np.subtract: "-", np.multiply: "*", np.divide: "/"}


class Line(NamedTuple):
    """A line of the plan: its text, the names it assigns and reads, its node's position."""

    text: str
    assigned: tuple[str, ...]
    read: tuple[str, ...]
    position: int


class PlanWriter:
    """Writes the plan of a graph.

    Names: ``v`` values, ``c`` cells of shared variables, ``k`` numbers, ``f`` functions of nodes,
    ``g`` the same with every check, ``u`` cells of updates. ``params`` are the positions of the
    inputs that the plan takes as arguments; shared variables are read from their cells. Lengths are
    Python numbers, ``i``, unless ``numbers`` is False.
    """

    numbers = True

    def __init__(
        self,
        fgraph: FunctionGraph,
        cells: Cells,
        order: list[Apply],
        gc: bool,
        guard: Guard | None = None,
    ) -> None:
        self.fgraph, self.cells, self.order, self.gc = fgraph, cells, order, gc
        self._guard = guard
        self.names: dict[Variable, str] = {}
        self.space: dict[str, Any] = {
            "asarray": np.asarray,
            "array": np.array,
            "copy": copied,
            "peek": peek,
        }
        self.space |= {"ndarray": np.ndarray, "on_host": on_host}
        self.node_at: dict[int, int] = {}
        shared = [isinstance(cells[v], Cell) for v in fgraph.inputs]
        self.params = [i for i, held in enumerate(shared) if not held]
        self._outputs = set(fgraph.outputs)
        self._products = {n: loop for n in order if (loop := plain_product(n)) is not None}
        self._users: dict[Variable, list[tuple[Apply, int]]] = {}
        for node in order:
            read = set(self._products.get(node, node.inputs))
            for i, v in enumerate(node.inputs):
                if v in read:
                    self._users.setdefault(v, []).append((node, i))
        self._left_out = self._not_read() if self._products else set()
        counted = order if self.numbers and guard is None else []
        self._sizes = PlanSizes(counted, self._users, self._outputs)
        self._loops = {node: loop for node in order if (loop := loop_of(node)) is not None}
        self._taking: dict[Apply, bool] = {}
        self._state = overwritten_state(fgraph)
        #: state that nodes get a copy of, and nodes that overwrite parts, which are saved first
        self.copied, self.undone = self._ways_back()
        self._lengths = Lengths()
        self._fresh: set[Variable] = set()  # arrays that no other name refers to
        self._numbers: dict[Variable, str] = {}  # 0-d values that are not arrays
        self._wholes: dict[Variable, str] = {}  # lengths as Python numbers
        #: variables that are replaced by a number, whatever their dimensions
        self.stands_for: dict[Variable, Variable] = {}

    # decisions before writing

    def _not_read(self) -> set[Apply]:
        """Nodes that allocate memory, or compute its shape, for products that do not need it."""
        nodes: set[Apply] = set()
        for node in reversed(self.order):
            (out, *more) = node.outputs
            if more or type(node.op) not in (AllocEmpty, Shape_i) or out in self._outputs:
                continue
            if all(user in nodes for user, _ in self._users.get(out, ())):
                nodes.add(node)
        return nodes

    def _ways_back(self) -> tuple[set[Variable], set[Apply]]:
        """Decide how to restore overwritten state if a later node fails.

        An elementwise node writes to a new array instead. If only parts are overwritten, they are
        saved. Other nodes get a copy of the whole.
        """
        # the states whose memory a variable has: a node's output takes over what it overwrites
        holds = {v: {v} for v in self._state}
        writers: dict[Variable, list[tuple[Apply, Variable]]] = {v: [] for v in self._state}
        gone: set[Variable] = set()
        for node in self.order if self._state else ():
            for o, positions in (getattr(node.op, "destroy_map", None) or {}).items():
                for x in (node.inputs[i] for i in positions):
                    roots = view_roots(x)
                    gone.update(roots)
                    for v in {v for root in roots for v in holds.get(root, ())}:
                        writers[v].append((node, x))
                        holds.setdefault(node.outputs[o], set()).add(v)
        copied: set[Variable] = set()
        undone: set[Apply] = set()
        for v, result in writers.items():
            node, x = result[0]
            if x is v and _all_ufuncs(self._loops.get(node)):
                continue
            if all(can_be_undone(n, gone) for n, _ in result):
                undone.update(n for n, _ in result)
            else:
                copied.add(v)
        return copied, undone

    def _takes_numbers(self, node: Apply) -> bool:
        """Whether the shape of a node's output is known without the broadcast inputs."""
        answer = self._taking.get(node)
        if answer is None:
            answer = self._taking[node] = _all_ufuncs(self._loops.get(node)) and any(
                not all(v.type.broadcastable) for v in node.inputs
            )
        return answer

    def _only_added(self, node: Apply) -> bool:
        """Whether a node only adds dimensions to a number, and its users do not need them."""
        (out,) = node.outputs
        return (
            type(node.op) is DimShuffle
            and node.inputs[0].type.ndim == 0
            and out not in self._outputs
            and all(self._takes_numbers(user) for user, _ in self._users.get(out, ()))
        )

    def _stays_number(self, v: Variable) -> bool:
        """Whether all users of a 0-d value also accept a NumPy scalar."""
        if v in self._outputs:
            return False
        for user, _ in self._users.get(v, ()):
            if not (
                isinstance(self._loops.get(user), np.ufunc)
                or (user.op.__class__ is DimShuffle and self._only_added(user))
            ):
                return False
        return True

    # writing

    def write(self) -> FunctionText:
        """Return the plan: a function ``run`` of the inputs in ``params``."""
        head = self._reads()
        lines: list[Line] = []
        for i, node in enumerate(self.order):
            lines += self._node(i, node)
            if self._guard is not None:
                lines += self._watch(self._guard, i, node)
        gone = self._gone(lines) if self.gc else [[] for _ in lines]
        params = ", ".join(self.names[self.fgraph.inputs[i]] for i in self.params)
        text = FunctionText("run", params, self.space, "numpy plan")
        text.add("token = enter(state if current() is usual else within())")
        if self.undone:
            self.space["put_back"] = put_back
            text.add("journal = []")
        with text.under("try:"):
            text.add(*head, *self.begin())
            for line, names in zip(lines, gone, strict=True):
                drop = f"; del {', '.join(names)}" if names else ""
                text.add(f"{line.text}{drop}{self.after(line)}")
                self.node_at[len(text.lines)] = line.position
            text.add(*self.end())
            self._store_and_return(text)
        with text.under(f"except {'BaseException' if self.undone else 'Exception'} as error:"):
            if self.undone:
                text.add("put_back(journal)", "if not isinstance(error, Exception): raise")
            text.add("blame(error)")
        with text.under("finally:"):
            text.add("leave(token)")
        self.space.update(quiet()._asdict())
        return text

    def _store_and_return(self, text: FunctionText) -> None:
        # no call between these lines: an interrupt cannot come between two of them
        if self.undone:
            text.add("journal = ()")
        updates = self.fgraph.update_mapping or {}
        for o, i in updates.items():
            self.space[f"u{i}"] = self.cells[self.fgraph.inputs[i]]
            text.add(f"u{i}[0] = {self._name(self.fgraph.outputs[o])}")
        results = self.fgraph.outputs[: len(self.fgraph.outputs) - len(updates)]
        text.add(f"return [{', '.join(map(self._name, results))}]")

    # hooks for timed plans

    def begin(self) -> list[str]:
        """Lines before the first node."""
        return []

    def after(self, line: Line) -> str:
        """The text that follows a node on its line."""
        return ""

    def end(self) -> list[str]:
        """Lines after the last node."""
        return []

    def _reads(self) -> list[str]:
        lines = []
        written = set(overwritten_inputs(self.fgraph))
        for v in self.fgraph.inputs:
            name = self.names[v] = f"v{len(self.names)}"
            cell = self.cells[v]
            if isinstance(cell, Cell) and (v in self._users or v in self._outputs):
                self.space[f"c{name}"] = cell
                lines.append(f"{name} = c{name}[0]")
                # the other engine may have left a shared value on its device
                fetch = f"c{name}[0] = on_host({name})" if v in written else f"peek({name})"
                lines.append(f"if {name}.__class__ is not ndarray: {name} = {fetch}")
            if v in self.copied:
                lines.append(f"{name} = copy({name})")
            if self._guard is not None and v in self._users and self._guard.watches(v):
                reader = self._users[v][0][0]
                self.space[f"w{name}"] = partial(self._guard.check_input, v, reader)
                lines.append(f"w{name}({name})")
        return lines

    def _watch(self, guard: Guard, i: int, node: Apply) -> list[Line]:
        """Lines that check a node's outputs; its inputs live until then, for error reports."""
        if node in self._left_out or node.outputs[0] in self.stands_for:
            return []
        inputs = [self.stands_for.get(v, v) for v in node.inputs if not isinstance(v, Constant)]
        read = tuple(self._name(v) for v in (*node.outputs, *inputs))
        lines = []
        for k in guard.watched(node):
            self.space[f"w{i}_{k}"] = partial(guard.check, node, k)
            lines.append(Line(f"w{i}_{k}({self._name(node.outputs[k])})", (), read, i))
        return lines

    def _name(self, v: Variable) -> str:
        text = self.names.get(v)
        if text is None:
            text = self.names[v] = f"v{len(self.names)}"
            if isinstance(v, Constant):
                self.space[text] = v.data
        return text

    def _node(self, i: int, node: Apply) -> list[Line]:
        if type(node.op) is DimShuffle and self._only_added(node):
            self.stands_for[node.outputs[0]] = node.inputs[0]
            return []
        if node in self._left_out or node in self._sizes.vectors:
            self._name(node.outputs[0])  # error reports look it up
            return []
        if node in self._sizes.nodes:
            return self._size(i, node)
        loop = self._loops.get(node)
        line = None if loop is None else self._elementwise(i, node, loop)
        if line is None:
            product = self._products.get(node)
            inputs = node.inputs if product is None else product
            reads = [self._name(self.stands_for.get(v, v)) for v in inputs]
            args = [
                f"{name}.reshape({(1,) * v.type.ndim})" if v in self.stands_for else name
                for name, v in zip(reads, inputs, strict=True)
            ]
            if node in self.undone:
                self.space[f"o{i}"] = keeper(node)
                args[0] = f"o{i}({', '.join(('journal', args[0], *args[2:]))})"
            lengths = self._sizes.lengths_of(node)
            numbers = known_lengths(node) if self.numbers else None
            if lengths is not None:
                numbers = [self._whole(v) for v in lengths]
                reads = [reads[0], *filter(str.isidentifier, numbers)]
                args[1] = f"array({tuple_text(numbers)})"
            if numbers is not None:
                text: str | None = self._reshaped(i, node, args, numbers)
            else:
                text = written_out(node, args)
            if text is None:
                self.space[f"f{i}"] = host_call(node) if product is None else product_or_say
                text = f"f{i}({', '.join(args)})"
            line = Line(text, (), tuple(reads), i)
        self._lengths.passed(node)
        outs = tuple(self._name(v) for v in node.outputs)
        return [Line(f"{', '.join(outs)} = {line.text}", outs, line.read, i)]

    def _size(self, i: int, node: Apply) -> list[Line]:
        """Lines for a length, or arithmetic on lengths; also as an array if one is read."""
        (out,) = node.outputs
        if type(node.op) is Shape_i:
            reads = [self._name(self.stands_for.get(v, v)) for v in node.inputs]
            text: str | None = f"{reads[0]}.shape[{node.op.i}]"
        else:
            reads = [self._whole(v) for v in node.inputs]
            text = text_of(node, *reads)
        number = f"i{i}"
        named = tuple(name for name in reads if name.isidentifier())
        lines = [Line(f"{number} = {text}", (number,), named, i)]
        self._wholes[out] = number
        if out in self._sizes.arrays:
            name = self._name(out)
            lines.append(Line(f"{name} = asarray({number})", (name,), (number,), i))
        else:
            self.names[out] = number
        self._lengths.passed(node)
        return lines

    def _whole(self, v: Variable) -> str:
        return repr(v.data.item()) if isinstance(v, Constant) else self._wholes[v]

    def _reshaped(self, i: int, node: Apply, args: list[str], lengths: list[str]) -> str:
        """Text of a reshape to known lengths; if they do not fit, the checked call is used."""
        self.space[f"f{i}"] = host_call(node)
        fits = f"{args[0]}.size == {' * '.join(lengths) or '1'} > 0"
        return f"{args[0]}.reshape({tuple_text(lengths)}) if {fits} else f{i}({', '.join(args)})"

    def _elementwise(self, i: int, node: Apply, loop: Any) -> Line | None:
        """A call of NumPy's loop; lengths are checked unless they are known to agree."""
        (out,) = node.outputs
        room = self._room(node)
        if room is None:
            return None
        if out.type.ndim == 0:
            return self._of_numbers(i, node, loop)
        full = [self._name(v) for v in node.inputs] if not self._takes_numbers(node) else []
        reads = full or [self._as_number(v) for v in node.inputs]
        args = ", ".join(reads)
        call = f"f{i}({args})"
        if room:
            call = f"f{i}({args}, out={room})"
            x = node.inputs[node.op.inplace_items[0][1]]
            if x not in self._fresh:
                # a broadcast view has several elements at one address
                call = f"({call} if {room}.flags.writeable else f{i}({args}))"
        if isinstance(loop, np.ufunc):
            self.space[f"f{i}"] = loop
            text = call
            self._fresh.add(out)
        else:
            same = [k for k, v in enumerate(node.inputs) if _pattern(v) == _pattern(out)]
            if not same or not loop.ends_anew:
                return None
            self.space[f"f{i}"], self.space[f"a{i}"] = loop, loop.at_once
            small = f"{reads[same[0]]}.size <= {_SHORT}"
            text = f"a{i}({args}) if {small} else {call}"
        pairs = self._lengths.differing(node)
        if not pairs:
            return Line(text, (), tuple(reads), i)
        self.space[f"g{i}"] = _late(node, self.cells)
        if not isinstance(loop, np.ufunc):
            text = f"({text})"
        text = f"{text} if {agreement(node, pairs, reads)} else g{i}({args})"
        return Line(text, (), tuple(reads), i)

    def _room(self, node: Apply) -> str | None:
        """Where a node writes: a name, '' for a new array; None if it overwrites a graph input."""
        if not node.op.inplace_items:
            return ""
        ((_, i),) = node.op.inplace_items
        x = node.inputs[i]
        if x.owner is not None:
            return self._name(x) if x.type.ndim else ""
        if x in self._state and x not in self.copied:
            # state must not change until nothing can fail any more
            return ""
        return None

    def _of_numbers(self, i: int, node: Apply, loop: Any) -> Line:
        (out,) = node.outputs
        kinds = {v.type.dtype for v in (*node.inputs, out)}
        sign = _OPERATORS.get(loop) if isinstance(loop, np.ufunc) else None
        if sign is not None and len(kinds) == 1 and kinds <= {"float32", "float64"}:
            reads = [self._as_number(v) for v in node.inputs]
            items = [
                r if isinstance(v, Constant) or v in self._numbers else f"{r}[()]"
                for r, v in zip(reads, node.inputs, strict=True)
            ]
            text = f" {sign} ".join(items)
        else:
            reads = [self._name(v) for v in node.inputs]
            self.space[f"f{i}"] = getattr(loop, "at_once", loop)
            text = f"f{i}({', '.join(reads)})"
        if isinstance(loop, np.ufunc) and self._stays_number(out):
            self._numbers[out] = self._name(out)
        else:
            text = f"asarray({text})"
        return Line(text, (), tuple(reads), i)

    def _as_number(self, v: Variable) -> str:
        """The name to pass for an input; a 0-d value if that gives the same result."""
        if v in self.stands_for:
            return self._name(self.stands_for[v])
        if isinstance(v, Constant) and all(v.type.broadcastable):
            name = f"k{self._name(v)[1:]}"
            # as an argument an array is faster, between operators a number
            value = v.data.reshape(())
            self.space[name] = value if v.type.ndim else value[()]
            return name
        return self._name(v)

    def _gone(self, lines: Sequence[Line]) -> list[list[str]]:
        """For each line, the names that no later line reads."""
        keep = {self.names[v] for v in self.names if v.owner is None or v in self._outputs}
        gone: list[list[str]] = []
        read: set[str] = set(keep)
        for line in reversed(lines):
            names = [n for n in dict.fromkeys((*line.read, *line.assigned)) if n not in read]
            gone.append([n for n in names if not n.startswith("k")])
            read.update(names)
        return gone[::-1]


def loop_of(node: Apply) -> Any:
    """NumPy's loop ``f(*arrays)`` for an elementwise node with one output, or None."""
    op = node.op
    if type(op) is not Elemwise or len(node.outputs) != 1 or meaning_of(op) != "compute":
        return None
    loop = op.scalar_op.loop(node)
    return loop if isinstance(loop, np.ufunc) or hasattr(loop, "at_once") else None


def _all_ufuncs(loop: Any) -> bool:
    """Whether every step of a loop returns a new array by NumPy's broadcasting rules."""
    if loop is None or isinstance(loop, np.ufunc):
        return loop is not None
    return all(call.is_new for call in loop.calls)


def _pattern(v: Variable) -> Any:
    return v.type.broadcastable


def written_out(node: Apply, args: Sequence[str]) -> str | None:
    """The value of a node as Python text if that is shorter than a call, else None."""
    op, x = node.op, args[0] if args else ""
    if type(op) is Shape_i:
        return f"asarray({x}.shape[{op.i}])"
    if type(op) is not DimShuffle or not op.inplace:
        return None
    if op.drop:
        x = f"{x}.squeeze({tuple(op.drop)})"
    order = [sorted(op.shuffle).index(o) for o in op.shuffle]
    if order != sorted(order):
        x = f"{x}.T" if order == [1, 0] else f"{x}.transpose({tuple(order)})"
    if op.augment:
        x = f"{x}[{', '.join('None' if o == 'x' else ':' for o in op.new_order)}]"
    return x


def _late(node: Apply, cells: Cells) -> Callable[..., Any]:
    """The node's function with every check, created only when called: it will mostly raise."""
    return lambda *values: call_of(node)(*values)


def peek(value: Any) -> Any:
    """A shared value for reading, as a NumPy array; the cell keeps the device's array."""
    if value.__class__ is np.ndarray or not hasattr(type(value), "is_fully_addressable"):
        return value
    return np.asarray(value)
