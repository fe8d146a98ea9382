"""debugprint: a graph as a tree of lines, with an id for every part."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Variable
from theano._src.ground.documented import documented_in
from theano._src.show.names import char_from_number

_IDS = ("CHAR", "int", "id", "")

#: the deepest indentation; deeper lines start with the number of further levels
_LEVELS = 200


class _Root(NamedTuple):
    """A thing to print, with the node positions and storage of its compiled graph, if any."""

    what: Any
    positions: dict[Apply, int]
    storage: Any


@documented_in("theano.printing")
def debugprint(
    obj: Any,
    depth: int = -1,
    print_type: bool = False,
    file: Any = None,
    ids: str = "CHAR",
    stop_on_name: bool = False,
    done: dict[Any, str] | None = None,
    print_storage: bool = False,
    print_clients: bool = False,
    used_ids: dict[Any, str] | None = None,
) -> Any:
    """Print a graph as a tree: one line per variable, followed by the inputs of its op.

    Further uses of a part are printed as one line with the same id, without its inputs.
    Lines are indented by at most 200 levels; deeper ones start with the number of further levels.
    For a compiled function, each op's line ends with its position in the order of computation.

    Parameters
    ----------
    obj : Variable, Apply, compiled function, FunctionGraph, or a list of these
    depth : int
        Number of levels to print; -1 for all.
    print_type : bool
        Whether to show each variable's type.
    file : None, 'str' or an open file
        Print to standard output, to a string that is returned, or to a file, which is returned.
    ids : {'CHAR', 'int', 'id', ''}
        Letters, numbers, Python's ``id``, or nothing.
    stop_on_name : bool
        Whether to omit the inputs of named variables.
    done : dict, optional
        Parts that were already printed, with their ids; newly printed parts are added.
    print_storage : bool
        For a compiled function: whether to show the stored value of each variable.
    print_clients : bool
        For variables of a FunctionGraph with several clients: whether to list these nodes.
    used_ids : dict, optional
        The ids assigned so far; pass the same dict to calls that should use the same ids.

    >>> import theano.tensor as T
    >>> x, y = T.dscalar("x"), T.dscalar("y")
    >>> debugprint((x + y) * x)
    Elemwise{mul,no_inplace} [@A] ''
     |Elemwise{add,no_inplace} [@B] ''
     | |x [@C]
     | |y [@D]
     |x [@C]
    """
    if not isinstance(depth, int):
        raise TypeError(f"debugprint takes an int as depth, got {depth!r}; -1 prints all levels")
    if ids not in _IDS:
        raise ValueError(
            f"debugprint takes one of {', '.join(map(repr, _IDS))} as ids, got {ids!r}"
        )
    roots = list(_roots(obj))
    out: Any = io.StringIO() if file == "str" else sys.stdout if file is None else file
    printer = _Printer(out, depth, ids, done, used_ids)
    printer.types, printer.stop_on_name = print_type, stop_on_name
    printer.show_storage, printer.show_clients = print_storage, print_clients
    for root in roots:
        printer.root(root)
    printer.inner_graphs()
    return out.getvalue() if file == "str" else file


def _roots(obj: Any) -> Iterator[_Root]:
    stack = [obj]
    while stack:
        item = stack.pop()
        fgraph = getattr(getattr(item, "maker", None), "fgraph", item)
        if isinstance(fgraph, FunctionGraph):
            positions = {node: i for i, node in enumerate(fgraph.toposort())}
            storage = getattr(getattr(item, "fn", None), "storage_map", None)
            yield from (_Root(v, positions, storage) for v in fgraph.outputs)
        elif isinstance(item, Apply):
            yield from (_Root(v, {}, None) for v in item.outputs)
        elif isinstance(item, Variable | int | float | complex | np.ndarray | np.generic):
            yield _Root(item, {}, None)
        elif isinstance(item, list | tuple | set | frozenset):
            stack.extend(reversed(list(item)))
        else:
            raise TypeError(
                "debugprint takes Variables, Apply nodes, compiled functions, FunctionGraphs and "
                f"lists of these, got {item!r} of type {type(item).__name__}"
            )


def _indent(bars: list[str]) -> str:
    """Return the indentation of a line; unlimited, it would make a chain's text quadratic."""
    more = len(bars) - _LEVELS
    return "".join(bars) if more <= 0 else f"({more} more){''.join(bars[-_LEVELS:])}"


class _Printer:
    """The state of one call: the file, the ids so far, the parts already printed."""

    types = stop_on_name = show_storage = show_clients = False

    def __init__(
        self,
        out: Any,
        depth: int,
        ids: str,
        done: dict[Any, str] | None,
        used_ids: dict[Any, str] | None,
    ) -> None:
        self.out = out
        self.depth = depth
        self.ids = ids
        self.done = {} if done is None else done
        self.used_ids = dict(self.done) if used_ids is None else used_ids
        self.holders: dict[Apply, None] = {}

    def id_of(self, v: Variable) -> str:
        # all outputs of a node share its id and differ in the suffix .0, .1
        key = v if v.owner is None else v.owner
        return self.id_of_key(key)

    def id_of_key(self, key: Any) -> str:
        text = self.used_ids.get(key)
        if text is None:
            n = len(self.used_ids)
            match self.ids:
                case "CHAR":
                    text = f"[@{char_from_number(n)}]"
                case "int":
                    text = f"[@{n}]"
                case "id":
                    text = f"[@{id(key)}]"
                case _:
                    text = ""
            self.used_ids[key] = text
        return text

    def root(self, root: _Root) -> None:
        if isinstance(root.what, Variable):
            self.tree(root.what, root)
        elif self.depth:
            self.out.write(f"{root.what}\n")

    def tree(
        self,
        top: Variable,
        root: _Root,
        base: str = "",
        outer: dict[Variable, Variable] | None = None,
    ) -> None:
        """Print ``top`` and all below it; iterative, since graphs can be deep."""
        if self.depth == 0:
            return
        # bars[k] is the prefix from the ancestor at level k + 1 for each line below it
        bars: list[str] = []
        stack = [(top, 0, True)]
        while stack:
            v, level, last = stack.pop()
            if level:
                del bars[level - 1 :]
                self.out.write(f"{base}{_indent(bars)} |{self.line(v, root, outer)}\n")
                bars.append("  " if last else " |")
            else:
                self.out.write(f"{base}{self.line(v, root, outer)}\n")
            node = v.owner
            if node is None:
                self.done[v] = self.id_of(v)
                continue
            if hasattr(node.op, "inner_graph"):
                self.holders.setdefault(node)
            if node in self.done or (self.stop_on_name and v.name is not None):
                continue
            if self.depth > 0 and level + 1 >= self.depth:
                continue
            self.done[node] = self.id_of(v)
            final = len(node.inputs) - 1
            for i in range(final, -1, -1):
                stack.append((node.inputs[i], level + 1, i == final))

    def line(self, v: Variable, root: _Root, outer: dict[Variable, Variable] | None = None) -> str:
        node = v.owner
        if node is None:
            text = str(v)
        else:
            text = f"{node.op}.{v.index}" if len(node.outputs) > 1 else str(node.op)
        bits = [text, self.id_of(v)]
        if self.types:
            bits.append(f"<{v.type}>")
        if node is not None:
            name = "" if v.name is None else v.name
            position = root.positions.get(node)
            bits.append(f"'{name}'" if position is None else f"'{name}'   {position}")
            if self.show_clients:
                bits.append(self.clients(v, root))
        elif outer and v in outer:
            bits.append(f"-> {self.id_of(outer[v])}")
        if self.show_storage and root.storage is not None and v in root.storage:
            bits.append(str(root.storage[v]))
        return " ".join(bit for bit in bits if bit)

    def clients(self, v: Variable, root: _Root) -> str:
        users = [] if v.fgraph is None else v.clients
        if len(users) < 2:
            return ""
        shown = [
            (user, i) if user == "output" else (self.id_of_key(user), root.positions.get(user, ""))
            for user, i in users
        ]
        return f"clients:{shown}"

    def inner_graphs(self) -> None:
        """Print the graphs inside ops, each op once; graphs in inner graphs come after them.

        An op with an inner graph has a method ``inner_graph(node)`` that returns the outputs of
        that graph and a dict from its inputs to the corresponding outer variables;
        ``inner_graphs_of`` is a name for such ops.
        """
        if not self.holders:
            return
        kinds = {getattr(node.op, "inner_graphs_of", None) for node in self.holders}
        kind = kinds.pop() if len(kinds) == 1 else None
        self.out.write(f"\nInner graphs{f' of the {kind}' if kind else ''}:\n")
        todo = list(self.holders)
        for node in todo:
            before = len(self.holders)
            outputs, outer = node.op.inner_graph(node)
            root = _Root(None, {}, None)
            self.out.write(f"\n{self.line(node.outputs[0], root)}\n")
            for v in outputs:
                self.tree(v, root, " >", outer)
            todo += list(self.holders)[before:]
