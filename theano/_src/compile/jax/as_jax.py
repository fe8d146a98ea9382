"""as_jax: convert a compiled function, or expressions, to a function that jax can transform."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.compile.function import function
from theano._src.compile.function_object import Function
from theano._src.engines.jax.backend import needs_jax
from theano._src.engines.xla.as_jax import TracedGraph
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Variable
from theano._src.graph.walk import roots_of
from theano._src.ground.documented import documented_in
from theano._src.types.shared import SharedVariable


class JaxFunction:
    """The result of ``as_jax``: a function of arrays; ``params`` has its parameter values."""

    def __init__(self, compiled: Function, params: bool | Sequence[SharedVariable]) -> None:
        maker = compiled.maker
        self._graph = TracedGraph(maker.fgraph)
        self.single, self.keys = maker.unpack_single, maker.output_keys
        self.output_count = len(maker.outputs)
        # containers of shared variables and of default values, by position in the graph
        held = [spec.shared for spec in maker.inputs]
        self._containers = {
            i: c for i, c in enumerate(compiled.input_storage) if held[i] or c.value is not None
        }
        self.inputs = [
            spec.variable for i, spec in enumerate(maker.inputs) if i not in self._containers
        ]
        shared = {i: maker.inputs[i].variable for i, s in enumerate(held) if s}
        self.names = _names_of(shared, params)
        self.updates = dict(maker.fgraph.update_mapping or {})
        fixed = [shared[i] for i in self.updates.values() if i not in self.names]
        if fixed:
            raise ValueError(
                f"as_jax of what updates shared variables ({', '.join(map(str, fixed))}) takes "
                "params=True, and gives the outputs and the new values of all: a function of jax "
                "has no state"
            )

    @property
    def fgraph(self) -> FunctionGraph:
        """The rewritten graph."""
        return self._graph.fgraph

    @property
    def arguments(self) -> list[Variable]:
        """The inputs of the graph that are arguments, in the order of ``inputs``."""
        return [v for i, v in enumerate(self.fgraph.inputs) if i not in self._containers]

    def known_shapes(self) -> dict[Variable, tuple[int, ...]]:
        """Return the shapes of the parameters and constants of the function."""
        inputs = self.fgraph.inputs
        held = self.held_values().items()
        return {inputs[i]: tuple(x.shape) for i, x in held if hasattr(x, "shape")}

    def held_values(self) -> dict[int, Any]:
        """Return the parameters and constants of the function, by position in the graph."""
        return {i: c.value for i, c in self._containers.items()}

    @property
    def params(self) -> dict[str, Any]:
        """The current values of the parameters by name, for the first argument."""
        return {name: self._containers[i].value for i, name in self.names.items()}

    def __call__(self, *args: Any) -> Any:
        wanted = len(self.inputs) + bool(self.names)
        if len(args) != wanted:
            takes = [*(["params"] if self.names else []), *map(str, self.inputs)]
            raise TypeError(f"this function takes {', '.join(takes)}, got {len(args)} arguments")
        given, arrays = ({}, args) if not self.names else (args[0], args[1:])
        missing = [name for name in self.names.values() if name not in given]
        if missing:
            raise KeyError(f"params has no {', '.join(missing)}; it has {sorted(given)}")
        left = iter(arrays)
        values = [
            given[self.names[i]]
            if i in self.names
            else self._containers[i].value
            if i in self._containers
            else next(left)
            for i in range(len(self._graph.fgraph.inputs))
        ]
        result = self._graph(values)
        outputs: Any = result[: self.output_count]
        if self.keys is not None:
            outputs = dict(zip(self.keys, outputs, strict=True))
        elif self.single:
            (outputs,) = outputs
        if not self.updates:
            return outputs
        new = dict(given)
        new |= {self.names[i]: result[o] for o, i in self.updates.items()}
        return outputs, new


def _names_of(
    shared: dict[int, SharedVariable], params: bool | Sequence[SharedVariable]
) -> dict[int, str]:
    """The names of the parameters, by position in the graph."""
    if params is True:
        chosen = dict(shared)
    else:
        wanted = list(params or ())
        # the graph has copies of shared variables, which share the container
        cells = [v.container for v in wanted]
        chosen = {i: v for i, v in shared.items() if any(v.container is c for c in cells)}
        if len(chosen) < len(wanted):
            raise ValueError(
                f"params are shared variables of the graph, which has {list(shared.values())}; "
                f"got {wanted}"
            )
    names = {i: v.name or f"shared_{n}" for n, (i, v) in enumerate(chosen.items())}
    if len(set(names.values())) < len(names):
        raise ValueError(f"params need different names, got {list(names.values())}")
    return names


@documented_in("theano")
def as_jax(
    outputs: Any,
    inputs: Sequence[Variable] | None = None,
    params: bool | Sequence[SharedVariable] = False,
    givens: Any = None,
) -> JaxFunction:
    """Convert a graph to a function of arrays for ``jax.jit``, ``jax.grad`` and ``jax.vmap``.

    Parameters
    ----------
    outputs : compiled function, variable, or list of variables
    inputs : list of variables, optional
        For expressions: the arguments, in order. By default all variables that they depend on.
    params : bool, or list of shared variables
        The shared variables that become the first argument, a dict of values by name; True means
        all. Others are constants. The attribute ``params`` has their current values.
    givens : optional
        For expressions, as in ``function``: for example, constants that shapes depend on.

    Returns
    -------
    JaxFunction
        Returns the same outputs as the compiled function, as jax arrays. A function that updates
        shared variables returns these outputs and the dict of new values.

    Raises
    ------
    NotImplementedError
        When jax traces it: if a shape depends on a traced value, or an op has no compiled form.
    ValueError
        If it updates shared variables that are not in ``params``.

    Notes
    -----
    If a check fails (an index out of range, an ``Assert``), results are NaN if jax traces the
    function; otherwise the call raises. Graphs of float64 need ``jax_enable_x64``.

    Examples
    --------
    >>> import jax, numpy as np, theano, theano.tensor as T
    >>> x = T.fvector("x")
    >>> w = theano.shared(np.float32([1, 2]), "w")
    >>> cost = theano.as_jax(T.sum(w * x ** 2), [x], params=True)
    >>> float(cost(cost.params, np.float32([3, 4])))
    41.0
    >>> jax.grad(cost)(cost.params, np.float32([3, 4]))["w"].tolist()
    [9.0, 16.0]
    """
    needs_jax("as_jax")
    if isinstance(outputs, Function):
        if inputs is not None or givens is not None:
            raise TypeError("as_jax of a compiled function has its inputs: leave inputs out")
        return JaxFunction(outputs, params)
    if inputs is None:
        every = outputs if isinstance(outputs, list | tuple) else [outputs]
        inputs = [
            v
            for v in roots_of(every)
            if not isinstance(v, SharedVariable) and not hasattr(v, "data")
        ]
    compiled = function(
        list(inputs), outputs, givens=givens, on_unused_input="ignore", profile=False
    )
    return JaxFunction(compiled, params)
