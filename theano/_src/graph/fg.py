"""FunctionGraph: a graph that tracks its parts and notifies features of every change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from theano._src.graph.clone import as_string, clone, clone_get_equiv
from theano._src.graph.features import Feature
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.source_line import lines, trace_of
from theano._src.graph.walk import nodes_of
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import AlreadyThere, BadOptimization, MissingInputError

_CALLBACKS = ("on_import", "on_prune", "on_change_input", "on_setup_variable", "on_setup_node")


@documented_in("theano.gof.fg")
class FunctionGraph:
    """The graph between inputs and outputs, as rewriting and linkers see it.

    Each variable in it has ``clients``; parts that are no longer used are pruned at once.
    Features attached to it are notified of each import, prune and change of input; they may add
    methods to it and constrain the order of nodes.

    Parameters
    ----------
    inputs, outputs : lists of Variables
    features : list, optional
    clone : bool
        Whether to copy the graph first (the default), so that the user's graph is not changed.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> theano.gof.FunctionGraph([x], [x * x])
    [Elemwise{mul,no_inplace}(x, x)]
    """

    def __init__(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        features: Iterable[Any] | None = None,
        clone: bool = True,
        update_mapping: dict[int, int] | None = None,
    ) -> None:
        if clone:
            inputs, outputs = _clone(inputs, outputs)
        self.inputs: list[Variable] = []
        self.outputs: list[Variable] = list(outputs)
        self.apply_nodes: dict[Apply, None] = {}
        self.variables: dict[Variable, None] = {}
        self.update_mapping = update_mapping
        self._features: list[Any] = []
        self._listeners: dict[str, list[Any]] = {name: [] for name in _CALLBACKS}
        self._topo: list[Apply] | None = None
        self.profile: Any = None
        self.name: str | None = None
        #: shardings of inputs ("in", i) and outputs ("out", i) over a mesh of devices
        self.shardings: dict[tuple[str, int], Any] = {}
        for feature in features or ():
            self.attach_feature(feature)
        for v in inputs:
            if v in self.variables:
                raise ValueError(f"the inputs of a FunctionGraph must differ, {v} comes twice")
            self.add_input(v)
        for v in self.outputs:
            self.import_var(v, reason="init")
        for i, v in enumerate(self.outputs):
            self._add_client(v, ("output", i))

    # parts

    def add_input(self, v: Variable) -> None:
        self.inputs.append(v)
        self._setup_var(v)

    def _setup_var(self, v: Variable) -> None:
        if v.fgraph is not None and v.fgraph is not self:
            raise ValueError(
                f"{v} already belongs to another FunctionGraph; build this one with clone=True"
            )
        v.fgraph = self
        v._clients = {}
        self.variables[v] = None
        for listen in self._listeners["on_setup_variable"]:
            listen(self, v)

    def _add_client(self, v: Variable, client: tuple[Any, int]) -> None:
        assert v._clients is not None
        v._clients[client] = None

    def import_var(self, variable: Variable, reason: Any = None) -> None:
        """Add a variable and the nodes that compute it, except those already in the graph."""
        if variable in self.variables:
            return
        if variable.owner is None:
            self._import_root(variable, None)
            return
        for node in nodes_of([variable], self.variables):
            self._import_node(node, reason)

    def _import_root(self, v: Variable, node: Apply | None) -> None:
        if not isinstance(v, Constant):
            raise _missing(v, node)
        self._setup_var(v)

    def _import_node(self, node: Apply, reason: Any) -> None:
        if node in self.apply_nodes:
            return
        if node.fgraph is not None and node.fgraph is not self:
            raise ValueError(
                f"{node} already belongs to another FunctionGraph; build this one with clone=True"
            )
        for v in node.inputs:
            if v not in self.variables:
                # nodes are imported in topological order: a variable still missing has no owner
                self._import_root(v, node)
        node.fgraph = self
        self.apply_nodes[node] = None
        self._topo = None
        for v in node.outputs:
            self._setup_var(v)
        for i, v in enumerate(node.inputs):
            self._add_client(v, (node, i))
        for listen in self._listeners["on_setup_node"]:
            listen(self, node)
        for listen in self._listeners["on_import"]:
            listen(self, node, reason)

    def _prune(self, variable: Variable, reason: Any) -> None:
        """Remove a variable without clients, and all nodes that only it needed."""
        stack = [variable]
        while stack:
            v = stack.pop()
            if v._clients or v not in self.variables:
                continue
            node = v.owner
            if node is None or node not in self.apply_nodes:
                if node is None and v not in self._input_set():
                    del self.variables[v]
                    v.fgraph = v._clients = None
                continue
            if any(out._clients for out in node.outputs):
                continue
            del self.apply_nodes[node]
            self._topo = None
            for listen in self._listeners["on_prune"]:
                listen(self, node, reason)
            node.fgraph = None
            for out in node.outputs:
                del self.variables[out]
                out.fgraph = out._clients = None
            for i, arg in enumerate(node.inputs):
                assert arg._clients is not None
                del arg._clients[node, i]
                if not arg._clients:
                    stack.append(arg)

    def _input_set(self) -> set[Variable]:
        if len(self.inputs) != getattr(self, "_n_inputs", -1):
            self._inputs_seen = set(self.inputs)
            self._n_inputs = len(self.inputs)
        return self._inputs_seen

    def clients(self, v: Variable) -> list[tuple[Any, int]]:
        return v.clients

    # changes

    def change_input(self, node: Any, i: int, new_r: Variable, reason: Any = None) -> None:
        """Set input ``i`` of ``node`` to ``new_r``; output ``i`` of the graph for ``'output'``."""
        old = self.outputs[i] if node == "output" else node.inputs[i]
        if old is new_r:
            return
        if old.type != new_r.type:
            raise BadOptimization(old, new_r, reason=reason)
        self.import_var(new_r, reason)
        if node == "output":
            self.outputs[i] = new_r
        else:
            node.inputs[i] = new_r
        self._topo = None
        self._add_client(new_r, (node, i))
        assert old._clients is not None
        del old._clients[node, i]
        for listen in self._listeners["on_change_input"]:
            listen(self, node, i, old, new_r, reason)
        if not old._clients:
            self._prune(old, reason)

    def replace(
        self, r: Variable, new_r: Variable, reason: Any = None, verbose: Any = None
    ) -> None:
        """Replace ``r`` by ``new_r`` in all nodes and outputs that use it."""
        if r.fgraph is not self:
            raise ValueError(f"cannot replace {r}: it is not in this FunctionGraph")
        if r not in self.variables:
            return
        new_r = r.type.filter_variable(new_r)
        for node, i in list(r._clients or ()):
            self.change_input(node, i, new_r, reason)

    def replace_all(self, pairs: Iterable[tuple[Variable, Variable]], reason: Any = None) -> None:
        for r, new_r in pairs:
            self.replace(r, new_r, reason)

    # features

    def attach_feature(self, feature: Any) -> None:
        """Attach a feature; do nothing if its ``on_attach`` raises AlreadyThere."""
        if feature in self._features:
            return
        attach = getattr(feature, "on_attach", None)
        if attach is not None:
            try:
                attach(self)
            except AlreadyThere:
                return
        self._features.append(feature)
        self._bind(feature, True)

    def remove_feature(self, feature: Any) -> None:
        if feature not in self._features:
            return
        self._features.remove(feature)
        self._bind(feature, False)
        detach = getattr(feature, "on_detach", None)
        if detach is not None:
            detach(self)

    def _bind(self, feature: Any, on: bool) -> None:
        for name, listeners in self._listeners.items():
            method = getattr(feature, name, None)
            nothing = getattr(Feature, name, None)
            if method is not None and getattr(method, "__func__", method) is not nothing:
                listeners.append(method) if on else listeners.remove(method)
        if _orders_nodes(feature):
            self._topo = None

    def execute_callbacks(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Call the method ``name`` of each feature that has one."""
        for feature in list(self._features):
            method = getattr(feature, name, None)
            if method is not None:
                method(self, *args, **kwargs)

    def collect_callbacks(self, name: str, *args: Any) -> dict[Any, Any]:
        result = {}
        for feature in self._features:
            method = getattr(feature, name, None)
            if method is not None:
                result[feature] = method(*args)
        return result

    # reading

    def orderings(self) -> dict[Apply, list[Apply]]:
        """Return the order that features require: for each node, the nodes that run before it."""
        merged: dict[Apply, list[Apply]] = {}
        for feature in self._features:
            ask = getattr(feature, "orderings", None)
            if ask is None:
                continue
            for node, before in ask(self).items():
                merged.setdefault(node, []).extend(before)
        return merged

    def toposort(self) -> list[Apply]:
        """Return the nodes in topological order; the order is deterministic."""
        if self._topo is None:
            extra = self.orderings()
            order = nodes_of(self.outputs, self._input_set(), extra or None)
            if len(order) < len(self.apply_nodes):
                # a fallback only: pruning is eager, so every node should reach an output
                order = nodes_of(
                    [v for n in self.apply_nodes for v in n.outputs], self._input_set(), extra
                )
            self._topo = order
        return list(self._topo)

    def check_integrity(self) -> None:
        """Raise AssertionError if the bookkeeping is wrong."""
        order = nodes_of(self.outputs, self._input_set())
        assert set(order) <= set(self.apply_nodes), "nodes are missing from apply_nodes"
        for node in self.apply_nodes:
            assert node.fgraph is self
            for i, v in enumerate(node.inputs):
                assert v in self.variables and v._clients is not None and (node, i) in v._clients
            for i, v in enumerate(node.outputs):
                assert v in self.variables and v.owner is node and v.index == i
        for i, v in enumerate(self.outputs):
            assert v._clients is not None and ("output", i) in v._clients
        for v in self.variables:
            for node, i in v._clients or ():
                user = self.outputs[i] if node == "output" else node.inputs[i]
                assert user is v, f"{v} has a client that does not use it: {node}"

    def clone(self, check_integrity: bool = True) -> FunctionGraph:
        return self.clone_get_equiv(check_integrity)[0]

    def clone_get_equiv(
        self, check_integrity: bool = True, attach_feature: bool = True
    ) -> tuple[FunctionGraph, dict[Any, Any]]:
        """Return a copy of this graph, and the map from old parts to new ones."""
        equiv = clone_get_equiv(self.inputs, self.outputs)
        new = FunctionGraph(
            [equiv[v] for v in self.inputs], [equiv[v] for v in self.outputs], clone=False
        )
        new.update_mapping = self.update_mapping
        if attach_feature:
            for feature in self._features:
                new.attach_feature(feature)
        if check_integrity:
            new.check_integrity()
        return new, equiv

    def disown(self) -> None:
        """Release all variables and nodes, so that they can be used in another graph."""
        for feature in list(self._features):
            self.remove_feature(feature)
        for node in self.apply_nodes:
            node.fgraph = None
        for v in self.variables:
            v.fgraph = v._clients = None
        self.apply_nodes, self.variables = {}, {}
        self.inputs, self.outputs = [], []

    def __str__(self) -> str:
        return f"[{', '.join(as_string(self.inputs, self.outputs))}]"

    def __repr__(self) -> str:
        return str(self)

    def __getstate__(self) -> dict[str, Any]:
        # features add their methods and caches again when they are attached
        kept = ("inputs", "outputs", "update_mapping", "profile", "name")
        state = {name: self.__dict__[name] for name in kept}
        state["features"] = [f for f in self._features if getattr(f, "pickled", False)]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "features" not in state:
            return  # a pickle of Theano 1.0: the graph it was rewritten to there is not used
        FunctionGraph.__init__(
            self,
            state["inputs"],
            state["outputs"],
            state["features"],
            clone=False,
            update_mapping=state["update_mapping"],
        )
        self.profile, self.name = state["profile"], state["name"]


# inside the class body the parameter `clone` hides the function
_clone = clone


def _orders_nodes(feature: Any) -> bool:
    """Whether a feature may change the order of nodes: by ``orderings`` or ``protected``."""
    own = getattr(type(feature), "orderings", None) is not Feature.orderings
    return (own and hasattr(feature, "orderings")) or hasattr(feature, "protected")


def _missing(v: Variable, node: Apply | None) -> MissingInputError | TypeError:
    used = "" if node is None else f" to compute {node}"
    why_null = getattr(v.type, "why_null", None)
    if why_null is not None:
        return TypeError(f"{v} is needed{used}, and has no value: {why_null}")
    result = lines(trace_of(v))
    at = f"; it was made at {result[-1][0]}:{result[-1][1]}" if result else ""
    error = MissingInputError(
        f"Undeclared input: {v} of type {v.type} is needed{used}, and is neither an input of the "
        "function, a constant nor a shared variable; list it among the inputs or replace it "
        f"with givens{at}"
    )
    error.variable = v  # type: ignore[attr-defined]
    return error
